package prove

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cipherlane/cipherlane/internal/machine"
	"github.com/cipherlane/cipherlane/internal/prove/spec"
)

// This file has the representations of keys, and the contracts of kernels that make them.

// A cipher is a block cipher with keys in a kernel's representation.
type cipher struct{ encrypt, decrypt func(block word) word }

// direction is the function that a kernel with the argument step computes, or that one that is
// named.
func (p *proof) direction(c cipher, decrypt bool) func(word) word {
	if p.has("step") {
		step := p.int("step")
		p.number("step", step)
		decrypt = step < 0
	}
	if decrypt {
		return c.decrypt
	}
	return c.encrypt
}

// cipher makes round keys behind the argument name. The key keys says how they are represented.
func (p *proof) cipher(name string) cipher {
	switch keys := p.text("keys"); keys {
	case "aes":
		return p.aesKeys(name)
	case "aes-ssse3":
		return p.aesKeysSSSE3(name)
	case "aes-neon":
		return p.aesKeysNEON(name)
	case "aes-zvkned", "aes-zkn":
		return p.aesKeysRISCV(name, keys)
	case "aes-rvv":
		return p.aesKeysRVV(name)
	case "aes-zbb":
		return p.aesKeysZbb(name)
	case "aes-bitslice":
		return p.aesKeysBitslice(name)
	case "sm4":
		return p.sm4Keys(name)
	case "sm4-rounds", "sm4-rounds-back":
		return p.sm4Order(keys, p.read(p.memory(name, 128), 0, 128).Lanes(32))
	case "sm4-reversed", "sm4-reversed-back": // with the bytes of words reversed
		return p.sm4Order(keys, spec.Reverse(p.read(p.memory(name, 128), 0, 128), 32).Lanes(32))
	case "sm4-aes":
		return p.sm4KeysAES(name)
	case "sm4-keys", "sm4-keys-words", "sm4-keys-bytes":
		return p.sm4KeysX86(name, keys)
	case "sm4-rvv":
		return p.sm4KeysRVV(name)
	case "sm4-zbb":
		return p.sm4KeysZbb()
	case "sm4-words", "sm4-neon", "sm4-planes":
		return p.sm4KeysOther(name, keys)
	default:
		failed("there are no keys %s", keys)
		return cipher{}
	}
}

// An aesLayout has the offsets in aescore's Keys of an architecture. On arm64, KeysBitslice have their
// planes behind these.
type aesLayout struct{ enc, dec, rounds, size int }

var aesLayouts = map[string]aesLayout{
	"amd64": {enc: 0, dec: 240, rounds: 480, size: 488},
	"arm64": {enc: 64, dec: 304, rounds: 0, size: 544},
}

// aesRounds makes the memory of keys, with more bytes behind them.
func (p *proof) aesRounds(name string, more int) (k *machine.Object, l aesLayout, rounds int) {
	l, rounds = aesLayouts[p.machine.Arch.Name], p.int("rounds")
	k = p.memory(name, l.size+more)
	p.set(k, l.rounds, machine.Constant(uint64(rounds), 64))
	return k, l, rounds
}

// aesKeys are any round keys of CIPHER in the order of use, and those of EQINVCIPHER that belong
// to them: the unknowns are what KEYEXPANSIONEIC makes, from which MixColumns makes the others.
func (p *proof) aesKeys(name string) cipher {
	k, l, rounds := p.aesRounds(name, 0)
	var w []word
	for r := range rounds + 1 {
		dw := p.unknown("key", 128)
		p.set(k, l.dec+16*(rounds-r), dw)
		if r > 0 && r < rounds {
			dw = p.MixColumns(dw)
		}
		w = append(w, dw)
	}
	var enc cipher
	enc.decrypt = func(b word) word { return p.AESInvCipher(b, w) }
	// Encryption has unknowns of its own, whose forms are shorter.
	var own []word
	for r := range rounds + 1 {
		own = append(own, p.read(k, l.enc+16*r, 16))
	}
	enc.encrypt = func(b word) word { return p.AESCipher(b, own) }
	return enc
}

// These are the sizes of KeysZvkned and KeysZkn of aescore without Rounds. The second has round keys for decryption behind those
// for encryption.
const (
	aesZvknedSize = 240
	aesZknSize    = 480
)

