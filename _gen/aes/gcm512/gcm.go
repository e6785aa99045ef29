package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Arguments, and the same as far as avo needs to know.
const (
	prototype = "(k *Keys, h *[64][16]byte, j0, y, lens *[16]byte, dst, src *byte, n, done int)"
	signature = "func(k *byte, h *[64][16]byte, j0, y, lens *[16]byte, dst, src *byte, n, done int)"
)

var labels int

// label returns a new label.
func label(name string) string {
	labels++
	return fmt.Sprintf("%s%d", name, labels)
}

// roundKey is where round key n is.
func roundKey(n int) Mem { return Mem{Base: keys, Disp: 16 * n} }

// A pass is one run of the cipher over the chains z.
type pass struct {
	z      []reg.VecPhysical
	j0     bool // and over J0 in the lowest lane of base
	masked bool // the last register of data is masked by K1
}

// begin makes the counter blocks with the first round key added: all are base
// but for the last four bytes, which come from counts.
func (p pass) begin() (c code) {
	for i, z := range p.z {
		t := round // not needed yet
		switch i {
		case 0:
			c.add(func() { VPXORD(countKey, counts, t) })
		case 4:
			c.add(func() { VPADDD_BCST(constStep, counts, t) })
			c.add(func() { VPXORD(countKey, t, t) })
		}
		c.add(func() { VMOVDQA64(base, z) })
		c.add(func() { VPSHUFB(constPlace.Offset(64*(i%4)), t, reg.K3, z) })
	}
	return c
}

// round is round n, from 1 on.
func (p pass) round(n int) (c code) {
	c.add(func() { VBROADCASTI32X4(roundKey(n), round) })
	for _, z := range p.z {
		c.add(func() { VAESENC(round, z, z) })
	}
	if p.j0 {
		c.add(func() { VAESENC(reg.X9, reg.X8, reg.X8) })
	}
	return c
}

// nine is everything up to the ninth round.
func (p pass) nine() (c code) {
	c = p.begin()
	for n := 1; n <= 9; n++ {
		c = append(c, p.round(n)...)
	}
	return c
}

// end does the other rounds, as many as the register rounds says, and the
// last.
func (p pass) end() {
	last := label("last")
	CMPQ(rounds, Imm(12))
	JB(LabelRef(last))
	weave(p.round(10))
	weave(p.round(11))
	JE(LabelRef(last))
	weave(p.round(12))
	weave(p.round(13))
	Label(last)
	weave(p.last())
}

// last is the last round. It leaves in the chains the data at src with the
// keystream added, and stores them at dst.
func (p pass) last() (c code) {
	c.add(func() { VBROADCASTI32X4(Mem{Base: lastKey}, round) })
	for i, z := range p.z {
		m := Mem{Base: src, Disp: 64 * i}
		t := tmp[i%len(tmp)]
		if p.masked && i == len(p.z)-1 {
			c.add(func() { VMOVDQU8_Z(m, reg.K1, t) })
			c.add(func() { VPXORQ(t, round, t) })
		} else {
			c.add(func() { VPXORQ(m, round, t) })
		}
		c.add(func() { VAESENCLAST(t, z, z) })
	}
	if p.j0 {
		c.add(func() { VAESENCLAST(reg.X9, reg.X8, reg.X8) })
	}
	for i, z := range p.z {
		m := Mem{Base: dst, Disp: 64 * i}
		if p.masked && i == len(p.z)-1 {
			c.add(func() { VMOVDQU8(z, reg.K1, m) })
		} else {
			c.add(func() { VMOVDQU64(z, m) })
		}
	}
	return c
}

// all is the pass where the number of rounds is known. It needs no registers
// of the hash, so that it can be woven with one from beginning to end.
func (p pass) all(rounds int) (c code) {
	c = p.nine()
	for n := 10; n < rounds; n++ {
		c = append(c, p.round(n)...)
	}
	c.add(func() { VBROADCASTI32X4(roundKey(rounds), round) })
	for _, z := range p.z {
		c.add(func() { VAESENCLAST(round, z, z) })
	}
	for i, z := range p.z {
		c.add(func() { VPXORQ(Mem{Base: src, Disp: 64 * i}, z, z) })
	}
	for i, z := range p.z {
		c.add(func() { VMOVDQU64(z, Mem{Base: dst, Disp: 64 * i}) })
	}
	return c
}

