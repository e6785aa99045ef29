package main

// proofs are what the kernels compute, in the words of internal/prove.
var proofs = map[string][]string{
	"updateZBC":         {"ghash.update powers=zbc order=gcm n=16,32,64,128,160"},
	"updateReversedZBC": {"ghash.update powers=zbc order=reversed n=16,32,64,128,160"},
}