// aesPlace is where round key r is among those of these: the last ten are at the end, and others in front of them.
func aesPlace(rounds, r int) int {
	if r == 0 {
		return 0
	}
	return 16 * (14 - rounds + r)
}

// aesKeysRISCV are any round keys, as in aesKeys.
func (p *proof) aesKeysRISCV(name, keys string) cipher {
	rounds, size := p.int("rounds"), aesZvknedSize
	if keys == "aes-zkn" {
		size = aesZknSize
	}
	k := p.memory(name, size+8)
	p.set(k, size, machine.Constant(uint64(rounds), 64))
	var own, w []word
	for r := range rounds + 1 {
		own = append(own, p.read(k, aesPlace(rounds, r), 16))
		if size == aesZknSize {
			dw := p.read(k, 240+aesPlace(rounds, r), 16)
			if r > 0 && r < rounds {
				dw = p.MixColumns(dw)
			}
			w = append(w, dw)
		}
	}
	enc, dec := p.aes(own), p.aes(w)
	if size == aesZvknedSize {
		return enc
	}
	return cipher{enc.encrypt, dec.decrypt}
}

// aesKeysZbb are any round keys as planes: 16 times a bit of each column, in words of a row and a bit. Portable code makes them, and adds the constant of
// the S-box to all but the first round key. state is the kernel's.
func (p *proof) aesKeysZbb(name string) cipher {
	const size = 15 * 256
	rounds := p.int("rounds")
	k := p.memory(name, size+8)
	p.set(k, size, machine.Constant(uint64(256*rounds), 64))
	p.free[p.memory("state", 320)] = true
	var w []word
	for r := range rounds + 1 {
		w = append(w, p.unknown("rk", 128))
		for i, x := range p.circuitKey(w[r], r).Lanes(8) {
			for b := range x {
				p.set(k, 256*r+64*(i%4)+8*b+2*(i/4), repeated(x[b], 16))
			}
		}
	}
	return p.aes(w)
}

func repeated(b bit, n int) word { return slices.Repeat(word{b}, n) }

// These are offsets in aescore's Keys for vectors of riscv64, and the size. See aesKeysRVV.
const (
	aesRVVRounds = 240
	aesRVVHalf   = 248
	aesRVVLast   = 256
	aesRVVBack   = 272
	aesRVVSize   = aesRVVBack + 22*16
)

// aesKeysRVV are any round keys in the basis that the kernel expandRVV makes, but for the last one, which is also there in
// this basis; and any ones of EQINVCIPHER in that of expandBackRVV, but for the last one.
func (p *proof) aesKeysRVV(name string) cipher {
	rounds := p.int("rounds")
	n := 16 * rounds
	k := p.memory(name, aesRVVSize)
	p.set(k, aesRVVRounds, machine.Constant(uint64(rounds), 64))
	p.set(k, aesRVVHalf, machine.Constant(uint64(p.int("halved")), 8))
	words, back := p.object("words", n+16), p.object("back words", n+16)
	var own, w []word
	for r := range rounds + 1 {
		own, w = append(own, p.unknown("rk", 128)), append(w, p.unknown("dk", 128))
		p.set(words, 16*r, p.circuitKey(own[r], r))
		p.set(back, 16*(rounds-r), p.circuitKey(w[r], r))
		if r > 0 && r < rounds {
			w[r] = p.MixColumns(w[r])
		}
	}
	expand := func(kernel string, at, bytes int, from *machine.Object) {
		p.run(kernel, map[string]machine.Value{
			"dst": machine.Address(k, int64(at)), "src": machine.Address(from, 0), "n": machine.Number(uint64(bytes), 64),
		})
	}
	expand("expandRVV", 0, n+16, words)
	p.set(k, aesRVVLast, p.read(k, n, 16))
	p.set(k, n, p.read(words, n, 16))
	expand("expandBackRVV", aesRVVBack, n, back)
	p.set(k, aesRVVBack+n, p.read(back, n, 16))
	enc, dec := p.aes(own), p.aes(w)
	return cipher{enc.encrypt, dec.decrypt}
}

// circuitKey is a round key with the constant of the S-box, which portable code adds to all but the first.
func (p *proof) circuitKey(w word, r int) word {
	if r == 0 {
		return w
	}
	return p.Xor(w, spec.Bytes(bytes.Repeat([]byte{0x63}, 16)...))
}