// advance goes to the next group.
func advance() {
	VPADDD_BCST(constStep.Offset(4), counts, counts)
	ADDQ(U32(groupSize), src)
	ADDQ(U32(groupSize), dst)
}

// full is the pass over a group.
func full() pass { return pass{z: state} }

// kernel writes one of the two functions.
func kernel(open bool) {
	if open {
		name("openVAES512", "decrypts")
		begin()
		openGroups()
	} else {
		name("sealVAES512", "encrypts")
		begin()
		sealGroups()
	}
}

// name begins the function.
func name(name, verb string) {
	TEXT(name, attr.NOSPLIT, signature)
	Pragma("noescape")
	banner := []string{
		name + " " + verb + " n bytes, at most 64 KiB, with the counters from J0+1+done on,",
		"continues the hash y over the ciphertext and lens, and makes it the tag: it adds E(J0). If lens",
		"is nil, n is a multiple of 512 but 0, and y becomes the hash so far. All 64 powers are read.",
		"func " + name + prototype,
		"AX round keys, BX powers, DX power for the first block of the tail, SI src, DI dst, R8 bytes",
		"left, R9 last round key, R10 rounds, R11 lens, CX R12 temporary; Z0 ... Z7 counter blocks,",
		"then text; Z8 J0 plus the first round key in each lane; Z9 round key; Z10, Z11, Z12 low,",
		"middle, high sums of products; Z13 ... Z18 temporary; Z19 reversal, Z20 polynomial; Z21",
		"counters; Z22 hash; Z23 last word of the first round key; Z24 ... Z31 halves of H^64 ... H^1",
		"added, two powers in each lane, or in the tail Z24 its last powers; K1, K2 bytes and blocks",
		"in the last register, K3 the counter's place in a block.",
		"Zen 5 has four vector units; VAESENC takes a slot of one of two, a carry-less multiplication",
		"three slots and two cycles. 1024 bytes of AES-128 take about 430 slots, 108 cycles of all",
		"four, and 50 multiplications by Karatsuba's method, 100 cycles; 130 cycles are measured. So",
		"counters come from one masked byte shuffle for a register, and 64 blocks share a reduction.",
	}
	if name[0] == 's' {
		banner = append(banner, "The hash is 512 bytes behind, so that the rounds have it to fill their gaps.")
	}
	Comment(banner...)
}

// begin loads the arguments and makes what does not change.
func begin() {
	Load(Param("k"), keys)
	Load(Param("h"), powers)
	Load(Param("j0"), reg.RCX)
	Load(Param("y"), reg.RDX)
	Load(Param("lens"), lengths)
	Load(Param("done"), reg.R12)
	VMOVDQU64(constReverse, revert)
	// As the caller has just written nonce and counter: a load that needs
	// several of its stores would wait until they are in the cache.
	VMOVQ(Mem{Base: reg.RCX}, reg.X8)
	VPINSRD(Imm(2), Mem{Base: reg.RCX, Disp: 8}, reg.X8, reg.X8)
	VPINSRD(Imm(3), Mem{Base: reg.RCX, Disp: 12}, reg.X8, reg.X8)
	VPXOR(roundKey(0), reg.X8, reg.X8)
	VSHUFI64X2(Imm(0), base, base, base)
	MOVL(Mem{Base: reg.RCX, Disp: 12}, reg.ECX)
	BSWAPL(reg.ECX)
	ADDL(reg.R12L, reg.ECX)
	VPBROADCASTD(reg.ECX, counts)
	VPADDD(constCount, counts, counts)
	MOVL(Mem{Base: keys, Disp: 12}, reg.ECX)
	BSWAPL(reg.ECX)
	VPBROADCASTD(reg.ECX, countKey)
	MOVQ(U64(0xf000f000f000f000), reg.R12)
	KMOVQ(reg.R12, reg.K3)
	VMOVDQU64(Mem{Base: reg.RDX}, reg.X22)
	VPSHUFB(reg.X19, reg.X22, reg.X22)
	VMOVDQU64(constPoly, poly)
	Load(Param("dst"), dst)
	Load(Param("src"), src)
	Load(Param("n"), remaining)
	MOVQ(Mem{Base: keys, Disp: 480}, rounds)
	MOVQ(rounds, lastKey)
	SHLQ(Imm(4), lastKey)
	ADDQ(keys, lastKey)
}

