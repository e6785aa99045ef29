package checksum

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/grammar"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
)

// TestMain makes the command of these tests from some of its verbs.
func TestMain(m *testing.M) {
	clitest.Main(m, func() int {
		var verbs struct {
			Hash Cmd               `cmd:""`
			List inventory.ListCmd `cmd:""`
		}
		p := cli.NewProgram("cipherlane")
		var program any = &verbs
		if filepath.Base(os.Args[0]) == "sm3sum" {
			p.Name = "sm3sum"
			program = new(Cmd)
		}
		return grammar.Run(p, grammar.New(p, program, "", Variables()), os.Args[1:], nil, func(*kong.Context) error {
			return inventory.CheckEnvironment("hash")
		})
	})
}
