// Package data has the types of the files in docs/machines, the only place for figures. The
// program ci/figures makes tables of documents from them.
//
// A file has what one command measured on one machine. There are two kinds: those with rows,
// which this package writes, and those with results, which "cipherlane report" prints, and which
// "cipherlane speed --compare" reads. If "cipherlane speed --json" printed them, title, command and the
// name of the machine were added by hand, as are commit and conditions.
package data

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A File is a file of docs/machines.
type File struct {
	Name string `json:"-"` // of the file, without .json

	Title   string `json:"title"`             // what was measured
	Date    string `json:"date"`              // as in 2026-11-28
	Commit  string `json:"commit,omitempty"`  // of this repository, if it is recorded
	Command string `json:"command,omitempty"` // that measured, in the top folder

	// Imported figures were copied from a document, because they are from a machine or from a
	// version of the code that no longer exists. Source is the place they are from.
	Imported bool   `json:"imported,omitempty"`
	Source   string `json:"source,omitempty"`

	Machine    Machine           `json:"machine"`
	Conditions string            `json:"conditions,omitempty"` // other work, pinning, medians or minima
	Versions   map[string]string `json:"versions,omitempty"`   // of peers
	Notes      []string          `json:"notes,omitempty"`      // paragraphs of Markdown

	Rows    []Row    `json:"rows,omitempty"`
	Results []result `json:"results,omitempty"`
}

// A Machine is a CPU, an emulated one, or a model of one.
type Machine struct {
	Name   string `json:"name"`             // in documents, as in Zen 5
	CPU    string `json:"cpu"`              // as the system or the emulator calls it
	Family string `json:"family,omitempty"` // with the model
	Clock  string `json:"clock,omitempty"`  // with its unit
	Arch   string `json:"arch,omitempty"`   // GOARCH
	Go     string `json:"go,omitempty"`     // version

	Features []string `json:"features,omitempty"` // of the CPU, if a file has times by driver
}

// A Row is a figure. Value and peers have the same unit:
//
//	ns, µs, s        for a call, or for one of several messages in a call
//	MB/s             10^6 bytes per second
//	1/s              operations per second
//	ns/B, cycles/B, instructions/B
//	instructions     for a call
//	MB               10^6 bytes, the size of a program
//	slower points …  comparisons that ours loses, of so many
//	times the time   of the driver that was not selected, which a sweep found to be faster
type Row struct {
	Operation string `json:"operation"`          // AES-128-GCM seal; with ", 16 messages" if a call has several
	On        string `json:"on,omitempty"`       // the CPU or architecture, if a file has several
	Bytes     int    `json:"bytes,omitempty"`    // of a message
	Driver    string `json:"driver,omitempty"`   // if the command names it
	Selected  bool   `json:"selected,omitempty"` // the driver is selected automatically

	// Of a sweep: at how many lengths the driver is faster than the selected one, and the first and last
	// of these. Bytes is the length of the largest ratio.
	Points int `json:"points,omitempty"`
	From   int `json:"from,omitempty"`
	To     int `json:"to,omitempty"`

	Spread float64 `json:"-"` // of the slices of a measurement, as a fraction

	Value float64            `json:"value"`
	Unit  string             `json:"unit"`
	Peers map[string]float64 `json:"peers,omitempty"` // by the name of the library
}

// Ratio returns how many times as fast as a peer ours is, or how many times as much the peer
// takes. It is 0 if there is no figure of the peer.
func (r Row) Ratio(peer string) float64 {
	theirs := r.Peers[peer]
	if r.Unit == "MB/s" || r.Unit == "1/s" {
		if theirs == 0 {
			return 0
		}
		return r.Value / theirs
	}
	return theirs / r.Value
}

// A result is what speed --json prints for an operation, a driver and a size.
type result struct {
	Algorithm string  `json:"algorithm"`
	KeyBits   int     `json:"key_bits"`
	Driver    string  `json:"driver"`
	Operation string  `json:"operation"`
	Bytes     int     `json:"bytes"`
	NS        float64 `json:"ns"`
	Auto      bool    `json:"auto"`
	Spread    float64 `json:"spread"`
}

