//go:build 386 || arm || mips || mipsle

package ghash

type genericKey = mul32Key
