package main

// proofs are what the kernels compute, in the words of internal/prove.
var proofs = map[string][]string{
	"expandZksed": {
		"sm4.expand",
	},
	"cryptBlocksZksed": {
		"ecb.encrypt keys=sm4-reversed at=0 n=16,80,96",
		"ecb.encrypt keys=sm4-reversed at=1 n=32",
	},
	"ctrZksed": {
		"ctr keys=sm4-reversed counter=counter inc=32 at=0 n=16,80,96",
		"ctr keys=sm4-reversed counter=counter inc=32 at=1 n=32",
	},
	"cbcEncryptZksed": {
		"cbc.encrypt keys=sm4-reversed at=0 n=16,32",
		"cbc.encrypt keys=sm4-reversed at=1 n=32",
	},
	"cbcDecryptZksed": {
		"cbc.decrypt keys=sm4-reversed-back at=0 n=16,80,96",
		"cbc.decrypt keys=sm4-reversed-back at=1 n=32",
	},
	"cfbDecryptZksed": {
		"cfb.decrypt keys=sm4-reversed at=0 n=16,80,96",
		"cfb.decrypt keys=sm4-reversed at=1 n=32",
	},
}
