package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64/ssa"
)

// Products of GHASH: four blocks x in a register times four powers of the hash
// key. The sums of the lower, upper and middle parts of all products stay
// apart until there is a reduction for all of them. hash is the state after
// it, with the bytes reversed; it enters the next first block.
var (
	low    = reg.Z26
	high   = reg.Z27
	middle = reg.Z28
	hash   = reg.Z29
)

// multiply adds the products of x and the powers h. It changes Z22 and Z23.
func multiply(x reg.VecPhysical, h Op) {
	VPCLMULQDQ(Imm(0x01), h, x, reg.Z22)
	VPCLMULQDQ(Imm(0x10), h, x, reg.Z23)
	VPTERNLOGD(Imm(0x96), reg.Z22, reg.Z23, middle)
	VPCLMULQDQ(Imm(0x00), h, x, reg.Z22)
	VPXORD(reg.Z22, low, low)
	VPCLMULQDQ(Imm(0x11), h, x, reg.Z22)
	VPXORD(reg.Z22, high, high)
}

// reduce makes hash from the sums. It changes Z16 and Z17.
func reduce() {
	t, u := reg.Z16, reg.Z17
	VPSLLDQ(Imm(8), middle, t)
	VPSRLDQ(Imm(8), middle, u)
	VPXORD(t, low, low)
	VPXORD(u, high, high)
	for range 2 {
		VPCLMULQDQ(Imm(0x10), constant(constReduce), low, t)
		VPSHUFD(Imm(0x4e), low, low)
		VPXORD(t, low, low)
	}
	VPXORD(low, high, high)
	VEXTRACTI64X4(Imm(1), reg.Z27, reg.Y16)
	VPXORD(reg.Y16, reg.Y27, reg.Y16)
	VEXTRACTI64X2(Imm(1), reg.Y16, reg.X17)
	VPXORD(reg.X16, reg.X17, reg.X29)
}

func clearSums() {
	for _, z := range []reg.VecPhysical{low, high, middle} {
		VPXORD(z, z, z)
	}
}

// message loads the argument m into RAX. The fields of the message are where these say: J0 is the
// first.
func message() { Load(Param("m"), reg.RAX) }

var (
	messageY       = Mem{Base: reg.RAX, Disp: 16}
	messageLens    = Mem{Base: reg.RAX, Disp: 32}
	messagePending = Mem{Base: reg.RAX, Disp: 48}
)

// loadHash and storeHash move the state from and to the message.
func loadHash() {
	message()
	VMOVDQU64(messageY, reg.X29)
	VPSHUFB(constant(constReverse), reg.X29, reg.X29)
}

func storeHash() {
	message()
	VPSHUFB(constant(constReverse), reg.X29, reg.X29)
	VMOVDQU64(reg.X29, messageY)
}

// loadJ0 sets RAX to the lower half of J0, the last 32 bits of which are a number that has been
// written alone: a load of more would wait until it is in the cache. It changes RCX.
func loadJ0() {
	message()
	MOVL(Mem{Base: reg.RAX, Disp: 12}, reg.ECX)
	MOVL(Mem{Base: reg.RAX, Disp: 8}, reg.EAX)
	BSWAPL(reg.ECX)
	BSWAPL(reg.EAX)
	SHLQ(Imm(32), reg.RAX)
	ORQ(reg.RCX, reg.RAX)
}

// firstCounter sets hi to the upper half of J0, and the argument next to the lower half of the
// counter that is so far behind J0.
func firstCounter() {
	next, err := Param("next").Resolve()
	if err != nil {
		panic(err)
	}
	message()
	MOVL(Mem{Base: reg.RAX, Disp: 12}, hi.As32())
	BSWAPL(hi.As32())
	MOVQ(next.Addr, reg.RCX)
	ADDL(hi.As32(), reg.ECX)
	MOVQ(Mem{Base: reg.RAX}, hi)
	BSWAPQ(hi)
	MOVL(Mem{Base: reg.RAX, Disp: 8}, reg.EAX)
	BSWAPL(reg.EAX)
	SHLQ(Imm(32), reg.RAX)
	ORQ(reg.RCX, reg.RAX)
	MOVQ(reg.RAX, next.Addr)
}

