// Sizes makes docs/machines/sizes.json: how large programs are that use one algorithm (peers/sizes),
// and the command, stripped and static, by architecture. ci/figures makes the table of docs/sizes.md.
//
//	go run ./ci/sizes                        all, as Markdown
//	go run ./ci/sizes -write                 all, into docs/machines
//	go run ./ci/sizes -goarch amd64,mipsle   these architectures
//
// The exit status is 1 if a program is larger than its limit. -ldflags=-dumpdep of go build shows
// why a program has parts that it does not need: it prints what refers to what. One call of a
// function that finds methods by name (reflect) keeps all exported methods of all types.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cipherlane/cipherlane/ci/figures/data"
)

// rows are the programs of the table.
var rows = []struct{ program, text string }{
	{"empty", "nothing"},
	{"aes-gcm-std", "AES-GCM, crypto/aes"},
	{"aes-gcm", "AES-GCM"},
	{"chacha20poly1305-x", "ChaCha20-Poly1305, golang.org/x/crypto"},
	{"chacha20poly1305", "ChaCha20-Poly1305"},
	{"sm4-gcm", "SM4-GCM"},
	{"sm3", "SM3"},
	{"sm2", "SM2, a signature"},
	{"frodokem", "FrodoKEM, an encapsulation"},
	{command, "the command cipherlane"},
}

const command = "cipherlane"

// A limit is the number of bytes that a program may have, or may have more than another.
type limit struct {
	goarch, program, baseline string
	bytes                     int64
}

// The limits leave room for a kernel or a page of 64 KiB. A program that grows by a package
// such as fmt exceeds them.
var limits = []limit{
	{"amd64", "aes-gcm", "aes-gcm-std", 310_000},
	{"amd64", "chacha20poly1305", "chacha20poly1305-x", 385_000},
	{"mipsle", "chacha20poly1305", "", 1_970_000},
	{"mipsle", command, "", 7_340_000},
	{"amd64", command, "", 10_780_000},
}

// architectures are those of the table, and how the go command compiles for them.
var architectures = []struct {
	goarch, text string
	environment  []string
}{
	{"amd64", "amd64", nil},
	{"arm64", "arm64", nil},
	{"arm", "arm (v7)", []string{"GOARM=7"}},
	{"riscv64", "riscv64", nil},
	{"mipsle", "mipsle (softfloat)", []string{"GOMIPS=softfloat"}},
}

func main() {
	arches := flag.String("goarch", "", "only these `architectures`, separated by commas")
	write := flag.Bool("write", false, "write docs/machines/sizes.json, from which go run ./ci/figures makes the table of docs/sizes.md")
	flag.Parse()
	if flag.NArg() > 0 || *write && *arches != "" {
		fail(2, "-write is for all architectures, and there are no arguments")
	}
	sizes := map[string]map[string]int64{} // by GOARCH and program
	for _, a := range architectures {
		if *arches == "" || slices.Contains(strings.Split(*arches, ","), a.goarch) {
			var err error
			if sizes[a.goarch], err = build(a.goarch, a.environment); err != nil {
				fail(1, err)
			}
		}
	}
	if len(sizes) == 0 {
		fail(2, "unknown architecture")
	}
	if *write {
		f := file(sizes)
		f.Date, f.Machine.Go = time.Now().UTC().Format(time.DateOnly), runtime.Version()
		if err := f.Write("docs/machines"); err != nil {
			fail(1, err)
		}
	} else {
		fmt.Print(markdown(sizes))
	}
	if lines := exceeded(sizes); lines != nil {
		fail(1, strings.Join(lines, "; "))
	}
}

func fail(status int, why any) {
	fmt.Fprintln(os.Stderr, "sizes:", why)
	os.Exit(status)
}

// build returns the sizes of the programs for an architecture.
func build(goarch string, environment []string) (map[string]int64, error) {
	dir, err := os.MkdirTemp("", "sizes")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-o", dir+"/", "-trimpath", "-ldflags=-s -w", "./peers/sizes/...", "./cmd/cipherlane")
	build.Env = append(append(os.Environ(), "GOOS=linux", "GOARCH="+goarch, "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false"), environment...)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("%v: %w", build.Args, err)
	}
	sizes := map[string]int64{}
	for _, r := range rows {
		info, err := os.Stat(filepath.Join(dir, r.program))
		if err != nil {
			return nil, err
		}
		sizes[r.program] = info.Size()
	}
	return sizes, nil
}

// file returns the sizes as a file of docs/machines: in MB, rounded, so that most changes of the
// code do not change it.
func file(sizes map[string]map[string]int64) *data.File {
	f := &data.File{Name: "sizes", Title: "sizes of programs, static and stripped", Command: "go run ./ci/sizes -write",
		Machine: data.Machine{Name: "sizes of programs", CPU: "linux"}}
	for _, r := range rows {
		for _, a := range architectures {
			if size, ok := sizes[a.goarch][r.program]; ok {
				f.Rows = append(f.Rows, data.Row{Operation: r.text, On: a.text, Value: math.Round(float64(size)/1e4) / 100, Unit: "MB"})
			}
		}
	}
	return f
}

func markdown(sizes map[string]map[string]int64) string {
	var b strings.Builder
	b.WriteString("| program |")
	line := "|---|"
	for _, a := range architectures {
		if sizes[a.goarch] != nil {
			fmt.Fprintf(&b, " %s |", a.text)
			line += "--:|"
		}
	}
	fmt.Fprintf(&b, "\n%s\n", line)
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s |", r.text)
		for _, a := range architectures {
			if size := sizes[a.goarch]; size != nil {
				fmt.Fprintf(&b, " %.2f |", float64(size[r.program])/1e6)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// exceeded returns a line for each limit that a program exceeds.
func exceeded(sizes map[string]map[string]int64) (lines []string) {
	for _, l := range limits {
		size, ok := sizes[l.goarch][l.program]
		if !ok {
			continue
		}
		more := ""
		if l.baseline != "" {
			size -= sizes[l.goarch][l.baseline]
			more = " more than " + l.baseline
		}
		if size > l.bytes {
			lines = append(lines, fmt.Sprintf("%s on %s has %d bytes%s, the limit is %d", l.program, l.goarch, size, more, l.bytes))
		}
	}
	return lines
}
