package main

// proofs are what the kernels compute, in the words of internal/prove.
var proofs = map[string][]string{
	"powersZvbc": {"ghash.init powers=zvbc vlen=128,256,512"},
	"updateZvbc": {
		"ghash.update powers=zvbc order=gcm vlen=128 at=0 n=16,48,128,144,256,400",
		"ghash.update powers=zvbc order=gcm vlen=128 at=1 n=48,304",
		"ghash.update powers=zvbc order=gcm vlen=256,512 at=0 n=48,320",
		"ghash.update powers=zvbc order=gcm vlen=256,512 at=1 n=272",
	},
	"updateReversedZvbc": {
		"ghash.update powers=zvbc order=reversed vlen=128 at=0 n=16,48,128,144,256,400",
		"ghash.update powers=zvbc order=reversed vlen=128 at=1 n=48,304",
		"ghash.update powers=zvbc order=reversed vlen=256,512 at=0 n=48,320",
		"ghash.update powers=zvbc order=reversed vlen=256,512 at=1 n=272",
	},
}
