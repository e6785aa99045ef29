// Command avx2 writes the SM4 kernels of sm4/internal/amd64 for CPUs without AVX-512: with the
// S-box of GFNI, or with that of AES-NI (two families), and the latter also for CPUs without AVX2:
// SSSE3 in the legacy encodings of package simd, with half as many blocks in a register (encode.go).
//
// # Algorithm
//
// All bytes of the state are kept in the basis T of package matrices, where the S-box begins with
// an inversion; output map, linear layer and return to the basis are one matrix. A round is
//
//	t[j]  = X1[j] + X2[j] + X3[j] + k[j]                 byte j of each word
//	X4[j] = X0[j] + U0(1/t[j]) + U1(1/t[j-1]) + U1(1/t[j-2]) + U3(1/t[j-3])      U0 + U1 + U3 = 0
//
//	GFNI     Ui(1/t) is one VGF2P8AFFINEINVQB
//	AES-NI   AESENCLAST with key 0 is inversion, affine map and ShiftRows; VPSHUFB undoes the
//	         latter, and two look-ups of nibbles are Ui after the inverse of the affine map
//
// There are three arrangements of blocks, each with its own way to rotate:
//
//	words.go    a word of 4 or 8 blocks in a register: VPSHUFB    up to 16 or 32 blocks
//	bytes.go    a byte of 32 blocks in a register: nothing to do  32 blocks, or 64 at a time
//	serial.go   one block                                         CBC encryption, single blocks
//
// The modes are in blocks.go, cbc.go, ctr.go; the key schedule is in expand.go.
//
// # Registers
//
// Of the arrangement by bytes:
//
//	                     GFNI                             AES-NI
//	Y0 ... Y3            newest word of the first batch   the same
//	Y4 ... Y7            that of the second               the same
//	Y8                   sum of all U1(1/t)               low nibbles, sum of two r
//	Y9, Y10, Y11         temporary                        temporary, Y11: U0 of byte 0
//	Y12                  U0 of byte 0                     table of U0, low nibbles
//	Y13, Y14, Y15        matrices U0, U1, U3              table of U0, tables of U3
//	AX, BX, CX           next round key, distances to the one after and the third after
//	SI, DI, DX, R8, R9   src, dst, blocks left, first round key, rounds left / 4
//	R13                  scratch memory on the stack: half of a transposition, state, sums
//
// # Bound
//
// 64 blocks, 1024 bytes, in the four vector units of Zen 4, in cycles:
//
//	         four rounds                    32 rounds  transposition, T   cycles per byte
//	GFNI     96 inversions, 200 additions   592        80                 0.66
//	AES-NI   696, 160 of them VPSHUFB       1392       160                1.52
//
// The state is in memory, which adds 145 and 289 accesses to four rounds: llvm-mca gives 91 cycles
// for four rounds with GFNI rather than 74, 0.79 cycles per byte. One block is a chain of 7 cycles
// in a round with GFNI (3 for the inversion, 2 for VPSHUFB, two additions), 14 cycles per byte.
// With SSSE3 and AES-NI, 4 KiB take 15.0 instructions a byte in ECB and 14.3 in CTR, 6.5 and 6.3
// with AVX2, and 46.1 and 43.8 in portable code (qemu-user 7.2): copies for two operands, and
// registers of half the size. Measured for ECB and CBC encryption of 16 KiB: 0.83 and 18.6 cycles per byte on Zen 4 with GFNI,
// 2.24 and 32.9 with AES-NI; on Zen 5 0.83 and 2.25 in the kernel for many blocks.
package main

