package main

// proofs are what internal/prove shows of the kernels, for all keys and data.
var proofs = map[string][]string{
	"initPMULL":           {"ghash.init powers=sums"},
	"updatePMULL":         {"ghash.update powers=sums order=gcm cut=V8:R2 n=16..128/16,256,368"},
	"updateReversedPMULL": {"ghash.update powers=sums order=reversed cut=V8:R2 n=16..128/16,256,368"},
}
