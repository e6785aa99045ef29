package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

var labels int

// label returns a new label.
func label(name string) string {
	labels++
	return fmt.Sprintf("%s%d", name, labels)
}

// kernel writes one of the two functions.
func kernel(open bool) {
	name, verb := "sealVAES512", "encrypts"
	if open {
		name, verb = "openVAES512", "decrypts"
	}
	k := amd64.Begin(name, "(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, done int, more bool)",
		name+" "+verb+" n bytes, at most 64 KiB, with the counters from m.J0+1+done on,",
		"continues the hash m.Y over the ciphertext and m.Lens, and makes it the tag: it adds E(J0). If there",
		"is more to come, n is a multiple of 512 but 0, and Y becomes the hash so far. If Y is pending, it has",
		"to be multiplied by H first: it is a block more in front. All 64 powers are read.")
	Pragma("noescape")
	describe(k)
	notes := []string{
		"Zen 5 has four vector units; VAESENC takes a slot of one of two, a carry-less multiplication",
		"three slots and two cycles. 1024 bytes of AES-128 take about 430 slots, 108 cycles of all",
		"four, and 50 multiplications by Karatsuba's method, 100 cycles; 130 cycles are measured. So",
		"counters come from one masked byte shuffle for a register, and 64 blocks share a reduction.",
	}
	if !open {
		notes = append(notes, "The hash is 512 bytes behind, so that the rounds have it to fill their gaps.")
	}
	k.Table(notes...)
	Load(Param("m"), message)
	Load(Param("n"), remaining)
	Load(Param("done"), reg.R12)
	LEAQ(Mem{Base: remaining, Index: reg.R12, Scale: 1, Disp: -1}, reg.RCX) // done is 0, or far above 64
	CMPQ(reg.RCX, Imm(64))
	JB(LabelRef("few"))
	begin()
	if open {
		openGroups()
	} else {
		sealGroups()
	}
	Label("few")
	fewBytes(open)
}

// begin loads the arguments and makes what does not change.
func begin() {
	Load(Param("k"), keys)
	Load(Param("h"), powers)
	VMOVDQU64(constReverse, revert)
	loadJ0(amd64.X(base))
	VPXOR(roundKey(0), amd64.X(base), amd64.X(base))
	VSHUFI64X2(Imm(0), base, base, base)
	MOVL(Mem{Base: message, Disp: 12}, reg.ECX)
	BSWAPL(reg.ECX)
	ADDL(reg.R12L, reg.ECX)
	VPBROADCASTD(reg.ECX, counts)
	VPADDD(constCount, counts, counts)
	MOVL(Mem{Base: keys, Disp: 12}, reg.ECX)
	BSWAPL(reg.ECX)
	VPBROADCASTD(reg.ECX, countKey)
	MOVQ(U64(0xf000f000f000f000), reg.R12)
	KMOVQ(reg.R12, reg.K3)
	VMOVQ(hashed, amd64.X(tmp[0])) // it is new, too, if it is pending
	VPINSRQ(Imm(1), hashed.Offset(8), amd64.X(tmp[0]), amd64.X(tmp[0]))
	VPSHUFB(amd64.X(revert), amd64.X(tmp[0]), amd64.X(hash))
	VMOVDQU64(constPoly, poly)
	Load(Param("dst"), dst)
	Load(Param("src"), src)
	VPXORQ(amd64.X(waiting), amd64.X(waiting), amd64.X(waiting))
	CMPB(pending, Imm(0))
	JZ(LabelRef("settled"))
	CMPQ(remaining, U32(groupSize))
	JAE(LabelRef("settle"))
	VMOVDQA64(amd64.X(hash), amd64.X(waiting))
	VPXORQ(amd64.X(hash), amd64.X(hash), amd64.X(hash))
	JMP(LabelRef("settled"))
	Label("settle")
	amd64.Write(append(product(hash), reduce()...))
	Label("settled")
	MOVQ(Mem{Base: keys, Disp: 480}, rounds)
	MOVQ(rounds, lastKey)
	SHLQ(Imm(4), lastKey)
	ADDQ(keys, lastKey)
}

// loadJ0 loads J0 in the parts that the caller has just written: a load that needs several
// of its stores would wait until they are in the cache, which is after all that the CPU has
// begun before them.
func loadJ0(x reg.VecPhysical) {
	VMOVQ(Mem{Base: message}, x)
	VPINSRD(Imm(2), Mem{Base: message, Disp: 8}, x, x)
	VPINSRD(Imm(3), Mem{Base: message, Disp: 12}, x, x)
}

// masks sets K1 and K2 to the bytes and the whole blocks in the last register of what remains,
// and CX to less than 0 by the number of bytes of these blocks.
func masks() {
	MOVQ(remaining, reg.RCX)
	NEGQ(reg.RCX)
	MOVQ(I32(-1), reg.R12)
	SHRQ(reg.CL, reg.R12)
	KMOVQ(reg.R12, reg.K1)
	ANDQ(I8(-16), reg.RCX)
	MOVQ(I32(-1), reg.R12)
	SHRQ(reg.CL, reg.R12)
	KMOVQ(reg.R12, reg.K2)
}

