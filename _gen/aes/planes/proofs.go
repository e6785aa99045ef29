package main

// proofs are what the kernels of an architecture compute, in the words of internal/prove.
var proofs = map[string]map[string][]string{
	"riscv64": {
		"encryptZbb": {"ecb.encrypt keys=aes-zbb rounds=10,12,14 n=256"},
		"decryptZbb": {"ecb.decrypt keys=aes-zbb rounds=10,12,14 n=256"},
		"ctrZbb":     {"ctr keys=aes-zbb counter=counter- inc=32 rounds=10,12,14 n=256"},
	},
}
