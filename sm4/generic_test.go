package sm4

import (
	"crypto/cipher"
	"crypto/subtle"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
)

func TestCircuit(t *testing.T) {
	for x := range uint32(256) {
		for shift := 0; shift < 32; shift += 8 {
			// The other bytes hold other values.
			w := x*bytes4 ^ 0x1b2d4700<<shift ^ 0x1b2d4700>>(32-shift)
			if got, want := substitute(w^sboxIn*bytes4)^sboxOut*bytes4, specTau(w); got != want {
				t.Fatalf("tau(%08x) = %08x, want %08x", w, got, want)
			}
			const both = 1<<32 + 1
			two := uint64(w)<<32 | uint64(^w)
			want := uint64(specTau(w))<<32 | uint64(specTau(^w))
			if got := substitute2(two^sboxIn*bytes4*both) ^ sboxOut*bytes4*both; got != want {
				t.Fatalf("tau(%016x) = %016x, want %016x", two, got, want)
			}
		}
	}
}

// random returns n bytes that are the same in every run.
func random(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n)}).Read(b)
	return b
}

func TestRoundKeys(t *testing.T) {
	for n := range 100 {
		key := [KeySize]byte(random(KeySize + n))
		var k genericKeys
		k.expand(&key)
		k.widen()
		for i, want := range specRoundKeys(&key) {
			want ^= circuitConstant(i)
			if k.words[i] != want {
				t.Fatalf("round key %d is %08x, want %08x", i, k.words[i], want)
			}
			for bit := range 32 { // of a big-endian word
				lanes := k.wide.Load()[i][bit%8] >> ((3 - bit/8) * lane) & (1<<lane - 1)
				if lanes != -(word(want)>>bit&1)&(1<<lane-1) {
					t.Fatalf("round key %d is %08x, bit %d of it has the lane %x", i, want, bit, lanes)
				}
			}
		}
	}
}

// eachWidth runs f with keys that are widened and with keys that are not.
func eachWidth(t *testing.T, f func(t *testing.T, k *genericKeys, spec cipher.Block)) {
	key := random(KeySize)
	for _, name := range []string{"narrow", "wide"} {
		t.Run(name, func(t *testing.T) {
			var k genericKeys
			k.expand((*[KeySize]byte)(key))
			if name == "wide" {
				k.widen()
			}
			f(t, &k, NewSpecBlock(key))
		})
	}
}

// diff describes where a result is wrong; it is empty if the result is right.
func diff(got, want []byte) string {
	for i := range want {
		if got[i] != want[i] {
			return fmt.Sprintf("byte %d of %d is %02x, want %02x", i, len(want), got[i], want[i])
		}
	}
	return ""
}

func TestGenericKernels(t *testing.T) {
	eachWidth(t, func(t *testing.T, k *genericKeys, spec cipher.Block) {
		conformance.Kernels{Encrypt: k.encryptBlocks, Decrypt: k.decryptBlocks, CBCEncrypt: k.cbcEncrypt, CBCDecrypt: k.cbcDecrypt}.Test(t, spec)
	})
}

func TestGenericCTR(t *testing.T) {
	eachWidth(t, func(t *testing.T, k *genericKeys, spec cipher.Block) { testCTR(t, k.ctr, spec) })
}

// testCTR tests counter mode under the key of spec.
func testCTR(t *testing.T, ctr func(counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte), spec cipher.Block) {
	const longest = 4*wideSize + 40
	plain := random(longest)
	// A carry goes into byte 15-carry some blocks after the start.
	for _, carry := range []int{0, 1, 2, 3, 4, 5, 8, 16} {
		for _, blocks := range []byte{1, 2, 3, 15, 16, 17, 30, 50} {
			start := [BlockSize]byte(random(BlockSize))
			for i := range carry {
				start[15-i] = 0xff
			}
			start[15] = -blocks
			stream := make([]byte, longest+BlockSize)
			cipher.NewCTR(spec, start[:]).XORKeyStream(stream, stream)
			for n := 0; n <= longest; n += 1 + n/40 {
				want := make([]byte, n)
				subtle.XORBytes(want, plain[:n], stream)
				end := start
				for range (n + BlockSize - 1) / BlockSize {
					for i := 15; i >= 0; i-- {
						if end[i]++; end[i] != 0 {
							break
						}
					}
				}
				got, counter, rest := make([]byte, n), start, new([BlockSize]byte)
				ctr(&counter, got, plain[:n], rest)
				d := diff(got, want) + diff(counter[:], end[:])
				if used := n % BlockSize; used != 0 {
					d += diff(rest[used:], stream[n:n-used+BlockSize])
				} else {
					rest = nil // not needed then
				}
				if d != "" {
					t.Fatalf("counter %x, %d bytes: %s", start, n, d)
				}
				copy(got, plain)
				counter = start
				ctr(&counter, got, got, rest)
				if d := diff(got, want); d != "" {
					t.Fatalf("counter %x, %d bytes in place: %s", start, n, d)
				}
			}
		}
	}
}

// Objects are shared: one goroutine may start a wide mode while another one
// uses the key.
func TestWidenWhileInUse(t *testing.T) {
	key := [KeySize]byte(random(KeySize))
	plain := random(20 * BlockSize)
	want := make([]byte, len(plain))
	for i := 0; i < len(want); i += BlockSize {
		specEncrypt(&key, want[i:], plain[i:])
	}
	var k genericKeys
	k.expand(&key)
	var all sync.WaitGroup
	for i := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()

			got := make([]byte, len(plain))
			for range 50 {
				k.encryptBlocks(got, plain)
				if d := diff(got, want); d != "" {
					t.Error(d)
				}
				if i%2 == 0 {
					k.widen()
				}
			}
		}()
	}
	all.Wait()
}

func TestGenericWipe(t *testing.T) {
	var k genericKeys
	k.expand((*[KeySize]byte)(random(KeySize)))
	k.widen()
	wide := k.wide.Load()
	k.wipe()
	if k.words != ([rounds]uint32{}) || *wide != (wideKeys{}) {
		t.Error("round keys are left")
	}
}