// aesKeysNEON are made by the kernel expandNEON from a key.
func (p *proof) aesKeysNEON(name string) cipher {
	k, l, rounds := p.aesRounds(name, 0)
	key := p.object("key", 4*(rounds-6))
	w := p.AESKeyExpansion(p.read(key, 0, 4*(rounds-6)))
	p.run("expandNEON", map[string]machine.Value{
		"enc": machine.Address(k, int64(l.enc)), "dec": machine.Address(k, int64(l.dec)),
		"key": machine.Address(key, 0), "rounds": machine.Number(uint64(rounds), 64),
	})
	return p.aes(w)
}

// aesKeysSSSE3 are made by the kernel ExpandSSSE3 from a key.
func (p *proof) aesKeysSSSE3(name string) cipher {
	k, _, rounds := p.aesRounds(name, 0)
	n := 4 * (rounds - 6)
	key := p.object("key", n)
	w := p.AESKeyExpansion(p.read(key, 0, n))
	p.run("ExpandSSSE3", map[string]machine.Value{
		"k": machine.Address(k, 0), "key_base": machine.Address(key, 0), "key_len": machine.Number(uint64(n), 64),
	})
	return p.aes(w)
}

func (p *proof) aes(w []word) cipher {
	return cipher{
		func(b word) word { return p.AESCipher(b, w) },
		func(b word) word { return p.AESInvCipher(b, w) },
	}
}

// aesKeysBitslice are made by the kernel expandBitslice from any round keys.
func (p *proof) aesKeysBitslice(name string) cipher {
	k, l, rounds := p.aesRounds(name, 15*128)
	words := p.object("words", 16*(rounds+1))
	p.run("expandBitslice", map[string]machine.Value{
		"planes": machine.Address(k, int64(l.size)), "keys": machine.Address(words, 0),
		"rounds": machine.Number(uint64(rounds), 64),
	})
	return p.aes(p.blocks(words, 16*(rounds+1)))
}

// sm4 is SM4 with round keys for encryption.
func (p *proof) sm4(rk []word) cipher {
	back := slices.Clone(rk)
	slices.Reverse(back)
	return cipher{
		func(b word) word { return p.SM4Cipher(b, rk) },
		func(b word) word { return p.SM4Cipher(b, back) },
	}
}

// sm4Order is SM4 with round keys in the order of use: for decryption, if their name says so.
func (p *proof) sm4Order(keys string, rk []word) cipher {
	if strings.HasSuffix(keys, "-back") {
		slices.Reverse(rk)
	}
	return p.sm4(rk)
}

// sm4Keys are any round keys in the order of use for both directions.
func (p *proof) sm4Keys(name string) cipher {
	k := p.memory(name, 256)
	rk := p.read(k, 0, 128).Lanes(32)
	for i := range rk {
		p.set(k, 128+4*(31-i), rk[i])
	}
	return p.sm4(rk)
}

// sm4KeysAES are any round keys in the representation that the kernel expandAES makes: each byte is an affine
// function of one of the same word. Which it is, is found in an expansion of an unknown key, where it
// must hold for all round keys.
func (p *proof) sm4KeysAES(name string) cipher {
	p.changesOf("expandAES", 128)
	k := p.memory(name, 128)
	rk := p.unknown("rk", 32*32)
	for i := range 128 {
		p.set(k, i, p.changed(rk.Lanes(8), i))
	}
	return p.sm4(rk.Lanes(32))
}

// These are the offset of Bytes in sm4's Keys on amd64, and the size.
const (
	sm4KeysBytes = 128
	sm4KeysSize  = sm4KeysBytes + 512
)

