//go:build amd64 && !purego

package amd64

// The GCM kernels of the family VAES512 need VAES, VPCLMULQDQ and AVX-512 (F,
// BW, DQ, VL).

// The kernels process n bytes of the message, done blocks after its start. If there is
// more to come, n must be a multiple of 512 and not 0, and m.Y becomes the hash so far. At the
// start of the message, m.Y is 0 if m.Lens says that there is no data.

//go:noescape
//ct:secret k h m dst src
//ct:public k.Rounds m.Lens m.Pending more
func sealVAES512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, done int, more bool)

//go:noescape
//ct:secret k h m dst src
//ct:public k.Rounds m.Lens m.Pending more
func openVAES512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, done int, more bool)
