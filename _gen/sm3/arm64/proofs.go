package main

// proofs are what internal/prove shows of the kernels, for all keys and data.
var proofs = map[string][]string{
	"blocksSM3": {"sm3.compress n=64,128,192"},
}