// sm4KeysX86 are any round keys in the representation that a kernel of the family makes: as in sm4KeysAES,
// and Bytes has each byte four times. The argument is all of them, or the address of the first of Words or
// Bytes; of the last one for decryption.
func (p *proof) sm4KeysX86(name, keys string) cipher {
	if strings.HasSuffix(p.one.Kernel.Name, "SM4NIAVX2") {
		// Words are the round keys, and the first words of Bytes are these in the other order.
		rk := p.unknown("rk", 32*32).Lanes(32)
		k := p.memory(name, sm4KeysSize)
		for i := range rk {
			p.set(k, 4*i, rk[i])
			p.set(k, sm4KeysBytes+4*i, rk[31-i])
		}
		return p.sm4(rk)
	}
	if slices.Contains(p.one.Kernel.arguments, "key") {
		name = "key"
	}
	rk := p.unknown("rk", 32*32)
	k := p.sm4KeysChanged(rk)
	last := int64(0)
	if p.has("step") && p.int("step") < 0 || strings.HasPrefix(p.one.Kernel.Name, "cbcDecrypt") {
		last = 31
	}
	at := map[string]int64{"sm4-keys": 0, "sm4-keys-words": 4 * last, "sm4-keys-bytes": sm4KeysBytes + 16*last}[keys]
	p.argument(name, machine.Address(k, at))
	return p.sm4(rk.Lanes(32))
}

// sm4KeysChanged makes memory of round keys as the kernel of the family that expands keys does.
func (p *proof) sm4KeysChanged(rk word) *machine.Object {
	expand := "ExpandGFNI512"
	for _, family := range []string{"GFNIAVX2", "AESNIAVX2"} {
		if strings.HasSuffix(p.one.Kernel.Name, family) {
			expand = "expand" + family
		}
	}
	p.changesOf(expand, sm4KeysSize)
	k := p.object("k", sm4KeysSize)
	for i := range 128 {
		x := p.changed(rk.Lanes(8), i)
		p.set(k, i, x)
		p.set(k, sm4KeysBytes+4*i, machine.Join(x, x, x, x))
	}
	return k
}

// changesFound has what changesOf has found, by kernels: it has no forms in it.
var changesFound sync.Map

// changesOf finds what a kernel changes that expands keys. Of known keys, it would find too much.
func (p *proof) changesOf(expand string, size int) {
	if found, ok := changesFound.Load(p.one.Kernel.siblings[expand]); ok {
		p.changes = found.([]affineMap)
		return
	}
	k, key := p.object("expanded", size), p.object("key", 16)
	from := machine.Join(p.SM4KeyExpansion(p.read(key, 0, 16))...).Lanes(8)
	p.run(expand, map[string]machine.Value{"k": machine.Address(k, 0), "key": machine.Address(key, 0)})
	p.findChanges(from, p.read(k, 0, 128).Lanes(8))
	if !p.Known {
		changesFound.Store(p.one.Kernel.siblings[expand], p.changes)
	}
}

// findChanges finds the affine functions that make bytes of expanded keys of those of round keys: four, for the
// places in a word.
func (p *proof) findChanges(from, to []word) {
	for i := range 4 {
		for j := range 4 {
			if m, ok := p.affine(from[j], to[i]); ok {
				m.byte = j
				p.changes = append(p.changes, m)
			}
		}
	}
	if len(p.changes) != 4 {
		failed("keys are no affine function of standard ones")
	}
	for i := range to {
		if err := p.same(fmt.Sprintf("byte %d of expanded keys", i), to[i], p.changed(from, i)); err != nil {
			panic(machine.Unsupported(err.Error()))
		}
	}
}

// sm4Affine makes round keys of which each byte is an affine function of one of a standard one, the same for
// all round keys.
func sm4Affine(p *proof) {
	size := 128
	if p.machine.Arch.Name == "amd64" {
		size = sm4KeysSize
	}
	k, key := p.memory("k", size), p.memory("key", 16)
	from := machine.Join(p.SM4KeyExpansion(p.read(key, 0, 16))...).Lanes(8)
	p.final = func() {
		p.findChanges(from, p.read(k, 0, 128).Lanes(8))
		for i := range from {
			x := p.changed(from, i)
			p.want(k, i, x)
			if size == sm4KeysSize {
				p.want(k, sm4KeysBytes+4*i, machine.Join(x, x, x, x))
			}
		}
	}
	p.wanted = append(p.wanted, wanted{object: k})
}

// An affineMap makes each bit of a byte a sum of bits of another one, and of a constant.
type affineMap struct {
	byte      int // of the word
	masks     [8]uint8
	constants [8]bit
}

// changed returns byte i of expanded keys, from those of round keys.
func (p *proof) changed(from []word, i int) word {
	m := &p.changes[i%4]
	return p.map8(m, from[i&^3+m.byte])
}