// split sets K1 and K2 to the bytes and the whole blocks in the last register
// of the tail, own to the power for its first block, and jumps to the code for
// the number of registers.
func split(prefix string) {
	MOVQ(remaining, reg.RCX)
	NEGQ(reg.RCX)
	MOVQ(I32(-1), reg.R12)
	SHRQ(reg.CL, reg.R12)
	KMOVQ(reg.R12, reg.K1)
	ANDQ(I8(-16), reg.RCX)
	MOVQ(I32(-1), reg.R12)
	SHRQ(reg.CL, reg.R12)
	KMOVQ(reg.R12, reg.K2)
	LEAQ(Mem{Base: powers, Index: reg.RCX, Scale: 1, Disp: 1008}, own)
	var choose func(least, most int)
	choose = func(least, most int) {
		if least == most {
			JMP(LabelRef(fmt.Sprintf("%s%d", prefix, least)))
			return
		}
		middle := (least + most) / 2
		above := label("above")
		CMPQ(remaining, U32(uint64(64*middle)))
		if middle+1 == most {
			above = fmt.Sprintf("%s%d", prefix, most)
		}
		JA(LabelRef(above))
		choose(least, middle)
		if middle+1 != most {
			Label(above)
			choose(middle+1, most)
		}
	}
	choose(0, groupRegisters)
}

// sealGroups seals groups, each with the hash of the one before, which is at
// pending, and the tail. Where two groups are hashed, one reduction does.
func sealGroups() {
	pending := Mem{Base: dst, Disp: -groupSize}
	CMPQ(remaining, U32(groupSize))
	JB(LabelRef("short"))
	weave(full().nine(), prepare())
	full().end()
	advance()
	SUBQ(U32(groupSize), remaining)
	CMPQ(remaining, U32(batchSize))
	JB(LabelRef("rest"))
	batches(pending, "rest")
	Label("rest")
	CMPQ(remaining, U32(groupSize))
	JB(LabelRef("one"))
	weave(full().nine(), part(pending, 0, true, true))
	full().end()
	advance()
	SUBQ(U32(groupSize), remaining)
	VPXORQ(reg.X22, reg.X22, reg.X22)
	JMP(LabelRef("pending"))
	Label("one")
	for _, z := range []reg.VecPhysical{low, middle, high} {
		VPXORQ(z, z, z)
	}
	Label("pending")
	last := append(part(pending, 1, true, false), reduce()...)
	TESTQ(lengths, lengths)
	JZ(LabelRef("more"))
	split("group")
	for t := range groupRegisters + 1 {
		Label(fmt.Sprintf("group%d", t))
		sealTail(t, last)
	}
	Label("short")
	split("short")
	for t := range groupRegisters + 1 {
		Label(fmt.Sprintf("short%d", t))
		sealTail(t, nil)
	}
	for t := groupRegisters - 2; t > 0; t -= 2 {
		Label(fmt.Sprintf("hash%d", t))
		c := two(loaders(t)[t-2], loaders(t)[t-1], Mem{Base: own, Disp: 64 * (t - 2)}, Mem{Base: own, Disp: 64 * (t - 1)}, nil, false)
		if t == 2 {
			c = two(loaders(t)[0].plusHash(), loaders(t)[1], Mem{Base: own}, Mem{Base: own, Disp: 64}, nil, false)
		}
		weave(c)
	}
	tag()
	Label("more")
	weave(last)
	storeHash()
}

