package main

import (
	"github.com/cipherlane/cipherlane/_gen/ghash"
	"github.com/cipherlane/cipherlane/_gen/simd"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Registers of GHASH.
const (
	lowProduct  = 9
	midProduct  = 10
	highProduct = 11
	hashed      = 12 // blocks
	temporary   = 13
	hash        = 15
)

var table = reg.R9

// polynomial is that of GHASH in the upper half.
func polynomial() Mem { return constant("Poly", 1, 0xc2<<56) }

// sums is where the sum of the halves of a power is, from the power.
func sums() int { return -16 * 8 * perRegister }

// product adds the products of the blocks, in the order of GHASH, and the
// powers at p to the three products, or sets them. Without the middle part
// taken from the two others it is that of Karatsuba's method.
func product(p Mem, w vec, first bool) []func() {
	b, tmp := same(w, hashed), same(w, temporary)
	// A narrow product has zeros above, so that adding it in full width keeps
	// the other lane.
	wideTmp := full[temporary]
	add := func(to int) { simd.Xor(wideTmp, full[to], full[to]) }
	multiply := func(which uint64, p Mem, to int) {
		if first {
			simd.Multiply(which, p, b, same(w, to))
			return
		}
		simd.Multiply(which, p, b, tmp)
		add(to)
	}
	return []func(){
		func() { multiply(0x00, p, lowProduct) },
		func() { multiply(0x11, p, highProduct) },
		func() {
			simd.Shuffle32(0x4e, b, tmp)
			simd.Xor(tmp, b, b)
		},
		func() { multiply(0x00, p.Offset(sums()), midProduct) },
	}
}

// reduce makes the hash from the three products.
func reduce() []func() {
	lo, mid, hi, tmp := full[lowProduct], full[midProduct], full[highProduct], full[temporary]
	return []func(){
		func() {
			simd.Xor(lo, mid, mid)
			simd.Xor(hi, mid, mid)
		},
		func() {
			simd.Read(polynomial(), full[hashed])
			ghash.Fold(lo, mid, hi, full[hash], tmp, full[hashed])
			if perRegister == 2 {
				VEXTRACTI128(Imm(1), y[hash], x[temporary])
				simd.Xor(x[temporary], x[hash], x[hash])
			}
		},
	}
}

// hashMany adds the products for the registers of eight at m. The first comes
// last: it waits for the hash.
func hashMany(m Mem) (pieces []func()) {
	for k := 1; k <= 8; k++ {
		i := k % 8
		pieces = append(pieces, func() {
			simd.Read(m.Offset(registerSize*i), full[hashed])
			simd.Shuffle(reverse(), full[hashed], full[hashed])
			if i == 0 {
				simd.Xor(full[hash], full[hashed], full[hashed])
			}
		})
		pieces = append(pieces, product(ghash.Power(table, 8*perRegister).Offset(registerSize*i), full[0], k == 1)...)
	}
	return pieces
}

func emit(list []func()) {
	for _, piece := range list {
		piece()
	}
}

func gcmName(open bool) (name, what, which string) {
	if open {
		return "open", "decrypts", "the same blocks"
	}
	return "seal", "encrypts", "the blocks before them"
}

// The places of the other fields behind J0 in a message.
const (
	messageY    = 16
	messageLens = 32
)

// loadJ0 sets hi and lo to the halves of m.J0. Its last 32 bits are a number that has been written
// alone: a load of more would wait until it is in the cache. It changes CX.
func loadJ0(hi, lo reg.GPPhysical) {
	Load(Param("m"), hi)
	MOVL(Mem{Base: hi, Disp: 12}, reg.ECX)
	MOVL(Mem{Base: hi, Disp: 8}, lo.As32())
	MOVQ(Mem{Base: hi}, hi)
	BSWAPL(reg.ECX)
	BSWAPL(lo.As32())
	BSWAPQ(hi)
	SHLQ(Imm(32), lo)
	ORQ(reg.RCX, lo)
}

// advance adds the argument next to the last 32 bits of lo. It changes CX.
func advance(lo reg.GPPhysical) {
	Load(Param("next"), reg.RCX)
	ADDL(lo.As32(), reg.ECX)
	SHRQ(Imm(32), lo)
	SHLQ(Imm(32), lo)
	ORQ(reg.RCX, lo)
}

const gcmParameters = "(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)"

func gcm(open bool) {
	name, what, which := gcmName(open)
	function(name, gcmParameters,
		name+"SUFFIX "+what+" n bytes, a positive multiple of BYTES, with the counters from m.J0 + next on, of which the",
		"last 32 bits count, and continues the hash m.Y over the ciphertext.",
		"AX round keys, R8 the last one, BX rounds, DX bytes left, SI src, DI dst, R9 powers of the hash",
		"key, R10 m, CX temporary; V#0 ... V#7 blocks, V#8 round key, V#9, V#10, V#11 low, middle, high product, V#12 blocks",
		"to hash, V#13 temporary, V#14 next counter, as an integer, X15 hash.",
		"Among the rounds of MANY blocks "+which+" are hashed, with one reduction and three carry-less",
		"multiplications for each register (Karatsuba's method). On Zen 5 nothing but these and the",
		"rounds of AES-128 would take 52 cycles (the former 52, the latter 40, in other units), with the",
		"shuffles and additions that there must be 73. The reduction has the time of a whole turn.",
		measured("0.66", "0.30"))
	begin(encrypt)
	pointers()
	hi, lo := reg.R10, reg.R11
	loadJ0(hi, lo)
	advance(lo)
	loadCounter(hi, lo, x[0], simd.Add32)
	Load(Param("h"), table)
	Load(Param("m"), reg.R10)
	yAt := Mem{Base: reg.R10, Disp: messageY}
	Comment("Products that reduce to y.")
	simd.Read(yAt, x[highProduct])
	simd.Shuffle(reverse(), x[highProduct], x[highProduct])
	simd.Move(full[highProduct], full[midProduct])
	simd.Zero(full[lowProduct])
	r := full[:8]
	batch := func(list []func()) {
		slot, check := spread(list, 8+9*8+8)
		counters(r, simd.Add32, slot)
		crypt(encrypt, r, slot)
		check()
		for i, b := range r {
			simd.XorMemory(at(src, r, i), b, full[temporary])
		}
		for i, b := range r {
			simd.Write(b, at(dst, r, i))
		}
		ADDQ(U32(8*registerSize), src)
		ADDQ(U32(8*registerSize), dst)
		SUBQ(U32(8*registerSize), n)
	}
	from := Mem{Base: dst, Disp: -8 * registerSize}
	if open {
		from = Mem{Base: src}
	} else {
		batch(nil)
		JZ(LabelRef("last"))
	}
	Label("batch")
	batch(append(reduce(), hashMany(from)...))
	JNZ(LabelRef("batch"))
	Label("last")
	emit(reduce())
	if !open {
		emit(hashMany(from))
		emit(reduce())
	}
	simd.Shuffle(reverse(), x[hash], x[hash])
	simd.Write(x[hash], yAt)
	end()
}

func gcmTail(open bool) {
	name, what, _ := gcmName(open)
	function(name+"Tail", gcmParameters,
		name+"TailSUFFIX "+what+" the last n bytes, fewer than BYTES, with the counters from m.J0 + next on, of which the",
		"last 32 bits count, continues the hash m.Y over the ciphertext and m.Lens, and adds the keystream of",
		"the counter m.J0, which makes it the tag.",
		"AX round keys, R8 the last one, BX rounds, DX bytes left, SI src, DI dst, R9 power for the next",
		"block, R13 bytes, R10, R11, R12, CX temporary; V#0 ... V#3 blocks, X7 keystream for the tag, V#8",
		"round key, V#9, V#10, V#11 low, middle, high product, V#12 blocks to hash, V#13 temporary, V#14",
		"next counter, as an integer, V#15 hash, until it is in a block.",
		"The blocks and lens have one reduction, unless there are more of them than powers.")
	all := reg.R13
	begin(encrypt)
	pointers()
	hi, lo := reg.R10, reg.R11
	loadJ0(hi, lo)
	tag := x[7]
	simd.Join(lo, hi, tag, x[0])
	simd.Shuffle(reverse(), tag, tag)
	simd.Xor(firstKey(x[7:8]), tag, tag)
	crypt(encrypt, x[7:8], nothing)
	advance(lo)
	loadCounter(hi, lo, x[0], simd.Add32)
	Load(Param("m"), reg.R10)
	simd.Read(Mem{Base: reg.R10, Disp: messageY}, x[hash])
	simd.Shuffle(reverse(), x[hash], x[hash])
	for _, i := range []int{lowProduct, midProduct, highProduct} {
		simd.Zero(full[i])
	}
	Comment("The first of m blocks takes H^(m+1), or H^m if there is no such power.")
	MOVQ(n, all)
	LEAQ(Mem{Base: n, Disp: 15}, reg.R10)
	ANDQ(I8(-16), reg.R10)
	LEAQ(Mem{Base: reg.R10, Disp: 16}, reg.R11)
	CMPQ(n, U32(8*registerSize-16))
	CMOVQLS(reg.R11, reg.R10)
	Load(Param("h"), table)
	LEAQ(Mem{Base: table, Disp: 1024}, table)
	SUBQ(reg.R10, table)

	hashBlocks := func(r []vec, get func(i int, to vec)) {
		for i, b := range r {
			w := same(b, hashed)
			get(i, w)
			simd.Shuffle(reverse(), w, w)
			if i == 0 {
				simd.Xor(same(b, hash), w, w)
				simd.Zero(full[hash])
			}
			emit(product(at(table, r, i), b, false))
		}
		ADDQ(Imm(uint64(bytes(r))), table)
	}
	rest(func(r []vec) {
		if open {
			hashBlocks(r, func(i int, to vec) { simd.Read(at(src, r, i), to) })
		}
		counters(r, simd.Add32, nothing)
		crypt(encrypt, r, nothing)
		for i, b := range r {
			simd.XorMemory(at(src, r, i), b, same(b, temporary))
		}
		for i, b := range r {
			simd.Write(b, at(dst, r, i))
		}
		if !open {
			hashBlocks(r, func(i int, to vec) { simd.Move(r[i], to) })
		}
	})

	TESTQ(n, n)
	JZ(LabelRef("whole"))
	part := x[:1]
	loadPart(x[1], x[2])
	if open {
		hashBlocks(part, func(_ int, to vec) { simd.Move(x[1], to) })
	}
	counters(part, simd.Add32, nothing)
	crypt(encrypt, part, nothing)
	simd.Xor(x[1], x[0], x[0])
	if !open {
		Comment("The rest of the block is hashed as zeros.")
		LEAQ(ones(), reg.R11)
		SUBQ(n, reg.R11)
		simd.Read(Mem{Base: reg.R11, Disp: 16}, x[2])
		simd.And(x[2], x[0], x[0])
		hashBlocks(part, func(_ int, to vec) { simd.Move(x[0], to) })
	}
	storePart(x[0])
	Label("whole")

	CMPQ(all, U32(8*registerSize-16))
	JBE(LabelRef("lens"))
	emit(reduce())
	for _, i := range []int{lowProduct, midProduct, highProduct} {
		simd.Zero(full[i])
	}
	Label("lens")
	Load(Param("m"), reg.R10)
	Load(Param("h"), table)
	ADDQ(U32(1024-16), table)
	hashBlocks(x[:1], func(_ int, to vec) { simd.Read(Mem{Base: reg.R10, Disp: messageLens}, to) })
	emit(reduce())
	simd.Shuffle(reverse(), x[hash], x[hash])
	simd.Xor(tag, x[hash], x[hash])
	simd.Write(x[hash], Mem{Base: reg.R10, Disp: messageY})
	end()
}

// ones are 16 bytes of ones, then 16 of zeros.
func ones() Mem { return constant("Ones", ^uint64(0), ^uint64(0), 0, 0) }