// map8 returns what a map makes of a byte.
func (p *proof) map8(m *affineMap, w word) word {
	out := make(word, 8)
	for b := range out {
		out[b] = p.parity(w, m.masks[b]) ^ m.constants[b]
	}
	return out
}

func (p *proof) parity(w word, mask uint8) bit {
	var list []bit
	for i, b := range w {
		if mask>>i&1 != 0 {
			list = append(list, b)
		}
	}
	return p.Parity(list...)
}

// affine finds the map from a byte to another one, if there is one.
func (p *proof) affine(from, to word) (m affineMap, ok bool) {
next:
	for i, b := range to {
		for mask := range 256 {
			values := p.Values(b)
			for j, x := range from {
				values ^= p.Values(x) & -uint64(mask>>j&1)
			}
			if values+1 > 1 {
				continue // neither always 0 nor always 1
			}
			if c := p.Engine.Xor(p.parity(from, uint8(mask)), b); c <= machine.One {
				m.masks[i], m.constants[i] = uint8(mask), c
				continue next
			}
		}
		return m, false
	}
	return m, true
}

// invertible reports whether a map is that: whether the sum of no masks is 0.
func (m *affineMap) invertible() bool {
	for list := 1; list < 256; list++ {
		sum := uint8(0)
		for i, mask := range m.masks {
			sum ^= mask & -uint8(list>>i&1)
		}
		if sum == 0 {
			return false
		}
	}
	return true
}

// invertibleMap finds an invertible map from one of some bytes.
func (p *proof) invertibleMap(from []word, to word) affineMap {
	for j := range from {
		if m, ok := p.affine(from[j], to); ok && m.invertible() {
			m.byte = j
			return m
		}
	}
	failed("a byte is no invertible affine function of one of the standard key")
	return affineMap{}
}

// aesAffine is the key expansion for both directions. Each byte of a round key is an invertible affine function
// of one of the standard key, another for each byte; and the functions are the same for all rounds but the
// first and the last.
func aesAffine(p *proof) {
	rounds := p.int("rounds")
	p.number("rounds", rounds)
	n := 4 * (rounds - 6)
	enc, dec, key := p.memory("enc", 240), p.memory("dec", 240), p.memory("key", n)
	w := p.AESKeyExpansion(p.read(key, 0, n))
	dw := p.AESKeyExpansionEIC(w)
	slices.Reverse(dw)
	p.final = func() {
		for o, keys := range map[*machine.Object][]word{enc: w, dec: dw} {
			var maps []affineMap
			for r, key := range keys {
				from := key.Lanes(8)
				if r < 2 || r == rounds {
					maps = nil
					places := map[int]bool{}
					for i := range 16 {
						maps = append(maps, p.invertibleMap(from, p.read(o, 16*r+i, 1)))
						places[maps[i].byte] = true
					}
					if len(places) != 16 {
						failed("two bytes are functions of the same one")
					}
				}
				for i := range maps {
					p.want(o, 16*r+i, p.map8(&maps[i], from[maps[i].byte]))
				}
			}
		}
	}
	p.wanted = append(p.wanted, wanted{object: enc}, wanted{object: dec})
}

// sm4Forms makes two forms of round keys as sm4's portable code has them. Of k, each byte is an affine function of
// one of the same word; for all words it differs only in its constant. In p, each byte of planes is a bit of
// the round key: see planes.
func sm4Forms(p *proof) {
	planes, k, words := p.memory("p", 4096), p.memory("k", 128), p.memory("words", 128)
	rk := p.read(words, 0, 128).Lanes(32)
	for i, w := range rk {
		for b := range 8 {
			for l := range 16 {
				plane := make(word, 8)
				for j := range plane {
					plane[j] = w[8*(3-l/4)+b]
				}
				p.want(planes, 128*i+16*b+l, plane)
			}
		}
	}
	p.final = func() {
		var first [4]affineMap
		for i := range 128 {
			from, to := rk[i/4].Lanes(8), p.read(k, i, 1)
			m := p.invertibleMap(from, to)
			if i < 4 {
				first[i] = m
			}
			if m.masks != first[i%4].masks || m.byte != first[i%4].byte {
				failed("byte %d of k is another function than that of the first word", i)
			}
			p.want(k, i, p.map8(&m, from[m.byte]))
		}
	}
	p.wanted = append(p.wanted, wanted{object: k})
}

