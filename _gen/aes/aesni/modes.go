package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/ghash"
	"github.com/cipherlane/cipherlane/_gen/simd"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func ecb(d direction) {
	what := map[string]string{"Encrypt": "encrypts", "Decrypt": "decrypts"}[d.name]
	function(d.name+"Blocks", "(k *Keys, dst, src []byte)",
		d.name+"BlocksSUFFIX "+what+" whole blocks, MANY at a time.",
		"AX round keys, R8 the last one, BX rounds, DX bytes left, SI src, DI dst;",
		"V#0 ... V#7 blocks, V#8 round key.",
		inFlight, measured("0.37", "0.18"))
	begin(d)
	slices()
	groups(func(r []vec) {
		key := firstKey(r)
		for i, b := range r {
			simd.Xor(at(src, r, i), key, b)
		}
		crypt(d, r, nothing)
		for i, b := range r {
			simd.Write(b, at(dst, r, i))
		}
	})
	end()
}

func cbcDecrypt() {
	function("CBCDecrypt", "(k *Keys, iv *[16]byte, dst, src []byte)",
		"CBCDecryptSUFFIX decrypts whole blocks, MANY at a time: p[i] = D(c[i]) + c[i-1]. iv becomes the",
		"last ciphertext block. The ciphertext is read a second time before anything is stored.",
		"AX round keys, R8 the last one, BX rounds, DX bytes left, SI src, DI dst, R9 iv;",
		"V#0 ... V#7 blocks, V#8 round key, X9 ciphertext before the blocks, V#10 temporary.",
		inFlight, measured("0.37", "0.18"))
	iv := reg.R9
	begin(decrypt)
	slices()
	Load(Param("iv"), iv)
	before := 9
	simd.Read(Mem{Base: iv}, x[before])
	groups(func(r []vec) {
		tmp := same(r[0], 10)
		key := firstKey(r)
		for i, b := range r {
			simd.Xor(at(src, r, i), key, b)
		}
		crypt(decrypt, r, nothing)
		for i, b := range r {
			switch {
			case i > 0:
				simd.XorMemory(at(src, r, i).Offset(-16), b, tmp)
			case wide(b):
				VINSERTI128(Imm(1), Mem{Base: src}, y[before], tmp)
				simd.Xor(tmp, b, b)
			default:
				simd.Xor(x[before], b, b)
			}
		}
		simd.Read(Mem{Base: src, Disp: bytes(r) - 16}, x[before])
		for i, b := range r {
			simd.Write(b, at(dst, r, i))
		}
	})
	simd.Write(x[before], Mem{Base: iv})
	end()
}

const counterRegister = 14

// counters sets the blocks to the counters from that in the register on, with
// the first round key added, and makes it that of the block after them.
func counters(r []vec, add func(a Op, b, out vec), slot func()) {
	c := same(r[0], counterRegister)
	key := firstKey(r)
	for i, b := range r {
		if i == 0 {
			simd.Shuffle(reverse(), c, b)
		} else {
			add(plus(i, r), c, b)
			simd.Shuffle(reverse(), b, b)
		}
		simd.Xor(key, b, b)
		slot()
	}
	add(plus(len(r), r), full[counterRegister], full[counterRegister])
}

// loadCounter makes the counter hi:lo, in a wide register that and the next.
func loadCounter(hi, lo reg.GPPhysical, tmp vec, add func(a Op, b, out vec)) {
	c := x[counterRegister]
	simd.Join(lo, hi, c, tmp)
	if perRegister == 2 {
		VINSERTI128(Imm(1), c, y[counterRegister], y[counterRegister])
		add(constant("Lanes", 0, 0, 1, 0), y[counterRegister], y[counterRegister])
	}
}

func ctr() {
	function("ctr", "(k *Keys, hi, lo uint64, dst, src *byte, n int, rest *[16]byte)",
		"ctrSUFFIX adds the keystream of the counters from hi:lo on to n bytes, MANY blocks at a time.",
		"lo must not wrap around before the last block. The last block of keystream goes to rest if",
		"n is no multiple of 16.",
		"AX round keys, R8 the last one, BX rounds, DX bytes left, SI src, DI dst, R9 ... R12, CX",
		"temporary; V#0 ... V#7 blocks, V#8 round key, V#9 temporary, V#14 next counter, as an integer.",
		inFlight, measured("0.37", "0.18"))
	begin(encrypt)
	pointers()
	hi, lo := reg.R9, reg.R10
	Load(Param("hi"), hi)
	Load(Param("lo"), lo)
	loadCounter(hi, lo, x[0], simd.Add64)
	groups(func(r []vec) {
		counters(r, simd.Add64, nothing)
		crypt(encrypt, r, nothing)
		for i, b := range r {
			simd.XorMemory(at(src, r, i), b, same(b, 9))
		}
		for i, b := range r {
			simd.Write(b, at(dst, r, i))
		}
	})
	TESTQ(n, n)
	JZ(LabelRef("done"))
	counters(x[:1], simd.Add64, nothing)
	crypt(encrypt, x[:1], nothing)
	Load(Param("rest"), reg.R9)
	simd.Write(x[0], Mem{Base: reg.R9})
	loadPart(x[1], x[9])
	simd.Xor(x[1], x[0], x[0])
	storePart(x[0])
	Label("done")
	end()
}

