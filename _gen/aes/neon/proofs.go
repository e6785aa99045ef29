package main

// proofs are what internal/prove shows of the kernels, for all keys and data.
var proofs = map[string][]string{
	"expandNEON":        {"aes.affine rounds=10,12,14"},
	"encryptBlocksNEON": few("ecb.encrypt"),
	"decryptBlocksNEON": few("ecb.decrypt"),
	"cbcEncryptNEON":    {"cbc.encrypt keys=aes-neon rounds=10,12,14 n=32"},
	"cbcDecryptNEON":    few("cbc.decrypt"),
	"ctrNEON":           few("ctr counter=hi:lo inc=64"),
	"xtsEncryptNEON":    few("xts.encrypt"),
	"xtsDecryptNEON":    few("xts.decrypt"),
	"cbcEncrypt4NEON":   {"cbc.encrypt.many keys=aes-neon rounds=10,14 lanes=4 shared=0 store=0,1 blocks=2"},
	"cbcEncrypt2NEON":   {"cbc.encrypt.many keys=aes-neon rounds=10,14 lanes=2 shared=0 store=0,1 blocks=2"},
	"cbcEncrypt1NEON":   {"cbc.encrypt.many keys=aes-neon rounds=10,14 lanes=1 shared=0 store=0,1 blocks=2"},
}

// few are kernels of passes of 4 blocks, with 2 and 1 after them.
func few(contract string) []string {
	return []string{
		contract + " keys=aes-neon rounds=10,12,14 n=48,128",
		contract + " keys=aes-neon rounds=10 n=16,32",
	}
}
