// Package ctcheck checks assembly for what depends on secrets: it follows them through
// registers, flags, the stack and memory, along all paths of every function.
//
// A kernel fails if a secret is in an address, in the condition of a branch, in an
// operand of an instruction whose time depends on it, left on the stack at the end, or
// written to memory or a result that is public. It also fails if there is an
// instruction or a register that the tables here do not know. Flags, carries, and
// conditional moves may depend on secrets.
//
// A table has the instructions of an architecture: how many operands they have, which of them
// are read and written, the flags that they read and write, and whether their time depends on
// operands. Registers are whole, but for the lowest byte on amd64, and the part of a vector above
// 16 bytes there, or behind the vector length on riscv64. The type and length that VSETVLI sets
// are followed. Flags are followed as three: carry, overflow, and zero with sign and parity. An
// instruction that leaves some of what its destination or the flags were adds to them.
//
// On amd64 and arm64, an instruction is only accepted if internal/machine can execute it, which is
// compared with CPUs, form by form. On other architectures the table alone says what is known.
//
// What is not modelled exactly is refused, as a finding of the kind "unknown": other numbers of
// operands than in the table; suffixes that are not listed, as conditions of jumps and returns;
// anything that reads or writes R15 of arm, and jumps to addresses; indices in addresses where an
// architecture's code here does not compute them, vectors as indices among them; bit tests of
// amd64 whose register selects the address; single elements of vectors in memory on arm64, and
// lists of registers whose length is not what the name says; types of vectors that are not
// constant; registers that the assembler uses itself on arm64, riscv64 and loong64 (R27, X31, R30).
//
// Three things are accepted, and printed with a kernel: multiplications of secrets, loads of
// vectors under a secret mask (AVX-512), and instructions that no list promises to be of constant
// time: look-ups inside registers by secret indices on riscv64 (vrgather) and loong64 (VSHUFB), and
// riscv64Unlisted.
//
// TestDifferences runs random programs of all forms that the tables accept with several secrets,
// and compares what differs with what the analysis says. Time it cannot see: those entries rest on
// the manufacturers' lists alone.
//
// Directives next to the Go declaration say which data is secret:
//
//	//ct:secret k src dst
//	//ct:public k.Rounds iv state[48:64]
//	func seal(k *Keys, iv *[16]byte, dst, src []byte, state *[16]uint32)
//
// A name is an argument or result: what it points to, including what pointers there
// point to, or the argument itself if it is a number. Fields and bytes follow. The most
// exact name decides. Everything behind a pointer must be named. Pointers, lengths and
// numbers are public unless they are named.
//
// The analysis goes around loops over constants as often as they run, and joins what
// paths bring together. If it must know more of a number, of which kernels expect a
// range, a directive splits it into cases: here n is 0, or 1 to 64, or a multiple of 4
// from 68 on. Values outside of them are not checked.
//
//	//ct:cases n=0|1..64|68../4
//
// Memory behind arguments is what its declaration says, whatever was written there:
// arguments may overlap. A value on the stack is followed byte by byte.
//
// A comment in the assembly before an instruction, or behind it, permits one kind of
// finding there. Every run prints it, and it is an error if there is no such finding:
//
//	// ct:allow branch: the tag is public as soon as it is compared
//
// "ct:allow store x16:" is for that instruction and the 15 that follow.
package ctcheck

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// A Finding is a place where a secret may be seen, or what the check does not
// understand.
type Finding struct {
	File        string `json:"file"`
	Line        int    `json:"line"`
	Kernel      string `json:"kernel,omitempty"`
	Kind        string `json:"kind"`
	Instruction string `json:"instruction,omitempty"`
	Text        string `json:"text"`
}

func (f Finding) String() string {
	s := fmt.Sprintf("%s:%d: ", f.File, f.Line)
	if f.Kernel != "" {
		s += f.Kernel + ": "
	}
	s += f.Kind + ": " + f.Text
	if f.Instruction != "" {
		s += " [" + f.Instruction + "]"
	}
	return s
}

// An Exception permits findings, with a reason.
type Exception struct {
	File   string   `json:"file"`
	Line   int      `json:"line"`
	Kinds  []string `json:"kinds"`
	Text   string   `json:"instruction"`
	Reason string   `json:"reason"`
}

