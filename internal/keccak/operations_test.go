package keccak

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
)

func TestOperations(t *testing.T) {
	block := make([]byte, Rate128)
	lanes := func() []Lane {
		list := make([]Lane, MaxLanes)
		for i := range list {
			list[i] = Lane{In: [3][]byte{make([]byte, Rate128+1)}, Out: make([]byte, 2*Rate128)}
		}
		return list
	}
	var state State
	conformance.Operations{
		"absorb":      func(row uint8) { absorb(row, &state.A, block, Rate128) },
		"squeeze":     func(row uint8) { squeeze(row, &state.A, block, Rate128) },
		"absorbWide":  func(row uint8) { Sum(row, Rate128, lanes()) },
		"permuteWide": func(row uint8) { Begin(row, Rate128, lanes(), nil, nil) },
		"squeezeWide": func(row uint8) {
			Rows(row, 0, make([]byte, 16), make([]byte, MaxLanes*2*Rate128))
		},
		"two at once": func(row uint8) {
			Begin(row, Rate128, []Lane{{Out: block, State: &state}}, new(State), block)
		},
	}.Test(t, Drivers())
}
