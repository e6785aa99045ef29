//go:build go1.26

package frodokem

import "crypto"

var (
	_ crypto.Encapsulator = (*EncapsulationKey)(nil)
	_ crypto.Decapsulator = (*DecapsulationKey)(nil)
)

// Encapsulator returns the public key. It implements [crypto.Decapsulator], which came with
// Go 1.26. Before, there is only [DecapsulationKey.EncapsulationKey].
func (dk *DecapsulationKey) Encapsulator() crypto.Encapsulator { return &dk.ek }
