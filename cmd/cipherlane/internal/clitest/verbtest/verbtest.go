// Package verbtest makes the command of a test from some of its verbs, so that the tests of a room
// compile that room only.
package verbtest

import (
	"os"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/grammar"
)

// Main runs the tests of a package, with a command of the verbs in a struct. The function check is
// called with the name of the verb: inventory.CheckEnvironment.
func Main(m *testing.M, verbs any, variables kong.Vars, check func(verb string) error) {
	clitest.Main(m, func() int {
		p := cli.NewProgram("cipherlane")
		return grammar.Run(p, grammar.New(p, verbs, "", variables), os.Args[1:], nil, func(ctx *kong.Context) error {
			return check(ctx.Selected().Name)
		})
	})
}
