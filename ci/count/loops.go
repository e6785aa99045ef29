//go:build linux

package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A loop is the code between a backward branch and its target.
type loop struct {
	Machine      string             `json:"machine"`
	Operation    string             `json:"operation"`
	Driver       string             `json:"driver"`
	Function     string             `json:"function"`
	Instructions int                `json:"instructions"`
	Bytes        float64            `json:"bytes"`  // of the message per iteration
	Cycles       map[string]float64 `json:"cycles"` // per byte of the message, by model
	text         []string
}

// An instruction is a line of llvm-objdump.
type instruction struct {
	address uint64
	text    string
	target  uint64 // of a branch within the function; 0 for others
}

var (
	objdumpLine  = regexp.MustCompile(`^\s*([0-9a-f]+):\s+(\S.*?)\s*$`)
	branchTarget = regexp.MustCompile(`^(b\.?\w*|cbn?z|tbn?z)\s.*0x([0-9a-f]+)$`)
)

// disassembly reads what llvm-objdump prints without the bytes of the instructions.
func disassembly(text string) []instruction {
	var list []instruction
	for line := range strings.Lines(text) {
		m := objdumpLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		address, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			continue
		}
		code, _, _ := strings.Cut(m[2], "//") // a comment
		code, _, _ = strings.Cut(code, " <")  // the name of a target
		i := instruction{address: address, text: strings.TrimSpace(code)}
		if b := branchTarget.FindStringSubmatch(i.text); b != nil && b[1] != "bl" && b[1] != "br" && b[1] != "blr" {
			i.target, _ = strconv.ParseUint(b[2], 16, 64)
			// The assembler must not see an address that is out of reach.
			i.text = i.text[:strings.LastIndex(i.text, "0x")] + "."
		}
		list = append(list, i)
	}
	return list
}

// findLoops returns the innermost loops with the number of their iterations. times is how
// often each address is executed. Code that most iterations skip, such as the rounds that only
// longer keys have, is left out.
func findLoops(code []instruction, times map[uint64]float64) (loops []loop, iterations []float64) {
	for i, last := range code {
		if last.target == 0 || last.target > last.address {
			continue
		}
		first := slices.IndexFunc(code, func(x instruction) bool { return x.address == last.target })
		if first < 0 || times[last.address] == 0 {
			continue
		}
		body := code[first : i+1]
		var text []string
		n, most := times[last.address], 0.0
		for _, x := range body {
			most = max(most, times[x.address])
			if times[x.address] > n/2 {
				text = append(text, x.text)
			}
		}
		if most < 1.5*n { // else there is a loop inside
			loops = append(loops, loop{Instructions: len(text), text: text})
			iterations = append(iterations, n)
		}
	}
	return loops, iterations
}

// A symbol is a function of the program.
type symbol struct {
	address, size uint64
	name          string
}

