//go:build !(386 || arm || mips || mipsle)

package ghash

type genericKey = mul64Key
