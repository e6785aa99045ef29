//go:build amd64 && !purego

package amd64

// The family VAES512 needs VAES, VPCLMULQDQ and AVX-512 (F, BW, DQ, VL).

// EncryptBlocksVAES512 encrypts whole blocks, at least one.
//
//go:noescape
//ct:secret k dst src
//ct:public k.Rounds
//prove:ecb.encrypt keys=aes rounds=10,12,14 n=16,96,192,240,784
//prove:ecb.encrypt keys=aes rounds=10 n=1024
func EncryptBlocksVAES512(k *Keys, dst, src []byte)

// DecryptBlocksVAES512 decrypts whole blocks, at least one.
//
//go:noescape
//ct:secret k dst src
//ct:public k.Rounds
//prove:ecb.decrypt keys=aes rounds=10,12,14 n=16,96,192,240,784
//prove:ecb.decrypt keys=aes rounds=10 n=1024
func DecryptBlocksVAES512(k *Keys, dst, src []byte)

// CBCDecryptVAES512 decrypts whole blocks, at least one; iv becomes the last
// ciphertext block.
//
//go:noescape
//ct:secret k iv dst src
//ct:public k.Rounds
//prove:cbc.decrypt keys=aes rounds=10,12,14 n=16,32,96,176,240,784
//prove:cbc.decrypt keys=aes rounds=10 n=1024
func CBCDecryptVAES512(k *Keys, iv *[16]byte, dst, src []byte)

// CTRVAES512 adds keystream to src, at least one byte, and advances the
// 128-bit counter. Unused keystream of the last block goes to the same offsets in
// rest, which may be nil if src is whole blocks.
//
//go:noescape
//ct:secret k dst src rest
//ct:public k.Rounds counter
//prove:ctr keys=aes rounds=10,12,14 counter=counter carry=0 n=84,191,228,773
//prove:ctr keys=aes rounds=10 counter=counter carry=0 n=16,96,192,240,1024
//prove:ctr keys=aes rounds=10 counter=counter left=2,3 inc=128 n=40
func CTRVAES512(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte)

// XTSEncryptVAES512 encrypts whole blocks, at least one, from the encrypted tweak
// on. tweak becomes that of the block after them.
func XTSEncryptVAES512(k *Keys, tweak *[16]byte, dst, src []byte) {
	XTSUnitEncryptVAES512(k, nil, tweak, dst, src)
}

// XTSDecryptVAES512 is the inverse of XTSEncryptVAES512.
func XTSDecryptVAES512(k *Keys, tweak *[16]byte, dst, src []byte) {
	XTSUnitDecryptVAES512(k, nil, tweak, dst, src)
}

// XTSUnitEncryptVAES512 encrypts the tweak with the keys first and then whole blocks, at least one.
// It does not change tweak. If first is nil it is XTSEncryptVAES512.
//
//go:noescape
//ct:secret k first tweak dst src
//ct:public k.Rounds first.Rounds
//prove:xts.encrypt keys=aes rounds=10,12,14 first=nil n=16,96,192,240,272,352,448,976
//prove:xts.encrypt keys=aes rounds=10,12,14 first=unit n=32
//prove:xts.encrypt keys=aes rounds=10 first=nil n=1024
func XTSUnitEncryptVAES512(k, first *Keys, tweak *[16]byte, dst, src []byte)

// XTSUnitDecryptVAES512 is the inverse of XTSUnitEncryptVAES512.
//
//go:noescape
//ct:secret k first tweak dst src
//ct:public k.Rounds first.Rounds
//prove:xts.decrypt keys=aes rounds=10,12,14 first=nil n=16,96,192,240,272,352,448,976
//prove:xts.decrypt keys=aes rounds=10,12,14 first=unit n=32
//prove:xts.decrypt keys=aes rounds=10 first=nil n=1024
func XTSUnitDecryptVAES512(k, first *Keys, tweak *[16]byte, dst, src []byte)

// CBCEncryptManyVAES512 encrypts n blocks, at least one, of each of 1 to 16
// lanes. All keys have the same number of rounds.
func CBCEncryptManyVAES512(lanes []Lane, n int) {
	if len(lanes) > 8 && len(lanes)*n >= 64 || len(lanes) == 8 && n >= 32 {
		cbcEncrypt16VAES512(lanes, n)
		return
	}
	if len(lanes) > 8 {
		CBCEncryptManyAESNI(lanes[:8], n)
		lanes = lanes[8:]
	}
	CBCEncryptManyAESNI(lanes, n)
}

// cbcEncrypt16VAES512 takes as long for one lane as for 16, and must first interleave
// the round keys of the lanes.
//
//go:noescape
//ct:secret lanes
//ct:public lanes.Keys.Rounds
//prove:cbc.encrypt.many keys=aes rounds=10 lanes=16 shared=0 stack=8 store=1 blocks=1,2,3,5
//prove:cbc.encrypt.many keys=aes rounds=12,14 lanes=16 shared=0 stack=16 store=1 blocks=4
//prove:cbc.encrypt.many keys=aes rounds=10 lanes=16 shared=1 stack=0 store=1 blocks=4
//prove:cbc.encrypt.many keys=aes rounds=10 lanes=1,8,9 shared=0 stack=0 store=0 blocks=2
func cbcEncrypt16VAES512(lanes []Lane, n int)
