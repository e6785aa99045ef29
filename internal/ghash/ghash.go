// Package ghash computes GHASH, the universal hash of GCM (NIST SP 800-38D,
// section 6.4), for the block ciphers of this module.
//
// No driver indexes memory by a secret or branches on one. The portable driver
// multiplies integers, so it also needs a CPU whose multiplication takes the
// same time for all operands: true of what Go runs on today except some old
// cores (ARM7, ARM9, PowerPC).
package ghash

import "github.com/cipherlane/cipherlane/driver"

const blockSize = 16

// A Key is a prepared hash key. It may be used from several goroutines at once
// after Init.
type Key struct {
	row  uint8 // of the table of drivers
	form form  // what the row makes of the hash key
	later
}

// Init prepares the hash key h, which is E_K(0) in GCM, for the driver d: one
// of the row constants Generic, PCLMULQDQ, ...
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
// reverse order. With the reversed key of POLYVAL times x as hash key this is
// POLYVAL (RFC 8452, appendix A).
func (k *Key) UpdateReversed(y *[16]byte, p []byte) {
	for len(p) > 0 {
		n := min(len(p), maxPass)
		k.update(y, p[:n], true)
		p = p[n:]
	}
}

// Wipe overwrites the hash key.
func (k *Key) Wipe() { *k = Key{} }

// Drivers lists the drivers that there are for this architecture.
func Drivers() []driver.Info { return table.Drivers() }

// On returns the row constant of the driver of that name.
func On(name string) (uint8, error) {
	plan, err := table.On(name)
	return plan.Bulk, err
}