// A Kernel is a function and its verdict.
type Kernel struct {
	Arch         string       `json:"arch"`
	Package      string       `json:"package"`
	Name         string       `json:"name"`
	File         string       `json:"file"`
	Instructions int          `json:"instructions"`
	Steps        int          `json:"steps"`
	Multiplies   bool         `json:"multiplies"`          // a secret
	Masks        bool         `json:"masks"`               // loads under a secret mask
	Unlisted     []string     `json:"unlisted,omitempty"`  // instructions with secrets that the architecture's list lacks
	Gathers      bool         `json:"gathers,omitempty"`   // looks up inside registers by a secret, with vrgather or VSHUFB
	Unreached    int          `json:"unreached,omitempty"` // instructions that no path leads to
	Findings     []Finding    `json:"findings,omitempty"`
	Exceptions   []*Exception `json:"exceptions,omitempty"`
}

// A Report is the result of a run.
type Report struct {
	Kernels  []*Kernel `json:"kernels"`
	Findings []Finding `json:"findings,omitempty"` // outside of kernels
	Encoded  int       `json:"encoded"`            // instructions written as data
	Checked  int       `json:"checked"`            // of those, compared with a disassembler
}

// Count returns the number of findings.
func (r *Report) Count() int {
	n := len(r.Findings)
	for _, k := range r.Kernels {
		n += len(k.Findings)
	}
	return n
}

// Folders returns the folders of a repository that have assembly which a package of Go may
// contain. As for the go command, names that begin with "." or "_" and testdata are left out.
func Folders(root string) ([]string, error) {
	var list []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && ignored(d.Name()) || d.Name() == "testdata":
			if d.IsDir() {
				return fs.SkipDir
			}
		case strings.HasSuffix(name, ".s") && !d.IsDir():
			if dir := path.Dir(name); !slices.Contains(list, dir) {
				list = append(list, dir)
			}
		}
		return nil
	})
	return list, err
}

func ignored(name string) bool { return name[0] == '.' || name[0] == '_' }

// Files returns the assembly in folders, which are relative to root, by architecture.
func Files(root string, folders []string) (map[string][]string, error) {
	list := map[string][]string{}
	for _, dir := range folders {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.s"))
		if err != nil {
			return nil, err
		}
		n := 0
		for _, f := range files {
			base := filepath.Base(f)
			if ignored(base) {
				continue
			}
			name := strings.TrimSuffix(base, ".s")
			a := name[strings.LastIndex(name, "_")+1:]
			list[a] = append(list[a], path.Join(dir, base))
			n++
		}
		if n == 0 {
			return nil, fmt.Errorf("there is no assembly in %s", dir)
		}
	}
	return list, nil
}

// Check checks files of assembly, which are relative to root, by architecture.
func Check(root string, files map[string][]string) (*Report, error) {
	module, err := moduleOf(root)
	if err != nil {
		return nil, err
	}
	report := &Report{}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	var work []func()
	for _, name := range names {
		a := arches[name]
		if a == nil {
			for _, f := range files[name] {
				report.Findings = append(report.Findings, Finding{File: f, Kind: kindUnknown, Text: "there is no table for the architecture " + name})
			}
			continue
		}
		dirs := map[string][]string{}
		var order []string
		for _, f := range files[name] {
			dir := path.Dir(f)
			if dirs[dir] == nil {
				order = append(order, dir)
			}
			dirs[dir] = append(dirs[dir], f)
		}
		for _, dir := range order {
			kernels, found, err := load(a, root, module, dir, dirs[dir])
			if err != nil {
				return nil, err
			}
			report.Findings = append(report.Findings, found...)
			for _, k := range kernels {
				report.Kernels = append(report.Kernels, k.kernel)
				work = append(work, func() {
					k.run.analyse()
					k.finish()
				})
			}
			var encoded []*machine.Instruction
			for _, k := range kernels {
				for _, in := range k.run.f.code {
					if in.Code != nil {
						encoded = append(encoded, in.Instruction)
					}
				}
			}
			checked, wrong := a.Disassemble(encoded)
			report.Encoded += len(encoded)
			report.Checked += checked
			for _, w := range wrong {
				report.Findings = append(report.Findings, Finding{File: w.In.File, Line: w.In.Line, Kind: "encoding", Instruction: w.In.Text, Text: "the disassembler says " + w.Got})
			}
		}
	}
	parallel(work)
	return report, nil
}

