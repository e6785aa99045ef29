package main

// proofs are what internal/prove shows of the kernels, for all keys and data.
var proofs = map[string][]string{
	"expandCE":            {"aes.expand rounds=10,12,14"},
	"encryptBlocksCE":     {"ecb.encrypt keys=aes rounds=10,12,14 dst=dst,src n=16..256/16"},
	"decryptBlocksCE":     {"ecb.decrypt keys=aes rounds=10,12,14 dst=dst,src n=16..256/16"},
	"cbcEncryptCE":        {"cbc.encrypt keys=aes rounds=10,12,14 dst=dst,src n=16,32,48"},
	"cbcMACCE":            {"cbc.mac keys=aes rounds=10,12,14 n=16,32,48"},
	"cbcDecryptCE":        {"cbc.decrypt keys=aes rounds=10,12,14 dst=dst,src n=16..256/16"},
	"cfbEncryptCE":        {"cfb.encrypt keys=aes rounds=10,12,14 dst=dst,src n=16,32,48"},
	"cfbDecryptCE":        {"cfb.decrypt keys=aes rounds=10,12,14 dst=dst,src n=16..256/16"},
	"ccmSealCE":           {"ccm.seal keys=aes rounds=10,12,14 dst=dst,src n=16,32,48"},
	"ccmOpenCE":           {"ccm.open keys=aes rounds=10,12,14 dst=dst,src n=16,32,48"},
	"ctrCE":               {"ctr keys=aes rounds=10,12,14 dst=dst,src counter=counter inc=128 n=16..256/16"},
	"xtsEncryptCE":        {"xts.encrypt keys=aes rounds=10,12,14 first=nil,keys dst=dst,src n=16..256/16"},
	"xtsDecryptCE":        {"xts.decrypt keys=aes rounds=10,12,14 first=nil,keys dst=dst,src n=16..256/16"},
	"cbcEncrypt8CE":       {"cbc.encrypt.many keys=aes rounds=10,12,14 lanes=8 shared=0 store=0,1 blocks=1,2"},
	"cbcEncrypt4CE":       {"cbc.encrypt.many keys=aes rounds=10,12,14 lanes=4 shared=0 store=0,1 blocks=1,2"},
	"cbcEncrypt2CE":       {"cbc.encrypt.many keys=aes rounds=10,12,14 lanes=2 shared=0 store=0,1 blocks=1,2"},
	"cbcEncryptShared8CE": {"cbc.encrypt.many keys=aes rounds=10,12,14 lanes=8 shared=1 store=0,1 blocks=1,2"},
	"cbcEncryptShared4CE": {"cbc.encrypt.many keys=aes rounds=10,12,14 lanes=4 shared=1 store=0,1 blocks=1,2"},
	"cbcEncryptShared2CE": {"cbc.encrypt.many keys=aes rounds=10,12,14 lanes=2 shared=1 store=0,1 blocks=1,2"},
}
