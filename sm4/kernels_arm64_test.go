//go:build !purego

package sm4

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
	"github.com/cipherlane/cipherlane/sm4/internal/arm64"
)

// aesFamily are the kernels of one family. ExpandAES and CBCEncryptAES are for both.
type aesFamily struct {
	encryptBlocks, decryptBlocks func(k *arm64.Keys, dst, src []byte)
	cbcDecrypt                   func(k *arm64.Keys, iv *[BlockSize]byte, dst, src []byte)
	cfbDecrypt                   func(k *arm64.Keys, iv *[BlockSize]byte, dst, src []byte) int
	ctr, ctr32                   func(k *arm64.Keys, ctr *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte)
}

// eachAES runs f for the families that this CPU supports.
func eachAES(t *testing.T, f func(t *testing.T, x aesFamily)) {
	for _, x := range []struct {
		name  string
		needs cpu.Set
		aesFamily
	}{
		{"aes", cpu.AES, aesFamily{arm64.EncryptBlocksAES, arm64.DecryptBlocksAES,
			arm64.CBCDecryptAES, arm64.CFBDecryptAES, arm64.CTRAES, arm64.CTR32AES}},
		{"aes-sha3", cpu.AES | cpu.SHA3, aesFamily{arm64.EncryptBlocksAESSHA3, arm64.DecryptBlocksAESSHA3,
			arm64.CBCDecryptAESSHA3, arm64.CFBDecryptAESSHA3, arm64.CTRAESSHA3, arm64.CTR32AESSHA3}},
	} {
		t.Run(x.name, func(t *testing.T) {
			if missing := x.needs &^ cpu.Features(); missing != 0 {
				t.Skipf("this CPU lacks %v", missing)
			}
			f(t, x.aesFamily)
		})
	}
}

func expandAES(key []byte) *arm64.Keys {
	k := new(arm64.Keys)
	arm64.ExpandAES(k, (*[KeySize]byte)(key))
	return k
}

// TestAESKeys compares what many keys encrypt with the standard.
func TestAESKeys(t *testing.T) {
	eachAES(t, func(t *testing.T, x aesFamily) {
		for n := range 200 {
			key, block := random(KeySize + n)[:KeySize], random(BlockSize + n)[:BlockSize]
			got, want := make([]byte, BlockSize), make([]byte, BlockSize)
			k := expandAES(key)
			specEncrypt((*[KeySize]byte)(key), want, block)
			x.encryptBlocks(k, got, block)
			if d := diff(got, want); d != "" {
				t.Fatalf("key %x: %s", key, d)
			}
			if x.decryptBlocks(k, got, got); !bytes.Equal(got, block) {
				t.Fatalf("key %x: decrypted as %x, want %x", key, got, block)
			}
		}
	})
}

// TestAESKernels compares every number of blocks up to more than four groups, and CTR at
// every carry.
func TestAESKernels(t *testing.T) {
	eachAES(t, func(t *testing.T, x aesFamily) {
		key := random(KeySize)
		k, spec := expandAES(key), NewSpecBlock(key)
		conformance.Kernels{
			Encrypt:    whole(func(dst, src []byte) { x.encryptBlocks(k, dst, src) }),
			Decrypt:    whole(func(dst, src []byte) { x.decryptBlocks(k, dst, src) }),
			CBCEncrypt: chained(func(iv *[BlockSize]byte, dst, src []byte) { arm64.CBCEncryptAES(k, iv, dst, src) }),
			CBCDecrypt: chained(func(iv *[BlockSize]byte, dst, src []byte) { x.cbcDecrypt(k, iv, dst, src) }),
		}.Test(t, spec)
		testCTR(t, func(counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
			x.ctr(k, counter, dst, src, rest)
		}, spec)
	})
}

// whole and chained leave out calls without data, which the kernels do not accept.
func whole(f func(dst, src []byte)) func(dst, src []byte) {
	return func(dst, src []byte) {
		if len(src) > 0 {
			f(dst, src)
		}
	}
}

func chained(f func(iv *[BlockSize]byte, dst, src []byte)) func(iv *[BlockSize]byte, dst, src []byte) {
	return func(iv *[BlockSize]byte, dst, src []byte) {
		if len(src) > 0 {
			f(iv, dst, src)
		}
	}
}

