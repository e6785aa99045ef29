package keccak

import (
	"bytes"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/ctgrind"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// eachSum calls f for every driver, rate and some numbers of lanes, with lanes
// whose parts lie across blocks.
func eachSum(t *testing.T, f func(t *testing.T, row uint8, rate int, lanes []Lane)) {
	conformance.EachDriver(t, "keccak", func(t *testing.T, name string) {
		plan, err := table.On(name)
		if err != nil {
			t.Fatal(err)
		}
		// The stack grows before there are secrets: valgrind takes a move of the stack to
		// adjacent memory for frames that come and go.
		lanes := make([]Lane, MaxLanes)
		for k := range lanes {
			lanes[k].Out = make([]byte, 1)
		}
		Sum(plan.Bulk(), Rate128, lanes)
		for _, rate := range []int{Rate128, Rate256} {
			for _, n := range []int{1, 3, 4, 5, MaxLanes} {
				lanes := make([]Lane, n)
				for k := range lanes {
					in := [3][]byte{make([]byte, 1), make([]byte, 2*rate), make([]byte, 3*rate+9)}
					lanes[k] = Lane{In: in, Out: make([]byte, 2*rate+5)}
				}
				f(t, plan.Bulk(), rate, lanes)
			}
		}
	})
}

func fillLanes(lanes []Lane, b byte) {
	for k := range lanes {
		for _, p := range lanes[k].In {
			for i := range p {
				p[i] = b ^ byte(i+k)
			}
		}
	}
}

// Messages and digests are secret, lengths are not.
func TestSecret(t *testing.T) {
	eachSum(t, func(t *testing.T, row uint8, rate int, lanes []Lane) {
		fillLanes(lanes, 0)
		Sum(Generic, rate, lanes)
		var want [][]byte
		for k := range lanes {
			want = append(want, bytes.Clone(lanes[k].Out))
			for _, p := range lanes[k].In {
				ctgrind.Secret(p)
			}
		}
		Sum(row, rate, lanes)
		for k := range lanes {
			ctgrind.Public(lanes[k].Out)
			if !bytes.Equal(lanes[k].Out, want[k]) {
				t.Fatalf("rate %d, lane %d of %d is wrong", rate, k, len(lanes))
			}
		}
	})
}

// TestWiped hashes different messages and looks for a difference on the stack afterwards.
func TestWiped(t *testing.T) {
	eachSum(t, func(t *testing.T, row uint8, rate int, lanes []Lane) {
		if row == Generic {
			return // compiled code leaves copies on the stack
		}
		left := guard.Left(func(seed byte) { fillLanes(lanes, seed) }, func() { Sum(row, rate, lanes) })
		if left > 0 {
			t.Fatalf("rate %d, %d lanes: %d bytes on the stack depend on the messages",
				rate, len(lanes), left)
		}
	})
}

func TestAllocations(t *testing.T) {
	eachSum(t, func(t *testing.T, row uint8, rate int, lanes []Lane) {
		var in [100]byte
		out := make([]byte, 100)
		n := testing.AllocsPerRun(10, func() {
			var list [2]Lane
			for k := range list {
				list[k] = Lane{In: [3][]byte{in[:]}, Out: out[50*k : 50*k+50]}
			}
			Sum(row, rate, list[:])
			Sum(row, rate, list[:1])
		})
		if n != 0 {
			t.Fatalf("%v allocations", n)
		}
	})
}