// sm4KeysOther are
//
//	sm4-words   any round keys as sm4's portable code has them, in the order of use
//	sm4-neon    made by the kernel expandNeon from these, for look-ups
//	sm4-planes  made by the same for planes
func (p *proof) sm4KeysOther(name, keys string) cipher {
	var rk []word
	all := machine.Join()
	for i := range 32 {
		rk = append(rk, p.unknown("rk", 32))
		all = append(all, p.Xor(rk[i], machine.Constant(circuitConstant(i), 32))...)
	}
	if keys == "sm4-words" {
		p.set(p.memory(name, 128), 0, all)
		return p.sm4(rk)
	}
	words := p.object("words", 128)
	p.set(words, 0, all)
	planes, k := p.object("planes", 4096), p.object("k", 128)
	p.run("expandNeon", map[string]machine.Value{
		"p": machine.Address(planes, 0), "k": machine.Address(k, 0), "words": machine.Address(words, 0),
	})
	if keys == "sm4-planes" {
		k = planes
	}
	p.pointer(name, k)
	return p.sm4(rk)
}

// sm4KeysZbb are any round keys as planes of bits, 16 times a bit of each byte, the highest byte first. Portable code makes
// them, with the constants that its circuit leaves out. The argument is the first one in the order of use.
func (p *proof) sm4KeysZbb() cipher {
	k, first := p.object("key", 32*64), int64(0)
	if p.has("step") && p.int("step") < 0 {
		first = 31 * 64
	}
	p.argument("key", machine.Address(k, first))
	p.free[p.memory("state", 384)] = true
	var rk []word
	for i := range 32 {
		rk = append(rk, p.unknown("rk", 32))
		w := p.Xor(rk[i], machine.Constant(circuitConstant(i), 32))
		for b := range 8 {
			for j := range 4 {
				p.set(k, 64*i+8*b+2*j, repeated(w[8*(3-j)+b], 16))
			}
		}
	}
	return p.sm4(rk)
}

// sm4KeysRVV are any round keys with the constants that the circuit of portable code leaves out, in the basis that the kernel expandRVV makes.
func (p *proof) sm4KeysRVV(name string) cipher {
	k, words := p.memory(name, 129), p.object("words", 128)
	p.set(k, 128, machine.Constant(uint64(p.int("halved")), 8))
	var rk []word
	for i := range 32 {
		rk = append(rk, p.unknown("rk", 32))
		p.set(words, 4*i, spec.Reverse(p.Xor(rk[i], machine.Constant(circuitConstant(i), 32)), 32))
	}
	p.run("expandRVV", map[string]machine.Value{
		"dst": machine.Address(k, 0), "src": machine.Address(words, 0), "n": machine.Number(128, 64),
	})
	return p.sm4(rk)
}

// bytesAffine makes bytes of which each is the same invertible affine function of one of src.
func bytesAffine(p *proof) {
	n := p.length()
	p.number("n", n)
	dst, src := p.data(n)
	from := p.read(src, 0, n).Lanes(8)
	p.final = func() {
		m := p.invertibleMap(from[:1], p.read(dst, 0, 1))
		for i, x := range from {
			p.want(dst, i, p.map8(&m, x))
		}
	}
	p.wanted = append(p.wanted, wanted{object: dst})
}

// circuitConstant is what the portable code of sm4 adds to round key i, because its circuit leaves
// out a constant after each S-box.
func circuitConstant(i int) uint64 {
	c := uint64(0x75)
	if ((i+1)/4+(i+2)/4+(i+3)/4)&1 != 0 {
		c ^= 0x4f // 0xd3 rotated by 2
	}
	return c * 0x01010101
}

// The modes of operation of NIST SP 800-38A, of whole blocks.