import (
	"flag"
	"fmt"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/ghash"
	"github.com/cipherlane/cipherlane/_gen/simd"
	"github.com/cipherlane/cipherlane/_gen/sm4/matrices"
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

//go:generate go run . -isa gfniavx2 -out ../../../sm4/internal/amd64/sm4_gfniavx2_amd64.s
//go:generate go run . -isa aesniavx2 -out ../../../sm4/internal/amd64/sm4_aesniavx2_amd64.s
//go:generate go run . -isa aesni -out ../../../sm4/internal/amd64/sm4_aesni_amd64.s
//go:generate go run . -isa pclmulqdq -out ../../../sm4/internal/amd64/ghash_pclmulqdq_amd64.s
//go:generate go run . -isa vpclmulqdq256 -out ../../../sm4/internal/amd64/ghash_vpclmulqdq256_amd64.s

func main() {
	isa := flag.String("isa", "", "instruction `set`")
	flag.Parse()
	ConstraintExpr("!purego")
	switch *isa {
	case "gfniavx2":
		kernels(newGFNI(matrices.Derive()))
	case "aesniavx2":
		kernels(newAESNI(matrices.Derive()))
	case "aesni":
		simd.Legacy = true
		kernels(newAESNI(matrices.Derive()))
	case "pclmulqdq":
		simd.Legacy = true
		ghash.UpdateKind{}.Emit("ghashPCLMUL")
	case "vpclmulqdq256":
		ghash.UpdateKind{Wide: true}.Emit("ghashVPCLMUL256")
	default:
		panic("unknown instruction set " + *isa)
	}
	amd64.Generate()
}

type vec = reg.VecPhysical

var (
	ymm = [16]vec(amd64.YMM[:16])
	xmm = [16]vec(amd64.XMM[:16])
)

// Registers that mean the same in all functions.
var (
	keyPtr = reg.RAX // next round key
	step   = reg.RBX // from one round key to the next, in bytes
	step3  = reg.RCX // three times that
	blocks = reg.RDX // left to do
	src    = reg.RSI
	dst    = reg.RDI
	keys   = reg.R8  // first round key
	rounds = reg.R9  // counts fours
	frame  = reg.R13 // scratch memory on the stack, aligned
)

// The offsets of the two fields of amd64.Keys.
const (
	wordsOffset = 0
	bytesOffset = 32 * 4
)

// A family is the S-box with the linear layer on one instruction set.
type family interface {
	name() string // what the names of its functions end in

	// basis returns what multiplies the bytes of registers by T or its inverse,
	// having set some of the four registers tmp, which remain reserved for it.
	basis(inverse bool, tmp []vec) func(r ...vec)

	// layer computes the S-box of the words in t and the terms of the linear
	// layer (schedule: that of the key schedule) before they are rotated by 0,
	// 8, 16 and 24 bits. Registers 5 to 11 may be overwritten. Words are in the
	// lowest 32 bits; where replicated is true, in all four quarters.
	layer(schedule bool, t vec) [4]vec
	replicated() bool

	// words emits the rounds for groups of words, which are at word.
	words(p pass, k keyWalk)
	word(p pass, group, w int) Op

	// bytes emits the rounds for n batches of 32 blocks.
	bytes(n int, k keyWalk)

	passes() []pass // for fewer than 64 blocks
	speed() string  // cycles per byte measured with many blocks
}

// kernels writes all functions of a family.
func kernels(f family) {
	layout()
	expand(f)
	blocksFunction(f)
	cbcEncrypt(f)
	if !simd.Legacy {
		cbcDecrypt(f)
	}
	ctr(f)
}

// function starts a function with its banner: what it does, then its registers
// and the rest. The generator knows nothing of the type Keys, but a pointer is
// a pointer.
func function(name string, a attr.Attribute, parameters string, banner ...string) {
	TEXT(name, a, "func"+strings.ReplaceAll(parameters, "*Keys", "*byte"))
	Comment(banner...)
	Comment("func " + name + parameters)
}

// A keyWalk addresses round keys relative to keyPtr.
type keyWalk struct {
	size  int  // of a key: 4 or 16 bytes, negative to go backwards
	fixed bool // the direction is known here; otherwise step and step3 hold the distance
}

// at returns round key i, 0 to 4, counted from keyPtr.
func (k keyWalk) at(i int) Mem {
	switch {
	case k.fixed:
		return Mem{Base: keyPtr, Disp: i * k.size}
	case i == 0:
		return Mem{Base: keyPtr}
	case i == 3:
		return Mem{Base: keyPtr, Index: step3, Scale: 1}
	default:
		return Mem{Base: keyPtr, Index: step, Scale: uint8(i)}
	}
}

// start turns step, 1 or -1, into the distance of keys and sets keyPtr to the
// first one.
func (k keyWalk) start() {
	MOVQ(step, step3)
	SARQ(Imm(63), step3)
	ANDQ(Imm(31), step3) // the index of the first key
	if k.size == 4 {
		LEAQ(Mem{Base: keys, Index: step3, Scale: 4, Disp: wordsOffset}, keyPtr)
		SHLQ(Imm(2), step)
	} else {
		SHLQ(Imm(4), step3)
		LEAQ(Mem{Base: keys, Index: step3, Scale: 1, Disp: bytesOffset}, keyPtr)
		SHLQ(Imm(4), step)
	}
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, step3)
}

