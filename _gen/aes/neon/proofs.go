package main

// proofs are what internal/prove shows of the kernels, for all keys and data.
var proofs = map[string][]string{
	"encryptBlocksNEON": {"ecb.encrypt keys=aes-neon rounds=10,12,14 dst=src n=16,32,48,64,80"},
	"decryptBlocksNEON": {"ecb.decrypt keys=aes-neon rounds=10,12,14 dst=src n=16,32,48,64,80"},
	"cbcEncryptNEON":    {"cbc.encrypt keys=aes-neon rounds=10,12,14 dst=src n=16,48"},
	"cbcDecryptNEON":    {"cbc.decrypt keys=aes-neon rounds=10,12,14 dst=src n=16,32,48,64,80"},
	"ctrNEON":           {"ctr keys=aes-neon rounds=10,12,14 dst=dst,src counter=hi:lo inc=64 n=16..80/16"},
	"xtsEncryptNEON":    {"xts.encrypt keys=aes-neon rounds=10,12,14 dst=src n=16,32,48,64,80"},
	"xtsDecryptNEON":    {"xts.decrypt keys=aes-neon rounds=10,12,14 dst=src n=16,32,48,64,80"},
	"cbcEncrypt4NEON":   {"cbc.encrypt.many keys=aes-neon rounds=10,14 lanes=4 shared=0 store=0,1 blocks=2"},
	"cbcEncrypt2NEON":   {"cbc.encrypt.many keys=aes-neon rounds=10,14 lanes=2 shared=0 store=0,1 blocks=2"},
	"cbcEncrypt1NEON":   {"cbc.encrypt.many keys=aes-neon rounds=10,14 lanes=1 shared=0 store=0,1 blocks=2"},
}
