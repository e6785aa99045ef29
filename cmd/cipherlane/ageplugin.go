//go:build !(mips || mipsle || mips64 || mips64le)

package main

import (
	"flag"
	"io"
	"strings"

	"filippo.io/age/plugin"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/recipients"
)

// runPlugin speaks the plugin protocol of age on standard input and output. args are the
// arguments of the program.
func (p *program) runPlugin(name string, args []string) (code int) {
	for _, k := range recipients.Kinds {
		if k.Plugin != name {
			continue
		}
		if err := refuseFIPS(); err != nil {
			return p.exit(err)
		}
		program, err := plugin.New(name)
		if err != nil {
			return p.exit(err)
		}
		flags := flag.NewFlagSet(p.name, flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		program.RegisterFlags(flags)
		if err := flags.Parse(args); err != nil || flags.Lookup("age-plugin").Value.String() == "" || flags.NArg() > 0 {
			return p.exit(usagef("is a plugin, which age starts for recipients that begin with age1%s1; \"cipherlane keygen -t\" makes them", name))
		}
		program.HandleRecipient(k.Recipient)
		program.HandleIdentity(k.Identity)
		program.HandleIdentityAsRecipient(k.IdentityAsRecipient)
		return program.Main()
	}
	return p.exit(usagef("no such plugin: link the program as %s", pluginNames()))
}

func pluginNames() string {
	var names []string
	for _, k := range recipients.Kinds {
		names = append(names, pluginPrefix+k.Plugin)
	}
	return strings.Join(names, " or ")
}
