package prove

import (
	"slices"
	"strings"

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
		"ecb.keyed":        ecbKeyed,
		"counters.ranges":  countersRanges,
		"ecb.decrypt":      func(p *proof) { ecb(p, true) },
		"cbc.encrypt":      cbcEncrypt,
		"cbc.decrypt":      cbcDecrypt,
		"cbc.mac":          cbcMAC,
		"cfb.encrypt":      cfbEncrypt,
		"cfb.decrypt":      cfbDecrypt,
		"ctr":              ctr,
		"ctr.blocks":       ctrBlocks,
		"bytes.affine":     bytesAffine,
		"xts.encrypt":      func(p *proof) { xts(p, false) },
		"xts.decrypt":      func(p *proof) { xts(p, true) },
		"ccm.seal":         func(p *proof) { ccm(p, false) },
		"ccm.open":         func(p *proof) { ccm(p, true) },
		"cbc.encrypt.many": cbcEncryptMany,
		"cbc.lanes":        cbcLanes,
		"lanes.keys":       lanesKeys,
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
		"field.multiply":   fieldMultiply,
		"field.squares":    fieldSquares,
		"points.double":    pointsDouble,
		"points.add":       pointsAdd,
		"points.get":       pointsGet,
		"points.base":      pointsBase,
		"points.rows":      pointsBasePoints,
		"points.products":  pointsProducts,
		"points.pairs":     pointsPairs,
		"frodo.pairs":      frodoMakePairs,
		"frodo.rows":       frodoRows,
		"frodo.dots":       frodoDots,
		"frodo.sb":         frodoSB,
		"frodo.sa":         frodoSA,
		"frodo.as":         frodoAS,
		"frodo.prepare":    frodoPrepare,
		"frodo.two":        frodoTwo,
		"frodo.transpose":  frodoTranspose,
		"frodo.planes":     frodoPlanesOf,
		"frodo.generate":   frodoGenerate,
		"frodo.cipher":     frodoCipher,
		"frodo.sample":     frodoSample,
		"frodo.columns":    frodoColumns,
		"frodo.pack":       frodoPack,
		"frodo.unpack":     frodoUnpack,
		"frodo.swap":       frodoSwap,
		"frodo.add":        frodoAdd,
		"frodo.difference": frodoDifference,
	} {
		contracts[name] = f
	}
}

// aboutIntegers are the contracts whose kernels are executed on integers.
var aboutIntegers = map[string]bool{
	"field.multiply": true, "field.squares": true, "points.double": true, "points.add": true, "points.base": true,
	"points.rows": true, "points.products": true, "points.pairs": true,
}

// aboutProducts are those whose kernels are executed on polynomials modulo 2^16.
var aboutProducts = map[string]bool{
	"frodo.pairs": true, "frodo.columns": true, "frodo.rows": true, "frodo.dots": true, "frodo.sb": true, "frodo.sa": true,
	"frodo.as": true, "frodo.sample": true, "frodo.difference": true,
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

// lanes returns unknown 16-byte blocks, each in a lane, which it puts into memory.
func (p *proof) lanes(o *machine.Object, n int) (list []word) {
	p.unusedLanes(n)
	for at := 0; at < n; at += 16 {
		list = append(list, p.inLane(at/16, o.Name, o, at, min(16, n-at)))
	}
	return list
}

// unusedLanes makes lanes of what vectors have before the kernel runs: kernels for up to 64 blocks compute with
// that where there are less. Where they have computed something else before they load the last blocks, with a mask, they are
// lanes again.
func (p *proof) unusedLanes(n int) {
	name := p.one.Kernel.Name
	if !strings.HasSuffix(name, "GFNI512") {
		return
	}
	unused := func(i int) (list []word) {
		for j := range 4 {
			list = append(list, p.Lane(1+4*i+j, "unused", 128))
		}
		return list
	}
	for i := range p.machine.V {
		p.machine.V[i] = machine.Join(unused(i)...)
	}
	if !strings.HasSuffix(name, "128GFNI512") && name != "keyedBlocksGFNI512" {
		return
	}
	p.before = func() error {
		in := &p.machine.Function.Code[p.machine.PC]
		if !strings.HasPrefix(in.Op, "VMOVDQU8") || in.Args[0].Kind != machine.KindMem {
			return nil
		}
		for i := in.Args[len(in.Args)-1].Reg + 1; i < 16; i++ {
			list := unused(i)
			for j := range list {
				if at := (n-1)/1024*64 + 4*i + j; at < len(p.added) {
					list[j] = p.Xor(list[j], p.added[at]) // which is any value, too
				}
			}
			p.machine.V[i] = machine.Join(list...)
		}
		return nil
	}
}

// blocks returns the 16-byte blocks in memory. The last may be shorter.
func (p *proof) blocks(o *machine.Object, n int) (list []word) {
	for at := 0; at < n; at += 16 {
		list = append(list, p.read(o, at, min(16, n-at)))
	}
	return list
}
