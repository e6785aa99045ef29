package zvk

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// XTS adds a function that is XTS for CPUs with Zvkg, too. With the bits of each byte reversed, a tweak
// is an element of the field of GHASH, and x is x there: one multiplication by x^N makes the tweaks of
// the next N blocks. reversed says that tweaks are to be added with their bits in that order, as in GB/T
// 17964. There are at most 16 blocks in a vector.
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
	k.loop(func(p pass) {
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
		k.again()
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