// forgetCounter overwrites the argument next: the counter is secret if the nonce does not have 12
// bytes.
func forgetCounter() {
	next, err := Param("next").Resolve()
	if err != nil {
		panic(err)
	}
	MOVQ(I32(0), next.Addr)
}

// bytesKeys moves the pointer to the round keys from Keys.Words, which are the first, to
// Keys.Bytes.
func bytesKeys() { ADDQ(U32(128), key) }

// hashing is GHASH of 64 blocks beside 16 rounds of [dual]: in the gaps of each four rounds,
// four registers of four blocks. A register takes four gaps:
//
//	0  x = the next blocks, plus the state if they are the first
//	   part = x0 h1                                  (halves of x and of the power h)
//	1  middle += part + x1 h0
//	2  low += x0 h0
//	3  high += x1 h1
//
// The state is 0 after the first register, so that later passes through the loop add
// nothing.
func hashing() *companion {
	var lowSum, highSum, middleSum, state = ssa.New(), ssa.New(), ssa.New(), ssa.New()
	c := &companion{
		in: map[ssa.Value]reg.VecPhysical{lowSum: low, highSum: high, middleSum: middle, state: hash},
		next: func() {
			ADDQ(U32(256), hashed)
			ADDQ(U32(256), table)
		},
	}
	for register := range 4 {
		gaps := c.parts[4*register : 4*register+4]
		at := 64 * register
		x := gaps[0].Do(func(d amd64.Vec, _ []amd64.Vec) asm.Stream {
			return asm.Stream{
				amd64.VMOVDQU64(Mem{Base: hashed, Disp: at}, d),
				amd64.VPSHUFB(constant(constReverse), d, d),
			}
		})
		if register == 0 {
			x = gaps[0].Xor(x, state)
			state = gaps[0].Do(func(d amd64.Vec, _ []amd64.Vec) asm.Stream { return asm.Stream{amd64.VPXORD(d, d, d)} })
		}
		// halves says which halves are multiplied: that of x in bit 0, that of h in bit 4.
		product := func(p *ssa.Code, halves uint64) ssa.Value {
			return p.Do(func(d amd64.Vec, s []amd64.Vec) asm.Stream {
				return asm.Stream{amd64.VPCLMULQDQ(Imm(halves), Mem{Base: table, Disp: at}, s[0], d)}
			}, x)
		}
		part := product(&gaps[0], 0x01)
		middleSum = gaps[1].Xor3(middleSum, part, product(&gaps[1], 0x10))
		lowSum = gaps[2].Xor(lowSum, product(&gaps[2], 0x00))
		highSum = gaps[3].Xor(highSum, product(&gaps[3], 0x11))
	}
	c.out = map[ssa.Value]reg.VecPhysical{lowSum: low, highSum: high, middleSum: middle, state: hash}
	return c
}

const gcmSignature = "func(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)"

var gcmArguments = map[string]reg.Register{"k": key, "h": table, "dst": dst, "src": src, "n": remaining}

func gcmName(open bool, name string) string {
	if open {
		return "open" + name
	}
	return "seal" + name
}

func gcm128(open bool) {
	c := counter{width: 32}
	name := gcmName(open, "128GFNI512")
	verb := "encrypts"
	hashedWhat := "the batch before this one, in the gaps between"
	if open {
		verb = "decrypts"
		hashedWhat = "this batch, in the gaps between"
	}
	function(name, gcmSignature, dualNote,
		name+" "+verb+" n bytes, a multiple of 2048, with the counters from m.J0 + next on, and",
		"continues the hash m.Y over the ciphertext.",
		"Z26 to Z28 sums of products, Z29 the hash; DX powers of the hash key, R14 what is hashed:",
		hashedWhat,
		"the rounds. That adds 100 cycles to a batch, hashing by itself would take 256.")
	arguments(gcmArguments)
	bytesKeys()
	firstCounter()
	scratch(dualStack)
	MOVQ(key, keyStart)
	MOVQ(I32(-1), stale)
	loadHash()
	if open {
		MOVQ(src, hashed)
	} else {
		XORL(reg.R14L, reg.R14L)
	}
	Label("batch")
	c.dualPlanes("next")
	MOVQ(keyStart, key)
	LEAQ(Mem{Base: state, Disp: dualStart}, from)
	loadDual()
	if !open {
		TESTQ(hashed, hashed)
		JZ(LabelRef("first"))
	}
	for range 2 {
		clearSums()
		dual(forwardBytes, 4, hashing())
		SUBQ(U32(1024), table)
		reduce()
	}
	if !open {
		JMP(LabelRef("output"))
		Label("first")
		dual(forwardBytes, 8, nil)
		MOVQ(dst, hashed)
		Label("output")
	}
	addDual()
	c.nextCounters("next")
	ADDQ(U32(2048), src)
	ADDQ(U32(2048), dst)
	SUBQ(U32(2048), remaining)
	JNZ(LabelRef("batch"))
	if !open {
		MOVQ(U32(2), reg.RCX)
		Label("last")
		clearSums()
		for i := range 16 {
			VMOVDQU64(Mem{Base: hashed, Disp: 64 * i}, reg.Z20)
			VPSHUFB(constant(constReverse), reg.Z20, reg.Z20)
			if i == 0 {
				VPXORD(hash, reg.Z20, reg.Z20)
			}
			multiply(reg.Z20, Mem{Base: table, Disp: 64 * i})
		}
		reduce()
		ADDQ(U32(1024), hashed)
		DECQ(reg.RCX)
		JNZ(LabelRef("last"))
	}
	storeHash()
	wipe(dualStack) // the counter is secret if the nonce is not of 12 bytes
	forgetCounter()
	finish()
}

