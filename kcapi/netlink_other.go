//go:build !linux || nokernel

package kcapi

// AlgorithmsNetlink is for Linux.
func AlgorithmsNetlink() ([]Record, error) {
	return nil, &Error{Op: "list", Algorithm: "crypto_user", Reason: ErrUnsupported}
}
