package main

// proofs are what the kernels compute, in the words of internal/prove.
var proofs = map[string][]string{
	"blocksZVKSH": {
		"sm3.compress vlen=128,256,512 n=64,128",
	},
}