// The kernels for the end of a message. The highest lane of the block cipher
// has J0 instead of a counter, so that one pass makes what masks the tag too.
//
// K1 is the bytes of the last register of data, K5 the powers for it. table
// points to the power for the first block: with r blocks left that of r+1, as
// the block with the lengths comes last.
func startTail(open bool, lanes int) {
	n := map[int]string{16: "0 to 15 blocks", 32: "0 to 31 blocks", 64: "0 to 63 blocks", 96: "64 to 95 blocks", 128: "64 to 127 blocks"}[lanes]
	suffix := fmt.Sprintf("Tail%dGFNI512", lanes)
	note := map[int]string{16: words16Note, 32: pairedNote, 64: singleNote, 96: dual96Note, 128: dualNote}[lanes]
	name := gcmName(open, suffix)
	banner := []string{
		name + " processes the end of a message, " + n + " in n bytes, with the counters from",
		"m.J0 + next on, continues the hash m.Y over the ciphertext and m.Lens, and makes it the tag with",
		"E(m.J0), which the highest lane computes.",
		"If m.Y is pending, it is multiplied by H first, beside the first rounds.",
		"Z26 to Z28 sums of products, Z29 the hash, Z20 to Z23 for a product; DX powers of the hash",
		"key, K5 those for the last register of data; K2 lanes that wrap around, K3 the highest lane.",
	}
	if lanes >= 96 {
		banner = append(banner,
			"R13 bytes in the second half, R14 powers for the first, K4 the bytes of its last register.")
	}
	function(name, gcmSignature, note, banner...)
	arguments(gcmArguments)
	if lanes > 16 {
		bytesKeys()
	}
	firstCounter()
	message()
	CMPB(messagePending, Imm(0))
	JE(LabelRef("settled"))
	// The caller has just written Y in halves: a load of both would wait until they are in the
	// cache.
	VMOVQ(messageY, reg.X20)
	VPINSRQ(Imm(1), messageY.Offset(8), reg.X20, reg.X20)
	VPSHUFB(constant(constReverse), reg.X20, reg.X29)
	product(reg.X29, table)
	reduce()
	storeHash()
	Label("settled")
}

// tailMasks sets K1, K5 and table for the blocks in remaining bytes, at most 64
// blocks, which may be none.
func tailMasks(remaining reg.Register) {
	LEAQ(Mem{Base: remaining, Disp: -1}, reg.RAX)
	ANDQ(Imm(63), reg.RAX)
	INCQ(reg.RAX)
	TESTQ(remaining, remaining)
	CMOVQEQ(remaining, reg.RAX)
	byteMask(reg.K1, true)
	// Powers: two quadwords for each block, and one block for the hash if
	// there is none.
	ADDQ(Imm(15), reg.RAX)
	SHRQ(Imm(4), reg.RAX)
	ADDQ(reg.RAX, reg.RAX)
	MOVL(U32(2), reg.ECX)
	CMOVQNE(reg.RAX, reg.RCX)
	MOVL(U32(1), reg.R11L)
	SHLQ(reg.CL, reg.R11)
	DECQ(reg.R11)
	KMOVW(reg.R11L, reg.K5)
	LEAQ(Mem{Base: remaining, Disp: 15}, reg.RAX)
	ANDQ(I32(-16), reg.RAX)
	SUBQ(reg.RAX, table)
	ADDQ(U32(63*16), table)
}

