package main

// proofs are what the kernels compute, in the words of internal/prove.
var proofs = map[string][]string{
	"cryptBlocksZbb": {"ecb.encrypt keys=sm4-zbb step=64,-64 n=256"},
	"ctrZbb":         {"ctr keys=sm4-zbb counter=counter- inc=32 n=256"},
}
