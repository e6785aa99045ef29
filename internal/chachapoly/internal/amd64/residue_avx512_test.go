//go:build amd64 && !purego && !race

package amd64

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cipherlane/cipherlane/internal/guard"
)

// TestNothingLeftOnTheStackAVX512 runs everything with two keys and all else the
// same: what is on the stack afterwards must be the same, too. The calls of the race
// detector would make the compiler put registers there.
func TestNothingLeftOnTheStackAVX512(t *testing.T) {
	source512(t)
	var (
		key   [8]uint32
		nonce [3]uint32
		h     = new([3]uint64) // not on the stack
		state = new([16]uint32)
		r     = new([2]uint64)
		out8  = new([8]uint32)
	)
	check := func(what string, f func()) {
		t.Helper()
		residue := func(seed uint64) []byte {
			key, _ = keyAndNonce(rand.New(rand.NewPCG(seed, seed)))
			return guard.Residue(f)
		}
		different := 0
		for range 3 {
			a, b := residue(1), residue(2)
			different = 0
			for i := range a {
				if a[i] != b[i] {
					different++
				}
			}
			if different == 0 {
				return
			}
		}
		t.Errorf("%s: %d bytes on the stack depend on the key", what, different)
	}
	escape(h, state, r, out8, &key)
	dst, out, ad := make([]byte, 5016), make([]byte, 5016), make([]byte, 20)
	for _, n := range []int{0, 1, 63, 64, 65, 130, 256, 300, 512, 600, 800, 1100, 1420, 1536, 1537, 2048, 5000} {
		src := make([]byte, n+16)
		check(fmt.Sprint("Seal, bytes: ", n), func() { SealAVX512(dst[:n+16], src[:n], ad, &key, &nonce) })
		check(fmt.Sprint("Open, bytes: ", n), func() { OpenAVX512(out[:n], src, ad, &key, &nonce) })
		if n > 0 {
			check(fmt.Sprint("XOR, bytes: ", n), func() {
				copy(state[4:], key[:])
				XORAVX512(dst[:n], src[:n], state)
			})
			check(fmt.Sprint("Blocks, bytes: ", n), func() {
				r[0], r[1] = uint64(key[0]), uint64(key[1])
				BlocksAVX512(h, r, src[:(n+15)&^15])
			})
		}
	}
	check("HChaCha", func() { HChaChaAVX512(out8, &key, new([4]uint32)) })
	for _, n := range []int{100, 700, 1420} {
		check(fmt.Sprint("batch of packets with bytes: ", n), func() {
			var jobs [4]Job
			for i := range jobs {
				jobs[i] = Job{Dst: &dst[0], Src: &out[0], N: n, AD: &ad[0], ADLen: 20, Tag: (*[16]byte)(dst[n:])}
			}
			SealBatchAVX512(jobs[:], &key)
			OpenBatchAVX512(jobs[:], &key)
		})
	}
}

//go:noinline
func escape(p ...any) { escaped = p }

var escaped []any