// addLengths begins the sums with the product of the block lens.
func addLengths() {
	message()
	Load(Param("h"), reg.RCX)
	VMOVDQU64(messageLens, reg.X20)
	VPSHUFB(constant(constReverse), reg.X20, reg.X20)
	product(reg.X20, reg.RCX)
}

// product begins the sums with the product of the block x and H, the last of the powers. It
// changes Z22.
func product(x reg.VecPhysical, powers reg.Register) {
	h := Mem{Base: powers, Disp: 63 * 16}
	VPCLMULQDQ(Imm(0x00), h, x, reg.X26)
	VPCLMULQDQ(Imm(0x11), h, x, reg.X27)
	VPCLMULQDQ(Imm(0x01), h, x, reg.X28)
	VPCLMULQDQ(Imm(0x10), h, x, reg.X22)
	VPXORD(reg.X22, reg.X28, reg.X28)
}

// hashRegister adds x, register i of those whose powers begin at table. It
// changes Z20 to Z23.
func hashRegister(x reg.VecPhysical, i int, partial bool) {
	VPSHUFB(constant(constReverse), x, reg.Z20)
	if i == 0 {
		VPXORD(hash, reg.Z20, reg.Z20)
	}
	h := Mem{Base: table, Disp: 64 * i}
	if partial {
		VMOVDQU64_Z(h, reg.K5, reg.Z21)
		multiply(reg.Z20, reg.Z21)
	} else {
		multiply(reg.Z20, h)
	}
}

// hashInput hashes the input, as far as it is in the n registers from register
// first of the data on.
func hashInput(n, first int) {
	each(zmm[:n], first, false, func(z reg.VecPhysical, disp int) {
		VMOVDQU64(Mem{Base: src, Disp: disp}, reg.Z20)
		hashRegister(reg.Z20, disp/64-first, false)
	}, func(z reg.VecPhysical, disp int) {
		VMOVDQU8_Z(Mem{Base: src, Disp: disp}, reg.K1, reg.Z20)
		hashRegister(reg.Z20, disp/64-first, true)
	})
}

// output adds the keystream in r to the data and, when sealing, hashes the
// result.
func output(open bool, r []reg.VecPhysical, first int) {
	each(r, first, false, func(z reg.VecPhysical, disp int) {
		VPXORD(Mem{Base: src, Disp: disp}, z, z)
		VMOVDQU64(z, Mem{Base: dst, Disp: disp})
		if !open {
			hashRegister(z, disp/64-first, false)
		}
	}, func(z reg.VecPhysical, disp int) {
		VMOVDQU8_Z(Mem{Base: src, Disp: disp}, reg.K1, reg.Z20)
		VPXORD(z, reg.Z20, reg.Z20)
		VMOVDQU8_Z(reg.Z20, reg.K1, z)
		VMOVDQU8(z, reg.K1, Mem{Base: dst, Disp: disp})
		if !open {
			hashRegister(z, disp/64-first, true)
		}
	})
}

// storeTag makes the tag of the hash in hash, or in the message when opening, and the
// mask in the highest lane of z.
func storeTag(open bool) {
	message()
	if open {
		VMOVDQU64(messageY, reg.X29)
	} else {
		VPSHUFB(constant(constReverse), reg.X29, reg.X29)
	}
	VPXORD(reg.X25, reg.X29, reg.X29)
	VMOVDQU64(reg.X29, messageY)
}

// mask puts the highest lane of z, E(J0), into X25.
func mask(z reg.VecPhysical) { VEXTRACTI64X2(Imm(3), z, reg.X25) }

