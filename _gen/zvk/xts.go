package zvk

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// XTS adds a function that is XTS for CPUs with Zvkg, too. With the bits of each byte reversed, a
// tweak is an element of the field of GHASH, and x is x there: one multiplication by x^N makes
// the tweaks of the next N blocks. reversed says that tweaks are to be added with their bits in
// that order, as in GB/T 17964. There are at most 16 blocks in a vector.
func XTS(file *asm.File, name, public string, decrypt, reversed bool, c Cipher) {
	doc, rounds := " encrypts", c.Encrypt
	if decrypt {
		doc, rounds = " decrypts", c.Decrypt
	}
	k := start(file, name, "(k *"+c.Type+", tweak *[16]byte, dst, src *byte, n int)",
		name+doc+` n > 0 bytes, whole blocks. tweak, already encrypted, becomes that of the block after
them. Registers have at most 512 bits.`, "k tweak dst src", public, c)
	field, power, t := k.Group(Vector, "field", 4, 4), k.Group(Vector, "power", 4, 4), k.Group(Vector, "t", 4, 4)
	tweak, bit := k.Arg("tweak"), k.New(Integer, "bit")
	first := k.New(Vector, "first")
	k.Fix(first, 0)

	// All blocks of field become the tweak.
	k.Add(
		VSETIVLI(16, E8, M4, TA, ZERO),
		VLE8V(tweak, t),
		VBREV8V(t, t),
	)
	k.bits(0x11, first)
	k.Add(
		MOVI(undisturbedWords, bit),
		VSETVL(bit, k.words, ZERO),
		VIDV(power),
		VANDVI(3, power, k.state),
		VRGATHERVV(k.state, t, field),
	)
	// x^i is bit i ^ 7 of the first word of block i.
	k.Add(
		VSRLVI(2, power, power),
		VXORVI(7, power, power),
		MOVI(1, k.At),
		VMVVX(k.At, t),
		VSLLVV(power, t, t),
		VMVVI(0, power),
		VMV4RV(power, k.state),
		Keep(Masked(first, VORVV(t, k.state, k.state))),
		VGMULVV(k.state, field),
		SRLI(2, k.words, bit),
		XORI(7, bit, bit),
		SLL(bit, k.At, bit),
		Keep(Masked(first, VORVX(bit, power, power))),
	)
	if c.Swaps {
		k.bits(0xaa, k.mask)
	}
	sum := field
	k.loop(k.asWords, func(p pass) {
		k.load(p, k.state)
		if !p.whole {
			k.asWords()
		}
		if !reversed {
			sum = t
			k.Add(VBREV8V(field, t))
		}
		k.Add(VXORVV(sum, k.state, k.state))
		k.swap(k.state, k.state)
		k.rounds(p, rounds)
		k.toWords()
		k.Add(VXORVV(sum, k.out, k.out))
		if p.whole {
			k.store(p, k.out)
			k.Add(VGMULVV(power, field))
			return
		}
		k.asBytes()
		k.store(p, k.out)
		k.Add(VSETVLI(ZERO, E32, M4, TA, k.At))
		k.Add(VSLIDEDOWNVX(k.words, field, t), VMV4RV(t, field))
	})
	k.Add(
		VSETIVLI(16, E8, M4, TA, ZERO),
		VBREV8V(field, t),
		VSE8V(t, tweak),
		RET(),
	)
}

// XTSByShifts adds a function that is XTS for CPUs without Zvkg. Tweaks are multiplied by x^N as
// pairs of words of 64 bits: shifts, the bits that leave each word by two slides, and their
// product with the polynomial.
func XTSByShifts(file *asm.File, name, public string, decrypt, reversed bool, c Cipher) {
	doc, rounds := " encrypts", c.Encrypt
	if decrypt {
		doc, rounds = " decrypts", c.Decrypt
	}
	k := start(file, name, "(k *"+c.Type+", tweak *[16]byte, dst, src *byte, n int)",
		name+doc+` n > 0 bytes, whole blocks. tweak, already encrypted, becomes that of the block after
them. Registers have at most 1024 bits.`, "k tweak dst src", public, c)
	field, t, u := k.Group(Vector, "field", 4, 4), k.Group(Vector, "t", 4, 4), k.Group(Vector, "u", 4, 4)
	tweak, blocks, back := k.Arg("tweak"), k.New(Integer, "blocks"), k.New(Integer, "back")
	if !c.Swaps {
		k.bits(0xaa, k.mask)
		k.Add(MOVI(undisturbedHalves, k.types))
	}
	// carry adds the bits in state, which left words, to field: those of the lower word to the
	// upper one, and those of the upper one times x^7 + x^2 + x + 1 to the lower one.
	carry := func() {
		k.Add(
			VSLIDEDOWNVI(1, k.state, t),
			VSLLVI(1, t, u), VXORVV(u, t, t),
			VSLLVI(1, u, u), VXORVV(u, t, t),
			VSLLVI(5, u, u), VXORVV(u, t, t),
			Keep(Masked(k.mask, VSLIDEUPVI(1, k.state, t))),
			VXORVV(t, field, field),
		)
	}
	// Block i of field is the tweak times x^i.
	k.Add(VSETIVLI(16, E8, M4, TA, ZERO), VLE8V(tweak, t))
	k.asHalves()
	k.Add(
		VIDV(u),
		VANDVI(1, u, k.state),
		VRGATHERVV(k.state, t, field),
		VSRLVI(1, u, u),
		MOVI(63, back),
		VRSUBVX(back, u, t),
		VSRLVI(1, field, k.state),
		VSRLVV(t, k.state, k.state),
		VSLLVV(u, field, field),
	)
	carry()
	k.Add(SRLI(1, k.halves, blocks), ADDI(1, back, back), SUB(blocks, back, back))
	sum := field
	k.loop(k.asWords, func(p pass) {
		k.load(p, k.state)
		if !p.whole {
			k.asWords()
		}
		if reversed {
			sum = t
			k.Add(VBREV8V(field, t))
		}
		k.Add(VXORVV(sum, k.state, k.state))
		k.swap(k.state, k.state)
		k.rounds(p, rounds)
		k.Add(VXORVV(sum, k.out, k.out))
		if p.whole {
			k.store(p, k.out)
			if !k.Swaps {
				k.asHalves()
			}
			k.Add(VSRLVX(back, field, k.state), VSLLVX(blocks, field, field))
			carry()
			k.asWords()
			return
		}
		k.asBytes()
		k.store(p, k.out)
		k.Add(VSETVLI(ZERO, E32, M4, TA, k.At))
		k.Add(VSLIDEDOWNVX(k.words, field, t), VMV4RV(t, field))
	})
	k.Add(VSETIVLI(16, E8, M4, TA, ZERO), VSE8V(field, tweak), RET())
}