// addLoops adds the main loops of the operations that were counted on a machine with our
// drivers.
func (t *tools) addLoops(r *report, m machine, counts []count) error {
	nm, err := output(exec.Command("go", "tool", "nm", "-size", "-sort", "address", t.golang))
	if err != nil {
		return err
	}
	symbols := parseSymbols(nm)
	size := r.Sizes[len(r.Sizes)-1]
	done := map[string]bool{}
	for _, c := range counts {
		id := c.Operation + " " + c.Driver
		if c.Library != own || c.Selected || c.Driver == "generic" || done[id] || c.Bytes < size || strings.Contains(c.Operation, "256") {
			continue
		}
		done[id] = true
		file := filepath.Join(t.dir, "blocks")
		if _, err := t.run(",blocks="+file, t.golang, m.environment, "-profile", "-driver", c.Driver, "^"+regexp.QuoteMeta(c.Operation)+"$", strconv.Itoa(size)); err != nil {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		times, err := parseBlocks(string(text))
		if err != nil {
			return err
		}
		var all float64
		hot := map[int]float64{}
		for address, n := range times {
			all += n
			if i := find(symbols, address); i >= 0 {
				hot[i] += n
			}
		}
		for _, i := range slices.Sorted(maps.Keys(hot)) {
			s := symbols[i]
			if hot[i] < all/10 || !strings.Contains(s.name, "/internal/"+r.GOARCH+".") {
				continue
			}
			listing, err := output(exec.Command("llvm-objdump-19", "-d", "--no-show-raw-insn", "--mattr=+all",
				fmt.Sprintf("--start-address=%#x", s.address), fmt.Sprintf("--stop-address=%#x", s.address+s.size), t.golang))
			if err != nil {
				return err
			}
			loops, iterations := findLoops(disassembly(listing), times)
			for k, l := range loops {
				if iterations[k]*float64(l.Instructions) < all/10 {
					continue
				}
				if slices.ContainsFunc(r.Loops, func(x loop) bool { return slices.Equal(x.text, l.text) }) {
					continue
				}
				cycles, err := t.cycles(strings.Join(l.text, "\n"))
				if err != nil {
					return err
				}
				l.Machine, l.Operation, l.Driver = m.name, c.Operation, c.Driver
				l.Function = strings.TrimSuffix(s.name[strings.LastIndex(s.name, "/")+1:], ".abi0")
				messages := 1.0
				if _, many, ok := strings.Cut(c.Operation, ", "); ok {
					messages, _ = strconv.ParseFloat(strings.Fields(many)[0], 64)
				}
				l.Bytes = messages * float64(c.Bytes) / iterations[k]
				l.Cycles = map[string]float64{}
				for model, n := range cycles {
					l.Cycles[model] = n / l.Bytes
				}
				r.Loops = append(r.Loops, l)
			}
		}
	}
	return nil
}

// cycles returns those that llvm-mca computes per iteration, by model. A model that lacks an
// instruction is left out.
func (t *tools) cycles(text string) (map[string]float64, error) {
	const iterations = 100
	result := map[string]float64{}
	for _, m := range t.models {
		c := exec.Command("llvm-mca-19", "-mtriple="+t.triple, "-mcpu="+m.name, "-mattr="+m.features, fmt.Sprintf("-iterations=%d", iterations))
		c.Stdin = strings.NewReader(text + "\n")
		out, err := output(c)
		if err != nil {
			continue // it lacks an instruction
		}
		n, err := totalCycles(out)
		if err != nil {
			return nil, err
		}
		result[m.name] = n / iterations
	}
	return result, nil
}

var total = regexp.MustCompile(`(?m)^Total Cycles:\s+(\d+)$`)

func totalCycles(text string) (float64, error) {
	m := total.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("llvm-mca printed no total of cycles")
	}
	return strconv.ParseFloat(m[1], 64)
}

// parseBlocks returns how often each address was executed, from lines "ADDRESS INSTRUCTIONS
// TIMES" of the plugin. Instructions have four bytes.
func parseBlocks(text string) (map[uint64]float64, error) {
	times := map[uint64]float64{}
	for line := range strings.Lines(text) {
		var address, n uint64
		var k float64
		if _, err := fmt.Sscanf(line, "%x %d %g", &address, &n, &k); err != nil {
			return nil, fmt.Errorf("unexpected line %q of the plugin", line)
		}
		for i := range n {
			times[address+4*i] += k
		}
	}
	return times, nil
}

// parseSymbols reads what go tool nm -size prints.
func parseSymbols(text string) []symbol {
	var list []symbol
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 4 || f[2] != "T" && f[2] != "t" {
			continue
		}
		address, err1 := strconv.ParseUint(f[0], 16, 64)
		size, err2 := strconv.ParseUint(f[1], 10, 64)
		if err1 == nil && err2 == nil {
			list = append(list, symbol{address, size, f[3]})
		}
	}
	slices.SortFunc(list, func(a, b symbol) int { return cmp.Compare(a.address, b.address) })
	return list
}

// find returns the index of the symbol that contains an address, or -1.
func find(list []symbol, address uint64) int {
	i, ok := slices.BinarySearchFunc(list, address, func(s symbol, a uint64) int { return cmp.Compare(s.address, a) })
	if !ok {
		i--
	}
	if i >= 0 && address < list[i].address+list[i].size {
		return i
	}
	return -1
}

func (r *report) loopTable() string {
	var b strings.Builder
	fmt.Fprintf(&b, `
### %s, main loops

Cycles per byte by llvm-mca 19, not measured: the innermost loops that take at least a tenth of the
instructions of an operation on %d bytes, with the first operation that uses each, and with
AES-128. Bytes are those of an iteration. These models execute AESE and AESMC one after the
other, which CPUs fuse. A CPU that lacks an instruction has no figure.

| operation | driver | kernel | instructions | bytes |`, r.GOARCH, r.Sizes[len(r.Sizes)-1])
	models := arches[r.GOARCH].models
	for _, m := range models {
		fmt.Fprintf(&b, " %s |", m.name)
	}
	fmt.Fprintf(&b, "\n|---|---|---|--:|--:|%s\n", strings.Repeat("--:|", len(models)))
	for _, l := range r.Loops {
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %.4g |", l.Operation, l.Driver, l.Function, l.Instructions, l.Bytes)
		for _, m := range models {
			if n, ok := l.Cycles[m.name]; ok {
				fmt.Fprintf(&b, " %.2f |", n)
			} else {
				b.WriteString(" - |")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