func gcmTail16(open bool) {
	startTail(open, 16)
	tailMasks(remaining)
	if open {
		loadHash()
		addLengths()
		hashInput(4, 0)
		reduce()
		storeHash()
	}
	Load(Param("next"), reg.RAX)
	counter{width: 32}.wordCounters()
	loadJ0()
	MOVL(U32(1<<15), reg.ECX)
	KMOVW(reg.ECX, reg.K3)
	VPBROADCASTD(reg.EAX, reg.K3, reg.Z3)
	for i := range 4 {
		toT(zmm[i], zmm[i])
	}
	loadMatrices()
	words16.rounds(forwardWords)
	fromWords()
	mask(reg.Z3)
	if !open {
		loadHash()
		addLengths()
	}
	output(open, first4, 0)
	if !open {
		reduce()
	}
	storeTag(open)
	forgetCounter()
	finish()
}

// maskLane sets K3 to the highest lane of a plane.
func maskLane() {
	MOVL(U32(1), reg.ECX)
	RORQ(Imm(1), reg.RCX)
	KMOVQ(reg.RCX, reg.K3)
}

// gcmTail64 is for 64 lanes, or 32, which are paired.
func gcmTail64(open bool, lanes int) {
	const j0Spread = dualStack // and, with 32 lanes, more of pairedPlanes
	startTail(open, lanes)
	if lanes == 64 {
		scratch(128)
	} else {
		scratch(dualStack + 192)
	}
	tailMasks(remaining)
	if open {
		loadHash()
		addLengths()
		hashInput(lanes/4, 0)
		reduce()
		storeHash()
	}
	var r []reg.VecPhysical
	if lanes == 64 {
		Load(Param("next"), reg.RAX)
		counter{width: 32}.singlePlanes()
		loadJ0()
		MOVQ(hi, reg.RCX)
		spread()
		VMOVDQA64(reg.Z16, Mem{Base: state})
		maskLane()
		for b := 12; b < 16; b++ {
			w, j := inWord(b)
			VPBROADCASTB(Mem{Base: state, Disp: 4 * b}, reg.K3, zmm[4*w+j])
		}
		single(forwardBytes)
		r = fromSingle()
	} else {
		pair := newHalf(0, 0, 2)
		maskPairs(pairedByte(31, 0), pairedByte(31, 1))
		pairedPlanes(pair, 0, j0Spread)
		LEAQ(Mem{Base: state, Disp: dualStart}, from)
		loadHalves(pair)
		interleaved(forwardBytes, 8, nil, pair)
		r = fromPaired(pair)
	}
	mask(r[len(r)-1])
	if !open {
		loadHash()
		addLengths()
	}
	output(open, r, 0)
	if !open {
		reduce()
	}
	storeTag(open)
	if lanes == 64 {
		wipe(128)
	} else {
		wipe(1024)
	}
	forgetCounter()
	if lanes != 64 {
		Comment("ct:allow stack x2: counters, which are in the caller's memory, too")
	}
	finish()
}

