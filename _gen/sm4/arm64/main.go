// Command arm64 writes the SM4 kernels of sm4/internal/arm64 for CPUs with the AES
// instructions, but not those of SM4.
//
// # Algorithm
//
// AESE is the S-box: it adds a round key, inverts in GF(2^8) and applies the affine map of
// AES. The state stays in the basis T of package matrices, in which the S-box of SM4
// begins with the same inversion, and the constant before it is in the round keys. What
// remains is affine: undo the map of AES, apply the output map of SM4's S-box and its
// linear layer, and return to the basis. Look-ups of nibbles (TBL) do all of it at once.
// AESE also does ShiftRows. A permutation (TBL) undoes it.
//
// There are three arrangements of blocks in registers: bytes.go for groups of 16 blocks, two of them
// in turns in pairs.go, words.go for 4 and 8 blocks, and one.go for one. modes.go has the functions, xts.go XTS and lanes.go CBC
// encryption of several messages.
//
// # Registers
//
// The allocator chooses the numbers; the banner of each function lists them.
//
//	state          groups of 16: byte j of word w of all blocks in state[w][j]
//	x              words: word i of up to four blocks in x[i]
//	u0, u1, u3     maps behind the S-box, as tables of low and high nibbles
//	nibble         a mask
//	unshift        what undoes ShiftRows, with words also rotated by 0 to 3 bytes
//	k, s, n, m, t  round keys; sums of words; nibbles; what is looked up; temporary
//
// # Bound
//
// Groups of 16 take 63 instructions for a round of 256 bytes, 62 of them with vectors. Two groups
// in turns (pairs.go) take 56 vector instructions each, and loads and stores: 7.6 per byte. In
// llvm-mca's models Cortex-A72 takes 7.3 cycles per byte for one group and 6.1 for two, because its
// look-ups take two cycles, Neoverse N1 4.1 and 3.8 and V2, which has four units, 3.1 and 2.0.
// Cortex-A55, which does not reorder, takes 9.7 and 12.3. One block is a chain of seven
// instructions for a round of eleven: 25 instructions per byte in all, and by the same models 66,
// 34 and 32 cycles.
//
// Without AESE, the S-box of one block is eight instructions between two moves, and seven or
// eight with integers complete the round (tables.go): 38 per byte. A look-up in four registers
// takes 12 cycles on Cortex-A72, which takes 107 per byte. So several blocks look up nibbles
// (lookups.go): 30 instructions for a round of four blocks and 59 for one of eight, which
// Cortex-A72 takes 52 and 62 cycles for, and Neoverse N1 27 and 30. With the S-box in registers
// these are 21 and 39 instructions, but 66 and 91 cycles, and 30 and 38. On Cortex-A72 8 blocks
// take 2000 cycles, 12 take 3650 and 32 as planes 3600. So planes are for more than 12 blocks,
// although up to 31 they are more instructions.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/sm4/matrices"
)

//go:generate sh -c "go run ../../circuit sm4-gates > circuit.tmp && mv circuit.tmp circuit.go"
//go:generate go run . -family AES -out ../../../sm4/internal/arm64/sm4_aes_arm64.s -declarations ../../../sm4/internal/arm64/sm4_aes_arm64.go
//go:generate go run . -family AESSHA3 -out ../../../sm4/internal/arm64/sm4_aessha3_arm64.s -declarations ../../../sm4/internal/arm64/sm4_aessha3_arm64.go
//go:generate go run . -family Neon -out ../../../sm4/internal/arm64/sm4_neon_arm64.s -declarations ../../../sm4/internal/arm64/sm4_neon_arm64.go

// Other families than AES.
const (
	sha3 = "AESSHA3" // with EOR3 (FEAT_SHA3). It has only what is different.
	neon = "Neon"    // without the AES instructions
)

func main() {
	family := flag.String("family", "", "`name` of the functions")
	out := flag.String("out", "", "assembly `file`")
	declarations := flag.String("declarations", "", "Go `file`")
	flag.Parse()

	file := &asm.File{Target: Target, Proofs: proofs[*family]}
	if *family == neon {
		c := neonConstants(file)
		block1Neon(file, c)
		blocks4(file, c, "blocks4Neon", 1)
		blocks4(file, c, "blocks8Neon", 2)
		chainNeon(file, c, "CBC")
		chainNeon(file, c, "CFB")
		blocksPlanes(file, c)
		xorPlanes(file, c)
		ctrPlanes(file, c)
		addTweaks(file, false)
		addTweaks(file, true)
		expandNeon(file, c)
		file.Write(*out, *declarations)
		return
	}
	c := newConstants(file, *family)
	blocks16(file, c, *family)
	xor16(file, c, *family)
	ctr16(file, c, *family)
	xts16(file, c, *family)
	cbcLanes(file, c, 16, *family)
	if *family != sha3 {
		block1AES(file, c)
		blocks4(file, c, "blocks4AES", 1)
		blocks4(file, c, "blocks8AES", 2)
		chainAES(file, c, "CBC")
		chainAES(file, c, "CFB")
		cbcLanes(file, c, 8, *family)
		cbcLanes(file, c, 4, *family)
		expand(file, c)
	}
	file.Write(*out, *declarations)
}

