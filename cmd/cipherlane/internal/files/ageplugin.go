//go:build !(mips || mipsle || mips64 || mips64le)

package files

import (
	"bufio"
	"flag"
	"io"
	"os"
	"strings"

	"filippo.io/age/plugin"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/recipients"
)

// runUnnamedPlugin is runPlugin for clients, such as rage, that follow symbolic links and so
// start the program under its own name. The first recipient or identity tells which plugin
// they want.
func runUnnamedPlugin(p *cli.Program, args []string) (code int) {
	r := bufio.NewReader(p.Stdin)
	var seen strings.Builder
	for {
		line, err := r.ReadString('\n')
		seen.WriteString(line)
		for _, k := range recipients.Kinds {
			if strings.HasPrefix(line, "-> add-recipient age1"+k.Plugin+"1") || strings.HasPrefix(line, "-> add-identity AGE-PLUGIN-"+strings.ToUpper(k.Plugin)+"-1") {
				return runPlugin(p, k.Plugin, args, io.MultiReader(strings.NewReader(seen.String()), r))
			}
		}
		if err != nil || line == "-> done\n" {
			return p.Exit(cli.Usagef("--age-plugin: no recipient or identity of a plugin that this program is"))
		}
	}
}

// runPlugin speaks the plugin protocol of age on in and on standard output. args are the
// arguments of the program.
func runPlugin(p *cli.Program, name string, args []string, in io.Reader) (code int) {
	for _, k := range recipients.Kinds {
		if k.Plugin != name {
			continue
		}
		if err := inventory.RefuseFIPS(); err != nil {
			return p.Exit(err)
		}
		program, err := plugin.New(name)
		if err != nil {
			return p.Exit(err)
		}
		flags := flag.NewFlagSet(p.Name, flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		program.RegisterFlags(flags)
		program.SetIO(in, os.Stdout, os.Stderr)
		if err := flags.Parse(args); err != nil || flags.Lookup("age-plugin").Value.String() == "" || flags.NArg() > 0 {
			return p.Exit(cli.Usagef("is a plugin, which age starts for recipients that begin with age1%s1; \"cipherlane keygen -t\" makes them", name))
		}
		program.HandleRecipient(k.Recipient)
		program.HandleIdentity(k.Identity)
		program.HandleIdentityAsRecipient(k.IdentityAsRecipient)
		return program.Main()
	}
	return p.Exit(cli.Usagef("no such plugin: link the program as %s", pluginNames()))
}

func pluginNames() string {
	var names []string
	for _, k := range recipients.Kinds {
		names = append(names, pluginPrefix+k.Plugin)
	}
	return strings.Join(names, " or ")
}