// row returns a result as a row, with the names that ci/count uses.
func (r result) row() Row {
	row := Row{Bytes: r.Bytes, Driver: r.Driver, Selected: r.Auto, Value: r.NS, Unit: "ns", Spread: r.Spread}
	name := r.Algorithm
	switch mode, rest, ok := strings.Cut(r.Algorithm, "("); {
	case r.Algorithm == "rfc7539(chacha20,poly1305)":
		name = "ChaCha20-Poly1305"
	case r.Algorithm == "chacha20":
		name = "ChaCha20"
	case ok && rest == "aes)":
		name = fmt.Sprintf("AES-%d-%s", r.KeyBits, strings.ToUpper(mode))
	case ok:
		name = strings.ToUpper(strings.TrimSuffix(rest, ")") + "-" + mode)
	case strings.HasPrefix(name, "frodokem-"):
		name, row.Bytes = "FrodoKEM-"+strings.ToUpper(name[len("frodokem-"):]), 0
	default:
		name = strings.ToUpper(name)
	}
	operation := r.Operation
	switch {
	case operation == "hash" || name == "ChaCha20" || strings.HasSuffix(name, "-CTR"):
		operation = ""
	case operation == "hash-x32":
		operation = ", 32 messages"
	case name == "SM2":
		row.Bytes = 0
		var many bool
		operation, many = strings.CutSuffix(operation, "-many")
		operation = strings.NewReplacer("generate", "new key", "ecdh", "ECDH").Replace(operation)
		if many { // each of 32 bytes
			row.Value /= float64(r.Bytes / 32)
			operation += fmt.Sprintf(", %d messages", r.Bytes/32)
		}
	case operation == "kdf":
		operation = "KDF"
	}
	row.Operation = strings.TrimSpace(name + " " + operation)
	row.Operation = strings.ReplaceAll(row.Operation, " ,", ",")
	return row
}

// Read reads a file and checks that it says what was measured, when and where.
func Read(name string) (*File, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f := &File{Name: strings.TrimSuffix(filepath.Base(name), ".json")}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, r := range f.Results {
		f.Rows = append(f.Rows, r.row())
	}
	switch {
	case f.Title == "" || f.Date == "" || f.Machine.Name == "" || f.Machine.CPU == "" || len(f.Rows) == 0:
		return nil, fmt.Errorf("%s: lacks a title, a date, the name or CPU of a machine, or rows", name)
	case f.Imported == (f.Source == "") || !f.Imported && f.Command == "":
		return nil, fmt.Errorf("%s: imported figures need a source, and others a command", name)
	}
	for _, r := range f.Rows {
		if r.Operation == "" || r.Unit == "" {
			return nil, fmt.Errorf("%s: a row without operation or unit: %+v", name, r)
		}
		for peer, value := range r.Peers {
			if f.Versions[peer] == "" || value <= 0 || r.Value <= 0 {
				return nil, fmt.Errorf("%s: %s: a peer without version, or a figure that is not positive: %s", name, r.Operation, peer)
			}
		}
	}
	return f, nil
}

// Bytes returns a file with rows as it is written: one line for a row.
func (f *File) Bytes() []byte {
	rows := f.Rows
	head := *f
	head.Rows, head.Results = nil, nil
	text := indented(head, "", "\t")
	b := bytes.NewBuffer(bytes.TrimSuffix(text, []byte("\n}")))
	b.WriteString(",\n\t\"rows\": [\n")
	for i, r := range rows {
		b.WriteString("\t\t")
		b.Write(indented(r, "", ""))
		if i < len(rows)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("\t]\n}\n")
	return b.Bytes()
}

// indented is json.MarshalIndent without escapes of what is special in HTML.
func indented(v any, prefix, indent string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if indent != "" {
		e.SetIndent(prefix, indent)
	}
	if err := e.Encode(v); err != nil {
		panic(err) // the types have nothing that cannot be encoded
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Write writes the file into a folder.
func (f *File) Write(dir string) error {
	return os.WriteFile(filepath.Join(dir, f.Name+".json"), f.Bytes(), 0o644)
}

// Peers returns the names of the libraries that rows have figures of, sorted.
func (f *File) Peers() []string {
	var names []string
	for name := range f.Versions {
		if slices.ContainsFunc(f.Rows, func(r Row) bool { return r.Peers[name] > 0 }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
