package sm3

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// The kernels for many inputs are called for the numbers of them from which a driver has
// such kernels, and those below.
func TestOperations(t *testing.T) {
	upTo := func(most int, f func(d Driver, count int)) func(row uint8) {
		return func(row uint8) {
			for count := 1; count <= most; count++ {
				f(Driver{drivers.Uniform(row)}, count)
			}
		}
	}
	conformance.Operations{
		"blocks":            func(row uint8) { blocks(row, new([8]uint32), make([]byte, maxPass+BlockSize)) },
		"compress, digests": upTo(2*maxLanes+1, func(d Driver, count int) { d.SumMany(make([]Message, count)) }),
		"iterate": upTo(maxLanes+1, func(d Driver, count int) {
			keys := make([]PBKDF2Key, count)
			for i := range keys {
				keys[i] = PBKDF2Key{Iterations: 2, Key: make([]byte, Size)}
			}
			d.PBKDF2Many(keys)
		}),
		"kdfDigests": upTo(2*maxLanes+1, func(d Driver, count int) { d.KDF(make([]byte, count*Size), make([]byte, 80)) }),
	}.Test(t, table.Drivers())
}
