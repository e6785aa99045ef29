//go:build !linux || nokernel

package kcapi

// AlgorithmsNetlink returns [ErrUnsupported]: it is for Linux only.
func AlgorithmsNetlink() ([]Record, error) {
	return nil, &Error{Op: "list", Algorithm: "crypto_user", Reason: ErrUnsupported}
}
