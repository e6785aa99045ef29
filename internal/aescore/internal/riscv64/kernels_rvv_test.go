//go:build riscv64 && !purego

package riscv64

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/aescore/spec"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
)

func random(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// expand sets k to the round keys of a key.
func expand(k *Keys, key []byte, half bool) {
	var words []uint32
	for i, w := range spec.KeyExpansion(key) {
		word := binary.LittleEndian.Uint32(w[:])
		if i >= 4 {
			word ^= 0x63636363
		}
		words = append(words, word)
	}
	ExpandRVV(k, words, half)
}

// each runs f for a key of each size, with whole registers and with half of each.
func each(t *testing.T, f func(t *testing.T, k *Keys, b cipher.Block)) {
	if missing := cpu.V &^ cpu.Features(); missing != 0 {
		t.Skipf("this CPU lacks %v", missing)
	}
	for _, size := range []int{16, 24, 32} {
		for _, half := range []bool{false, true} {
			t.Run(fmt.Sprint(8*size, " half=", half), func(t *testing.T) {
				key, k := random(byte(size), size), new(Keys)
				expand(k, key, half)
				f(t, k, spec.New(key))
			})
		}
	}
}

// parse reads a block in hexadecimal.
func parse(t *testing.T, s string) [16]byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return [16]byte(b)
}

// longest is a few blocks more than two passes with registers of 1024 bits.
const longest = 16 * (2*128 + 5)

// buffers returns destinations and sources of n bytes, before and behind memory that must
// not be touched, and at an odd address.
func buffers(t *testing.T) func(n int) [][2][]byte {
	after, before := [2][]byte{guard.After(t, longest), guard.After(t, longest)}, [2][]byte{guard.Before(t, longest), guard.Before(t, longest)}
	odd := [2][]byte{make([]byte, longest+1), make([]byte, longest+3)}
	return func(n int) [][2][]byte {
		return [][2][]byte{
			{guard.Tail(after[0], n), guard.Tail(after[1], n)},
			{before[0][:n:n], before[1][:n:n]},
			{odd[0][1:][:n:n], odd[1][3:][:n:n]},
		}
	}
}

// check compares what f makes of text with want, apart and in place, in all buffers.
func check(t *testing.T, name string, list [][2][]byte, text, want []byte, f func(dst, src []byte)) {
	t.Helper()
	for i, b := range list {
		dst, src := b[0], b[1]
		clear(dst)
		copy(src, text)
		f(dst, src)
		if !bytes.Equal(dst, want) || !bytes.Equal(src, text) {
			t.Fatalf("%s, %d bytes, buffers %d: wrong", name, len(text), i)
		}
		f(src, src)
		if !bytes.Equal(src, want) {
			t.Fatalf("%s, %d bytes, buffers %d, in place: wrong", name, len(text), i)
		}
	}
}

// step is how many lengths a short test advances at once.
func step() int {
	if testing.Short() {
		return 13
	}
	return 1
}

// Every value in every byte of the first S-boxes, and every number of blocks.
func TestEncryptBlocks(t *testing.T) {
	each(t, func(t *testing.T, k *Keys, b cipher.Block) {
		text := random(1, longest)
		for i := range 256 * 16 {
			text[i] = byte(i / 16)
		}
		want := make([]byte, longest)
		for i := 0; i < longest; i += 16 {
			b.Encrypt(want[i:], text[i:])
		}
		of := buffers(t)
		for n := 16; n <= longest; n += 16 * step() {
			check(t, "encryption", of(n), text[:n], want[:n], func(dst, src []byte) { EncryptBlocksRVV(k, dst, src) })
		}
	})
}

