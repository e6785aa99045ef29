package main

// proofs are what internal/prove shows of the kernels, for all keys and data.
var proofs = map[string][]string{
	"expandBitslice":        {"aes.planes rounds=10,12,14"},
	"encryptBlocksBitslice": two("ecb.encrypt"),
	"decryptBlocksBitslice": two("ecb.decrypt"),
	"cbcDecryptBitslice":    two("cbc.decrypt"),
	"ctrBitslice":           two("ctr counter=hi:lo inc=64"),
	"ctr32Bitslice":         two("ctr counter=hi:lo inc=32"),
	"xtsEncryptBitslice":    two("xts.encrypt tweaks=8"),
	"xtsDecryptBitslice":    two("xts.decrypt tweaks=8"),
}

// two passes of eight blocks, or one.
func two(contract string) []string {
	return []string{
		contract + " keys=aes-bitslice rounds=12,14 n=128",
		contract + " keys=aes-bitslice rounds=10 n=256",
	}
}
