// Command ssse3 writes the AES kernels of internal/aescore/internal/amd64 for CPUs with
// SSSE3 and without AES instructions.
//
// Package permute has the mathematics of the S-box, rounds.go the rounds, the others
// the modes. The instructions have no VEX forms: these CPUs have no AVX.
package main

import (
	"encoding/binary"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/aes/permute"
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

//go:generate go run . -out ../../../internal/aescore/internal/amd64/ssse3_amd64.s

func main() {
	ConstraintExpr("!purego")
	expand()
	encryptBlocks()
	decryptBlocks()
	cbcEncrypt()
	cbcDecrypt()
	ctr()
	Generate()
}

type vec = reg.VecPhysical

var xmm = [16]vec{reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7,
	reg.X8, reg.X9, reg.X10, reg.X11, reg.X12, reg.X13, reg.X14, reg.X15}

// Registers that mean the same in all functions.
var (
	tables    = reg.RAX // constants, see section
	keys      = reg.RBX // the first round key
	at        = reg.RCX // offset of the next one
	last      = reg.RDX // offset of the last one
	src       = reg.RSI
	dst       = reg.RDI
	remaining = reg.R8  // blocks
	rotations = reg.R9  // indices of MixColumns
	odd       = reg.R10 // offset of the last permutation
)

// Where amd64.Keys has its fields.
const (
	encOffset    = 0
	decOffset    = 15 * 16
	roundsOffset = 2 * 15 * 16
)

// A section is a number of tables, addressed relative to a register that
// points behind the first eight: 16 of them are within reach of an offset of
// one byte.
type section struct {
	name  string
	place map[string]int
	list  []permute.Table
	mem   Mem
}

const bias = 128

func newSection(name string) *section { return &section{name: name, place: map[string]int{}} }

// add appends tables; the name is that of the first one.
func (s *section) add(name string, t ...permute.Table) {
	if _, ok := s.place[name]; ok {
		panic("two tables " + name)
	}
	s.place[name] = len(s.list)
	s.list = append(s.list, t...)
}

// addInversion appends what code.invert needs.
func (s *section) addInversion() {
	s.add("nibble", permute.All(0x0f))
	s.add("inverse", permute.Inverses(1))
	s.add("inverseA", permute.Inverses(field.A))
}

func (s *section) offset(name string) int {
	n, ok := s.place[name]
	if !ok {
		panic("no table " + name)
	}
	return 16 * n
}

func (s *section) at(name string) Mem { return Mem{Base: tables, Disp: s.offset(name) - bias} }

// load sets the register, having written the section before its first use.
// The linker aligns data of this size to 32 bytes, so that the tables may be
// operands.
func (s *section) load(r reg.GPPhysical, bias int) {
	if s.mem == (Mem{}) {
		s.mem = GLOBL("ssse3"+s.name, attr.RODATA|attr.NOPTR)
		for i, t := range s.list {
			DATA(16*i, U64(binary.LittleEndian.Uint64(t[:])))
			DATA(16*i+8, U64(binary.LittleEndian.Uint64(t[8:])))
		}
	}
	LEAQ(s.mem.Offset(bias), r)
}

// function starts a function with its banner. The generator knows nothing of
// the type Keys, but a pointer is a pointer.
func function(name, parameters string, banner ...string) {
	TEXT(name, attr.NOSPLIT, "func"+strings.ReplaceAll(parameters, "*Keys", "*byte"))
	Comment(strings.Split(strings.Join(banner, "\n"), "\n")...)
	Comment("func " + name + parameters)
}