// advance moves keyPtr by four keys.
func (k keyWalk) advance() { LEAQ(k.at(4), keyPtr) }

// fours emits a loop over the rounds, four at a time; state word w of round i
// is found in place (w+i) mod 4.
func fours(n int, k keyWalk, round func(i int)) {
	top := label("rounds")
	MOVL(U32(n), rounds.As32())
	Label(top)
	for i := range 4 {
		round(i)
	}
	k.advance()
	DECL(rounds.As32())
	JNE(LabelRef(top))
}

var labels int

// label returns a new label: loops of the same kind may come several times in
// a function.
func label(name string) string {
	labels++
	return fmt.Sprintf("%s%d", name, labels)
}

var constants = map[string]Mem{}

// constant returns the address of constant bytes, a register of them: b, repeated.
func constant(name string, b ...byte) Mem {
	if m, ok := constants[name]; ok {
		return m
	}
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for i := 0; i < rowSize(); i += 8 {
		var q uint64
		for j := range 8 {
			q |= uint64(b[(i+j)%len(b)]) << (8 * j)
		}
		DATA(i, U64(q))
	}
	constants[name] = m
	return m
}

// swapWords is the index for VPSHUFB that turns words from big-endian order.
func swapWords() Mem {
	return constant("swapWords", 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)
}

// rotation is the index for VPSHUFB that rotates words left by n bytes.
func rotation(n int) Mem {
	var b [16]byte
	for i := range b {
		b[i] = byte(i&^3 | (i-n)&3)
	}
	return constant(fmt.Sprintf("rotate%d", 8*n), b[:]...)
}

// scratch gives the function size bytes of aligned memory at frame.
func scratch(size int) {
	simd.Aligned(frame)
	m := AllocLocal(size + 32)
	LEAQ(m.Offset(31), frame)
	ANDQ(I8(-32), frame)
}

// wipe clears the scratch memory between two offsets and ends the function.
func wipe(from, to int) {
	r := widest()[0]
	if from < to {
		xor(r, r, r)
	}
	for i := from; i < to; i += rowSize() {
		move(r, Mem{Base: frame, Disp: i})
	}
	done()
}

// The scratch memory of all functions begins with the same parts.
var (
	halfway  int // half of a transposition
	state    int // one or two batches of bytes, or groups of words
	pairs    int // sums of two words, for two batches
	stateEnd int
)

// layout computes the offsets.
func layout() {
	state = halfway + 8*rowSize()
	pairs = state + 32*rowSize()
	stateEnd = pairs + 8*rowSize()
}

// slot is one register's worth of a batch: byte j of word w of its blocks.
func slot(batch, w, j int) Mem {
	return Mem{Base: frame, Disp: state + rowSize()*(16*batch+4*w+j)}
}

// pair is byte j of the sum of two words of a batch.
func pair(batch, j int) Mem { return Mem{Base: frame, Disp: pairs + rowSize()*(4*batch+j)} }
