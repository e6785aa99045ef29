package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/ghash"
)

// This file has whole messages of up to 256 bytes: one call from the nonce to the tag. Their time
// is that of a chain. With AES-128 it is 10 rounds, a multiplication, its reduction of two more,
// and five shuffles and additions of lanes. On Intel's CPUs since Ice Lake a round takes 3 to 5
// cycles and a multiplication 6 to 8, so that is 80 to 95 cycles from the nonce on. The calls of a
// program follow each other, and their chains are independent: what limits it is the number of
// instructions, of which such a CPU begins at most five or six in a cycle. So the kernel has
// everything that Go did for a message, in fewer instructions: counter blocks are the nonce and
// constants, the lengths are made in registers, and nothing is stored but the result.
//
// The hash is a sum of products, each of four blocks and four powers:
//
//	data in front    64 bytes at a time, as long as there are more than 48
//	the other data   at most 48 bytes, with the block of lengths in the fourth lane
//	text             a register for 64 bytes
//
// Lanes without a block are zero. One register of text takes four multiplications, as in short.go;
// several take Karatsuba's method.

const (
	packetRegisters = 4  // of text
	packetData      = 48 // bytes of data beside the block of lengths
)

// Registers that only these kernels use.
var (
	textEnd, dataSize, dataEnd = message, reg.R9, reg.R12 // text and data in bytes of whole blocks
	ones, sixtyFour            = reg.RDX, reg.R13
	data, offset               = reg.R14, reg.RCX
	tagMask                    = reg.K5
	lens                       = amd64.ZMM[22]
	texts                      = amd64.ZMM[4:8]
	inputPower                 = amd64.ZMM[24:28]
)

// Fields of a packet.
var (
	packetDst      = Mem{Base: message}
	packetSrc      = packetDst.Offset(8)
	packetNonce    = packetDst.Offset(16)
	packetFrom     = packetDst.Offset(24)
	packetSize     = packetDst.Offset(32)
	packetDataSize = packetDst.Offset(40)
	packetTagBits  = packetDst.Offset(48)
)

// Constants: what the nonce is added to in the counter blocks of text, and of J0.
var constPacket, constFirst Mem

func packetConstants() {
	constPacket = GLOBL("gcmVAES512Packet", attr.RODATA|attr.NOPTR)
	for lane := range 4 * packetRegisters {
		DATA(16*lane, U64(0))
		DATA(16*lane+8, U64(uint64(lane+2)<<56))
	}
	constFirst = GLOBL("gcmVAES512First", attr.RODATA|attr.NOPTR)
	DATA(0, U64(0))
	DATA(8, U64(1<<56))
}

