package main

// proofs are what internal/prove shows of the kernels, for all keys and data.
var proofs = map[string][]string{
	"blocksNEON":    {"sm3.compress n=64,128"},
	"Compress4NEON": {"sm3.lanes lanes=4 n=2"},
	"Compress8NEON": {"sm3.lanes lanes=8 n=2"},
	"Iterate4NEON":  {"sm3.iterate lanes=4 n=2"},
	"Iterate8NEON":  {"sm3.iterate lanes=8 n=2"},
	"Iterate4SM3":   {"sm3.iterate lanes=4 n=2"},
	"Compress4SM3":  {"sm3.lanes lanes=4 n=2"},
}
