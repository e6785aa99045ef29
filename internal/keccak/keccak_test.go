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
				for _, parts := range [][3]int{
					{}, {1}, {0, rate - 1}, {rate}, {rate + 1, 0, 1}, {1, rate}, {2, 16},
					{3*rate - 1, 5, 2 * rate}, {2 * rate, rate - 1, 1}, {17, 50, 3*rate + 7},
				} {
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

// TestBegin compares output in two pieces with that in one, and absorbing meanwhile with
// absorbing before.
func TestBegin(t *testing.T) {
	conformance.EachDriver(t, "keccak", func(t *testing.T, name string) {
		plan, err := table.On(name)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.NewChaCha8([32]byte{5})
		for _, rate := range []int{Rate128, Rate256} {
			for _, blocks := range [][2]int{{1, 0}, {1, 1}, {3, 2}, {2, 5}, {400, 401}} {
				for n := 1; n <= MaxLanes && n*blocks[0] < 800; n++ {
					for _, rest := range []int{1, rate, 2*rate + 5} {
						testBegin(t, r, plan.Bulk(), rate, n, blocks[0]*rate, rest, blocks[1]*rate)
					}
				}
			}
		}
	})
}

func testBegin(t *testing.T, r *rand.ChaCha8, row uint8, rate, n, first, rest, absorbed int) {
	t.Helper()
	whole, begun, ended := make([]Lane, n), make([]Lane, n), make([]Lane, n)
	for k := range whole {
		in, s, out := make([]byte, 33), new(State), make([]byte, first+rest)
		r.Read(in)
		whole[k] = Lane{In: [3][]byte{{1}, in}, Out: make([]byte, first+rest)}
		begun[k] = Lane{In: whole[k].In, Out: out[:first], State: s}
		ended[k] = Lane{Out: out[first:], State: s}
	}
	var text State
	in, got, want := make([]byte, absorbed), make([]byte, 9), make([]byte, 9)
	r.Read(in)
	Sum(Generic, rate, whole)
	Begin(row, rate, begun, &text, in)
	End(row, rate, ended)
	Sum(Generic, rate, []Lane{{In: [3][]byte{in, {2}}, Out: want}})
	Sum(row, rate, []Lane{{In: [3][]byte{{2}}, Out: got, State: &text}})
	for k := range whole {
		if !bytes.Equal(begun[k].Out[:first+rest], whole[k].Out) || *begun[k].State != (State{}) {
			t.Fatalf("rate %d, %d lanes, %d and %d bytes: lane %d is wrong or not wiped",
				rate, n, first, rest, k)
		}
	}
	if !bytes.Equal(got, want) || text != (State{}) {
		t.Fatalf("rate %d, %d bytes absorbed while %d are squeezed: wrong, or not wiped",
			rate, absorbed, first)
	}
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
				Begin(plan.Bulk(), Rate128, []Lane{{Out: out, State: &s}}, &t, in)
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
