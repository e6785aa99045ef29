//go:build purego || !(amd64 || arm64)

package sm3

// There are no kernels for many inputs.

var lanes = make([]struct{ messages, keys, digests widths }, len(infos))

const maxLanes = 32 // messages side by side, at most
