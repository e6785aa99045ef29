package prove

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// Assembled compares what Go's assembler makes of the files of a folder with what it makes of what
// package machine has read of them: each instruction and its operands written anew, after macros, and
// the data. So what is proven is what runs, but for instructions that are written as data, whose names
// internal/ctcheck compares with a disassembler.
func Assembled(root, dir string) error {
	kernels, err := Load(root, dir)
	if err != nil {
		return err
	}
	sources := map[string]*machine.Source{}
	var arch *machine.Arch
	for _, k := range kernels {
		sources[k.File], arch = k.source, k.arch
	}
	for _, file := range slices.Sorted(maps.Keys(sources)) {
		if err := sameBytes(arch, filepath.Join(root, filepath.FromSlash(file)), sources[file]); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// sameBytes compares a file and what was read of it.
func sameBytes(arch *machine.Arch, file string, source *machine.Source) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	again, err := written(arch, source, strings.Split(string(text), "\n"))
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "assembled")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	copied := filepath.Join(temporary, filepath.Base(file))
	if err := os.WriteFile(copied, []byte(again), 0o666); err != nil {
		return err
	}
	want, err := assemble(arch.Name, file)
	if err != nil {
		return err
	}
	got, err := assemble(arch.Name, copied)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if want[name] != got[name] {
			return fmt.Errorf("%s is assembled from what was read as other bytes", name)
		}
	}
	if len(want) < len(source.Functions) || len(got) != len(want) {
		return fmt.Errorf("%d symbols, and %d of what was read", len(want), len(got))
	}
	return nil
}

var (
	symbolLine = regexp.MustCompile(`^(\S+) S?(TEXT|RODATA|NOPTRDATA|DATA)\S*( .*)?$`)
	hexLine    = regexp.MustCompile(`^\t0x[0-9a-f]+((?: [0-9a-f]{2}){1,16})  `)
)

// assemble returns the bytes and relocations of symbols.
func assemble(arch, file string) (map[string]string, error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	include := filepath.Join(strings.TrimSpace(string(goroot)), "pkg", "include")
	cmd := exec.Command("go", "tool", "asm", "-S", "-p", arch, "-I", include, "-I", filepath.Dir(file), "-o", os.DevNull, file)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", file, err, problems.String())
	}
	symbols, name := map[string]string{}, ""
	for _, line := range strings.Split(out.String(), "\n") {
		if m := symbolLine.FindStringSubmatch(line); m != nil {
			name = m[1]
			symbols[name] = ""
		} else if m := hexLine.FindStringSubmatch(line); m != nil && name != "" {
			b, err := hex.DecodeString(strings.ReplaceAll(m[1], " ", ""))
			if err != nil {
				return nil, err
			}
			symbols[name] += string(b)
		} else if strings.HasPrefix(line, "\trel ") && name != "" {
			symbols[name] += line
		}
	}
	for name, b := range symbols {
		if b == "" {
			return nil, fmt.Errorf("%s: %s has no bytes", file, name)
		}
	}
	return symbols, nil
}

// written is assembly of what was read. Only the lines with TEXT, GLOBL and PCALIGN are those of the file.
func written(arch *machine.Arch, s *machine.Source, lines []string) (string, error) {
	var b strings.Builder
	b.WriteString("#include \"textflag.h\"\n")
	for _, name := range slices.Sorted(maps.Keys(s.Data)) {
		data := s.Data[name]
		for at := 0; at < len(data); at += 4 {
			fmt.Fprintf(&b, "DATA %s<>+%d(SB)/4, $%#x\n", name, at, binary.LittleEndian.Uint32(data[at:]))
		}
	}
	for _, line := range lines {
		if strings.HasPrefix(line, "GLOBL") {
			b.WriteString(line + "\n")
		}
	}
	for _, f := range s.Functions {
		b.WriteString(lines[f.Line-1] + "\n")
		labels := map[int][]string{}
		for name, at := range f.Labels {
			labels[at] = append(labels[at], name)
		}
		aligned := f.Line // the last line that was searched for an alignment
		for i := range f.Code {
			for ; aligned < f.Code[i].Line; aligned++ {
				if line := strings.TrimSpace(lines[aligned-1]); strings.HasPrefix(line, "PCALIGN") {
					b.WriteString("\t" + line + "\n")
				}
			}
			for _, name := range labels[i] {
				b.WriteString(name + ":\n")
			}
			text, err := instruction(arch, &f.Code[i])
			if err != nil {
				return "", err
			}
			b.WriteString("\t" + text + "\n")
		}
	}
	return b.String(), nil
}