// batches processes two groups at a time, for each number of rounds, and
// hashes two that begin at m.
func batches(m Mem, end string) {
	for _, n := range []int{12, 14, 10} {
		loop, other := fmt.Sprintf("batch%d", n), fmt.Sprintf("not%d", n)
		if n != 10 {
			CMPQ(rounds, Imm(uint64(n)))
			JNE(LabelRef(other))
		}
		Label(loop)
		weave(full().all(n), part(m, 0, true, true))
		advance()
		weave(full().all(n), append(part(m, 1, false, false), reduce()...))
		advance()
		SUBQ(U32(batchSize), remaining)
		CMPQ(remaining, U32(batchSize))
		JAE(LabelRef(loop))
		if n != 10 {
			JMP(LabelRef(end))
			Label(other)
		}
	}
}

// loaders are for the first n registers of the state.
func loaders(n int) (l []loader) {
	for _, z := range state[:n] {
		l = append(l, in(z))
	}
	return l
}

// sealTail is the end of a message with n registers of data; pending is the
// hash of the group before it.
func sealTail(n int, pending code) {
	p := pass{z: state[:n], j0: true, masked: true}
	weave(p.nine(), append(pending[:len(pending):len(pending)], lengthBlock(n == 0)...))
	p.end()
	if n == 0 {
		JMP(LabelRef("tag"))
		return
	}
	VMOVDQU8_Z(Mem{Base: own, Disp: 64 * (n - 1)}, reg.K2, lastPower)
	VMOVDQU8_Z(state[n-1], reg.K1, state[n-1])
	first := (n - 1) &^ 1
	weave(tail(loaders(n), first))
	if first > 0 {
		JMP(LabelRef(fmt.Sprintf("hash%d", first)))
	} else {
		JMP(LabelRef("tag"))
	}
}

// tag makes the tag of the sums and stores it.
func tag() {
	Label("tag")
	weave(reduce())
	Load(Param("y"), reg.RCX)
	VPSHUFB(reg.X19, reg.X22, reg.X13)
	VPXOR(reg.X8, reg.X13, reg.X13)
	VMOVDQU(reg.X13, Mem{Base: reg.RCX})
	finish()
}

// storeHash ends a call after which there is more to come.
func storeHash() {
	Load(Param("y"), reg.RCX)
	VPSHUFB(reg.X19, reg.X22, reg.X13)
	VMOVDQU(reg.X13, Mem{Base: reg.RCX})
	finish()
}

// openGroups opens groups, each with its own hash, and the tail.
func openGroups() {
	here := Mem{Base: src}
	CMPQ(remaining, U32(groupSize))
	JB(LabelRef("tail"))
	weave(prepare())
	CMPQ(remaining, U32(batchSize))
	JB(LabelRef("one"))
	batches(here, "after")
	Label("after")
	CMPQ(remaining, U32(groupSize))
	JB(LabelRef("tail"))
	Label("one")
	weave(full().nine(), append(part(here, 1, true, true), reduce()...))
	full().end()
	advance()
	SUBQ(U32(groupSize), remaining)
	Label("tail")
	TESTQ(lengths, lengths)
	JZ(LabelRef("more"))
	split("tail")
	for t := range groupRegisters + 1 {
		Label(fmt.Sprintf("tail%d", t))
		openTail(t)
	}
	tag()
	Label("more")
	storeHash()
}

// openTail is the end of a message with n registers of data.
func openTail(n int) {
	c := lengthBlock(n == 0)
	var x []loader
	for i := range n {
		m := Mem{Base: src, Disp: 64 * i}
		if i < n-1 {
			x = append(x, from(m))
			continue
		}
		c.add(func() { VMOVDQU8_Z(Mem{Base: own, Disp: 64 * i}, reg.K2, lastPower) })
		x = append(x, func(c *code, to reg.VecPhysical) {
			c.add(func() { VMOVDQU8_Z(m, reg.K1, to) })
			c.add(func() { VPSHUFB(revert, to, to) })
		})
	}
	p := pass{z: state[:n], j0: true, masked: true}
	weave(p.nine(), append(c, tail(x, 0)...))
	p.end()
	JMP(LabelRef("tag"))
}

func finish() {
	VZEROUPPER()
	RET()
}
