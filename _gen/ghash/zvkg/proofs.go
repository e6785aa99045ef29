package main

// proofs are what the kernels compute, in the words of internal/prove.
var proofs = map[string][]string{
	"updateZvkg":         {"ghash.update powers=zvkg order=gcm vlen=128,256,512 n=16,48"},
	"updateReversedZvkg": {"ghash.update powers=zvkg order=reversed vlen=128,256,512 n=16,48"},
	"updateLanesZvkg": {
		"ghash.update powers=lanes order=gcm vlen=128 n=16,48,64,128,144,272",
		"ghash.update powers=lanes order=gcm vlen=256 n=48,400",
		"ghash.update powers=lanes order=gcm vlen=512 n=48,784",
	},
}