// instruction is one in Go's syntax, of its parts.
func instruction(arch *machine.Arch, in *machine.Instruction) (string, error) {
	if in.Code != nil {
		var words []string
		if arch.Name == "amd64" {
			for _, b := range in.Code {
				words = append(words, fmt.Sprintf("BYTE $%#x", b))
			}
			return strings.Join(words, "; "), nil
		}
		for at := 0; at+4 <= len(in.Code); at += 4 {
			words = append(words, fmt.Sprintf("WORD $%#x", binary.LittleEndian.Uint32(in.Code[at:])))
		}
		return strings.Join(words, "; "), nil
	}
	op := in.Op
	for _, s := range in.Suffix {
		op += "." + s
	}
	var list []string
	for i := range in.Args {
		o, err := operandText(arch, &in.Args[i])
		if err != nil {
			return "", fmt.Errorf("line %d, %s: %w", in.Line, in.Text, err)
		}
		list = append(list, o)
	}
	return op + " " + strings.Join(list, ", "), nil
}

func operandText(arch *machine.Arch, o *machine.Operand) (string, error) {
	switch o.Kind {
	case machine.KindImm:
		return fmt.Sprintf("$%d", o.Imm), nil
	case machine.KindName:
		return o.Sym, nil
	case machine.KindLabel:
		return o.Sym, nil
	case machine.KindAddr:
		s, err := address(arch, o)
		return "$" + s, err
	case machine.KindMem:
		return address(arch, o)
	case machine.KindList:
		open, end := "[", "]"
		if strings.HasPrefix(o.Text, "(") {
			open, end = "(", ")"
		}
		var list []string
		for i := range o.List {
			s, err := operandText(arch, &o.List[i])
			if err != nil {
				return "", err
			}
			list = append(list, s)
		}
		return open + strings.Join(list, ", ") + end, nil
	case machine.KindReg:
		var s string
		switch o.Shape {
		case 'x', 'y', 'z', 'k':
			return fmt.Sprintf("%c%d", o.Shape-'a'+'A', o.Reg), nil
		case 'v':
			// V and F are names of the same registers.
			s = fmt.Sprint(o.Text[:1], o.Reg)
		default:
			s = general(arch, o.Reg)
		}
		if o.Arrangement != "" {
			s += "." + o.Arrangement
		}
		if o.Lane {
			s += fmt.Sprintf("[%d]", o.LaneIndex)
		}
		switch {
		case o.Shift != "" && o.ShiftReg >= 0:
			s += o.Shift + general(arch, o.ShiftReg)
		case o.Shift != "":
			s += fmt.Sprint(o.Shift, o.ShiftBy)
		}
		return s, nil
	}
	return "", fmt.Errorf("the operand %s", o.Text)
}

var x86Names = strings.Fields("AX BX CX DX SI DI BP SP R8 R9 R10 R11 R12 R13 R14 R15")

func general(arch *machine.Arch, reg int) string {
	switch arch.Name {
	case "amd64":
		return x86Names[reg]
	case "riscv64":
		return fmt.Sprint("X", reg)
	}
	switch reg {
	case 30:
		return "RSP"
	case 31:
		return "ZR"
	}
	return fmt.Sprint("R", reg)
}

func address(arch *machine.Arch, o *machine.Operand) (string, error) {
	s := ""
	switch o.Pseudo {
	case "SB":
		s = fmt.Sprintf("%s<>%+d(SB)", o.Sym, o.Imm)
	case "FP", "SP":
		s = fmt.Sprintf("%s%+d(%s)", o.Sym, o.Imm, o.Pseudo)
	case "":
		if o.Base < 0 {
			return "", fmt.Errorf("the address %s", o.Text)
		}
		if o.Imm != 0 {
			s = fmt.Sprint(o.Imm)
		}
		s += "(" + general(arch, o.Base) + ")"
	}
	if o.Index >= 0 {
		if arch.Name == "amd64" {
			return fmt.Sprintf("%s(%s*%d)", s, general(arch, o.Index), o.Scale), nil
		}
		s += "(" + general(arch, o.Index) + ")"
		if o.Scale > 1 {
			return "", fmt.Errorf("the scale in %s", o.Text)
		}
	}
	return s, nil
}
