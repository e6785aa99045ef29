package prove

import (
	"slices"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// contracts are what directives name.
var contracts = map[string]func(p *proof){}

func init() {
	for name, f := range map[string]func(p *proof){
		"sm3.compress":     sm3Compress,
		"sm3.lanes":        sm3Lanes,
		"keccak.sponge":    keccakSponge,
		"keccak.permute":   keccakPermute,
		"keccak.absorb":    func(p *proof) { keccakWide(p, false) },
		"keccak.squeeze":   func(p *proof) { keccakWide(p, true) },
		"ghash.init":       ghashInit,
		"ghash.update":     ghashUpdate,
		"aes.expand":       aesExpand,
		"aes.ssse3":        aesExpandSSSE3,
		"sm4.expand":       sm4Expand,
		"sm4.affine":       sm4Affine,
		"sm4.forms":        sm4Forms,
		"aes.affine":       aesAffine,
		"ecb.encrypt":      func(p *proof) { ecb(p, false) },
		"ecb.decrypt":      func(p *proof) { ecb(p, true) },
		"cbc.encrypt":      cbcEncrypt,
		"cbc.decrypt":      cbcDecrypt,
		"cbc.mac":          cbcMAC,
		"cfb.encrypt":      cfbEncrypt,
		"cfb.decrypt":      cfbDecrypt,
		"ctr":              ctr,
		"xts.encrypt":      func(p *proof) { xts(p, false) },
		"xts.decrypt":      func(p *proof) { xts(p, true) },
		"ccm.seal":         func(p *proof) { ccm(p, false) },
		"ccm.open":         func(p *proof) { ccm(p, true) },
		"cbc.encrypt.many": cbcEncryptMany,
		"ecb.xor":          ecbXor,
		"xts.tweaks":       xtsTweaks,
		"xts.transposed":   xtsTransposed,
		"counters":         counters,
		"aes.planes":       aesPlanesExpand,
		"sm3.iterate":      sm3Iterate,
		"sm3.digests":      sm3Digests,
		"sm3.kdf":          sm3KDF,
		"gcm.seal":         func(p *proof) { gcm(p, false) },
		"gcm.open":         func(p *proof) { gcm(p, true) },
		"gcm.packet.seal":  func(p *proof) { packet(p, false) },
		"gcm.packet.open":  func(p *proof) { packet(p, true) },
	} {
		contracts[name] = f
	}
}

// length returns the number of bytes of data. Its unit is the name of the argument:
//
//	n       bytes
//	blocks  of 16 bytes; kernels with another number of arguments have it in their name
//	groups  of 16 blocks
//	passes  of 32 blocks
func (p *proof) length() int {
	for name, unit := range map[string]int{"n": 1, "blocks": 16, "groups": 256, "passes": 512} {
		if p.has(name) {
			n := p.int(name)
			if slices.Contains(p.one.Kernel.arguments, name) {
				p.number(name, n)
			}
			return n * unit
		}
	}
	failed("the directive has no length")
	return 0
}

// data returns dst and src, of n bytes each. They are memory of their own, and a kernel must not read a
// byte of src after it has written that of dst: so a proof is also one for dst = src. It is more than
// one with the same memory, where a kernel might use one pointer instead of the other.
func (p *proof) data(n int) (dst, src *machine.Object) {
	dst, src = p.memory("dst", n), p.memory("src", n)
	src.Overlap = dst
	return dst, src
}

// blocks returns the 16-byte blocks in memory. The last may be shorter.
func (p *proof) blocks(o *machine.Object, n int) (list []word) {
	for at := 0; at < n; at += 16 {
		list = append(list, p.read(o, at, min(16, n-at)))
	}
	return list
}
