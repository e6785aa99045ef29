package main

// proofs are what the kernels compute, in the words of internal/prove.
var proofs = map[string][]string{
	"cbcEncryptRVV": {
		"cbc.encrypt keys=aes-rvv rounds=10,12,14 halved=0 vlen=128 blocks=1,3",
		"cbc.encrypt keys=aes-rvv rounds=10 halved=1 vlen=128,256,512 blocks=2",
	},
	"decryptBlocksRVV": {
		"ecb.decrypt keys=aes-rvv rounds=10,12,14 halved=0 vlen=128 blocks=1,4",
		"ecb.decrypt keys=aes-rvv rounds=10 halved=0,1 vlen=256 blocks=1,3,5",
		"ecb.decrypt keys=aes-rvv rounds=10 halved=1 vlen=128 blocks=2",
		"ecb.decrypt keys=aes-rvv rounds=10 halved=0 vlen=512 blocks=9",
	},
	"expandBackRVV": {"bytes.affine vlen=128,256,512 n=160"},
}
