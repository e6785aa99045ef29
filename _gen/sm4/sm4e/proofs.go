package main

// proofs are what internal/prove shows of the kernels, for all keys and data. A pass is 8 blocks,
// and after the passes are 4, 2 and 1: 112 bytes are all of these without a pass.
var proofs = map[string][]string{
	"expandSM4":        {"sm4.expand"},
	"encryptBlocksSM4": bulk("ecb.encrypt keys=sm4"),
	"decryptBlocksSM4": bulk("ecb.decrypt keys=sm4"),
	"cbcEncryptSM4":    {"cbc.encrypt keys=sm4 n=32,80,128"},
	"cfbEncryptSM4":    {"cfb.encrypt keys=sm4 n=32,80,128"},
	"cbcDecryptSM4":    bulk("cbc.decrypt keys=sm4"),
	"cfbDecryptSM4":    bulk("cfb.decrypt keys=sm4"),
	"ctrSM4":           bulk("ctr keys=sm4 counter=counter carry=0,1"),
	"ctr32SM4":         bulk("ctr keys=sm4 counter=hi:lo inc=32"),
	"xtsSM4":           xts("xts.encrypt"),
	"xtsGBSM4":         xts("xts.encrypt order=gb"),
	"countersSM4":      {"counters keys=sm4 which=15 n=16,112,256", "counters keys=sm4 which=0 n=32,64"},
	"sealSM4":          messages("gcm.seal cut=V21:R4"),
	"openSM4":          messages("gcm.open cut=V21:R4"),
	"cbcEncrypt8SM4":   lanes("8"),
	"cbcEncrypt4SM4":   lanes("4"),
	"cbcEncrypt2SM4":   lanes("2"),
	"cbcEncrypt1SM4":   lanes("1"),
}

func bulk(contract string) []string { return []string{contract + " n=16,32,64,112,256"} }

func xts(contract string) []string {
	return []string{contract + " keys=sm4-rounds first=nil n=16,112,256", contract + " keys=sm4-rounds first=keys n=32"}
}

func lanes(count string) []string {
	return []string{"cbc.encrypt.many keys=sm4 lanes=" + count + " shared=0 store=0,1 blocks=2"}
}

// messages have no pass, or some; and each number of lanes in the tail, with parts of a block.
func messages(contract string) []string {
	contract += " keys=sm4"
	return []string{
		contract + " before=0 more=0 pending=0 n=0,10,16,21,37,64,80,96,112,127",
		contract + " before=8 more=0 pending=1 n=256",
		contract + " before=0 more=1 pending=0 n=128,384",
	}
}
