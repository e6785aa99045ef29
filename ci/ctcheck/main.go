// Ctcheck checks assembly for what depends on secrets: see internal/ctcheck.
//
//	go run ./ci/ctcheck                                 all files
//	go run ./ci/ctcheck -json                           the same, as JSON
//	go run ./ci/ctcheck sm4 arm64                       only files whose path contains one of these
//	go run ./ci/ctcheck -list                           prints the folders that have assembly
//	go run ./ci/ctcheck -folder sm4/internal/arm64      only the files in one of them
//
// With -folder it reads that folder, and the declarations of packages that it imports, and
// nothing else.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/internal/ctcheck"
)

func main() {
	asJSON := flag.Bool("json", false, "print JSON")
	list := flag.Bool("list", false, "print the folders that have assembly")
	folder := flag.String("folder", "", "check only the files in this `folder`")
	flag.Parse()
	findings, err := run(".", *folder, flag.Args(), *list, *asJSON, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ctcheck:", err)
		os.Exit(2)
	}
	if findings > 0 {
		os.Exit(1)
	}
}

// run prints the folders or a report, and returns the number of findings.
func run(root, folder string, parts []string, list, asJSON bool, out io.Writer) (int, error) {
	folders := []string{path.Clean(filepath.ToSlash(folder))}
	if folder == "" {
		var err error
		if folders, err = ctcheck.Folders(root); err != nil {
			return 0, err
		}
	}
	files, err := ctcheck.Files(root, folders)
	if err != nil {
		return 0, err
	}
	if list {
		for _, dir := range folders {
			fmt.Fprintln(out, dir)
		}
		return 0, nil
	}
	for arch, list := range files {
		files[arch] = slices.DeleteFunc(list, func(file string) bool {
			return len(parts) > 0 && !slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(file, part) })
		})
	}
	report, err := ctcheck.Check(root, files)
	if err != nil {
		return 0, err
	}
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "\t")
		err = e.Encode(report)
	} else {
		report.Print(out)
	}
	return report.Count(), err
}
