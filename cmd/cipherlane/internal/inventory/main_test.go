package inventory

import (
	"os"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/grammar"
)

// TestMain makes the command of these tests from some of its verbs.
func TestMain(m *testing.M) {
	clitest.Main(m, func() int {
		var verbs struct {
			List ListCmd `cmd:""`
		}
		p := cli.NewProgram("cipherlane")
		return grammar.Run(p, grammar.New(p, &verbs, "", nil), os.Args[1:], nil, func(ctx *kong.Context) error {
			return CheckEnvironment(ctx.Selected().Name)
		})
	})
}
