// Ctcheck checks all assembly for what depends on secrets: see internal/ctcheck.
//
//	go run ./ci/ctcheck                all files
//	go run ./ci/ctcheck -json          the same, as JSON
//	go run ./ci/ctcheck sm4 arm64      only files whose path contains one of these
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/cipherlane/cipherlane/internal/ctcheck"
)

func main() {
	asJSON := flag.Bool("json", false, "print JSON")
	flag.Parse()
	files, err := ctcheck.Files(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "ctcheck:", err)
		os.Exit(2)
	}
	if flag.NArg() > 0 {
		for arch, list := range files {
			var kept []string
			for _, f := range list {
				for _, part := range flag.Args() {
					if strings.Contains(f, part) {
						kept = append(kept, f)
						break
					}
				}
			}
			files[arch] = kept
		}
	}
	report, err := ctcheck.Check(".", files)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ctcheck:", err)
		os.Exit(2)
	}
	if *asJSON {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "\t")
		e.Encode(report)
	} else {
		report.Print(os.Stdout)
	}
	if report.Count() > 0 {
		os.Exit(1)
	}
}
