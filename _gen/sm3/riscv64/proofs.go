package main

// proofs are what the kernels compute, in the words of internal/prove.
var proofs = map[string][]string{
	"blocksZBB": {
		"sm3.compress n=64,128",
	},
	"blocksZKSH": {
		"sm3.compress n=64,128",
	},
}
