package substitute

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

func TestMain(m *testing.M) {
	// With -trimpath, cipherlane go does not know where its source is. As the command, this program runs in
	// another folder, and has the variable.
	if _, file, _, ok := runtime.Caller(0); ok && !filepath.IsAbs(file) && os.Getenv(clitest.AsCommand) == "" {
		if top, err := filepath.Abs("../../../.."); err == nil {
			os.Setenv("CIPHERLANE_SOURCE", top)
		}
	}
	clitest.Main(m, func() int { return runHere(os.Args[1:]) })
}

// runHere is the command with the verb go alone.
func runHere(args []string) int {
	p := cli.NewProgram("cipherlane")
	call := Command{Source: os.Getenv("CIPHERLANE_SOURCE")}
	flags := flag.NewFlagSet("go", flag.ExitOnError)
	flags.StringVar(&call.Dir, "C", "", "")
	flags.StringVar(&call.Source, "source", call.Source, "")
	flags.Func("only", "", func(word string) error { call.Only = append(call.Only, word); return nil })
	flags.Func("except", "", func(word string) error { call.Except = append(call.Except, word); return nil })
	flags.BoolVar(&call.Std, "std", false, "")
	flags.BoolVar(&call.SM, "sm", false, "")
	flags.BoolVar(&call.Keep, "keep", false, "")
	flags.Parse(args[1:])
	call.Args = flags.Args()
	err := call.Run(p)
	if e := p.Flush(); err == nil {
		err = e
	}
	return p.Exit(err)
}
