package main

// proofs are what internal/prove shows of the kernels of each family, for all keys and data.
var proofs = map[string]map[string][]string{
	"AES": {
		"xor16AES":        {"ecb.xor keys=sm4-aes step=-4 with=before dst=data groups=2", "ecb.xor keys=sm4-aes step=4 with=after dst=data groups=2"},
		"xts16AES":        {"xts.transposed keys=sm4-aes step=4,-4 gb=0,1 dst=src groups=2"},
		"cbcEncrypt16AES": {"cbc.encrypt.many keys=sm4-aes lanes=16 shared=0 store=0,1 blocks=2"},
		"cbcEncrypt8AES":  {"cbc.encrypt.many keys=sm4-aes lanes=8 shared=0 store=0,1 blocks=2"},
		"cbcEncrypt4AES":  {"cbc.encrypt.many keys=sm4-aes lanes=4 shared=0 store=0,1 blocks=2"},
		"block1AES":       {"ecb.encrypt keys=sm4-aes step=4,-4 dst=src blocks=1"},
		"blocks4AES":      {"ecb.encrypt keys=sm4-aes step=4,-4 dst=src blocks=4"},
		"blocks8AES":      {"ecb.encrypt keys=sm4-aes step=4,-4 dst=src blocks=8"},
		"blocks16AES":     {"ecb.encrypt keys=sm4-aes step=4,-4 dst=src groups=2"},
		"ctr16AES":        {"ctr keys=sm4-aes dst=src counter=ctr inc=32 groups=2"},
		"cbcEncryptAES":   {"cbc.encrypt keys=sm4-aes dst=src blocks=1,3"},
		"cfbEncryptAES":   {"cfb.encrypt keys=sm4-aes dst=src blocks=1,3"},
	},
	"AESSHA3": {
		"xor16AESSHA3":        {"ecb.xor keys=sm4-aes step=-4 with=before dst=data groups=2", "ecb.xor keys=sm4-aes step=4 with=after dst=data groups=2"},
		"xts16AESSHA3":        {"xts.transposed keys=sm4-aes step=4,-4 gb=0,1 dst=src groups=2"},
		"cbcEncrypt16AESSHA3": {"cbc.encrypt.many keys=sm4-aes lanes=16 shared=0 store=0,1 blocks=2"},
		"blocks16AESSHA3":     {"ecb.encrypt keys=sm4-aes step=4,-4 dst=src groups=2"},
		"ctr16AESSHA3":        {"ctr keys=sm4-aes dst=src counter=ctr inc=32 groups=2"},
	},
	"Neon": {
		"xorPlanes":       {"ecb.xor keys=sm4-planes step=-128 with=before dst=data passes=2", "ecb.xor keys=sm4-planes step=128 with=after dst=data passes=2"},
		"addTweaksNeon":   {"xts.tweaks dst=src n=16..160/16"},
		"addTweaksGBNeon": {"xts.tweaks order=gb dst=src n=16..160/16"},
		"block1Neon":      {"ecb.encrypt keys=sm4-words dst=src blocks=1"},
		"blocks4Neon":     {"ecb.encrypt keys=sm4-neon step=4,-4 dst=src blocks=4"},
		"blocks8Neon":     {"ecb.encrypt keys=sm4-neon step=4,-4 dst=src blocks=8"},
		"blocksPlanes":    {"ecb.encrypt keys=sm4-planes step=128,-128 dst=src passes=2"},
		"ctrPlanes":       {"ctr keys=sm4-planes dst=src counter=ctr inc=32 passes=2"},
		"cbcEncryptNeon":  {"cbc.encrypt keys=sm4-words dst=src blocks=1,3"},
		"cfbEncryptNeon":  {"cfb.encrypt keys=sm4-words dst=src blocks=1,3"},
	},
}
