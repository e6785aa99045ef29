package main

// proofs are what the kernels compute, in the words of internal/prove.
var proofs = map[string][]string{
	"expandZkn": {"aes.expand rounds=10,12,14"},
	"encryptBlocksZkn": {
		"ecb.encrypt keys=aes-zkn rounds=10,12,14 at=0 n=16,96,128",
		"ecb.encrypt keys=aes-zkn rounds=10,12,14 at=1 n=32",
	},
	"decryptBlocksZkn": {
		"ecb.decrypt keys=aes-zkn rounds=10,12,14 at=0 n=16,96,128",
		"ecb.decrypt keys=aes-zkn rounds=10,12,14 at=1 n=32",
	},
	"ctrZkn": {
		"ctr keys=aes-zkn rounds=10,12,14 counter=counter inc=32 at=0 n=16,96,128",
		"ctr keys=aes-zkn rounds=10,12,14 counter=counter inc=32 at=1 n=32",
	},
	"cbcEncryptZkn": {
		"cbc.encrypt keys=aes-zkn rounds=10,12,14 at=0 n=16,32",
		"cbc.encrypt keys=aes-zkn rounds=10,12,14 at=1 n=32",
	},
	"cbcDecryptZkn": {
		"cbc.decrypt keys=aes-zkn rounds=10,12,14 at=0 n=16,96,128",
		"cbc.decrypt keys=aes-zkn rounds=10,12,14 at=1 n=32",
	},
	"xtsEncryptZkn": {
		"xts.encrypt keys=aes-zkn rounds=10,12,14 at=0 n=16,96,128",
		"xts.encrypt keys=aes-zkn rounds=10,12,14 at=1 n=32",
	},
	"xtsDecryptZkn": {
		"xts.decrypt keys=aes-zkn rounds=10,12,14 at=0 n=16,96,128",
		"xts.decrypt keys=aes-zkn rounds=10,12,14 at=1 n=32",
	},
}
