// Command sm4ni writes the SM4 kernels of sm4/internal/amd64 for CPUs that have instructions for
// SM4.
//
// # Algorithm
//
//	VSM4RNDS4   X[i+4] = X[i] ^ L(S(X[i+1] ^ X[i+2] ^ X[i+3] ^ k[i])), four rounds
//	VSM4KEY4    four round keys of the four before
//
// both for one block in each half of a register. Eight VSM4RNDS4 are the cipher, with the words
// from big-endian order (VPSHUFB) before and in reverse order after. All modes take 16 blocks in
// eight registers at a time. The rest, 1 to 16 blocks, has code for each number of registers;
// the last two blocks may overlap those before, which are then computed twice (anyNumber, place).
//
// # Registers
//
//	Y0 ... Y7    two blocks each; X0 ... X7 one of eight messages (lanes) or of one
//	Y8           four round keys, in both halves
//	Y9           temporary
//	Y10, Y11     iv and the next one, or counters of the next two blocks
//	Y12, Y13     orders of bytes: words from big-endian order, all bytes reversed
//	AX, BX       round keys, offset of the last two blocks
//	SI, DI, DX   src, dst, blocks left
//	CX           iv or counter
//
// # Bound
//
// The unit for VSM4RNDS4: 64 of them for 16 blocks, 0.25 cycles per byte if one begins in a cycle.
// Eight registers keep it busy up to a latency of eight. No CPU with these instructions was
// available; llvm-mca of LLVM 22 assumes the figures of a multiplication, a latency of 5 cycles,
// one in a cycle on Arrow Lake and two on Lunar Lake. It gives 0.26 and 0.13 cycles per byte for
// ECB, and 2.7 for CBC encryption, whose chain is 8 instructions of 5 cycles, VPSHUFD and VPXOR.
package main