// constants are the tables of the kernels. Each is vectors in the order in which they are
// loaded.
type constants struct {
	basis, inverse *asm.Table // T and its inverse: low and high nibbles
	bytes          *asm.Table // for bytes.go: U3, U0, nibble mask, unshift
	words          *asm.Table // for words.go: U0, U1, unshift by 0 to 3, nibble mask
	one            *asm.Table // for one.go
	schedule       *asm.Table // of the key schedule: V0 to V3, FK, KeyConstant
	ck             *asm.Table // CK
	numbers        *asm.Table // 0 to 15

	// Of the family Neon.
	lookups   *asm.Table // for words.go: nibble mask, inverses and multiples of them, U0, U1
	rotations *asm.Table // by 1 and 3 bytes
	keys      *asm.Table // constants in round keys
	sbox      *asm.Table // for tables.go
	quarters  *asm.Table // of the S-box: two masks
	planes    *asm.Table // for planes.go: masks and an index
	counters  *asm.Table // an index, 0 to 3, and 4
	lanes     *asm.Table // an index
	keyLanes  *asm.Table // an index
}

func newConstants(file *asm.File, family string) *constants {
	set := matrices.Derive()
	// The look-ups are of what AESE returns.
	output := func(u matrices.Affine) matrices.Affine { return u.After(matrices.AESAffine.Inverse()) }
	nibbles := func(list ...matrices.Affine) (data []byte) {
		for _, a := range list {
			low, high := a.Nibbles()
			data = append(append(data, low[:]...), high[:]...)
		}
		return data
	}
	all := func(b byte) (data []byte) {
		for range 16 {
			data = append(data, b)
		}
		return data
	}
	word := func(w uint32, constant byte) (data []byte) {
		for shift := 24; shift >= 0; shift -= 8 {
			data = append(data, set.T.Apply(byte(w>>shift))^constant)
		}
		return data
	}
	table := func(name, doc string, parts ...[]byte) *asm.Table {
		var data []byte
		for _, p := range parts {
			data = append(data, p...)
		}
		return file.Table(name, doc, data)
	}

	var fk, ck, numbers []byte
	for i := range byte(16) {
		numbers = append(numbers, i, 0, 0, 0)
	}
	c := &constants{
		basis:   table("basis", "The change to the basis T, by nibbles.", nibbles(matrices.Affine{M: set.T})),
		inverse: table("inverse", "The change back, by nibbles.", nibbles(matrices.Affine{M: set.TInverse})),
		bytes: table("bytes", "U3 and U0 by nibbles, a mask of nibbles, and what undoes ShiftRows.",
			nibbles(output(set.U3), output(set.U0)), all(0x0f), unshift(0)),
		numbers: table("numbers", "The numbers of the blocks of a group.", numbers),
	}
	if family == sha3 {
		return c
	}
	for _, w := range []uint32{0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc} {
		fk = append(fk, word(w, 0)...)
	}
	for i := range uint32(32) {
		var w uint32
		for j := range uint32(4) {
			w = w<<8 | (4*i+j)*7&0xff
		}
		ck = append(ck, word(w, set.KeyConstant)...)
	}
	c.words = table("words", "U0 and U1 by nibbles, what undoes ShiftRows and rotates words by 0 to 3 bytes, and a mask of nibbles.",
		nibbles(output(set.U0), output(set.U1)), unshift(0), unshift(1), unshift(2), unshift(3), all(0x0f))
	c.one = oneTable(file, set, output)
	c.schedule = table("schedule", "V0 to V3 by nibbles, FK, and the constant in round keys.",
		nibbles(output(set.V[0]), output(set.V[1]), output(set.V[2]), output(set.V[3])), fk, all(set.KeyConstant))
	c.ck = table("ck", "CK, with the constant before the inversion.", ck)
	return c
}

// unshift is the index with which TBL undoes ShiftRows, and then takes byte j of each word
// from byte j+n.
func unshift(n int) []byte {
	data := make([]byte, 16)
	for w := range 4 {
		for j := range 4 {
			from := (j + n) % 4
			data[4*w+j] = byte(4*((w+4-from)%4) + from)
		}
	}
	return data
}

// load loads vectors from the beginning of a table into registers.
func load(f *asm.Func, t *asm.Table, regs ...asm.Reg) {
	at := f.New(Integer, "table")
	f.Add(MOVD(t, at))
	for i := 0; i < len(regs); i += 2 {
		if i+1 == len(regs) {
			f.Add(FMOVQ(At(at, 16*i), regs[i]))
			break
		}
		f.Add(FLDPQ(At(at, 16*i), regs[i], regs[i+1]))
	}
}

// A basis changes the basis of registers.
type basis struct {
	f                 *asm.Func
	low, high, nibble asm.Reg
}

func newBasis(f *asm.Func, t *asm.Table, nibble asm.Reg) basis {
	b := basis{f, f.New(Vector, "low"), f.New(Vector, "high"), nibble}
	load(f, t, b.low, b.high)
	return b
}

// change returns d = map of a, for a of the same or another register.
func (b basis) change(a, d asm.Reg) asm.Stream {
	n, h := b.f.New(Vector, "n"), b.f.New(Vector, "m")
	return asm.Stream{
		VAND(b.nibble, a, n),
		VUSHR(B16, 4, a, h),
		VTBL(n, b.low, n),
		VTBL(h, b.high, h),
		VEOR(n, h, d),
	}
}

// firstKey returns a pointer to the first round key: the last one if the step is negative.
func firstKey(f *asm.Func, keys, step asm.Reg) asm.Reg {
	first := f.New(Integer, "first")
	f.Add(ASR(63, step, first), AND(31*4, first, first), ADD(keys, first, first))
	return first
}

// rounds adds a loop of eight times four rounds. round adds one, given its number modulo
// four, with the pointer to its key, which it advances.
func rounds(f *asm.Func, label string, first asm.Reg, round func(i int, key asm.Reg)) {
	key, left := f.New(Integer, "key"), f.New(Integer, "left")
	f.Add(MOVD(first, key), MOVD(8, left))
	f.Label(label)
	for i := range 4 {
		round(i, key)
	}
	f.Add(SUBS(1, left, left), BNE(label))
}
