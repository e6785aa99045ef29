// Command ssse3 writes the AES kernels of internal/aescore/internal/amd64 for CPUs with SSSE3
// and without AES instructions. The instructions have no VEX forms: these CPUs have no AVX.
//
// # Algorithm
//
// PSHUFB looks up 16 nibbles in a table of 16 bytes. In GF(2^8) = GF(2^4)[τ], τ² = Aτ + A, the
// byte k + iτ with j = i + k is inverted by look-ups of nibbles alone:
//
//	1/u = 1/(1/i + A/k) + j      1/v = 1/(1/j + A/k) + i      F(1/x) = F_u[1/u] + F_v[1/v]
//
// for any linear map F: the one of the S-box, times the coefficients of MixColumns, and back to
// the basis of the tower (see package permute). With s the output of the S-box and X the rotation
// of columns by a row, MixColumns and the key are
//
//	encryption   s + (1+X)(3s + X²s) + k          decryption   14s + 11Xs + X²(13s + 9Xs) + k
//
// ShiftRows is left out: instead the places of the bytes change from round to round, and with
// them the indices of the rotations. rounds.go has the rounds, blocks.go the modes, expand.go the
// key schedule, whose keys are in the same form, and frodokem.go the matrix of FrodoKEM.
//
// # Registers
//
//	X0 ... X3             states of up to four blocks (a lane each)
//	X4 ... X7, X8 ... X11 temporary, for two blocks by turns
//	X12, X13              low nibbles of all bytes, round key
//	X14, X15              indices of the rotations by one and two rows
//	AX                    128 bytes after the beginning of the tables
//	BX, CX, DX            first round key, offsets of the next and of the last one
//	SI, DI, R8            src, dst, blocks left
//	R9, R10               indices of MixColumns, offset of the last permutation
//
// # Bound
//
// A round of a block has 11 PSHUFB, 14 other operations, 9 loads and 2 copies when encrypting,
// 16, 16, 13 and 1 when decrypting. Zen 4 dispatches six instructions in a cycle: with what the
// blocks share, 6.3 and 7.9 cycles for a round, 63 and 79 for a block. For a block alone the
// chain counts: 12 operations in a round, four of which are PSHUFB with a latency of two cycles.
// That makes 16 cycles, 160 for a block.
// Measured in CTR, CBC decryption and CBC encryption: 5.1, 6.6 and 11.5 cycles per byte on Zen 4
// (81, 105 and 183 for a block); 5.3, 6.4 and 16.2 on Zen 5, where vector operations take longer.
package main

import (
	"encoding/binary"
	"flag"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/aes/permute"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

//go:generate go run . -out ../../../internal/aescore/internal/amd64/ssse3_amd64.s
//go:generate go run . -frodokem -out ../../../frodokem/internal/amd64/matrix_ssse3_amd64.s

func main() {
	frodokem := flag.Bool("frodokem", false, "write the kernels of FrodoKEM")
	flag.Parse()
	ConstraintExpr("!purego")
	if *frodokem {
		prepareMatrix()
		rowsOfMatrix()
		amd64.Generate()
		return
	}
	expand()
	encryptBlocks()
	decryptBlocks()
	cbcEncrypt()
	cbcDecrypt()
	ctr()
	amd64.Generate()
}

type vec = reg.VecPhysical

var xmm = [16]vec{reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7,
	reg.X8, reg.X9, reg.X10, reg.X11, reg.X12, reg.X13, reg.X14, reg.X15}

// Registers that mean the same in all functions.
var (
	tables    = reg.RAX // constants, see section
	keys      = reg.RBX // the first round key
	keyAt     = reg.RCX // offset of the next one
	lastKeyAt = reg.RDX // offset of the last one
	src       = reg.RSI
	dst       = reg.RDI
	remaining = reg.R8  // blocks
	rotations = reg.R9  // indices of MixColumns
	unshiftAt = reg.R10 // offset of the last permutation
)

// The offsets of the fields of amd64.Keys.
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
// the types Keys and Matrix, but a pointer is a pointer.
func function(name, parameters string, banner ...string) {
	TEXT(name, attr.NOSPLIT, "func"+strings.NewReplacer("*Keys", "*byte", "*Matrix", "*byte").Replace(parameters))
	Comment(strings.Split(strings.Join(banner, "\n"), "\n")...)
	Comment("func " + name + parameters)
}