import (
	"fmt"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

//go:generate go run . -out ../../../sm4/internal/amd64/sm4_sm4niavx2_amd64.s

func main() {
	ConstraintExpr("!purego")
	expand()
	blocksFunction()
	cbcEncrypt()
	cbcDecrypt()
	ctr()
	cbcLanes()
	amd64.Generate()
}

type vec = reg.VecPhysical

// Two blocks are in a wide register, one in a narrow one.
var (
	ymm = [16]vec(amd64.YMM[:16])
	xmm = [16]vec(amd64.XMM[:16])
)

// Registers that mean the same in all functions. The state is in 0 to 7.
var (
	keys   = reg.RAX
	src    = reg.RSI
	dst    = reg.RDI
	blocks = reg.RDX // left to do
	last   = reg.RBX // offset of the last two blocks
)

const (
	roundKey     = 8  // four round keys
	temp         = 9  //
	chaining     = 10 // the ciphertext block before
	nextChaining = 11 // that of the next pass
	counters     = 10 // of the first two blocks
	swap         = 12 // index for VPSHUFB: words from big-endian order
	reverse      = 13 // index for VPSHUFB: all bytes in reverse order
)

// pairs is how many wide registers of blocks are processed at once.
const pairs = 8

// backwards is where amd64.Keys has the round keys in reverse order: at the
// beginning of its field Bytes.
const backwards = 32 * 4

// function starts a function with its banner: what it does, then its registers
// and the rest.
func function(name, parameters string, banner ...string) {
	TEXT(name, attr.NOSPLIT, "func"+strings.NewReplacer("*Keys", "*byte", "*Lanes", "*byte").Replace(parameters))
	Comment(banner...)
	Comment("func " + name + parameters)
}

var constants = map[string]Mem{}

// constant returns the address of 32 constant bytes: words, repeated.
func constant(name string, words ...uint32) Mem {
	if m, ok := constants[name]; ok {
		return m
	}
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for i := range 8 {
		DATA(4*i, U32(words[i%len(words)]))
	}
	constants[name] = m
	return m
}

// indices sets swap and reverse.
func indices() {
	VMOVDQU(constant("swap", 0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f), ymm[swap])
	VMOVDQU(constant("reverse", 0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203), ymm[reverse])
}

// rounds encrypts n registers of two blocks, words in the order of the standard.
// Afterwards the words are in reverse order.
func rounds(n int) {
	for i := range 8 {
		VBROADCASTI128(Mem{Base: keys, Disp: 16 * i}, ymm[roundKey])
		for r := range n {
			amd64.Put(amd64.VSM4RNDS4(ymm[roundKey], ymm[r], ymm[r]))
		}
	}
	for r := range n {
		VPSHUFB(ymm[reverse], ymm[r], ymm[r])
	}
}

// oneBlock is rounds for one block, in X0.
func oneBlock() {
	for i := range 8 {
		amd64.Put(amd64.VSM4RNDS4(Mem{Base: keys, Disp: 16 * i}, xmm[0], xmm[0]))
	}
	VPSHUFB(xmm[reverse], xmm[0], xmm[0])
}

// A place is where two blocks are: at a distance from the current ones, or the
// last two of all.
type place struct {
	at   int
	last bool
}

// address returns the place, before bytes earlier, in memory from base on.
func (p place) address(base reg.GPPhysical, before int) Mem {
	if p.last {
		return Mem{Base: base, Index: last, Scale: 1, Disp: -before}
	}
	return Mem{Base: base, Disp: p.at - before}
}

// anyNumber emits the body of a function that takes any number of blocks: code for 16 as
// long as there are more, then for what is left, 1 to 16. Two to a register, the
// last two may overlap those before, which are then computed twice; code must read
// all that it needs of src at such a place before it writes there.
func anyNumber(wide func(p []place), one func()) {
	offsets := make([]place, pairs)
	for i := range offsets {
		offsets[i].at = 32 * i
	}
	CMPQ(blocks, Imm(2*pairs))
	JBE(LabelRef("rest"))
	Label("next")
	wide(offsets)
	ADDQ(U32(32*pairs), src)
	ADDQ(U32(32*pairs), dst)
	SUBQ(Imm(2*pairs), blocks)
	CMPQ(blocks, Imm(2*pairs))
	JA(LabelRef("next"))

	Label("rest")
	MOVQ(blocks, last)
	SHLQ(Imm(4), last)
	SUBQ(Imm(32), last)
	for n := 1; n < pairs; n++ {
		CMPQ(blocks, Imm(uint64(2*n)))
		if n == 1 {
			JB(LabelRef("one"))
		}
		JBE(LabelRef(fmt.Sprintf("upTo%d", 2*n)))
	}
	for n := pairs; n > 0; n-- {
		if n < pairs {
			Label(fmt.Sprintf("upTo%d", 2*n))
		}
		p := append([]place(nil), offsets[:n]...)
		p[n-1].last = true
		wide(p)
		VZEROUPPER()
		RET()
	}
	Label("one")
	one()
	VZEROUPPER()
	RET()
}

// load reads blocks as words.
func load(p []place) {
	for r, x := range p {
		VMOVDQU(x.address(src, 0), ymm[r])
	}
	for r := range p {
		VPSHUFB(ymm[swap], ymm[r], ymm[r])
	}
}

func loadOne() {
	VMOVDQU(Mem{Base: src}, xmm[0])
	VPSHUFB(xmm[swap], xmm[0], xmm[0])
}

func storeOne() { VMOVDQU(xmm[0], Mem{Base: dst}) }

func blocksFunction() {
	function("blocksSM4NIAVX2", "(k *Keys, step int, dst, src *byte, blocks int)",
		"blocksSM4NIAVX2 encrypts blocks (step 1) or decrypts them (step -1), which is the same",
		"with the round keys in reverse order. blocks: at least 1.",
		"Words X4 ... X7 of the standard are VSM4RNDS4 of X0 ... X3 and keys 0 ... 3, and so on;",
		"the last four in reverse order are the result.",
		"AX keys, SI src, DI dst, DX blocks left, BX offset of the last two; Y0 ... Y7 two blocks",
		"each, Y8 four keys twice, Y12, Y13 orders of bytes.",
		"16 blocks are 64 VSM4RNDS4 that do not wait for each other.")
	Load(Param("k"), keys)
	Load(Param("step"), last)
	Load(Param("dst"), dst)
	Load(Param("src"), src)
	Load(Param("blocks"), blocks)
	SARQ(Imm(63), last)
	ANDQ(U32(backwards), last)
	ADDQ(last, keys)
	indices()
	anyNumber(func(p []place) {
		load(p)
		rounds(len(p))
		for r, x := range p {
			VMOVDQU(ymm[r], x.address(dst, 0))
		}
	}, func() {
		loadOne()
		oneBlock()
		storeOne()
	})
}

func cbcDecrypt() {
	iv := reg.RCX
	function("cbcDecryptSM4NIAVX2", "(k *Keys, iv *[16]byte, dst, src *byte, blocks int)",
		"cbcDecryptSM4NIAVX2 decrypts blocks, at least 1, and adds to each the ciphertext block",
		"before it; iv gets the last one.",
		"AX keys, CX iv, SI src, DI dst, DX blocks left, BX offset of the last two; Y0 ... Y7 two",
		"blocks each, Y8 four keys twice, Y9 temporary, X10 and X11 iv and the next one, Y12, Y13",
		"orders of bytes. The results are written from the last block to the first, so that in",
		"place the ciphertext before each is still there.",
		"For the rest see blocksSM4NIAVX2.")
	Load(Param("k"), keys)
	Load(Param("iv"), iv)
	Load(Param("dst"), dst)
	Load(Param("src"), src)
	Load(Param("blocks"), blocks)
	ADDQ(U32(backwards), keys)
	indices()
	VMOVDQU(Mem{Base: iv}, xmm[chaining])
	anyNumber(func(p []place) {
		n := len(p)
		VMOVDQU(p[n-1].address(src, -16), xmm[nextChaining])
		load(p)
		rounds(n)
		for r := n - 1; r > 0; r-- {
			VPXOR(p[r].address(src, 16), ymm[r], ymm[r])
			VMOVDQU(ymm[r], p[r].address(dst, 0))
		}
		VINSERTI128(Imm(1), Mem{Base: src}, ymm[chaining], ymm[chaining])
		VPXOR(ymm[chaining], ymm[0], ymm[0])
		VMOVDQU(ymm[0], Mem{Base: dst})
		if p[n-1].last {
			VMOVDQU(xmm[nextChaining], Mem{Base: iv})
		} else {
			VMOVDQA(xmm[nextChaining], xmm[chaining])
		}
	}, func() {
		loadOne()
		VMOVDQU(Mem{Base: src}, xmm[nextChaining])
		oneBlock()
		VPXOR(xmm[chaining], xmm[0], xmm[0])
		storeOne()
		VMOVDQU(xmm[nextChaining], Mem{Base: iv})
	})
}

func ctr() {
	counter := reg.RCX
	function("ctrSM4NIAVX2", "(k *Keys, ctr *[16]byte, dst, src *byte, blocks int)",
		"ctrSM4NIAVX2 adds keystream to blocks, at least 1. It counts with the last four bytes",
		"of ctr, modulo 2^32, and leaves ctr as it is.",
		"AX keys, CX ctr, SI src, DI dst, DX blocks left, BX offset of the last two, R8 their",
		"number; Y0 ... Y7 two blocks each, Y8 four keys twice, Y9 temporary, Y10 the next two",
		"counter blocks as words, Y13 order of bytes.",
		"Counter blocks are added to as words, and need no other order of bytes.",
		"For the rest see blocksSM4NIAVX2.")
	Load(Param("k"), keys)
	Load(Param("ctr"), counter)
	Load(Param("dst"), dst)
	Load(Param("src"), src)
	Load(Param("blocks"), blocks)
	indices()
	VBROADCASTI128(Mem{Base: counter}, ymm[counters])
	VPSHUFB(ymm[swap], ymm[counters], ymm[counters])
	VPADDD(constant("plus0and1", 0, 0, 0, 0, 0, 0, 0, 1), ymm[counters], ymm[counters])
	number := reg.R8
	plus := func(n int) Mem { return constant(fmt.Sprintf("plus%d", n), 0, 0, 0, uint32(n)) }
	anyNumber(func(p []place) {
		n := len(p)
		for r, x := range p {
			switch {
			case r == 0:
				VMOVDQA(ymm[counters], ymm[0])
			case x.last:
				LEAQ(Mem{Base: blocks, Disp: -2}, number)
				VMOVD(number.As32(), xmm[temp])
				VPSLLDQ(Imm(12), xmm[temp], xmm[temp])
				VINSERTI128(Imm(1), xmm[temp], ymm[temp], ymm[temp])
				VPADDD(ymm[temp], ymm[counters], ymm[r])
			default:
				VPADDD(plus(2*r), ymm[counters], ymm[r])
			}
		}
		if !p[n-1].last {
			VPADDD(plus(2*pairs), ymm[counters], ymm[counters])
		}
		rounds(n)
		VPXOR(p[n-1].address(src, 0), ymm[n-1], ymm[n-1])
		for r, x := range p {
			if r < n-1 {
				VPXOR(x.address(src, 0), ymm[r], ymm[r])
			}
			VMOVDQU(ymm[r], x.address(dst, 0))
		}
	}, func() {
		VMOVDQA(xmm[counters], xmm[0])
		oneBlock()
		VPXOR(Mem{Base: src}, xmm[0], xmm[0])
		storeOne()
	})
}

func cbcEncrypt() {
	iv := reg.RCX
	function("cbcEncryptSM4NIAVX2", "(k *Keys, iv *[16]byte, dst, src *byte, blocks int)",
		"cbcEncryptSM4NIAVX2 encrypts blocks, at least 1, each added to the last ciphertext",
		"block, which stays in iv.",
		"AX keys, CX iv, SI src, DI dst, DX blocks left; X0 state, X1 plaintext, X2 ciphertext, X3,",
		"X4 orders of bytes, X8 ... X15 keys.",
		"From block to block the state remains words: its order and the plaintext take two",
		"operations of one cycle besides the eight VSM4RNDS4.")
	Load(Param("k"), keys)
	Load(Param("iv"), iv)
	Load(Param("dst"), dst)
	Load(Param("src"), src)
	Load(Param("blocks"), blocks)
	state, plain, code, swap, reverse := xmm[0], xmm[1], xmm[2], xmm[3], xmm[4]
	VMOVDQU(constants["swap"], swap)
	VMOVDQU(constants["reverse"], reverse)
	for i := range 8 {
		VMOVDQU(Mem{Base: keys, Disp: 16 * i}, xmm[8+i])
	}
	Comment("iv as if it had just come out of the rounds: last word first.")
	VMOVDQU(Mem{Base: iv}, state)
	VPSHUFB(reverse, state, state)
	Label("next")
	VMOVDQU(Mem{Base: src}, plain)
	VPSHUFB(swap, plain, plain)
	VPSHUFD(Imm(0x1b), state, state)
	VPXOR(plain, state, state)
	for i := range 8 {
		amd64.Put(amd64.VSM4RNDS4(xmm[8+i], state, state))
	}
	VPSHUFB(reverse, state, code)
	VMOVDQU(code, Mem{Base: dst})
	ADDQ(Imm(16), src)
	ADDQ(Imm(16), dst)
	DECQ(blocks)
	JNE(LabelRef("next"))
	VMOVDQU(code, Mem{Base: iv})
	VZEROUPPER()
	RET()
}

// The offsets of the fields of amd64.Lanes.
const (
	lanesKeys  = 0
	lanesSrc   = lanesKeys + 64*8
	lanesDst   = lanesSrc + 64*8
	lanesChain = lanesDst + 64*8
)

func cbcLanes() {
	function("cbcLanesSM4NIAVX2", "(l *Lanes, n int, store bool)",
		"cbcLanesSM4NIAVX2 encrypts n bytes, whole blocks, of each of the first eight lanes, as",
		"CBC does, and stores them if store is set. Chain has the IVs, then the last blocks.",
		"AX lanes, BX offset, CX n, DX store, SI src or dst of a lane, R8 ... R15 keys of the",
		"lanes; X0 ... X7 states, X8 ... X11 temporary, X12, X13 orders of bytes.",
		"Eight chains at once: 64 VSM4RNDS4, one per cycle if the latency is at most 8. Of a",
		"place in memory all lanes read before one writes: several may be the same.")
	l, at, n, store, p := reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.RSI
	laneKeys := []reg.GPPhysical{reg.R8, reg.R9, reg.R10, reg.R11, reg.R12, reg.R13, reg.R14, reg.R15}
	Load(Param("l"), l)
	Load(Param("n"), n)
	flag, err := Param("store").Resolve()
	if err != nil {
		panic(err)
	}
	MOVBLZX(flag.Addr, store.As32())
	VMOVDQU(constants["swap"], xmm[swap])
	VMOVDQU(constants["reverse"], xmm[reverse])
	Comment("Chaining values as if they had just come out of the rounds: last word first.")
	for i, k := range laneKeys {
		MOVQ(Mem{Base: l, Disp: lanesKeys + 8*i}, k)
		VMOVDQU(Mem{Base: l, Disp: lanesChain + 16*i}, xmm[i])
		VPSHUFB(xmm[reverse], xmm[i], xmm[i])
	}
	XORL(at.As32(), at.As32())
	Label("next")
	for i := range laneKeys {
		plain := xmm[8+i%4]
		MOVQ(Mem{Base: l, Disp: lanesSrc + 8*i}, p)
		VMOVDQU(Mem{Base: p, Index: at, Scale: 1}, plain)
		VPSHUFB(xmm[swap], plain, plain)
		VPSHUFD(Imm(0x1b), xmm[i], xmm[i])
		VPXOR(plain, xmm[i], xmm[i])
	}
	for j := range 8 {
		for i, k := range laneKeys {
			amd64.Put(amd64.VSM4RNDS4(Mem{Base: k, Disp: 16 * j}, xmm[i], xmm[i]))
		}
	}
	TESTQ(store, store)
	JEQ(LabelRef("stored"))
	for i := range laneKeys {
		code := xmm[8+i%4]
		VPSHUFB(xmm[reverse], xmm[i], code)
		MOVQ(Mem{Base: l, Disp: lanesDst + 8*i}, p)
		VMOVDQU(code, Mem{Base: p, Index: at, Scale: 1})
	}
	Label("stored")
	ADDQ(Imm(16), at)
	CMPQ(at, n)
	JB(LabelRef("next"))
	for i := range laneKeys {
		VPSHUFB(xmm[reverse], xmm[i], xmm[i])
		VMOVDQU(xmm[i], Mem{Base: l, Disp: lanesChain + 16*i})
	}
	VZEROUPPER()
	RET()
}

func expand() {
	ck := GLOBL("expandConstants", attr.RODATA|attr.NOPTR)
	for i := range 32 {
		var x uint32 // GB/T 32907-2016, section 7.3 c)
		for j := range 4 {
			x = x<<8 | uint32(byte((4*i+j)*7))
		}
		DATA(4*i, U32(x))
	}
	fk := GLOBL("familyKey", attr.RODATA|attr.NOPTR)
	for i, x := range []uint32{0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc} {
		DATA(4*i, U32(x))
	}
	function("expandSM4NIAVX2", "(k *Keys, key *[16]byte)",
		"expandSM4NIAVX2 computes the round keys: Words has them in the order of encryption, the",
		"first 32 words of Bytes in that of decryption.",
		"AX constants CK, CX key, DI k; X0 the last four keys, X1 these in reverse order.",
		"Eight VSM4KEY4 one after the other.")
	key, constants := reg.RCX, reg.RAX
	Load(Param("k"), dst)
	Load(Param("key"), key)
	LEAQ(ck, constants)
	VMOVDQU(Mem{Base: key}, xmm[0])
	VPSHUFB(constant("swap", 0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f), xmm[0], xmm[0])
	VPXOR(fk, xmm[0], xmm[0])
	for i := range 8 {
		amd64.Put(amd64.VSM4KEY4(Mem{Base: constants, Disp: 16 * i}, xmm[0], xmm[0]))
		VMOVDQU(xmm[0], Mem{Base: dst, Disp: 16 * i})
		VPSHUFD(Imm(0x1b), xmm[0], xmm[1])
		VMOVDQU(xmm[1], Mem{Base: dst, Disp: backwards + 16*(7-i)})
	}
	VZEROUPPER()
	RET()
}
