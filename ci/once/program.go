//go:build linux

package main

import (
	"bytes"
	"debug/elf"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
)

// readPrograms adds what Linux itself opens to run the programs that were run: the
// interpreters of scripts, and the loaders of shared libraries. No system call names them.
func (s *seen) readPrograms() {
	done, programs := map[string]bool{}, slices.Clone(s.programs)
	for i := 0; i < len(programs); i++ {
		path := programs[i]
		if done[path] {
			continue
		}
		done[path] = true
		if next := s.interpreter(path); next != "" {
			s.add(next, contents)
			programs = append(programs, next)
		}
	}
}

// interpreter returns the program that Linux starts to run another.
func (s *seen) interpreter(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "" // the run itself made and removed it
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(f, head)
	if line, ok := bytes.CutPrefix(head[:n], []byte("#!")); ok {
		line, _, _ = bytes.Cut(line, []byte("\n"))
		fields := strings.Fields(string(line))
		if len(fields) == 0 || !strings.HasPrefix(fields[0], "/") {
			s.refuse("runs " + path + ", whose interpreter is not clear")
			return ""
		}
		return fields[0]
	}
	program, err := elf.NewFile(f)
	if err != nil || !runsHere(program.Machine) {
		s.refuse("runs " + path + ", which only binfmt_misc can run")
		return ""
	}
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP {
			name, _ := io.ReadAll(io.LimitReader(p.Open(), 4096))
			return string(bytes.TrimRight(name, "\x00"))
		}
	}
	return ""
}

// runsHere reports whether the CPU itself runs programs for a machine.
func runsHere(m elf.Machine) bool {
	switch runtime.GOARCH {
	case "amd64":
		return m == elf.EM_X86_64 || m == elf.EM_386
	case "arm64":
		return m == elf.EM_AARCH64 || m == elf.EM_ARM
	}
	self, err := elf.Open("/proc/self/exe")
	if err != nil {
		return false
	}
	defer self.Close()
	return m == self.Machine
}
