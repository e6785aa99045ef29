package main

// proofs are what the kernels compute, in the words of internal/prove.
var proofs = map[string][]string{
	"cryptBlocksRVV": {
		"ecb.encrypt keys=sm4-rvv halved=0 vlen=128 blocks=1,35",
		"ecb.encrypt keys=sm4-rvv halved=0 vlen=256,512 blocks=20",
		"ecb.encrypt keys=sm4-rvv halved=1 vlen=256 blocks=20",
	},
	"ctrRVV": {
		"ctr.blocks keys=sm4-rvv halved=0 vlen=128 rest=0 blocks=2,18",
		"ctr.blocks keys=sm4-rvv halved=0 vlen=128 rest=1 blocks=0,1,16",
		"ctr.blocks keys=sm4-rvv halved=0,1 vlen=256 rest=1 blocks=18",
		"ctr.blocks keys=sm4-rvv halved=0 vlen=512 rest=1 blocks=18",
	},
	"expandRVV": {"bytes.affine vlen=128,256,512 n=128"},
}