// loadPart loads the last n bytes, 1 to 15, of src.
func loadPart(to, tmp vec) {
	ghash.LoadPart(src, n, reg.R10, reg.R11, count, reg.R12, to, tmp, "part")
}

// storePart stores the first n bytes, 1 to 15, of b. It changes dst and b.
func storePart(b vec) {
	word := reg.R10
	simd.Low(b, word)
	part := func(bit uint64, store func(a, b Op), r Op, next func()) {
		stored := label("store")
		TESTB(U8(bit), n.As8())
		JZ(LabelRef(stored))
		store(r, Mem{Base: dst})
		if next != nil {
			ADDQ(Imm(bit), dst)
			next()
		}
		Label(stored)
	}
	part(8, func(a, b Op) { MOVQ(a, b) }, word, func() {
		simd.RightBytes(8, b, b)
		simd.Low(b, word)
	})
	part(4, MOVL, word.As32(), func() { SHRQ(Imm(32), word) })
	part(2, MOVW, word.As16(), func() { SHRL(Imm(16), word.As32()) })
	part(1, MOVB, word.As8(), nil)
}

func xts(d direction) {
	function("XTS"+d.name, "(k *Keys, tweak *[16]byte, dst, src []byte)",
		"XTS"+d.name+"SUFFIX does whole blocks, MANY at a time, as IEEE 1619 has it: the tweaks are t, x·t,",
		"x^2·t, ... in the field of polynomials where bit i of the little-endian number is the coefficient",
		"of x^i and x^128 = x^7+x^2+x+1; tweak becomes that of the block after the last.",
		"AX round keys, R8 the last one, BX rounds, DX bytes left, SI src, DI dst, R9 tweak,",
		"R13 next tweaks on the stack, R12 those of the MANY blocks after them; V#0 ... V#7 blocks,",
		"V#8 round key, V#9, V#10, V#11 temporary, V#14 0x87, V#15 tweak. The stack is wiped in the end.",
		"The next MANY tweaks come from these by x^MANY, among the rounds: shifted by whole bytes, and",
		"what falls out multiplied by 0x87. They do not wait for one another, as they would if each came",
		"from the one before.",
		inFlight, measured("0.41", "0.20"))
	tweak, frame, other := reg.R9, reg.R13, reg.R12
	m := AllocLocal(2*8*registerSize + 32)
	LEAQ(m.Offset(31), frame)
	ANDQ(I8(-32), frame)
	LEAQ(Mem{Base: frame, Disp: 8 * registerSize}, other)
	simd.Aligned(frame)
	begin(d)
	slices()
	Load(Param("tweak"), tweak)
	poly, first := full[14], full[15]
	simd.Read(constant("Poly", 0x87, 0), poly)
	broadcast(Mem{Base: tweak}, first)
	for i := range 8 {
		t, out, carry := full[9], full[10], full[11]
		switch {
		case perRegister == 2: // lane l by x^(2i+l)
			a, b := uint64(2*i), uint64(2*i+1)
			VPSRLVQ(constant(fmt.Sprintf("Right%d", i), 64-a, 64-a, 64-b, 64-b), first, out)
			VPSLLVQ(constant(fmt.Sprintf("Left%d", i), a, a, b, b), first, t)
		case i == 0:
			simd.Write(first, Mem{Base: frame})
			continue
		default:
			simd.Right64(uint64(64-i), first, out)
			simd.Left64(uint64(i), first, t)
		}
		simd.Multiply(0x01, poly, out, carry)
		simd.LeftBytes(8, out, out)
		simd.Xor(carry, t, t)
		simd.Xor(out, t, t)
		simd.Write(t, Mem{Base: frame, Disp: registerSize * i})
	}
	groups(func(r []vec) {
		tmp := same(r[0], 9)
		key := firstKey(r)
		for i, b := range r {
			simd.Xor(at(frame, r, i), key, b)
			simd.XorMemory(at(src, r, i), b, tmp)
		}
		var next []func()
		if len(r) == 8 {
			for i := range r {
				t, out := full[9], full[10]
				next = append(next, func() {
					simd.Read(at(frame, r, i), t)
					simd.RightBytes(uint64(16-perRegister), t, out)
				}, func() {
					simd.Multiply(0x00, poly, out, out)
					simd.LeftBytes(uint64(perRegister), t, t)
				}, func() {
					simd.Xor(out, t, t)
					simd.Write(t, at(other, r, i))
				})
			}
		}
		slot, check := spread(next, 10*len(r))
		crypt(d, r, slot)
		check()
		for i, b := range r {
			simd.Xor(at(frame, r, i), b, b)
		}
		for i, b := range r {
			simd.Write(b, at(dst, r, i))
		}
		if len(r) == 8 {
			XCHGQ(frame, other)
		} else {
			ADDQ(Imm(uint64(bytes(r))), frame)
		}
	})
	simd.Read(Mem{Base: frame}, x[0])
	simd.Write(x[0], Mem{Base: tweak})
	simd.Zero(full[0])
	LEAQ(m.Offset(31), frame)
	ANDQ(I8(-32), frame)
	for i := range 2 * 8 {
		simd.Write(full[0], Mem{Base: frame, Disp: registerSize * i})
	}
	end()
}