// packet writes one of the two functions.
func packet(open bool) {
	name, verb, signature := "SealPacketVAES512", "encrypts", "(k *Keys, h *[64][16]byte, m *Packet)"
	if open {
		name, verb, signature = "OpenPacketVAES512", "decrypts", "(k *Keys, h *[64][16]byte, m *Packet) (ok bool)"
	}
	doc := []string{
		name + " " + verb + " a whole message with a nonce of 12 bytes, and at most 256 bytes of text and of data.",
	}
	if open {
		doc = append(doc, "The tag is behind the text at src. If it is wrong, dst becomes zero, and ok is false.")
	} else {
		doc = append(doc, "The tag goes behind the text at dst.")
	}
	doc = append(doc, "It needs as many powers as there are blocks, the one of lengths included.")
	k := amd64.Begin(name, signature, doc...)
	Pragma("noescape")
	k.GP(keys, "keys: round keys")
	k.GP(powers, "powers: the table H^64 to H^1")
	k.GP(ones, "ones: all bits set")
	k.GP(src, "src")
	k.GP(dst, "dst")
	k.GP(remaining, "remaining: bytes of text")
	k.GP(dataSize, "dataSize: bytes of data left")
	k.GP(message, "message: the argument m, then textEnd: bytes of text, in whole blocks")
	k.GP(rounds, "rounds: 10, 12 or 14")
	k.GP(dataEnd, "dataEnd: bytes of data left, in whole blocks")
	k.GP(sixtyFour, "sixtyFour: temporary")
	k.GP(data, "data")
	k.GP(offset, "offset: where in the table the power for the next block of data is, from that of the lengths on")
	k.Vecs(state[:4], "counter blocks, then text")
	k.Vecs(texts, "texts: input")
	k.Vec(base, "base: X8 becomes E(J0)")
	k.Vec(round, "round: a round key")
	k.Vec(low, "low: sum of products of low halves")
	k.Vec(middle, "middle: sum of the other products; of Karatsuba's where there are several registers of text")
	k.Vec(high, "high: sum of products of high halves")
	k.Vecs(tmp, "tmp: temporary")
	k.Vec(revert, "revert: the shuffle that reverses bytes")
	k.Vec(hash, "hash: the lengths, then the sum of lanes")
	k.Vecs(inputPower, "powers for the text")
	k.Note("K1 K2", "bytes, and bytes of whole blocks, in the last register of text")
	k.Note("K3 K4", "the same for data")
	k.Note("K5", "bytes of the tag")
	k.Table()

	Load(Param("m"), message)
	Load(Param("k"), keys)
	Load(Param("h"), powers)
	MOVQ(packetNonce, offset)
	VBROADCASTI32X4(roundKey(0), round)
	VMOVQ(Mem{Base: offset}, amd64.X(base))
	VPINSRD(Imm(2), Mem{Base: offset, Disp: 8}, amd64.X(base), amd64.X(base))
	VSHUFI64X2(Imm(0), base, base, state[3])
	VPTERNLOGQ(Imm(xor3), constFirst, amd64.X(round), amd64.X(base))
	VPXORQ(round, state[3], state[3])
	VPXORQ(constPacket, state[3], state[0])

	MOVQ(packetSize, remaining)
	MOVQ(packetDataSize, dataSize)
	MOVQ(I32(-1), ones)
	VMOVQ(remaining, amd64.X(lens))
	VPINSRQ(Imm(1), dataSize, amd64.X(lens), amd64.X(lens))
	VPSLLQ(Imm(3), amd64.X(lens), amd64.X(lens))
	MOVQ(packetDst, dst)
	MOVQ(packetSrc, src)
	MOVQ(packetFrom, data)
	KMOVW(packetTagBits, tagMask)
	MOVQ(Mem{Base: keys, Disp: 480}, rounds)
	LEAQ(Mem{Base: remaining, Disp: 15}, textEnd)
	ANDQ(I8(-16), textEnd)
	LEAQ(Mem{Base: dataSize, Disp: 15}, dataEnd)
	ANDQ(I8(-16), dataEnd)
	LEAQ(Mem{Base: textEnd, Index: dataEnd, Scale: 1}, offset)
	NEGQ(offset)
	for _, z := range []reg.VecPhysical{low, middle, high} {
		VPXOR(amd64.X(z), amd64.X(z), amd64.X(z))
	}
	VMOVDQU64(constReverse, revert)
	CMPQ(dataSize, Imm(packetData))
	JA(LabelRef("data"))
	Label("hashed")
	Comment("Nothing is loaded at an address that may be nil: to mask that takes hundreds of cycles.")
	TESTQ(dataSize, dataSize)
	CMOVQEQ(powers, data)
	BZHIQ(dataSize, ones, dataSize)
	KMOVQ(dataSize, reg.K3)
	BZHIQ(dataEnd, ones, dataEnd)
	KMOVQ(dataEnd, reg.K4)
	CMPQ(remaining, Imm(64))
	JA(LabelRef("long"))
	TESTQ(remaining, remaining)
	JZ(LabelRef("text0"))
	packetText(1, open)
	Label("long")
	CMPQ(remaining, Imm(192))
	JA(LabelRef("text4"))
	CMPQ(remaining, U32(128))
	JA(LabelRef("text3"))
	for t := 2; t <= packetRegisters; t++ {
		if t > 2 {
			Label(fmt.Sprintf("text%d", t))
		}
		packetText(t, open)
	}
	Label("text0")
	packetText(0, open)

	Label("data")
	MOVQ(U32(64), sixtyFour)
	Label("more")
	MOVQ(sixtyFour, dataEnd)
	CMPQ(dataSize, sixtyFour)
	CMOVQCS(dataSize, dataEnd)
	BZHIQ(dataEnd, ones, dataEnd)
	KMOVQ(dataEnd, reg.K3)
	VMOVDQU8_Z(Mem{Base: data}, reg.K3, tmp[0])
	VMOVDQU64(Mem{Base: powers, Index: offset, Scale: 1, Disp: 1008}, tmp[5])
	amd64.Write(fewProducts(tmp[0], tmp[0], tmp[5]))
	ADDQ(Imm(64), data)
	ADDQ(Imm(64), offset)
	SUBQ(Imm(64), dataSize)
	CMPQ(dataSize, Imm(packetData))
	JGT(LabelRef("more"))
	XORQ(sixtyFour, sixtyFour)
	TESTQ(dataSize, dataSize)
	CMOVQLT(sixtyFour, dataSize)
	LEAQ(Mem{Base: dataSize, Disp: 15}, dataEnd)
	ANDQ(I8(-16), dataEnd)
	JMP(LabelRef("hashed"))
}

// packetProducts adds the products of the data and of the lengths.
func packetProducts() (c asm.Stream) {
	x, h := tmp[0], tmp[5]
	c.Add(amd64.VMOVDQU8_Z(Mem{Base: data}, reg.K3, x))
	c.Add(amd64.VMOVDQU8_Z(Mem{Base: powers, Index: offset, Scale: 1, Disp: 1008}, reg.K4, h))
	c.Add(amd64.VPSHUFB(revert, x, x))
	c.Add(amd64.VINSERTI32X4(Imm(3), amd64.X(lens), x, x))
	c.Add(amd64.VINSERTI32X4(Imm(3), ghash.Power(powers, 1), h, h))
	return append(c, multiplied(x, h)...)
}

