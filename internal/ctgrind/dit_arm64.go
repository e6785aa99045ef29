//go:build !purego && linux

package ctgrind

import "golang.org/x/sys/unix"

// dit returns the register DIT.
//
//ct:public ret
func dit() uint64

// DIT reports whether instructions currently have data-independent timing (bit 24 of the
// register DIT), and whether the CPU has that mode (FEAT_DIT) and this package can tell.
func DIT() (enabled, supported bool) {
	auxv, err := unix.Auxv()
	if err != nil {
		return false, false
	}
	const (
		atHWCAP  = 16
		hwcapDIT = 1 << 24
	)
	for _, entry := range auxv {
		if entry[0] == atHWCAP && entry[1]&hwcapDIT != 0 {
			return dit()&(1<<24) != 0, true
		}
	}
	return false, false
}