// Every number of bytes, with carries in all places. Only the unused keystream goes to rest.
func TestCTR(t *testing.T) {
	each(t, func(t *testing.T, k *Keys, b cipher.Block) {
		text, of := random(2, longest), buffers(t)
		stream := make([]byte, longest+16)
		for i, first := range []string{
			"000102030405060708090a0b0c0d0e0f",
			"0001020304050607ffffffff00000000",
			"000102030405060708090afffffffff0",
			"0001020304050607fffffffffffffffe",
			"ffffffffffffffffffffffffffffff7d",
			"ffffffffffffffffffffffffffffffff",
		} {
			start := parse(t, first)
			clear(stream)
			cipher.NewCTR(b, start[:]).XORKeyStream(stream, stream)
			for n := 1 + i%step(); n <= longest; n += step() {
				if n > 600 && n%16 != 5 && n%16 != 0 {
					continue
				}
				want, blocks := make([]byte, n), (n+15)/16
				for i := range want {
					want[i] = text[i] ^ stream[i]
				}
				rest := [16]byte(random(3, 16))
				wantRest := rest
				if n%16 != 0 {
					copy(wantRest[n%16:], stream[n:16*blocks])
				}
				next := start
				for range blocks {
					for i := 15; i >= 0; i-- {
						if next[i]++; next[i] != 0 {
							break
						}
					}
				}
				check(t, "CTR from "+first, of(n), text[:n], want, func(dst, src []byte) {
					counter, r := start, rest
					if CTRRVV(k, &counter, dst, src, &r); counter != next {
						t.Fatalf("%d bytes from %s: counter %x, want %x", n, first, counter, next)
					}
					if r != wantRest {
						t.Fatalf("%d bytes from %s: rest %x, want %x", n, first, r, wantRest)
					}
				})
			}
		}
	})
}

// The kernel adds modulo 2^32, and can do without blocks or without the rest.
func TestCounter32(t *testing.T) {
	each(t, func(t *testing.T, k *Keys, b cipher.Block) {
		block := [16]byte(random(4, 16))
		const most = 2*128 + 2
		var stream [16 * most]byte
		for i := range most {
			binary.BigEndian.PutUint32(block[12:], uint32(i-130))
			b.Encrypt(stream[16*i:], block[:])
		}
		for blocks := 0; blocks < most; blocks += step() {
			got, rest := make([]byte, 16*blocks+1), [16]byte{}
			ctrRVV(k, &block, 1<<32-130, &got[0], &got[0], blocks, &rest)
			if !bytes.Equal(got[:16*blocks], stream[:16*blocks]) || got[16*blocks] != 0 || rest != [16]byte(stream[16*blocks:]) {
				t.Fatalf("%d blocks: wrong", blocks)
			}
			clear(got)
			if blocks > 0 {
				ctrRVV(k, &block, 1<<32-130, &got[0], &got[0], blocks, nil)
			}
			if !bytes.Equal(got[:16*blocks], stream[:16*blocks]) {
				t.Fatalf("%d blocks without rest: wrong", blocks)
			}
		}
	})
}

// Nothing that depends on the key stays on the stack.
func TestResidue(t *testing.T) {
	each(t, func(t *testing.T, k *Keys, _ cipher.Block) {
		words := make([]uint32, 4*(k.Rounds+1))
		text, counter, rest := make([]byte, 1000), new([16]byte), new([16]byte)
		secret := func(seed byte) {
			for i := range words {
				words[i] = uint32(seed) * 0x9e3779b9 * uint32(i+1)
			}
			ExpandRVV(k, words, k.Half)
			clear(text)
			clear(rest[:])
			clear(counter[:])
		}
		for _, n := range []int{1, 15, 16, 250, 256, 999} {
			for name, f := range map[string]func(){
				"ExpandRVV":        func() { ExpandRVV(k, words, k.Half) },
				"EncryptBlocksRVV": func() { EncryptBlocksRVV(k, text[:n+15&^15], text[:n+15&^15]) },
				"CTRRVV":           func() { CTRRVV(k, counter, text[:n], text[:n], rest) },
			} {
				if left := guard.Left(secret, f); left > 0 {
					t.Errorf("%s, %d bytes: %d bytes on the stack depend on the key", name, n, left)
				}
			}
		}
		if k.Wipe(); *k != (Keys{}) || slices.Max(words) == 0 {
			t.Error("Wipe leaves something")
		}
	})
}
