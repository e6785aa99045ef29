package main

// proofs are what internal/prove shows of the kernels of each family, for all keys and data.
var proofs = map[string]map[string][]string{
	"AES": {
		"block1AES":     {"ecb.encrypt keys=sm4-aes step=4,-4 dst=dst,src blocks=1"},
		"blocks4AES":    {"ecb.encrypt keys=sm4-aes step=4,-4 dst=dst,src blocks=4"},
		"blocks8AES":    {"ecb.encrypt keys=sm4-aes step=4,-4 dst=dst,src blocks=8"},
		"blocks16AES":   {"ecb.encrypt keys=sm4-aes step=4,-4 dst=dst,src groups=1,2"},
		"ctr16AES":      {"ctr keys=sm4-aes dst=dst,src counter=ctr inc=32 groups=1,2"},
		"cbcEncryptAES": {"cbc.encrypt keys=sm4-aes dst=dst,src blocks=1,2,3"},
		"cfbEncryptAES": {"cfb.encrypt keys=sm4-aes dst=dst,src blocks=1,2,3"},
	},
	"AESSHA3": {
		"blocks16AESSHA3": {"ecb.encrypt keys=sm4-aes step=4,-4 dst=dst,src groups=1,2"},
		"ctr16AESSHA3":    {"ctr keys=sm4-aes dst=dst,src counter=ctr inc=32 groups=1,2"},
	},
	"Neon": {
		"block1Neon":     {"ecb.encrypt keys=sm4-words dst=dst,src blocks=1"},
		"blocks4Neon":    {"ecb.encrypt keys=sm4-neon step=4,-4 dst=dst,src blocks=4"},
		"blocks8Neon":    {"ecb.encrypt keys=sm4-neon step=4,-4 dst=dst,src blocks=8"},
		"blocksPlanes":   {"ecb.encrypt keys=sm4-planes step=128,-128 dst=dst,src passes=1,2"},
		"ctrPlanes":      {"ctr keys=sm4-planes dst=dst,src counter=ctr inc=32 passes=1,2"},
		"cbcEncryptNeon": {"cbc.encrypt keys=sm4-words dst=dst,src blocks=1,2,3"},
		"cfbEncryptNeon": {"cfb.encrypt keys=sm4-words dst=dst,src blocks=1,2,3"},
	},
}
