package sm4

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// Lengths are one block more than one pass where an operation makes passes.
func TestOperations(t *testing.T) {
	const long = maxPass + BlockSize
	iv := func() *[BlockSize]byte { return new([BlockSize]byte) }
	on := func(n int, f func(row uint8, k *keys, dst, src []byte)) func(row uint8) {
		return func(row uint8) {
			k := new(keys)
			if row != wiped {
				k.expand(drivers.Uniform(row), new([KeySize]byte))
				k.widen(row)
			}
			f(row, k, make([]byte, n), make([]byte, n))
		}
	}
	message := func(row uint8, n int) *ghash.Message {
		m := &ghash.Message{Hash: new(ghash.Key)}
		m.Hash.Init(iv(), traitOf(row).ghash)
		m.Begin(make([]byte, 12), n, nil)
		return m
	}
	conformance.Operations{
		"encryptBlocks": on(long, encryptBlocks),
		"decryptBlocks": on(long, decryptBlocks),
		"cbcEncrypt":    on(long, func(row uint8, k *keys, dst, src []byte) { cbcEncrypt(row, k, iv(), dst, src) }),
		"cbcDecrypt":    on(long, func(row uint8, k *keys, dst, src []byte) { cbcDecrypt(row, k, iv(), dst, src) }),
		"cfbEncrypt":    on(long, func(row uint8, k *keys, dst, src []byte) { cfbEncrypt(row, k, iv(), dst, src) }),
		"cfbDecrypt":    on(long, func(row uint8, k *keys, dst, src []byte) { cfbDecrypt(row, k, iv(), dst, src) }),
		"cbcMAC":        on(long, func(row uint8, k *keys, _, src []byte) { cbcMAC(row, k, iv(), src) }),
		"ccm": on(long, func(row uint8, k *keys, dst, src []byte) {
			ccm(row, k, iv(), iv(), dst, src, false)
			ccm(row, k, iv(), iv(), dst, src, true)
		}),
		"ctr": on(long, func(row uint8, k *keys, dst, src []byte) { ctrXOR(row, k, iv(), dst, src, nil) }),
		"xts": on(long, func(row uint8, k *keys, dst, src []byte) {
			xts(row, k, iv(), dst, src, ieeeTweaks, false)
			xts(row, k, iv(), dst, src, ieeeTweaks, true)
		}),
		"xtsUnit": on(BlockSize, func(row uint8, k *keys, dst, src []byte) {
			xtsUnit(row, k, k, iv(), dst, src, false, false)
			xtsUnit(row, k, k, iv(), dst, src, false, true)
		}),
		"counters": on(modes.CounterBatch, func(row uint8, k *keys, dst, src []byte) {
			counters(row, k, make([][BlockSize]byte, 1), 0, 0, dst, src)
		}),
		"keyedBlocks": on(BlockSize, func(row uint8, _ *keys, dst, src []byte) {
			keyedBlocks(row, dst, src, make([]byte, KeySize), false)
			keyedBlocks(row, dst, src, make([]byte, KeySize), true)
		}),
		"ctr32, seal": on(long, func(row uint8, k *keys, dst, src []byte) { seal(row, k, message(row, long), dst, src) }),
		"open":        on(long, func(row uint8, k *keys, dst, src []byte) { open(row, k, message(row, long), dst, src) }),
		"worthLanes, encryptLanes": func(row uint8) {
			c := &Cipher{plan: drivers.Uniform(row)}
			if row != wiped {
				c.keys.expand(c.plan, new([KeySize]byte))
			}
			list := make([]CBCMessage, 9)
			for i := range list {
				list[i] = CBCMessage{Cipher: c, IV: iv()[:], Dst: make([]byte, 20*BlockSize), Src: make([]byte, 20*BlockSize)}
			}
			EncryptCBCMany(list)
		},
	}.Test(t, table.Drivers())
}
