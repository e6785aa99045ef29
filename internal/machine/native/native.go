// Package native runs short programs of assembly on this CPU, or in qemu's emulation of another
// one, with given registers and memory. What executes assembly in another way is compared with it.
//
// A program is linked into a Go program of its own, behind code that loads all registers from a
// state, calls it, and stores all registers. States go in and out through pipes.
package native

import (
	"bytes"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// A State is what a program reads and writes. Numbers and bytes of registers are as the CPU stores
// them in little-endian order; what the architecture does not have is 0.
type State struct {
	General [32]uint64
	Vectors [32][64]byte
	Masks   [8]uint64
	Flags   uint64 // as the architecture has them in a register
	Memory  []byte // at most MaxMemory
	// Addresses has a bit for each general register that is an offset in Memory here, and an address
	// when the program runs.
	Addresses uint32
	// Fault says that the program ended with an access to memory that is not there, or an illegal
	// instruction. Registers are what they were before it.
	Fault bool
}

// MaxMemory is the most that a state may have, in bytes.
const MaxMemory = 1 << 16

// A Job is a program, by its index, and the state before it.
type Job struct {
	Program int
	State   *State
}

// A CPU is an architecture, as Go's assembler and this package know it.
type CPU struct {
	Name    string // of Go
	Pointer int    // bytes of an address
	// General are the registers that programs may use; all others stay as they are.
	General []int
	// Vectors and their bytes; masks of AVX-512.
	Vectors, VectorBytes, Masks int
	// Flags has the bits of State.Flags that programs may read and write.
	Flags uint64

	emulator string      // the program of qemu; empty if only this CPU will do
	lacks    func() bool // whether this CPU will not do, or nil
	model    string      // for its option -cpu
	environ  []string    // of the go command
	// call is the assembly of a function call(state *byte, program int), where state has the layout of
	// offsets, and programs<>(SB) has the addresses of the programs.
	call string
}

// CPUs are what programs can be run on, by the names of Go.
var CPUs = map[string]*CPU{}

// offsets are those of registers in the state that call loads: 8 bytes for each general register,
// mask and the flags.
func (c *CPU) offsets() (vectors, masks, flags int) {
	vectors = 8 * 32
	masks = vectors + c.Vectors*c.VectorBytes
	return vectors, masks, masks + 8*c.Masks
}

// illegal returns a handler for the signal of an illegal instruction that makes a fault of it. The
// code goes to the handler of faults.
func illegal(pointer int, code string) string {
	return fmt.Sprintf("\nTEXT ·ill(SB), NOSPLIT|NOFRAME, $0-0\n\t%s\n\nDATA ·illegal(SB)/%d, $·ill(SB)\nGLOBL ·illegal(SB), NOPTR, $%d\n", code, pointer, pointer)
}

// ErrMissing is the error of Build where neither this CPU nor an emulator can run the programs.
var ErrMissing = errors.New("neither this CPU nor an emulator runs these programs")

// A Runner runs programs.
type Runner struct {
	cpu     *CPU
	dir     string
	command []string
}

//go:embed child.go.txt
var child embed.FS

// Build assembles programs, each some lines of Go's assembly. They end where their text ends, and
// must neither move the stack pointer nor call anything.
func Build(arch string, programs []string) (*Runner, error) {
	r := &Runner{cpu: CPUs[arch]}
	var err error
	if r.command, err = runners(arch); err != nil {
		return nil, err
	}
	if r.dir, err = os.MkdirTemp("", "native"); err != nil {
		return nil, err
	}
	if err := r.build(programs); err != nil {
		r.Close()
		return nil, err
	}
	r.command = append(r.command, filepath.Join(r.dir, "native"))
	return r, nil
}

// Available returns an error if programs of an architecture cannot be run here, which is ErrMissing
// if it is for want of a CPU or an emulator.
func Available(arch string) error {
	_, err := runners(arch)
	return err
}

// runners returns the command before the name of a program.
func runners(arch string) (command []string, _ error) {
	c := CPUs[arch]
	if c == nil {
		return nil, fmt.Errorf("programs of %s cannot be run", arch)
	}
	if runtime.GOOS != "linux" || c.emulator == "" && runtime.GOARCH != c.Name || c.lacks != nil && c.lacks() {
		return nil, ErrMissing
	}
	if c.emulator != "" {
		path, err := emulator(c.emulator)
		if err != nil {
			return nil, err
		}
		command = append(command, path, "-cpu", c.model)
	}
	return command, nil
}

// Close deletes the programs.
func (r *Runner) Close() { os.RemoveAll(r.dir) }

// emulator finds a program of qemu, perhaps where CI has installed it.
func emulator(name string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = ""
	}
	for _, path := range []string{name, filepath.Join(cache, "cipherlane-ci/qemu/usr/bin", name)} {
		if path, err := exec.LookPath(path); err == nil {
			return path, nil
		}
	}
	return "", ErrMissing
}

