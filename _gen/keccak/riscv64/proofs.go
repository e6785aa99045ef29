package main

// proofs are what the kernels of a file compute, in the words of internal/prove.
var proofs = map[string]map[string][]string{
	"zbb": {
		"absorbZBB":  {"keccak.sponge words=17,21 blocks=2"},
		"squeezeZBB": {"keccak.sponge words=17,21 blocks=2"},
	},
	"rvv": {
		"absorbWideRVV":  {"keccak.absorb lanes=8 vlen=128,256,512 words=17,21"},
		"squeezeWideRVV": {"keccak.squeeze lanes=8 vlen=128,256,512 words=17,21"},
		"permuteWideRVV": {
			"keccak.permute lanes=8 vlen=128 states=1,3",
			"keccak.permute lanes=8 vlen=256 states=5",
			"keccak.permute lanes=8 vlen=512 states=3",
		},
		"permuteWideZVKB": {
			"keccak.permute lanes=8 vlen=128 states=1,3",
			"keccak.permute lanes=8 vlen=256 states=5",
			"keccak.permute lanes=8 vlen=512 states=3",
		},
	},
}