// gcmTail128 is for 128 lanes, or 96, of which the second half is paired.
func gcmTail128(open bool, lanes int) {
	const j0Spread = dualStack // and, with 96 lanes, more of pairedPlanes
	startTail(open, lanes)
	scratch(dualStack + 192)
	second := reg.R13 // bytes in the second half
	XORL(reg.EAX, reg.EAX)
	LEAQ(Mem{Base: remaining, Disp: -1024}, second)
	TESTQ(second, second)
	CMOVQLT(reg.RAX, second)
	tailMasks(second)
	// K4 is the bytes of the last register of the first half: its last block
	// may be the last of all.
	MOVL(U32(64), reg.ECX)
	LEAQ(Mem{Base: remaining, Disp: -960}, reg.RAX)
	CMPQ(reg.RAX, reg.RCX)
	CMOVQGT(reg.RCX, reg.RAX)
	byteMask(reg.K4, false)
	powers := reg.R14 // for the first half, H^64 and below
	Load(Param("h"), powers)
	hashFirst := func(x reg.VecPhysical, i int) {
		VPSHUFB(constant(constReverse), x, reg.Z20)
		if i == 0 {
			VPXORD(hash, reg.Z20, reg.Z20)
		}
		multiply(reg.Z20, Mem{Base: powers, Disp: 64 * i})
	}
	if open {
		loadHash()
		clearSums()
		for i := range 16 {
			if i < 15 {
				VMOVDQU64(Mem{Base: src, Disp: 64 * i}, reg.Z20)
			} else {
				VMOVDQU8_Z(Mem{Base: src, Disp: 64 * i}, reg.K4, reg.Z20)
			}
			hashFirst(reg.Z20, i)
		}
		reduce()
		addLengths()
		hashInput((lanes-64)/4, 16)
		reduce()
		storeHash()
	}
	lower, upper := newHalf(0, 0, 4), newHalf(1, 8, 4)
	c := counter{width: 32}
	if lanes == 96 {
		upper = newHalf(1, 8, 2)
		maskPairs(pairedByte(31, 0), pairedByte(31, 1))
		Load(Param("next"), reg.RAX)
		c.halfPlanes(0, 0)
		pairedPlanes(upper, 64, j0Spread)
	} else {
		loadJ0()
		MOVQ(hi, reg.RCX)
		spread()
		VMOVDQA64(reg.Z16, Mem{Base: state, Disp: j0Spread})
		maskLane()
		c.last = func(b int, z reg.VecPhysical) {
			if b >= 12 {
				VPBROADCASTB(Mem{Base: state, Disp: j0Spread + 4*b}, reg.K3, z)
			}
		}
		c.dualPlanes("next")
	}
	LEAQ(Mem{Base: state, Disp: dualStart}, from)
	loadHalves(lower, upper)
	interleaved(forwardBytes, 8, nil, lower, upper)
	if !open {
		loadHash()
		clearSums()
	}
	for i, z := range fromDual(0) {
		m := Mem{Base: dst, Disp: 64 * i}
		if i < 15 {
			VPXORD(Mem{Base: src, Disp: 64 * i}, z, z)
			VMOVDQU64(z, m)
		} else {
			VMOVDQU8_Z(Mem{Base: src, Disp: 64 * i}, reg.K4, reg.Z20)
			VPXORD(z, reg.Z20, reg.Z20)
			VMOVDQU8_Z(reg.Z20, reg.K4, z)
			VMOVDQU8(z, reg.K4, m)
		}
		if !open {
			hashFirst(z, i)
		}
	}
	if !open {
		reduce()
	}
	var r []reg.VecPhysical
	if lanes == 96 {
		r = fromPaired(upper)
	} else {
		r = fromDual(1)
	}
	mask(r[len(r)-1])
	if !open {
		addLengths()
	}
	output(open, r, 16)
	if !open {
		reduce()
	}
	storeTag(open)
	wipe(2048)
	// To overwrite the counters takes 20 ns, 4 % of 1420 bytes.
	forgetCounter()
	Comment("ct:allow stack x2: counters, which are in the caller's memory, too")
	finish()
}

const gcm16Signature = "func(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, next int)"

// gcm16 makes the length of the rest fit where 128 blocks remain, the last one
// not full: there is no lane for J0 then.
func gcm16(open bool) {
	name := gcmName(open, "16GFNI512")
	verb := "encrypts"
	if open {
		verb = "decrypts"
	}
	function(name, gcm16Signature, words16Note,
		name+" "+verb+" 16 blocks with the counters from m.J0 + next on, and continues the hash m.Y",
		"over the ciphertext.")
	arguments(map[string]reg.Register{"k": key, "h": table, "dst": dst, "src": src})
	firstCounter()
	hashIt := func(z reg.VecPhysical, i int) {
		VPSHUFB(constant(constReverse), z, reg.Z20)
		if i == 0 {
			VPXORD(hash, reg.Z20, reg.Z20)
		}
		multiply(reg.Z20, Mem{Base: table, Disp: 48*16 + 64*i})
	}
	if open {
		loadHash()
		clearSums()
		for i := range 4 {
			VMOVDQU64(Mem{Base: src, Disp: 64 * i}, reg.Z24)
			hashIt(reg.Z24, i)
		}
		reduce()
		storeHash()
	}
	Load(Param("next"), reg.RAX)
	counter{width: 32}.wordCounters()
	for i := range 4 {
		toT(zmm[i], zmm[i])
	}
	loadMatrices()
	words16.rounds(forwardWords)
	fromWords()
	if !open {
		loadHash()
		clearSums()
	}
	for i := range 4 {
		VPXORD(Mem{Base: src, Disp: 64 * i}, zmm[i], zmm[i])
		VMOVDQU64(zmm[i], Mem{Base: dst, Disp: 64 * i})
		if !open {
			hashIt(zmm[i], i)
		}
	}
	if !open {
		reduce()
		storeHash()
	}
	forgetCounter()
	finish()
}
