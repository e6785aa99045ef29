package keccak

import (
	"bytes"
	"crypto/sha3"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
)

// TestSum compares every driver with the standard library, for every number of
// lanes and lengths around those of blocks.
func TestSum(t *testing.T) {
	conformance.EachDriver(t, "keccak", func(t *testing.T, name string) {
		plan, err := table.On(name)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.NewChaCha8([32]byte{1})
		for _, rate := range []int{Rate128, Rate256} {
			for n := 1; n <= MaxLanes; n++ {
				for _, parts := range [][3]int{{}, {1}, {0, rate - 1}, {rate}, {rate + 1, 0, 1}, {1, rate}, {2, 16}, {3*rate - 1, 5, 2 * rate}, {2 * rate, rate - 1, 1}, {17, 50, 3*rate + 7}} {
					for _, out := range []int{1, 16, rate - 1, rate, rate + 1, 5*rate + 3} {
						check(t, r, plan.Bulk(), rate, n, parts, out)
					}
				}
			}
		}
	})
}

func check(t *testing.T, r *rand.ChaCha8, row uint8, rate, n int, parts [3]int, out int) {
	t.Helper()
	lanes := make([]Lane, n)
	want := make([][]byte, n)
	for k := range lanes {
		h := sha3.NewSHAKE128()
		if rate == Rate256 {
			h = sha3.NewSHAKE256()
		}
		for i, m := range parts {
			lanes[k].In[i] = make([]byte, m)
			r.Read(lanes[k].In[i])
			h.Write(lanes[k].In[i])
		}
		want[k] = make([]byte, out)
		h.Read(want[k])
		lanes[k].Out = make([]byte, out+1)
		lanes[k].Out[out] = 0xa5
		lanes[k].Out = lanes[k].Out[:out]
	}
	Sum(row, rate, lanes)
	for k, l := range lanes {
		if !bytes.Equal(l.Out, want[k]) {
			t.Fatalf("rate %d, %d lanes, parts %v, %d bytes: lane %d is wrong", rate, n, parts, out, k)
		}
		if l.Out[:out+1][out] != 0xa5 {
			t.Fatalf("rate %d, %d lanes, parts %v, %d bytes: lane %d is too long", rate, n, parts, out, k)
		}
	}
}

func TestRows(t *testing.T) {
	conformance.EachDriver(t, "keccak", func(t *testing.T, name string) {
		plan, err := table.On(name)
		if err != nil {
			t.Fatal(err)
		}
		seed := make([]byte, 16)
		rand.NewChaCha8([32]byte{6}).Read(seed)
		for _, n := range []int{2, Rate128 - 2, Rate128, 2*Rate128 + 8, 1344 * 2} {
			for _, first := range []uint16{0, 0xfff8, 0x12fd} {
				out := make([]byte, MaxLanes*n)
				Rows(plan.Bulk(), first, seed, out)
				for k := range MaxLanes {
					i := first + uint16(k)
					want := sha3.SumSHAKE128(append([]byte{byte(i), byte(i >> 8)}, seed...), n)
					if !bytes.Equal(out[k*n:(k+1)*n], want) {
						t.Fatalf("row %d of %d bytes is wrong", i, n)
					}
				}
			}
		}
	})
}

// TestBegin compares output in two pieces with that in one.
func TestBegin(t *testing.T) {
	conformance.EachDriver(t, "keccak", func(t *testing.T, name string) {
		plan, err := table.On(name)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.NewChaCha8([32]byte{5})
		for _, rate := range []int{Rate128, Rate256} {
			for n := 1; n <= MaxLanes; n++ {
				for _, blocks := range []int{1, 3} {
					whole, begun, states := make([]Lane, n), make([]Lane, n), make([]State, n)
					for k := range whole {
						in := make([]byte, 33)
						r.Read(in)
						whole[k] = Lane{In: [3][]byte{{1}, in}, Out: make([]byte, (blocks+1)*rate)}
						begun[k] = Lane{In: whole[k].In, Out: make([]byte, blocks*rate)}
					}
					Sum(plan.Bulk(), rate, whole)
					Begin(plan.Bulk(), rate, begun, states)
					for k := range whole {
						last := make([]byte, rate)
						states[k].Last(last)
						if !bytes.Equal(append(begun[k].Out, last...), whole[k].Out) {
							t.Fatalf("rate %d, %d lanes, %d blocks: lane %d is wrong", rate, n, blocks, k)
						}
					}
				}
			}
		}
	})
}

// TestSqueezeAndAbsorb compares both at the same time with one after the other.
func TestSqueezeAndAbsorb(t *testing.T) {
	conformance.EachDriver(t, "keccak", func(t *testing.T, name string) {
		plan, err := table.On(name)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.NewChaCha8([32]byte{4})
		for _, rate := range []int{Rate128, Rate256} {
			for _, n := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {3, 2}, {2, 5}, {400, 401}} {
				in, out, want := make([]byte, n[1]*rate), make([]byte, n[0]*rate), make([]byte, n[0]*rate)
				r.Read(in)
				var s, u [2]State
				s[0].Absorb(Generic, rate, &[3][]byte{{1}})
				s[1] = s[0]
				SqueezeAndAbsorb(plan.Bulk(), rate, &s[0], out, &u[0], in)
				u[0].Absorb(plan.Bulk(), rate, &[3][]byte{{2}})
				s[1].Squeeze(Generic, rate, want)
				u[1].Absorb(Generic, rate, &[3][]byte{in, {2}})
				if s[0] != s[1] || u[0] != u[1] || !bytes.Equal(out, want) {
					t.Fatalf("rate %d, %d blocks out, %d in: wrong", rate, n[0], n[1])
				}
			}
		}
	})
}

func BenchmarkPermute(b *testing.B) {
	for _, d := range Drivers() {
		plan, err := table.On(d.Name)
		if err != nil {
			continue
		}
		b.Run(d.Name, func(b *testing.B) {
			var a [25]uint64
			var block [Rate128]byte
			for b.Loop() {
				absorb(plan.Bulk(), &a, block[:], Rate128)
			}
		})
		for _, n := range []int{1, 2, 8} {
			b.Run(fmt.Sprintf("%s/sum%d", d.Name, n), func(b *testing.B) {
				lanes := make([]Lane, n)
				for k := range lanes {
					lanes[k] = Lane{In: [3][]byte{make([]byte, 100*168)}, Out: make([]byte, 32)}
				}
				for b.Loop() {
					Sum(plan.Bulk(), Rate128, lanes)
				}
			})
		}
	}
	for _, d := range Drivers() {
		plan, err := table.On(d.Name)
		if err != nil {
			continue
		}
		b.Run(d.Name+"/pair", func(b *testing.B) {
			var s, t State
			in, out := make([]byte, 100*168), make([]byte, 100*168)
			for b.Loop() {
				SqueezeAndAbsorb(plan.Bulk(), Rate128, &s, out, &t, in)
			}
		})
	}
	b.Run("std", func(b *testing.B) {
		in, out := make([]byte, 100*168), make([]byte, 32)
		for b.Loop() {
			h := sha3.NewSHAKE128()
			h.Write(in)
			h.Read(out)
		}
	})
}
