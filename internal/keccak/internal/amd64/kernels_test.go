//go:build amd64 && !purego

package amd64

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// wide are the kernels of several states.
var wide = []struct {
	name            string
	needs           cpu.Set
	width           int
	absorb, squeeze func(a *[200]uint64, p *[8]*byte, words int)
	permute         func(a *[200]uint64)
}{
	{"AVX2", cpu.AVX2, 4, AbsorbWideAVX2, SqueezeWideAVX2, PermuteAVX2},
	{"AVX512", cpu.AVX512, 8, AbsorbWideAVX512, SqueezeWideAVX512, PermuteAVX512},
}

const scalar = cpu.BMI1 | cpu.BMI2

// places calls f with memory before an inaccessible page, then after one.
func places(t *testing.T, f func(t *testing.T, memory func(n int) []byte)) {
	t.Run("after", func(t *testing.T) { f(t, func(n int) []byte { return guard.After(t, n) }) })
	t.Run("before", func(t *testing.T) { f(t, func(n int) []byte { return guard.Before(t, n) }) })
}

func fill(r *rand.ChaCha8, b []byte) []byte {
	r.Read(b)
	return b
}

// TestBMI2 puts states and blocks at the edge of memory, and compares several
// blocks at once with one after the other. That the permutation is right is
// known from the digests.
func TestBMI2(t *testing.T) {
	if !cpu.Features().Has(scalar) {
		t.Skip("this CPU lacks BMI1 or BMI2")
	}
	places(t, func(t *testing.T, memory func(n int) []byte) {
		r := rand.NewChaCha8([32]byte{2})
		for _, words := range []int{17, 21} {
			for blocks := 1; blocks <= 4; blocks++ {
				a := (*[25]uint64)(unsafe.Pointer(unsafe.SliceData(fill(r, memory(200)))))
				p := fill(r, memory(8*words*blocks))
				want := *a
				message := bytes.Clone(p)
				for i := range blocks {
					AbsorbBMI2(&want, &p[8*words*i], words, 1)
				}
				AbsorbBMI2(a, &p[0], words, blocks)
				if *a != want || !bytes.Equal(p, message) {
					t.Fatalf("%d blocks of %d words: absorbed wrongly", blocks, words)
				}
				var stream []byte
				for range blocks {
					stream = append(stream, unsafe.Slice((*byte)(unsafe.Pointer(&want)), 8*words)...)
					SqueezeBMI2(&want, &message[0], words, 1)
				}
				SqueezeBMI2(a, &p[0], words, blocks)
				if *a != want || !bytes.Equal(p, stream) {
					t.Fatalf("%d blocks of %d words: squeezed wrongly", blocks, words)
				}
			}
		}
	})
}

// TestWide compares the kernels of several states with that of one.
func TestWide(t *testing.T) {
	for _, k := range wide {
		t.Run(k.name, func(t *testing.T) {
			if !cpu.Features().Has(k.needs | scalar) {
				t.Skip("this CPU lacks features that the kernels need")
			}
			places(t, func(t *testing.T, memory func(n int) []byte) {
				r := rand.NewChaCha8([32]byte{3})
				for _, words := range []int{17, 21} {
					a := (*[200]uint64)(unsafe.Pointer(unsafe.SliceData(fill(r, memory(1600)))))
					var p [8]*byte
					var want [8][25]uint64
					var block [8][]byte
					for lane := range k.width {
						block[lane] = fill(r, memory(8*words))
						p[lane] = &block[lane][0]
						for i := range 25 {
							want[lane][i] = a[k.width*i+lane]
						}
						AbsorbBMI2(&want[lane], p[lane], words, 1)
					}
					k.absorb(a, &p, words)
					k.permute(a)
					k.squeeze(a, &p, words)
					for lane := range k.width {
						for i := range 25 {
							if a[k.width*i+lane] != want[lane][i] {
								t.Fatalf("%d words: lane %d of state %d is wrong", words, i, lane)
							}
						}
						if !bytes.Equal(block[lane], unsafe.Slice((*byte)(unsafe.Pointer(&want[lane])), 8*words)) {
							t.Fatalf("%d words: output of state %d is wrong", words, lane)
						}
					}
				}
			})
		})
	}
}

// TestResidue runs kernels with different states and looks for a difference on the
// stack afterwards.
func TestResidue(t *testing.T) {
	if !cpu.Features().Has(scalar) {
		t.Skip("this CPU lacks BMI1 or BMI2")
	}
	var a [25]uint64
	var w [200]uint64
	var b [8][2 * 168]byte
	p := new([8]*byte)
	for i := range p {
		p[i] = &b[i][0]
	}
	secret := func(seed byte) {
		for i := range a {
			a[i] = uint64(seed) * 0x5a01010101010101
		}
		for i := range w {
			w[i] = uint64(seed) * 0x5a01010101010101
		}
	}
	kernels := map[string]func(){
		"AbsorbBMI2":  func() { AbsorbBMI2(&a, &b[0][0], 21, 2) },
		"SqueezeBMI2": func() { SqueezeBMI2(&a, &b[0][0], 17, 2) },
	}
	for _, k := range wide {
		if cpu.Features().Has(k.needs) {
			kernels[fmt.Sprint("Absorb", k.name)] = func() { k.absorb(&w, p, 21) }
			kernels[fmt.Sprint("Permute", k.name)] = func() { k.permute(&w) }
			kernels[fmt.Sprint("Squeeze", k.name)] = func() { k.squeeze(&w, p, 17) }
		}
	}
	for name, f := range kernels {
		if left := guard.Left(secret, f); left > 0 {
			t.Errorf("%s: %d bytes on the stack depend on the state", name, left)
		}
	}
}
