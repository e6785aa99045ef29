package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/ci/figures/data"
)

// The documents are what docs/machines says.
func TestDocuments(t *testing.T) {
	if err := run("../..", true); err != nil {
		t.Error(err)
	}
}

// tree returns a folder with the documents and the data.
func tree(t *testing.T) string {
	t.Helper()
	top := t.TempDir()
	for _, name := range append([]string{template}, documents...) {
		replace(t, top, name, "", "")
	}
	files, err := filepath.Glob("../../docs/machines/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %d files", err, len(files))
	}
	for _, name := range files {
		replace(t, top, "docs/machines/"+filepath.Base(name), "", "")
	}
	return top
}

// replace copies a file into a folder, if it is not there, and changes the first place where it
// says old.
func replace(t *testing.T, top, name, old, new string) {
	t.Helper()
	file := filepath.Join(top, name)
	text, err := os.ReadFile(file)
	if err != nil {
		if text, err = os.ReadFile(filepath.Join("../..", name)); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s has no %q", name, old)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), old, new, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A number that differs in a document or in the data is noticed, and writing repairs the document.
func TestFaults(t *testing.T) {
	for _, fault := range []struct{ file, after, want string }{
		{"README.md", "\n<!-- figures: readme -->", "README.md is not"},
		{"docs/speed.md", "\n<!-- figures: others -->", "docs/speed.md is not"},
		{"docs/sizes.md", "\n<!-- figures: sizes -->", "docs/sizes.md is not"},
		{page, "| AES-128-CTR |", page + " is not"},
		{"docs/machines/zen5-native.json", `"operation":"SM4-GCM seal","bytes":1420,`, "README.md is not"},
		{"docs/machines/sizes.json", `"operation":"nothing"`, "docs/sizes.md is not"},
	} {
		top := tree(t)
		text, err := os.ReadFile(filepath.Join(top, fault.file))
		if err != nil {
			t.Fatal(err)
		}
		i := strings.Index(string(text), fault.after)
		if strings.HasSuffix(fault.file, ".json") {
			i += strings.Index(string(text[i:]), `"value":`)
		} else {
			i += strings.Index(string(text[i:]), ".") // of a version or a figure
		}
		for i++; text[i] < '0' || text[i] > '9'; i++ {
		}
		text[i] ^= 1 // another digit
		if err := os.WriteFile(filepath.Join(top, fault.file), text, 0o644); err != nil {
			t.Fatal(err)
		}
		err = run(top, true)
		if err == nil || !strings.Contains(err.Error(), fault.want) || strings.Contains(err.Error(), "\n") || !strings.HasSuffix(err.Error(), "run go run ./ci/figures") {
			t.Errorf("%+v: %v", fault, err)
		}
		if err := run(top, false); err != nil {
			t.Errorf("%+v: %v", fault, err)
		}
		if err := run(top, true); err != nil {
			t.Errorf("%+v: after it was repaired: %v", fault, err)
		}
	}
	if got := differ("a\nb\nc\n", "a\nb\nd\n"); got != 3 {
		t.Errorf("the texts differ in line %d, want 3", got)
	}
}

// Mistakes in a template, in a document and in the data have errors.
func TestMistakes(t *testing.T) {
	for _, fault := range []struct{ file, old, new, want string }{
		{template, "families AES zen5-native", "famlies AES zen5-native", "no such table"},
		{template, "families AES zen5-native", "families AES zen6-native", "no file docs/machines/zen6-native.json"},
		{template, "families AES zen5-native", "families AES zen5", "no AES-128-GCM seal, 16 KiB"},
		{template, "## Zen 5\n", "## Zen 5\n" + strings.Repeat("\n", longest), "lines, more than 310"},
		{"docs/sizes.md", "<!-- figures: sizes -->", "", "no document shows docs/machines/sizes.json"},
		{"docs/machines/sizes.json", `"date"`, `"day"`, "lacks a title, a date"},
		{"docs/machines/sizes.json", `"command"`, `"imported": true, "command"`, "need a source"},
		{"docs/machines/zen4-sm2.json", `"gmsm": "0.44.1"`, `"tjfoc": "0.44.1"`, "a peer without version"},
		{"docs/machines/zen4-sm2.json", `"unit":"µs"`, `"unit":""`, "a row without operation or unit"},
	} {
		top := tree(t)
		replace(t, top, fault.file, fault.old, fault.new)
		if err := run(top, false); err == nil || !strings.Contains(err.Error(), fault.want) {
			t.Errorf("%+v: %v", fault, err)
		}
	}
	if err := run(t.TempDir(), true); err == nil {
		t.Error("no error without files")
	}
}

func TestFill(t *testing.T) {
	all := &set{map[string]*data.File{"sizes": {Rows: []data.Row{{Operation: "a", On: "x", Value: 1}, {Operation: "a", On: "y", Value: 2}, {Operation: "b", On: "y", Value: 3}}}}, map[string]bool{}}
	const mark = "<!-- figures: sizes -->\n"
	table := "| program | x | y |\n|---|--:|--:|\n| a | 1.00 | 2.00 |\n| b | | 3.00 |\n"
	text := "# T\n\n" + mark + "| old |\n\nEnd.\n"
	if got, err := all.fill(text, true); err != nil || got != "# T\n\n"+mark+table+"\nEnd.\n" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := all.fill("# T\n\n"+mark+mark+"\nEnd.\n", false); err != nil || got != "# T\n\n"+table+table+"\nEnd.\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// Numbers have three digits, and lengths of whole blocks are in the column of packets.
func TestFormats(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{digits(0), "0"}, {digits(3.14159), "3.14"}, {digits(31.4159), "31.4"}, {digits(3141.59), "3142"},
		{times(1.234), "1.23"}, {times(12.34), "12.3"}, {plain(0.10), "0.1"},
		{size(64), "64 B"}, {size(1424), "1420 B"}, {size(1408), "1420 B"}, {size(16384), "16 KiB"}, {size(0), "in all"},
		{count(data.Row{Bytes: 64, Value: 519, Peers: map[string]float64{"a": 12000, "b": 700}}), "519 / 700"},
		{count(data.Row{Bytes: 16384, Value: 24615}), "1.50"},
		{count(data.Row{Value: 2136000}), "2.14 M"},
		{compared(data.Row{Bytes: 1420, Value: 710, Unit: "ns", Peers: map[string]float64{"gmsm": 1065, "OpenSSL": 1}}), "2000 (1.50x)"},
		{compared(data.Row{Value: 5, Unit: "µs", Peers: map[string]float64{"gmsm": 10}}), "200000 (2.00x)"},
		{compared(data.Row{Bytes: 64, Value: 30, Unit: "MB/s", Peers: map[string]float64{"gmsm": 10}}), "30.0 (3.00x)"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// Files with rows are as package data writes them, so that a command changes only what it has
// measured.
func TestWritten(t *testing.T) {
	root := os.DirFS("../../docs/machines")
	names, err := fs.Glob(root, "*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("%v, %d files", err, len(names))
	}
	for _, name := range names {
		f, err := data.Read("../../docs/machines/" + name)
		if err != nil {
			t.Error(err)
			continue
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		if f.Results == nil && string(f.Bytes()) != string(text) {
			t.Errorf("%s differs from what package data writes", name)
		}
	}
}
