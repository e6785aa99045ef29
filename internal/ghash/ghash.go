// Package ghash computes GHASH, the universal hash of GCM (NIST SP 800-38D,
// section 6.4), for the block ciphers of this module.
//
// No driver uses a secret as a memory index or a branch condition. The portable
// driver multiplies integers, so it also needs a CPU whose multiplication takes
// the same time for all operands. This is true of all CPUs that Go runs on today
// except some old cores (ARM7, ARM9, PowerPC).
package ghash

import "github.com/cipherlane/cipherlane/driver"

const blockSize = 16

// A Key is a prepared hash key. It may be used from several goroutines at once
// after Init.
type Key struct {
	row  uint8 // index of the driver
	form form  // the hash key as prepared by the driver
	later
}

// Init prepares the hash key h, which is E_K(0) in GCM, for the driver d: one
// of the constants Generic, PCLMULQDQ, ...
func (k *Key) Init(h *[16]byte, d uint8) {
	k.row = d
	k.init(h)
}

// maxPass is how much one call of a kernel processes: the runtime cannot stop
// a goroutine inside assembly.
const maxPass = 64 << 10

// Update continues the hash state y over p as if p were padded with zeros to
// whole blocks.
func (k *Key) Update(y *[16]byte, p []byte) {
	for len(p) > 0 {
		n := min(len(p), maxPass)
		k.update(y, p[:n], false)
		p = p[n:]
	}
}

// UpdateReversed is Update with the bytes of the state and of every block in
// reverse order. If the hash key is the byte-reversed POLYVAL key times x, this
// is POLYVAL (RFC 8452, appendix A).
func (k *Key) UpdateReversed(y *[16]byte, p []byte) {
	for len(p) > 0 {
		n := min(len(p), maxPass)
		k.update(y, p[:n], true)
		p = p[n:]
	}
}

// Wipe overwrites the hash key.
func (k *Key) Wipe() { *k = Key{} }

// Drivers returns the drivers for this architecture.
func Drivers() []driver.Info { return table.Drivers() }

// On returns the constant of the driver with the given name.
func On(name string) (uint8, error) {
	plan, err := table.On(name)
	return plan.Bulk, err
}
