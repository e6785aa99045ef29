package main

// proofs are what internal/prove shows of the kernels, for all keys and data.
var proofs = map[string][]string{
	"sponge":          {"keccak.sponge words=17,21 squeeze=0,1 blocks=2"},
	"permuteWideSHA3": {"keccak.permute"},
	"permuteWideNEON": {"keccak.permute"},
	"absorbWideNEON":  {"keccak.absorb words=17,21"},
	"squeezeWideNEON": {"keccak.squeeze words=17,21"},
}
