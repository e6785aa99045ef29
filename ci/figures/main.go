// Figures writes the tables of the documents that show figures, from the files in docs/machines.
//
//	go run ./ci/figures          into the documents
//	go run ./ci/figures -check   compares
//
// In a document, a line
//
//	<!-- figures: TABLE ARGUMENTS -->
//
// stands above what this program writes: the lines from there to the next empty one. The map tables
// has the functions by name. Everything else in a document is text, which nobody overwrites.
// docs/benchmarks.md is written as a whole, from benchmarks.tmpl, which has such lines.
//
// A machine is added by "cipherlane report -o docs/machines/NAME.json", peers by peers/native and the like, counts by ci/count -write,
// and sizes by ci/sizes -write.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/ci/figures/data"
)

// documents have tables.
var documents = []string{"README.md", "docs/sizes.md", "docs/speed.md", page}

const (
	page     = "docs/benchmarks.md"
	template = "ci/figures/benchmarks.tmpl" // of the page
	longest  = 310                          // lines of the page
)

func main() {
	check := flag.Bool("check", false, "only compare")
	flag.Parse()
	if err := run(".", *check); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

// run writes or checks the documents below a folder.
func run(top string, check bool) error {
	all, err := read(filepath.Join(top, "docs/machines"))
	if err != nil {
		return err
	}
	for _, name := range documents {
		file := filepath.Join(top, name)
		old, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		source, keep := string(old), true
		if name == page {
			t, err := os.ReadFile(filepath.Join(top, template))
			if err != nil {
				return err
			}
			source, keep = string(t), false
		}
		text, err := all.fill(source, keep)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if n := strings.Count(text, "\n"); name == page && n > longest {
			return fmt.Errorf("%s has %d lines, more than %d", name, n, longest)
		}
		switch {
		case text == string(old):
		case check:
			return fmt.Errorf("%s is not what docs/machines says in line %d: change the data, not the text, and run go run ./ci/figures",
				name, differ(text, string(old)))
		default:
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	if unused := all.unused(); unused != nil {
		return fmt.Errorf("no document shows docs/machines/%s.json", strings.Join(unused, ".json, "))
	}
	return nil
}

// differ returns the number of the first line in which two texts differ.
func differ(a, b string) int {
	n := 1
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if a[i] == '\n' {
			n++
		}
	}
	return n
}

// A set is the files of docs/machines, by name.
type set struct {
	files map[string]*data.File
	used  map[string]bool
}

func read(dir string) (*set, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("no files in %s", dir)
	}
	all := &set{map[string]*data.File{}, map[string]bool{}}
	for _, name := range names {
		f, err := data.Read(name)
		if err != nil {
			return nil, err
		}
		all.files[f.Name] = f
	}
	return all, err
}

// file returns a file. An error of this kind, a mistake in a document or in a table, is a panic
// that fill turns into an error.
func (all *set) file(name string) *data.File {
	f := all.files[name]
	if f == nil {
		panic(mistake("no file docs/machines/" + name + ".json"))
	}
	all.used[name] = true
	return f
}

type mistake string

// unused returns the names of files that no table has used.
func (all *set) unused() (names []string) {
	for name := range all.files {
		if !all.used[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

var region = regexp.MustCompile(`(?m)^<!-- figures: (.*) -->\n(?:[^<\n].*\n)*`)

// fill returns a document with its tables, with or without the lines that name these.
func (all *set) fill(text string, keep bool) (filled string, err error) {
	line := ""
	defer func() {
		switch why := recover().(type) {
		case nil:
		case mistake:
			err = fmt.Errorf("%q: %s", line, string(why))
		default:
			panic(why)
		}
	}()
	return region.ReplaceAllStringFunc(text, func(old string) string {
		line, _, _ = strings.Cut(old, "\n")
		words := strings.Fields(region.FindStringSubmatch(old)[1])
		if len(words) == 0 || tables[words[0]] == nil {
			panic(mistake("no such table"))
		}
		table := tables[words[0]](all, words[1:])
		if !keep {
			return table
		}
		return line + "\n" + table
	}), nil
}
