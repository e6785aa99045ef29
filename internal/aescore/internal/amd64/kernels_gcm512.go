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
//prove:gcm.seal keys=aes rounds=10,12,14 powers=64 batches=64:32 more=0 done=0 pending=0 dst=src n=0,5,16,20,63,100,512,1100
//prove:gcm.seal keys=aes rounds=10 powers=64 batches=64:32 more=0 done=0 pending=1 dst=src n=0,20,100
//prove:gcm.seal keys=aes rounds=10 powers=64 batches=64:32 settle=1 more=0 done=0 pending=1 dst=src n=512
func sealVAES512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, done int, more bool)

//go:noescape
//ct:secret k h m dst src
//ct:public k.Rounds m.Lens m.Pending more
func openVAES512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, done int, more bool)

// A Packet is that of package ghash, but for its first field.
type Packet struct {
	Dst, Src, Nonce, Data *byte
	Size, DataSize        int
	TagBits               uint16
}

//go:noescape
//ct:secret k h m
//ct:public k.Rounds m.Size m.DataSize m.TagBits
func SealPacketVAES512(k *Keys, h *Powers, m *Packet)

//go:noescape
//ct:secret k h m ok
//ct:public k.Rounds m.Size m.DataSize m.TagBits
func OpenPacketVAES512(k *Keys, h *Powers, m *Packet) (ok bool)
