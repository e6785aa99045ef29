package ctgrind

import (
	"bytes"
	"crypto/subtle"
	"testing"
)

// ci/secrets.sh must find the planted leaks, and nothing in the last test. Otherwise,
// finding nothing in other packages would be meaningless.

var table [256]byte

//go:noinline
func plantedLookup(secret byte) byte { return table[secret] }

//go:noinline
func plantedBranch(secret byte) byte {
	if secret > 100 {
		return 1
	}
	return 2
}

//go:noinline
func plantedCompare(secret byte) byte {
	b := [32]byte{0: secret}
	if bytes.Equal(b[:], table[:len(b)]) {
		return 1
	}
	return 2
}

//go:noinline
func harmless(secret byte) byte { return byte(subtle.ConstantTimeSelect(int(secret&1), 3, 4)) }

func plant(t *testing.T, f func(secret byte) byte) {
	b := []byte{5}
	Secret(b)
	r := []byte{f(b[0])}
	Public(r)
	t.Log("result", r)
}

func TestPlantedLookup(t *testing.T)  { plant(t, plantedLookup) }
func TestPlantedBranch(t *testing.T)  { plant(t, plantedBranch) }
func TestPlantedCompare(t *testing.T) { plant(t, plantedCompare) }
func TestHarmless(t *testing.T)       { plant(t, harmless) }
