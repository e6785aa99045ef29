// Package ghash computes GHASH, the universal hash of GCM (NIST SP 800-38D,
// section 6.4), for the block ciphers of this module. It has a table of drivers of its own,
// because it belongs to GCM and not to a cipher. Kernels of a cipher that do all of GCM get the
// powers of the hash key as an array.
//
// No driver uses a secret as a memory index or a branch condition. The portable
// driver and mips-r2 multiply integers, so they also need a CPU whose multiplication takes
// the same time for all operands. This is true of all CPUs that Go runs on today
// except some old or small cores (ARM7, ARM9, PowerPC, MIPS 4K).
package ghash

import "github.com/cipherlane/cipherlane/internal/drivers"

const blockSize = 16

// A Key is a prepared hash key. It may be used from several goroutines at once
// after Init.
type Key struct {
	row    uint8     // index of the driver
	more   uint32    // the powers that initKernel leaves out: noPowers, begun or complete
	memory keyMemory // the hash key as prepared by the driver
}

// The values of Key.more.
const (
	noPowers = iota
	begun
	complete
)

// Wipe overwrites the hash key.
func (k *Key) Wipe() { *k = Key{} }

// Drivers returns the drivers for this architecture.
func Drivers() []drivers.Info { return table.Drivers() }

// On returns the constant of the driver with the given name.
func On(name string) (uint8, error) {
	plan, err := table.On(name)
	return plan.Bulk(), err
}

// Fastest returns the driver with the highest priority that this machine can run, for ciphers
// whose drivers work with any.
func Fastest() uint8 {
	rows, best := table.Drivers(), Generic
	for i, r := range rows {
		if r.Available() && r.Priority > rows[best].Priority {
			best = uint8(i)
		}
	}
	return best
}
