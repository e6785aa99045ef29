package main

// proofs are what internal/prove shows of the kernels, for all keys and data.
var proofs = map[string][]string{
	"encryptBlocksBitslice": {"ecb.encrypt keys=aes-bitslice rounds=10,12,14 dst=dst,src n=128,256"},
	"decryptBlocksBitslice": {"ecb.decrypt keys=aes-bitslice rounds=10,12,14 dst=dst,src n=128,256"},
	"cbcDecryptBitslice":    {"cbc.decrypt keys=aes-bitslice rounds=10,12,14 dst=dst,src n=128,256"},
	"ctrBitslice":           {"ctr keys=aes-bitslice rounds=10,12,14 dst=dst,src counter=hi:lo inc=64 n=128,256"},
	"ctr32Bitslice":         {"ctr keys=aes-bitslice rounds=10,12,14 dst=dst,src counter=hi:lo inc=32 n=128,256"},
}
