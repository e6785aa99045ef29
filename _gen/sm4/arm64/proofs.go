package main

// proofs are what internal/prove shows of the kernels of each family, for all keys and data.
var proofs = map[string]map[string][]string{
	"AES": join(groups("AES"), map[string][]string{
		"expandAES":      {"sm4.affine"},
		"block1AES":      {"ecb.encrypt keys=sm4-aes step=4,-4 blocks=1"},
		"blocks4AES":     {"ecb.encrypt keys=sm4-aes step=4,-4 blocks=4"},
		"blocks8AES":     {"ecb.encrypt keys=sm4-aes step=4,-4 blocks=8"},
		"cbcEncryptAES":  {"cbc.encrypt keys=sm4-aes blocks=2"},
		"cfbEncryptAES":  {"cfb.encrypt keys=sm4-aes blocks=2"},
		"cbcEncrypt8AES": lanes("8"),
		"cbcEncrypt4AES": lanes("4"),
	}),
	"AESSHA3": groups("AESSHA3"),
	"Neon": {
		"expandNeon":      {"sm4.forms"},
		"block1Neon":      {"ecb.encrypt keys=sm4-words blocks=1"},
		"blocks4Neon":     {"ecb.encrypt keys=sm4-neon step=4,-4 blocks=4"},
		"blocks8Neon":     {"ecb.encrypt keys=sm4-neon step=4,-4 blocks=8"},
		"blocksPlanes":    {"ecb.encrypt keys=sm4-planes step=128 passes=2", "ecb.encrypt keys=sm4-planes step=-128 passes=1"},
		"xorPlanes":       {"ecb.xor keys=sm4-planes step=-128 with=before passes=2", "ecb.xor keys=sm4-planes step=128 with=after passes=1"},
		"ctrPlanes":       {"ctr keys=sm4-planes counter=ctr inc=32 passes=2"},
		"cbcEncryptNeon":  {"cbc.encrypt keys=sm4-words blocks=1,3"},
		"cfbEncryptNeon":  {"cfb.encrypt keys=sm4-words blocks=1,3"},
		"addTweaksNeon":   {"xts.tweaks n=16..160/16"},
		"addTweaksGBNeon": {"xts.tweaks order=gb n=16..160/16"},
	},
}

// groups are the kernels of 16 blocks of a family.
func groups(family string) map[string][]string {
	return map[string][]string{
		"blocks16" + family:     {"ecb.encrypt keys=sm4-aes step=4 groups=2,4", "ecb.encrypt keys=sm4-aes step=-4 groups=3"},
		"xor16" + family:        {"ecb.xor keys=sm4-aes step=-4 with=before groups=2,4", "ecb.xor keys=sm4-aes step=4 with=after groups=3"},
		"ctr16" + family:        {"ctr keys=sm4-aes counter=ctr inc=32 groups=2..4"},
		"xts16" + family:        {"xts.transposed keys=sm4-aes step=4 gb=0 groups=2", "xts.transposed keys=sm4-aes step=-4 gb=1 groups=1"},
		"cbcEncrypt16" + family: lanes("16"),
	}
}

func lanes(count string) []string {
	return []string{
		"cbc.encrypt.many keys=sm4-aes lanes=" + count + " shared=0 store=1 blocks=2",
		"cbc.encrypt.many keys=sm4-aes lanes=" + count + " shared=0 store=0 blocks=1",
	}
}

func join(maps ...map[string][]string) map[string][]string {
	all := map[string][]string{}
	for _, m := range maps {
		for name, claims := range m {
			all[name] = claims
		}
	}
	return all
}
