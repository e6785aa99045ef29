package main

import (
	"fmt"
	"slices"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// byRounds emits code for 14, 12 and 10 rounds, each with its round keys but the last one.
func (c *cipher) byRounds(code func(name string, keys []asm.Reg)) {
	all := slices.Concat(c.first, c.k[:10])
	c.Add(TBZ(2, c.rounds, "aes128"), TBZ(1, c.rounds, "aes192"))
	for _, rounds := range []int{14, 12, 10} {
		name := map[int]string{14: "aes256", 12: "aes192", 10: "aes128"}[rounds]
		c.Label(name)
		code(name, all[14-rounds:])
	}
}

// chain is the rounds of one block. It begins with the sum with the first round key and does
// not add the last one.
func chain(keys []asm.Reg, x asm.Reg) (s asm.Stream) {
	for _, k := range keys[:len(keys)-1] {
		s.Add(Fuse(AESE(k, x), AESMC(x, x))...)
	}
	s.Add(AESE(keys[len(keys)-1], x))
	return s
}

func cbcEncrypt(file *asm.File) {
	f := file.Func("cbcEncryptCE", "(k *Keys, iv, dst, src *byte, n int)")
	f.Doc = "cbcEncryptCE encrypts n > 0 bytes, whole blocks. iv becomes the last ciphertext block."
	f.Banner = `The state is the ciphertext plus the last round key. The first AESE adds it to the next plaintext
block plus the first and the last round key, so that a block takes its pairs of AESE and AESMC and
nothing else.`
	f.Secret, f.Public = "k iv dst src", "k.Rounds"
	c := newCipher(f, f.Arg("k"), encryption, true)
	iv, dst, src, n := f.Arg("iv"), f.Arg("dst"), f.Arg("src"), f.Arg("n")
	x, p, both := f.New(Vector, "x"), f.New(Vector, "p"), f.New(Vector, "both")
	y := f.New(Vector, "y")
	f.Add(VLD1(B16, At(iv, 0), x), VEOR(c.last(), x, x))
	c.byRounds(func(name string, keys []asm.Reg) {
		f.Add(VEOR(c.last(), keys[0], both))
		f.Label(name + "_block")
		f.Add(VLD1(B16, Post(src, 16), p), VEOR(both, p, p))
		f.Add(chain(append([]asm.Reg{p}, keys[1:]...), x)...)
		f.Add(
			VEOR(c.last(), x, y),
			VST1(B16, y, Post(dst, 16)),
			SUBS(16, n, n),
			BNE(name+"_block"),
			VST1(B16, y, At(iv, 0)),
			RET(),
		)
	})
}

func cbcMAC(file *asm.File) {
	f := file.Func("cbcMACCE", "(k *Keys, mac, src *byte, n int)")
	f.Doc = "cbcMACCE is cbcEncryptCE of n > 0 bytes, whole blocks, without its output: mac is the iv."
	f.Secret, f.Public = "k mac src", "k.Rounds"
	c := newCipher(f, f.Arg("k"), encryption, true)
	mac, src, n := f.Arg("mac"), f.Arg("src"), f.Arg("n")
	x, p, both := f.New(Vector, "x"), f.New(Vector, "p"), f.New(Vector, "both")
	f.Add(VLD1(B16, At(mac, 0), x), VEOR(c.last(), x, x))
	c.byRounds(func(name string, keys []asm.Reg) {
		f.Add(VEOR(c.last(), keys[0], both))
		f.Label(name + "_block")
		f.Add(VLD1(B16, Post(src, 16), p), VEOR(both, p, p))
		f.Add(chain(append([]asm.Reg{p}, keys[1:]...), x)...)
		f.Add(
			SUBS(16, n, n),
			BNE(name+"_block"),
			VEOR(c.last(), x, x),
			VST1(B16, x, At(mac, 0)),
			RET(),
		)
	})
}

func cfbEncrypt(file *asm.File) {
	f := file.Func("cfbEncryptCE", "(k *Keys, iv, dst, src *byte, n int)")
	f.Doc = "cfbEncryptCE encrypts n > 0 bytes, whole blocks. iv becomes the last ciphertext block."
	f.Banner = `The plaintext is added to the last round key beside the chain, in which there is one sum more than the
pairs of AESE and AESMC.`
	f.Secret, f.Public = "k iv dst src", "k.Rounds"
	c := newCipher(f, f.Arg("k"), encryption, true)
	iv, dst, src, n := f.Arg("iv"), f.Arg("dst"), f.Arg("src"), f.Arg("n")
	x, p := f.New(Vector, "x"), f.New(Vector, "p")
	f.Add(VLD1(B16, At(iv, 0), x))
	c.byRounds(func(name string, keys []asm.Reg) {
		f.Label(name + "_block")
		f.Add(VLD1(B16, Post(src, 16), p), VEOR(c.last(), p, p))
		f.Add(chain(keys, x)...)
		f.Add(
			VEOR(p, x, x),
			VST1(B16, x, Post(dst, 16)),
			SUBS(16, n, n),
			BNE(name+"_block"),
			VST1(B16, x, At(iv, 0)),
			RET(),
		)
	})
}

// ccm is CCM but for its first and last blocks: a counter and the MAC side by side.
func ccm(file *asm.File, open bool) {
	name, verb := "ccmSealCE", "encrypts"
	if open {
		name, verb = "ccmOpenCE", "decrypts"
	}
	f := file.Func(name, "(k *Keys, mac, counter *[16]byte, dst, src *byte, n int)")
	f.Doc = f.Name + " " + verb + ` n > 0 bytes, whole blocks, with the keystream of counter, and continues the CBC-MAC mac of the
plaintext. counter becomes that of the block after them. Its lower 64 bits do not wrap around.`
	f.Secret, f.Public = "k mac counter dst src", "k.Rounds"
	c := newCipher(f, f.Arg("k"), encryption, true)
	mac, at, dst, src, n := f.Arg("mac"), f.Arg("counter"), f.Arg("dst"), f.Arg("src"), f.Arg("n")
	x, y, p := f.New(Vector, "x"), f.New(Vector, "y"), f.New(Vector, "p")
	counter, one, t := f.New(Vector, "counter"), f.New(Vector, "one"), f.New(Integer, "t")
	f.Add(
		FMOVQ(At(at, 0), counter),
		VREV64(B16, counter, counter),
		VMOVI(0, one),
		MOVD(1, t),
		VMOV(t, Lane(D2, one, 1)),
		FMOVQ(At(mac, 0), x),
		VEOR(c.last(), x, x),
	)
	next := func() { f.Add(VREV64(B16, counter, y), VADD(D2, one, counter, counter)) }
	end := func() {
		f.Add(
			VEOR(c.last(), x, x),
			FMOVQ(x, At(mac, 0)),
			VREV64(B16, counter, counter),
			FMOVQ(counter, At(at, 0)),
			RET(),
		)
	}
	if open {
		f.Banner = `The MAC waits for the plaintext. Beside its rounds are those of the next block's keystream, so that
neither waits for the other.`
	} else {
		f.Banner = `The rounds of the keystream fill the gaps between those of the MAC.`
	}
	both := f.New(Vector, "both")
	c.byRounds(func(name string, keys []asm.Reg) {
		macKeys := append([]asm.Reg{p}, keys[1:]...)
		if !open {
			f.Add(VEOR(c.last(), keys[0], both))
			f.Label(name + "_block")
			next()
			f.Add(VLD1(B16, Post(src, 16), p), VEOR(both, p, p))
			f.Add(asm.Weave(chain(keys, y), chain(macKeys, x))...)
			f.Add(
				VEOR(p, y, y), // the plaintext plus the first and the last round key
				VEOR(keys[0], y, y),
				VST1(B16, y, Post(dst, 16)),
				SUBS(16, n, n),
				BNE(name+"_block"),
			)
			end()
			return
		}
		next()
		f.Add(chain(keys, y)...)
		f.Add(SUBS(16, n, n), BEQ(name+"_last"))
		block := func() {
			f.Add(
				VLD1(B16, Post(src, 16), p),
				VEOR(y, p, p),
				VEOR(c.last(), p, y),
				VEOR(keys[0], p, p), // the plaintext plus the first and the last round key
				VST1(B16, y, Post(dst, 16)),
			)
		}
		f.Label(name + "_block")
		block()
		next()
		f.Add(asm.Weave(chain(keys, y), chain(macKeys, x))...)
		f.Add(SUBS(16, n, n), BNE(name+"_block"))
		f.Label(name + "_last")
		block()
		f.Add(chain(macKeys, x)...)
		end()
	})
}

// cbcShared is cbcLanes for messages with the same key.
func cbcShared(file *asm.File, width int) {
	f := file.Func(fmt.Sprintf("cbcEncryptShared%dCE", width), "(lanes *Lane, blocks int)")
	f.Doc = fmt.Sprintf(`%s encrypts blocks > 0 blocks of each of %d lanes. All lanes have the same keys, and either all have a
Dst or none has.`, f.Name, width)
	f.Banner = `The round keys are in registers, and so are the pointers of all lanes.`
	f.Secret, f.Public = "lanes", "lanes.Keys.Rounds"
	lanes, blocks := f.Arg("lanes"), f.Arg("blocks")
	p := f.New(Integer, "p")
	f.Add(MOVD(At(lanes, laneKeys), p))
	c := newCipher(f, p, encryption, true)
	src, dst := f.Several(Integer, "src", width), f.Several(Integer, "dst", width)
	x, y := f.Several(Vector, "x", width), f.Several(Vector, "y", 2)
	iv := f.New(Integer, "iv")
	for i := range width {
		f.Add(
			MOVD(At(lanes, laneSize*i+laneIV), iv),
			FMOVQ(At(iv, 0), x[i]),
			LDP(At(lanes, laneSize*i+laneDst), dst[i], src[i]),
		)
	}
	loop := func(label string, store bool) {
		f.Label(label)
		for i := range width {
			f.Add(VLD1(B16, Post(src[i], 16), y[i%2]), VEOR(y[i%2], x[i], x[i]))
		}
		c.Process(x)
		for i := range width {
			f.Add(VEOR(c.last(), x[i], x[i]))
			if store {
				f.Add(VST1(B16, x[i], Post(dst[i], 16)))
			}
		}
		f.Add(SUBS(1, blocks, blocks), BNE(label))
	}
	f.Add(CBZ(dst[0], "mac"))
	loop("block", true)
	f.Add(B("end"))
	loop("mac", false)
	f.Label("end")
	for i := range width {
		f.Add(MOVD(At(lanes, laneSize*i+laneIV), iv), FMOVQ(x[i], At(iv, 0)))
	}
	f.Add(RET())
}
