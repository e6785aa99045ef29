//go:build purego || !amd64

package keccak

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// Generic is the index of the portable driver, the only one here.
const Generic uint8 = 0

var table = drivers.New("keccak", []driver.Info{
	Generic: {Name: "generic", Priority: 100, Timing: "independent of secrets"},
})

// absorb adds whole blocks to a state, and permutes it after each.
func absorb(row uint8, a *[25]uint64, p []byte, rate int) {
	switch row {
	case Generic:
		absorbGeneric(a, p, rate)
	default:
		panic(noDriver)
	}
}

// squeeze copies whole blocks from a state, and permutes it after each.
func squeeze(row uint8, a *[25]uint64, p []byte, rate int) {
	switch row {
	case Generic:
		squeezeGeneric(a, p, rate)
	default:
		panic(noDriver)
	}
}

const noDriver = "keccak: no such driver"

// sumMany is Sum for two lanes or more.
func sumMany(row uint8, rate int, lanes []Lane) {
	for i := range lanes {
		sumOne(row, rate, &lanes[i])
	}
}

// pair returns false: there is no kernel for both.
func pair(row uint8, rate int, s *State, out []byte, t *State, in []byte) bool { return false }

// beginMany returns false: lanes are processed one after the other.
func beginMany(row uint8, rate int, lanes []Lane, states []State) bool { return false }

// rowsMany returns false: there is no kernel for several rows.
func rowsMany(row uint8, first uint16, seed, out []byte) bool { return false }
