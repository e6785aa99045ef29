//go:build amd64 && !purego

package amd64

// The GCM kernels of the family VAES512 need VAES, VPCLMULQDQ and AVX-512 (F,
// BW, DQ, VL); those of packets BMI2, too.

// The kernels process n bytes of the message, done blocks after its start. done must be 0 or
// more than 64: with less, they take a short end for a whole message of at most 64 bytes, count
// from its start, and access 64 bytes if n is 0. If there is more to come, n must be a multiple
// of 512 and not 0, and m.Y becomes the hash so far. At the start of the message, m.Y is 0 if
// m.Lens says that there is no data.

//go:noescape
//ct:secret k h m dst src
//ct:public k.Rounds m.Lens m.Pending more
//prove:gcm.seal keys=aes rounds=10,12,14 powers=64 batches=64:32 more=0 done=0 pending=0 data=0 n=0,5
//prove:gcm.seal keys=aes rounds=10 powers=64 batches=64:32 more=0 done=0 pending=0,1 data=1 n=0,48,64
//prove:gcm.seal keys=aes rounds=10,12,14 powers=64 batches=64:32 more=0 done=4096 pending=0 n=20
//prove:gcm.seal keys=aes rounds=10,12,14 powers=64 batches=64:32 more=0 done=0 pending=0 n=100,160,240,290,380,420,490
//prove:gcm.seal keys=aes rounds=10 powers=64 batches=64:32 more=0 done=0 pending=1 n=112
//prove:gcm.seal keys=aes rounds=10,12,14 powers=64 batches=64:32 more=0 done=0 pending=0 n=512,540,600,660,740,800,860,930,962
//prove:gcm.seal keys=aes rounds=10,12,14 powers=64 batches=64:32 more=0 done=0 pending=0 n=2560
//prove:gcm.seal keys=aes rounds=10 powers=64 batches=64:32 more=0 done=0 pending=0 n=1100
//prove:gcm.seal keys=aes rounds=10,12,14 powers=64 batches=64:32 more=1 done=4096 pending=0 n=1024
//prove:gcm.seal keys=aes rounds=10 powers=64 batches=64:32 settle=1 more=0 done=0 pending=1 n=512
func sealVAES512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, done int, more bool)

//go:noescape
//ct:secret k h m dst src
//ct:public k.Rounds m.Lens m.Pending more
//prove:gcm.open keys=aes rounds=10,12,14 powers=64 batches=64:32 more=0 done=0 pending=0 data=0 n=0,5
//prove:gcm.open keys=aes rounds=10 powers=64 batches=64:32 more=0 done=0 pending=0,1 data=1 n=0,48,64
//prove:gcm.open keys=aes rounds=10,12,14 powers=64 batches=64:32 more=0 done=4096 pending=0 n=20
//prove:gcm.open keys=aes rounds=10,12,14 powers=64 batches=64:32 more=0 done=0 pending=0 n=100,160,240,290,380,420,490
//prove:gcm.open keys=aes rounds=10 powers=64 batches=64:32 more=0 done=0 pending=1 n=112
//prove:gcm.open keys=aes rounds=10,12,14 powers=64 batches=64:32 more=0 done=0 pending=0 n=512,540,600,660,740,800,860,930,962
//prove:gcm.open keys=aes rounds=10,12,14 powers=64 batches=64:32 more=0 done=0 pending=0 n=2560
//prove:gcm.open keys=aes rounds=10 powers=64 batches=64:32 more=0 done=0 pending=0 n=1100
//prove:gcm.open keys=aes rounds=10,12,14 powers=64 batches=64:32 more=1 done=4096 pending=0 n=1024
//prove:gcm.open keys=aes rounds=10 powers=64 batches=64:32 settle=1 more=0 done=0 pending=1 n=512
func openVAES512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, done int, more bool)

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
