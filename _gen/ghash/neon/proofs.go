package main

// proofs are what internal/prove shows of the kernels, for all keys and data.
var proofs = map[string][]string{
	"initNEON":           {"ghash.init powers=rotations"},
	"extendNEON":         {"ghash.init powers=rotations from=5"},
	"updateNEON":         {"ghash.update powers=rotations order=gcm cut=V6:R2 n=16..128/16,256,368"},
	"updateReversedNEON": {"ghash.update powers=rotations order=reversed cut=V6:R2 n=16..128/16,256,368"},
}