// TestAESGuards compares with the portable driver. Buffers are before and after
// inaccessible memory, separate and in place.
func TestAESGuards(t *testing.T) {
	eachAES(t, func(t *testing.T, x aesFamily) {
		key, iv := random(KeySize), [BlockSize]byte(random(BlockSize))
		binary.BigEndian.PutUint32(iv[12:], 1<<32-30) // CTR carries, and ctr32 does not
		k, portable := expandAES(key), new(genericKeys)
		portable.expand((*[KeySize]byte)(key))
		portable.widen()

		const longest = 66 * BlockSize
		text := random(longest)
		a, b := guard.After(t, longest), guard.After(t, longest)
		c, d := guard.Before(t, longest), guard.Before(t, longest)
		type chain = *[BlockSize]byte
		for name, f := range map[string]struct {
			parts     bool // of blocks are possible
			got, want func(v chain, dst, src []byte)
		}{
			"encryptBlocks": {false, func(_ chain, dst, src []byte) { x.encryptBlocks(k, dst, src) },
				func(_ chain, dst, src []byte) { portable.encryptBlocks(dst, src) }},
			"decryptBlocks": {false, func(_ chain, dst, src []byte) { x.decryptBlocks(k, dst, src) },
				func(_ chain, dst, src []byte) { portable.decryptBlocks(dst, src) }},
			"cbcEncrypt": {false, func(v chain, dst, src []byte) { arm64.CBCEncryptAES(k, v, dst, src) }, portable.cbcEncrypt},
			"cbcDecrypt": {false, func(v chain, dst, src []byte) { x.cbcDecrypt(k, v, dst, src) }, portable.cbcDecrypt},
			"cfbDecrypt": {false, func(v chain, dst, src []byte) {
				if n := x.cfbDecrypt(k, v, dst, src); n != len(src) {
					t.Fatalf("CFB decrypts %d bytes of %d", n, len(src))
				}
			}, func(v chain, dst, src []byte) {
				for i := 0; i < len(src); i += BlockSize {
					portable.encryptBlocks(v[:], v[:])
					next := [BlockSize]byte(src[i:])
					for j := range v {
						dst[i+j] = src[i+j] ^ v[j]
					}
					*v = next
				}
			}},
			"ctr": {true, func(v chain, dst, src []byte) { x.ctr(k, v, dst, src, new([BlockSize]byte)) },
				func(v chain, dst, src []byte) { portable.ctr(v, dst, src, new([BlockSize]byte)) }},
			"ctr32": {true, func(v chain, dst, src []byte) { x.ctr32(k, v, dst, src, new([BlockSize]byte)) },
				func(v chain, dst, src []byte) { portable.ctr32(v, dst, src, new([BlockSize]byte)) }},
		} {
			step := BlockSize
			if f.parts {
				step = 1
			}
			for n := step; n <= longest; n += step {
				want, last := make([]byte, n), iv
				f.want(&last, want, text[:n])
				for _, m := range [][2][]byte{{guard.Tail(a, n), guard.Tail(b, n)}, {c[:n], d[:n]}} {
					dst, src := m[0], m[1]
					copy(src, text)
					for range 2 {
						v := iv
						f.got(&v, dst, src)
						if d := diff(dst, want) + diff(v[:], last[:]); d != "" {
							t.Fatalf("%s of %d bytes: %s", name, n, d)
						}
						if &dst[0] != &src[0] && !bytes.Equal(src, text[:n]) {
							t.Fatalf("%s of %d bytes changes the source", name, n)
						}
						dst = src // in place
					}
				}
			}
		}
	})
}

// TestAESLeavesNothing runs everything with two keys and otherwise equal arguments: the
// stack must be the same afterwards. The lengths of CFB need not be whole blocks.
func TestAESLeavesNothing(t *testing.T) {
	eachAES(t, func(t *testing.T, x aesFamily) {
		k, key, one, two, rest := new(arm64.Keys), new([KeySize]byte), new([BlockSize]byte), new([BlockSize]byte), new([BlockSize]byte)
		secret := func(seed byte) {
			*key = [KeySize]byte{seed}
			arm64.ExpandAES(k, key)
			*one, *two, *rest = [BlockSize]byte{}, [BlockSize]byte{}, [BlockSize]byte{}
		}
		src, dst := make([]byte, 40*BlockSize), make([]byte, 40*BlockSize)
		check := func(what string, f func()) {
			if left := guard.Left(secret, f); left > 0 {
				t.Errorf("%s: %d bytes on the stack depend on the key", what, left)
			}
		}
		check("expand", func() { arm64.ExpandAES(k, key) })
		for _, blocks := range []int{1, 2, 4, 5, 8, 11, 13, 16, 17, 32, 40} {
			n := blocks * BlockSize
			for name, f := range map[string]func(){
				"encryptBlocks": func() { x.encryptBlocks(k, dst[:n], src[:n]) },
				"decryptBlocks": func() { x.decryptBlocks(k, dst[:n], src[:n]) },
				"cbcEncrypt":    func() { arm64.CBCEncryptAES(k, one, dst[:n], src[:n]) },
				"cbcDecrypt":    func() { x.cbcDecrypt(k, one, dst[:n], src[:n]) },
				"cfbDecrypt":    func() { x.cfbDecrypt(k, one, dst[:n], src[:n]) },
				"ctr":           func() { x.ctr(k, one, dst[:n-5], src[:n-5], rest) },
				"ctr32":         func() { x.ctr32(k, two, dst[:n], src[:n], rest) },
			} {
				check(fmt.Sprintf("%s of %d blocks", name, blocks), f)
			}
		}
	})
}

func TestAESAllocatesNothing(t *testing.T) {
	eachAES(t, func(t *testing.T, x aesFamily) {
		k := expandAES(random(KeySize))
		for _, n := range []int{BlockSize, 5 * BlockSize, 40 * BlockSize} {
			var v, rest [BlockSize]byte
			b := make([]byte, n)
			if a := testing.AllocsPerRun(10, func() {
				x.encryptBlocks(k, b, b)
				x.cbcDecrypt(k, &v, b, b)
				x.cfbDecrypt(k, &v, b, b)
				x.ctr(k, &v, b[:n-1], b[:n-1], &rest)
			}); a != 0 {
				t.Errorf("%d bytes: %v allocations", n, a)
			}
		}
	})
}