// packetMasks sets K1 and K2, and makes textEnd negative.
func packetMasks(last int) {
	for i, size := range []reg.GPPhysical{remaining, textEnd} {
		if last > 0 {
			LEAQ(Mem{Base: size, Disp: -64 * last}, sixtyFour)
			size = sixtyFour
		}
		BZHIQ(size, ones, sixtyFour)
		KMOVQ(sixtyFour, []reg.OpmaskPhysical{reg.K1, reg.K2}[i])
	}
	NEGQ(textEnd)
}

// packetText processes n registers of text, and ends the call.
func packetText(n int, open bool) {
	last := n - 1
	if n > 0 {
		packetMasks(last)
	}
	for i := range n {
		m := Mem{Base: src, Disp: 64 * i}
		h := Mem{Base: powers, Index: textEnd, Scale: 1, Disp: 1008 + 64*i}
		if i < last {
			VMOVDQU64(m, texts[i])
			VMOVDQU64(h, inputPower[i])
		} else {
			VMOVDQU8_Z(m, reg.K1, texts[i])
			VMOVDQU8_Z(h, reg.K2, inputPower[i])
		}
	}
	for i := 1; i < n; i++ {
		VPXORQ(constPacket.Offset(64*i), state[3], state[i])
	}
	c := packetProducts()
	if n > 1 {
		c.Add(amd64.VPTERNLOGQ(Imm(xor3), low, high, middle))
	}
	// products are those of registers of text from first on, one or two.
	products := func(z []reg.VecPhysical, first int) asm.Stream {
		h := inputPower[first:]
		switch {
		case n == 1:
			return fewProducts(z[0], tmp[0], h[0])
		case len(z) == 1:
			return one(in(z[0]), h[0])
		}
		return two(in(z[0]), in(z[1]), h[0], h[1], nil, false)
	}
	if open {
		for i := 0; i < n; i += 2 {
			c = append(c, products(texts[i:min(i+2, n)], i)...)
		}
		packetRounds(state[:n], texts[:n], true, c)
	} else {
		for i := 0; i == 0 || i < n; i += 2 {
			z := state[i:min(i+2, n)]
			packetRounds(z, texts[i:], i == 0, c)
			for j := range z {
				m := Mem{Base: dst, Disp: 64 * (i + j)}
				if i+j < last {
					VMOVDQU64(z[j], m)
				} else {
					VMOVDQU8(z[j], reg.K1, m)
					VMOVDQU8_Z(z[j], reg.K1, z[j])
				}
			}
			if c = nil; n > 0 {
				c = products(z, i)
			}
		}
		amd64.Write(c)
	}
	if n > 1 {
		amd64.Write(asm.Stream{amd64.VPTERNLOGQ(Imm(xor3), low, high, middle)})
	}
	store := func() {
		for i := range n {
			m := Mem{Base: dst, Disp: 64 * i}
			if i < last {
				VMOVDQU64(state[i], m)
			} else {
				VMOVDQU8(state[i], reg.K1, m)
			}
		}
	}
	x := amd64.X(tmp[0])
	amd64.Write(sumLanes(constPoly))
	VPSHUFB(amd64.X(revert), amd64.X(hash), x)
	if !open {
		VPXOR(amd64.X(base), x, x)
		VMOVDQU8(x, tagMask, Mem{Base: dst, Index: remaining, Scale: 1})
		finish()
		return
	}
	t := amd64.X(tmp[1])
	VMOVDQU8_Z(Mem{Base: src, Index: remaining, Scale: 1}, tagMask, t)
	VPTERNLOGQ(Imm(xor3), amd64.X(base), t, x)
	Comment("The text becomes zero unless all bytes of both tags are equal.")
	VPTESTMB(x, x, tagMask, reg.K4)
	KMOVW(reg.K4, sixtyFour.As32())
	XORL(reg.ECX, reg.ECX)
	TESTL(sixtyFour.As32(), sixtyFour.As32())
	MOVL(U32(1), sixtyFour.As32())
	CMOVQEQ(sixtyFour, reg.RCX)
	Store(reg.CL, ReturnIndex(0))
	NEGQ(reg.RCX)
	VPBROADCASTQ(reg.RCX, tmp[2])
	for i := range n {
		VPANDQ(tmp[2], state[i], state[i])
	}
	store()
	finish()
}

// packetRounds encrypts counter blocks and adds the text. The stream is woven into the rounds.
func packetRounds(z, text []reg.VecPhysical, j0 bool, beside asm.Stream) {
	pass{z: z, j0: j0}.rounds(beside)
	LEAQ(Mem{Base: rounds, Index: rounds, Scale: 1}, offset)
	VBROADCASTI32X4(Mem{Base: keys, Index: offset, Scale: 8}, round)
	for i := range z {
		VPXORQ(round, text[i], text[i])
	}
	for i := range z {
		VAESENCLAST(text[i], z[i], z[i])
	}
	if j0 {
		VAESENCLAST(amd64.X(round), amd64.X(base), amd64.X(base))
	}
}
