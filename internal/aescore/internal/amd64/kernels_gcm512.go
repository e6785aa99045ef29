//go:build amd64 && !purego

package amd64

// The GCM kernels of the family VAES512 need VAES, VPCLMULQDQ and AVX-512 (F,
// BW, DQ, VL); those of packets BMI2, too.

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

// A Packet is that of package ghash, but for its first field.
type Packet struct {
	Dst, Src, Nonce, Data *byte
	Size, DataSize        int
	TagBits               uint16
}

// SealPacketVAES512 is GCM for a packet. The tag goes behind the text at Dst.
//
//go:noescape
//ct:secret k h m
//ct:public k.Rounds m.Size m.DataSize m.TagBits
//prove:gcm.packet.seal keys=aes rounds=10,12,14 tag=16 data=20 n=0,20,100,150,250
//prove:gcm.packet.seal keys=aes rounds=10 tag=12 data=0,64,130 n=7
//prove:gcm.packet.seal keys=aes rounds=10 tag=16 data=48,256 n=64,256
func SealPacketVAES512(k *Keys, h *Powers, m *Packet)

// OpenPacketVAES512 is the inverse of SealPacketVAES512, with the tag behind the text at Src. If it is
// wrong, the text at Dst becomes zero.
//
//go:noescape
//ct:secret k h m ok
//ct:public k.Rounds m.Size m.DataSize m.TagBits
//prove:gcm.packet.open keys=aes rounds=10,12,14 tag=16 data=20 n=0,20,100,150,250
//prove:gcm.packet.open keys=aes rounds=10 tag=12 data=0,64,130 n=7
//prove:gcm.packet.open keys=aes rounds=10 tag=16 data=48,256 n=64,256
func OpenPacketVAES512(k *Keys, h *Powers, m *Packet) (ok bool)