// split sets K1 and K2 to the bytes and the whole blocks in the last register
// of the tail, own to the power for its first block, and jumps to the code for
// the number of registers.
func split(prefix string) {
	masks()
	LEAQ(Mem{Base: powers, Index: reg.RCX, Scale: 1, Disp: 1008}, own)
	var choose func(least, most int)
	choose = func(least, most int) {
		if least == most {
			JMP(LabelRef(fmt.Sprintf("%s%d", prefix, least)))
			return
		}
		middle := (least + most) / 2
		longer := label("above")
		CMPQ(remaining, U32(uint64(64*middle)))
		if middle+1 == most {
			longer = fmt.Sprintf("%s%d", prefix, most)
		}
		JA(LabelRef(longer))
		choose(least, middle)
		if middle+1 != most {
			Label(longer)
			choose(middle+1, most)
		}
	}
	if prefix != "short" {
		choose(0, groupRegisters)
		return
	}
	TESTQ(remaining, remaining)
	JZ(LabelRef("short0"))
	choose(1, groupRegisters)
}

// sealGroups seals groups, each with the hash of the one before, and the tail. Where two groups
// are hashed, one reduction does.
func sealGroups() {
	before := Mem{Base: dst, Disp: -groupSize}
	CMPQ(remaining, U32(groupSize))
	JB(LabelRef("short"))
	amd64.Write(asm.Weave(full().nine(), prepare()))
	full().end()
	advance()
	SUBQ(U32(groupSize), remaining)
	CMPQ(remaining, U32(batchSize))
	JB(LabelRef("rest"))
	batches(before, "rest")
	Label("rest")
	CMPQ(remaining, U32(groupSize))
	JB(LabelRef("one"))
	amd64.Write(asm.Weave(full().nine(), part(before, 0, true, true)))
	full().end()
	advance()
	SUBQ(U32(groupSize), remaining)
	VPXORQ(amd64.X(hash), amd64.X(hash), amd64.X(hash))
	JMP(LabelRef("pending"))
	Label("one")
	for _, z := range []reg.VecPhysical{low, middle, high} {
		VPXORQ(z, z, z)
	}
	Label("pending")
	last := append(part(before, 1, true, false), reduce()...)
	ifMore()
	VPXORQ(amd64.X(waiting), amd64.X(waiting), amd64.X(waiting))
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
		amd64.Write(c)
	}
	tag()
	Label("more")
	amd64.Write(last)
	storeHash()
}

// ifMore jumps if this call is not the last for the message.
func ifMore() {
	Load(Param("more"), reg.CL)
	TESTB(reg.CL, reg.CL)
	JNZ(LabelRef("more"))
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
		amd64.Write(asm.Weave(full().all(n), part(m, 0, true, true)))
		advance()
		amd64.Write(asm.Weave(full().all(n), append(part(m, 1, false, false), reduce()...)))
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
func sealTail(n int, pending asm.Stream) {
	p := pass{z: state[:n], j0: true, masked: true}
	amd64.Write(asm.Weave(p.nine(), append(pending[:len(pending):len(pending)], lengthBlock(n == 0)...)))
	p.end()
	if n == 0 {
		JMP(LabelRef("tag"))
		return
	}
	VMOVDQU8_Z(Mem{Base: own, Disp: 64 * (n - 1)}, reg.K2, lastPower)
	VMOVDQU8_Z(state[n-1], reg.K1, state[n-1])
	first := (n - 1) &^ 1
	amd64.Write(tail(loaders(n), first))
	if first > 0 {
		JMP(LabelRef(fmt.Sprintf("hash%d", first)))
	} else {
		JMP(LabelRef("tag"))
	}
}

// tag makes the tag of the sums and stores it.
func tag() {
	Label("tag")
	amd64.Write(reduce())
	t := amd64.X(tmp[0])
	VPSHUFB(amd64.X(revert), amd64.X(hash), t)
	VPXOR(amd64.X(base), t, t)
	VMOVDQU(t, hashed)
	finish()
}

// storeHash ends a call after which there is more to come.
func storeHash() {
	t := amd64.X(tmp[0])
	VPSHUFB(amd64.X(revert), amd64.X(hash), t)
	VMOVDQU(t, hashed)
	finish()
}

// openGroups opens groups, each with its own hash, and the tail.
func openGroups() {
	source := Mem{Base: src}
	CMPQ(remaining, U32(groupSize))
	JB(LabelRef("tail"))
	amd64.Write(prepare())
	CMPQ(remaining, U32(batchSize))
	JB(LabelRef("one"))
	batches(source, "after")
	Label("after")
	CMPQ(remaining, U32(groupSize))
	JB(LabelRef("settledTail"))
	Label("one")
	amd64.Write(asm.Weave(full().nine(), append(part(source, 1, true, true), reduce()...)))
	full().end()
	advance()
	SUBQ(U32(groupSize), remaining)
	Label("settledTail")
	ifMore()
	VPXORQ(amd64.X(waiting), amd64.X(waiting), amd64.X(waiting))
	Label("tail")
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
		c.Add(amd64.VMOVDQU8_Z(Mem{Base: own, Disp: 64 * i}, reg.K2, lastPower))
		x = append(x, fromPart(m))
	}
	p := pass{z: state[:n], j0: true, masked: true}
	amd64.Write(asm.Weave(p.nine(), append(c, tail(x, 0)...)))
	p.end()
	JMP(LabelRef("tag"))
}

func finish() {
	VZEROUPPER()
	RET()
}
