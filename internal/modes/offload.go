package modes

import "github.com/cipherlane/cipherlane/internal/offload"

// Offload lets an engine process data units if it accepts them.
func (x *XTS) Offload(k *offload.Key) { x.engine = k }

func (x *XTS) takes(n int, decrypt bool) bool {
	if decrypt {
		return x.engine.Takes(offload.XTSDecrypt, n)
	}
	return x.engine.Takes(offload.XTSEncrypt, n)
}