// aesExpand is the key expansion for both directions.
func aesExpand(p *proof) {
	if p.machine.Arch.Name == "riscv64" {
		aesExpandZkn(p)
		return
	}
	var enc, dec *machine.Object
	var l aesLayout // from enc and dec on
	var rounds int
	if slices.Contains(p.one.Kernel.arguments, "k") {
		l, rounds = aesLayouts[p.machine.Arch.Name], p.int("rounds")
		enc = p.memory("k", l.size)
		dec = enc
		p.want(enc, l.rounds, machine.Constant(uint64(rounds), 64))
	} else {
		rounds = p.int("rounds")
		p.number("rounds", rounds)
		enc, dec = p.memory("enc", 240), p.memory("dec", 240)
	}
	n := 4 * (rounds - 6)
	w := p.AESKeyExpansion(p.read(p.memory("key", n), 0, n))
	dw := p.AESKeyExpansionEIC(w)
	for r := range w {
		p.want(enc, l.enc+16*r, w[r])
		p.want(dec, l.dec+16*(rounds-r), dw[r])
	}
}

// aesExpandZkn is aesExpand for keys as aesKeysRISCV has them. The size of the key is in the memory of these.
func aesExpandZkn(p *proof) {
	rounds := p.int("rounds")
	k, n := p.memory("k", aesZknSize+8), 4*(rounds-6)
	p.set(k, aesZknSize, machine.Constant(uint64(rounds), 64))
	w := p.AESKeyExpansion(p.read(p.memory("key", 32), 0, n))
	dw := p.AESKeyExpansionEIC(w)
	for r := range w {
		p.want(k, aesPlace(rounds, r), w[r])
		p.want(k, 240+aesPlace(rounds, r), dw[r])
	}
}

// aesExpandSSSE3 makes keys of both directions in a representation that is the family's own: those
// with which EncryptBlocksSSSE3 and DecryptBlocksSSSE3 compute AES.
func aesExpandSSSE3(p *proof) {
	l, rounds := aesLayouts[p.machine.Arch.Name], p.int("rounds")
	n := 4 * (rounds - 6)
	k, key := p.memory("k", l.size), p.memory("key", n)
	c := p.aes(p.AESKeyExpansion(p.read(key, 0, n)))
	p.want(k, l.rounds, machine.Constant(uint64(rounds), 64))
	p.mayWrite(k, l.enc, 16*(rounds+1))
	p.mayWrite(k, l.dec, 16*(rounds+1))
	src := p.object("src", 16)
	encrypted, decrypted := p.object("encrypted", 16), p.object("decrypted", 16)
	p.want(encrypted, 0, c.encrypt(p.read(src, 0, 16)))
	p.want(decrypted, 0, c.decrypt(p.read(src, 0, 16)))
	use := func(name string, dst *machine.Object) {
		p.run(name, map[string]machine.Value{
			"k": machine.Address(k, 0), "dst_base": machine.Address(dst, 0),
			"src_base": machine.Address(src, 0), "src_len": machine.Number(16, 64),
		})
	}
	p.final = func() {
		use("EncryptBlocksSSSE3", encrypted)
		use("DecryptBlocksSSSE3", decrypted)
	}
}

// aesPlanesExpand makes planes of round keys: bit b of byte i of a round key is all bits of byte i of plane
// b. But for the first round key, the constant 0x63 of the S-box is added.
func aesPlanesExpand(p *proof) {
	rounds := p.int("rounds")
	p.number("rounds", rounds)
	planes, keys := p.memory("planes", 15*128), p.memory("keys", 16*(rounds+1))
	for r, key := range p.blocks(keys, 16*(rounds+1)) {
		for i, x := range key.Lanes(8) {
			if r > 0 {
				x = p.Xor(x, spec.Bytes(0x63))
			}
			for b := range 8 {
				plane := make(word, 8)
				for k := range plane {
					plane[k] = x[b]
				}
				p.want(planes, 128*r+16*b+i, plane)
			}
		}
	}
}

// sm4Expand is the key expansion for both directions. On riscv64, bytes of round keys are reversed.
func sm4Expand(p *proof) {
	size := 256
	if p.machine.Arch.Name == "amd64" {
		size = sm4KeysSize
	}
	k, key := p.memory("k", size), p.memory("key", 16)
	for i, w := range p.SM4KeyExpansion(p.read(key, 0, 16)) {
		if p.machine.Arch.Name == "riscv64" {
			w = spec.Reverse(w, 32)
		}
		p.want(k, 4*i, w)
		p.want(k, 128+4*(31-i), w)
	}
}
