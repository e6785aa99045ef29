package files

import (
	"cmp"
	"fmt"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
)

// InspectCmd is the verb inspect.
type InspectCmd struct {
	Input string `arg:"" optional:"" name:"file" help:"File made by encrypt or age; default: standard input."`
	JSON  bool   `help:"Print JSON."`
}

// Help returns the description of the verb, with examples.
func (InspectCmd) Help() string {
	return `Prints what a file in age's format says without a key: for whom it is encrypted, whether
a quantum computer could decrypt it, and sizes. Files show the kinds of their recipients, not
who these are; of keys of ssh, also the beginning of the fingerprint. "cipherlane recipients
remove" takes the numbers in front of them. Nothing is verified: that takes an identity, and
"cipherlane decrypt".

Files encrypted with a key file begin with random bytes and say nothing.

The JSON has the fields of age-inspect, and a list of recipients.

Examples:

    cipherlane inspect photos.tar.age
    cipherlane inspect --json photos.tar.age | jq .recipients`
}

// An inspection is what is known of a file in age's format. The names are those of age-inspect.
type inspection struct {
	Version     string          `json:"version"`
	PostQuantum string          `json:"postquantum"` // yes, no or unknown
	Armor       bool            `json:"armor"`
	StanzaTypes []string        `json:"stanza_types"`
	Recipients  []inspectedKind `json:"recipients"`
	Sizes       inspectedSizes  `json:"sizes"`

	entries []string // what is known of each recipient
}

// An inspectedKind is recipients of one kind.
type inspectedKind struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// inspectedSizes are in bytes. Nothing is padded, so that the size of the payload is known.
type inspectedSizes struct {
	Header     int64 `json:"header"`
	Armor      int64 `json:"armor"`
	Overhead   int64 `json:"overhead"`
	MinPayload int64 `json:"min_payload"`
	MaxPayload int64 `json:"max_payload"`
	MinPadding int64 `json:"min_padding"`
	MaxPadding int64 `json:"max_padding"`
}

// Run runs the verb.
func (c *InspectCmd) Run(p *cli.Program) error {
	in, err := p.Open(c.Input)
	if err != nil {
		return err
	}
	defer in.Close()
	i, err := inspect(in, c.Input)
	if err != nil {
		return err
	}
	if c.JSON {
		return p.JSON(i)
	}
	format := i.Version
	if i.Armor {
		format += ", armored"
	}
	fmt.Fprintf(p.Stdout, "%s: %s\n", in.DisplayName, format)
	for n, text := range i.entries { // age refuses stanzas with other characters than visible ones
		fmt.Fprintf(p.Stdout, "  %d. %s\n", n+1, text)
	}
	answer := map[string]string{"yes": "no", "no": "yes"}
	fmt.Fprintf(p.Stdout, "  A quantum computer could decrypt it: %s\n", cmp.Or(answer[i.PostQuantum], i.PostQuantum))
	fmt.Fprintf(p.Stdout, "  %d bytes of plaintext; header %d, overhead %d", i.Sizes.MinPayload, i.Sizes.Header, i.Sizes.Overhead)
	if i.Armor {
		fmt.Fprintf(p.Stdout, ", armor %d", i.Sizes.Armor)
	}
	fmt.Fprintln(p.Stdout)
	return p.Flush()
}