func (r *Runner) build(programs []string) error {
	var text strings.Builder
	text.WriteString("#include \"textflag.h\"\n\n")
	pointer := r.cpu.Pointer
	for i := range programs {
		fmt.Fprintf(&text, "DATA programs<>+%d(SB)/%d, $·p%d(SB)\n", pointer*i, pointer, i)
	}
	fmt.Fprintf(&text, "GLOBL programs<>(SB), NOPTR, $%d\n\n%s\n", pointer*len(programs), r.cpu.call)
	for i, p := range programs {
		fmt.Fprintf(&text, "TEXT ·p%d(SB), NOSPLIT|NOFRAME, $0-0\n%s\n\tRET\n\n", i, p)
	}
	main, err := child.ReadFile("child.go.txt")
	if err != nil {
		return err
	}
	vectors, masks, flags := r.cpu.offsets()
	main = append(main, fmt.Sprintf("\nconst (\n\tvectorBytes = %d\n\tvectorsAt = %d\n\tmasksAt = %d\n\tflagsAt = %d\n\tstateBytes = %d\n)\n",
		r.cpu.Vectors*r.cpu.VectorBytes, vectors, masks, flags, flags+8)...)
	for name, content := range map[string][]byte{
		"go.mod": []byte("module native\n\ngo 1.24\n"), "main.go": main, "call_" + r.cpu.Name + ".s": []byte(text.String()),
	} {
		if err := os.WriteFile(filepath.Join(r.dir, name), content, 0o666); err != nil {
			return err
		}
	}
	cmd := exec.Command("go", "build", "-asmflags=-e", "-o", "native", ".")
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+r.cpu.Name, "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-trimpath -buildvcs=false")
	cmd.Env = append(cmd.Env, r.cpu.environ...)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, quoted(output, text.String()))
	}
	return nil
}

var errorLine = regexp.MustCompile(`call_\w+\.s:(\d+):`)

// quoted adds the lines of assembly to errors.
func quoted(output []byte, text string) []byte {
	lines := strings.Split(text, "\n")
	return errorLine.ReplaceAllFunc(output, func(m []byte) []byte {
		n, err := strconv.Atoi(string(errorLine.FindSubmatch(m)[1]))
		if err != nil || n > len(lines) {
			return m
		}
		return []byte(strings.TrimSpace(lines[n-1]) + ":")
	})
}

// Run runs jobs and returns the states behind them.
func (r *Runner) Run(jobs []Job) ([]State, error) {
	cmd := exec.Command(r.command[0], r.command[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var b []byte
	for i, j := range jobs {
		b = binary.LittleEndian.AppendUint32(b, uint32(j.Program))
		if b = r.append(b, j.State); len(b) > 1<<20 || i == len(jobs)-1 {
			if _, err := in.Write(b); err != nil {
				break // the program has ended, and says why
			}
			b = b[:0]
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, messages.Bytes()[:min(messages.Len(), 2000)])
	}
	states := make([]State, len(jobs))
	for i, j := range jobs {
		if err := r.read(&out, &states[i], len(j.State.Memory)); err != nil {
			return nil, fmt.Errorf("%d of %d jobs: %w", i, len(jobs), err)
		}
		states[i].Addresses = j.State.Addresses
	}
	return states, nil
}

// append adds the encoding of a state: its registers, as they are in memory; which are addresses,
// and the memory.
func (r *Runner) append(b []byte, s *State) []byte {
	for _, v := range s.General {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	for i := range r.cpu.Vectors {
		b = append(b, s.Vectors[i][:r.cpu.VectorBytes]...)
	}
	for i := range r.cpu.Masks {
		b = binary.LittleEndian.AppendUint64(b, s.Masks[i])
	}
	b = binary.LittleEndian.AppendUint64(b, s.Flags)
	b = binary.LittleEndian.AppendUint32(b, s.Addresses)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(s.Memory)))
	return append(b, s.Memory...)
}

// read is the inverse, without the last two numbers.
func (r *Runner) read(in *bytes.Buffer, s *State, memory int) error {
	_, _, flags := r.cpu.offsets()
	b := in.Next(flags + 8 + memory + 1)
	if len(b) < flags+8+memory+1 {
		return io.ErrUnexpectedEOF
	}
	for i := range s.General {
		s.General[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	b = b[8*32:]
	for i := range r.cpu.Vectors {
		b = b[copy(s.Vectors[i][:r.cpu.VectorBytes], b):]
	}
	for i := range r.cpu.Masks {
		s.Masks[i], b = binary.LittleEndian.Uint64(b), b[8:]
	}
	s.Flags = binary.LittleEndian.Uint64(b)
	s.Memory = bytes.Clone(b[8 : 8+memory])
	s.Fault = b[8+memory] != 0
	return nil
}
