//go:build amd64 && !purego

package amd64

// All families with AES-NI share these kernels, which use no AVX.

// ExpandAESNI computes the round keys of a key of 16, 24 or 32 bytes.
//
//go:noescape
//ct:secret k key
//ct:public k.Rounds
//prove:aes.expand rounds=10,12,14
func ExpandAESNI(k *Keys, key []byte)

// CBCEncryptAESNI encrypts whole blocks, at least one; iv becomes the last
// ciphertext block.
//
//go:noescape
//ct:secret k iv dst src
//ct:public k.Rounds
//prove:cbc.encrypt keys=aes rounds=10,12,14 n=16,48
func CBCEncryptAESNI(k *Keys, iv *[16]byte, dst, src []byte)

// CBCEncryptManyAESNI encrypts n blocks, at least one, of each of 1 to 8
// lanes. All keys have the same number of rounds.
//
//go:noescape
//ct:secret lanes
//ct:public lanes.Keys.Rounds
//prove:cbc.encrypt.many keys=aes rounds=10,12,14 lanes=1..8 shared=0 store=1 blocks=2
//prove:cbc.encrypt.many keys=aes rounds=10 lanes=1..8 shared=0 store=0 blocks=2
func CBCEncryptManyAESNI(lanes []Lane, n int)
