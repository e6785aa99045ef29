package main

// proofs are what internal/prove shows of the kernels, for all keys and data.
var proofs = map[string][]string{
	"expandSM4":        {"sm4.expand"},
	"encryptBlocksSM4": {"ecb.encrypt keys=sm4 dst=dst,src n=16..304/16"},
	"decryptBlocksSM4": {"ecb.decrypt keys=sm4 dst=dst,src n=16..304/16"},
	"cbcEncryptSM4":    {"cbc.encrypt keys=sm4 dst=dst,src n=16,32,48"},
	"cfbEncryptSM4":    {"cfb.encrypt keys=sm4 dst=dst,src n=16,32,48"},
	"cbcDecryptSM4":    {"cbc.decrypt keys=sm4 dst=dst,src n=16..304/16"},
	"cfbDecryptSM4":    {"cfb.decrypt keys=sm4 dst=dst,src n=16..304/16"},
	"ctrSM4":           {"ctr keys=sm4 dst=dst,src counter=counter inc=128 n=16..304/16"},
	"ctr32SM4":         {"ctr keys=sm4 dst=dst,src counter=hi:lo inc=32 n=16..304/16"},
	"xtsSM4":           {"xts.encrypt keys=sm4 first=nil,keys dst=dst,src n=16..304/16"},
	"cbcEncrypt8SM4":   {"cbc.encrypt.many keys=sm4 lanes=8 shared=0 store=0,1 blocks=1,2"},
	"cbcEncrypt4SM4":   {"cbc.encrypt.many keys=sm4 lanes=4 shared=0 store=0,1 blocks=1,2"},
	"cbcEncrypt2SM4":   {"cbc.encrypt.many keys=sm4 lanes=2 shared=0 store=0,1 blocks=1,2"},
	"cbcEncrypt1SM4":   {"cbc.encrypt.many keys=sm4 lanes=1 shared=0 store=0,1 blocks=1,2"},
}
