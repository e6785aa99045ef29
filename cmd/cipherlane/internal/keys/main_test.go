package keys

import (
	"os"
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
			SM2 SM2Cmd `cmd:"" name:"sm2"`
			KEM KEMCmd `cmd:"" name:"kem"`
		}
		p := cli.NewProgram("cipherlane")
		return grammar.Run(p, grammar.New(p, &verbs, "", Variables()), os.Args[1:], nil, func(ctx *kong.Context) error {
			return inventory.CheckEnvironment(ctx.Selected().Name)
		})
	})
}