// A task is a kernel before its analysis.
type task struct {
	kernel *Kernel
	run    *run
}

// load parses the files of a folder.
func load(a *arch, root, module, dir string, files []string) ([]*task, []Finding, error) {
	r := newReader(a, root, module)
	declared, found, err := r.declarations(filepath.Join(root, filepath.FromSlash(dir)), dir)
	if err != nil {
		return nil, nil, err
	}
	var tasks []*task
	all := map[string]*function{}
	for _, f := range files {
		src, err := machine.Parse(a.Arch, filepath.Join(root, filepath.FromSlash(dir)), f)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range src.Problems {
			found = append(found, Finding{File: p.File, Line: p.Line, Kernel: p.Function, Kind: kindUnknown, Text: p.Text})
		}
		allowed, problems := exceptions(src)
		found = append(found, problems...)
		for _, parsed := range src.Functions {
			fn := a.resolve(parsed)
			for i := range fn.code {
				fn.code[i].allow = allowed[fn.code[i].Statement]
			}
			all[fn.Name] = fn
			d := declared[fn.Name]
			if d == nil {
				found = append(found, Finding{File: f, Line: fn.Line, Kernel: fn.Name, Kind: kindDeclaration, Text: "there is no Go declaration"})
				continue
			}
			tasks = append(tasks, &task{
				kernel: &Kernel{Arch: a.Name, Package: dir, Name: fn.Name, File: f, Instructions: len(fn.Code)},
				run:    newRun(a, fn, all, d, src.Data),
			})
		}
	}
	return tasks, found, nil
}

var allowComment = regexp.MustCompile(`^ct:allow ([a-z]+(?:,[a-z]+)*)(?: x(\d+))?: (.+)$`)

// exceptions reads the comments that permit findings, by statement.
func exceptions(src *machine.Source) (map[int]*Exception, []Finding) {
	list := map[int]*Exception{}
	var problems []Finding
	for _, c := range src.Comments {
		m := allowComment.FindStringSubmatch(c.Text)
		switch {
		case m != nil:
			e := &Exception{File: src.Path, Line: c.Line, Kinds: strings.Split(m[1], ","), Reason: m[3], Text: c.Of}
			count, _ := strconv.Atoi(m[2])
			for i := range max(1, count) {
				list[c.Statement+i] = e
			}
		case strings.HasPrefix(c.Text, "ct:"):
			problems = append(problems, Finding{File: src.Path, Line: c.Line, Kind: kindUnknown, Text: fmt.Sprintf("%q is no directive", c.Text)})
		}
	}
	return list, problems
}

// finish makes the verdict.
func (t *task) finish() {
	k, x := t.kernel, t.run
	k.Steps, k.Multiplies, k.Masks, k.Gathers = x.steps, x.mul, x.masked, x.gathers
	k.Unlisted = x.unlisted
	sort.Strings(k.Unlisted)
	k.Findings = x.list()
	seen := map[*Exception]bool{}
	for i := range x.f.code {
		in := &x.f.code[i]
		if !x.visited[i] {
			k.Unreached++
		}
		e := in.allow
		if e == nil || seen[e] {
			continue
		}
		seen[e] = true
		if x.allowed[e] {
			k.Exceptions = append(k.Exceptions, e)
		} else {
			k.Findings = append(k.Findings, Finding{File: e.File, Line: e.Line, Kernel: k.Name, Kind: kindUnknown, Instruction: e.Text, Text: "the exception permits nothing that is there"})
		}
	}
}

// parallel runs functions on two CPUs.
func parallel(work []func()) {
	var wg sync.WaitGroup
	next := make(chan func())
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()

			for f := range next {
				f()
			}
		}()
	}
	for _, f := range work {
		next <- f
	}
	close(next)
	wg.Wait()
}

func moduleOf(root string) (string, error) {
	f, err := os.Open(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if m, ok := strings.CutPrefix(s.Text(), "module "); ok {
			return strings.TrimSpace(m), nil
		}
	}
	return "", fmt.Errorf("%s: no module", f.Name())
}
