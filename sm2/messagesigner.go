//go:build go1.25

package sm2

import "crypto"

var _ crypto.MessageSigner = (*PrivateKey)(nil) // Go 1.24 lacks it, not the method
