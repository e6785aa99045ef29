package main

// proofs are what internal/prove shows of the kernels, for all keys and data. A pass is 8 blocks,
// and after the passes are 4, 2 and 1: 112 bytes are all of these without a pass.
var proofs = map[string][]string{
	"expandCE":        {"aes.expand rounds=10,12,14"},
	"encryptBlocksCE": bulk("ecb.encrypt"),
	"decryptBlocksCE": bulk("ecb.decrypt"),
	"cbcEncryptCE":    serial("cbc.encrypt keys=aes"),
	"cbcMACCE":        serial("cbc.mac keys=aes"),
	"cbcDecryptCE":    bulk("cbc.decrypt"),
	"cfbEncryptCE":    serial("cfb.encrypt keys=aes"),
	"cfbDecryptCE":    bulk("cfb.decrypt"),
	"ccmSealCE":       serial("ccm.seal keys=aes"),
	"ccmOpenCE":       serial("ccm.open keys=aes"),
	"ctrCE": {
		"ctr keys=aes rounds=10,12,14 counter=counter carry=0 n=112,256",
		"ctr keys=aes rounds=10,12,14 counter=counter carry=1 n=32",
		"ctr keys=aes rounds=10 counter=counter carry=0 n=16,32,64",
	},
	"xtsEncryptCE":        xts("xts.encrypt"),
	"xtsDecryptCE":        xts("xts.decrypt"),
	"sealCE":              messages("gcm.seal cut=V24:R5"),
	"openCE":              messages("gcm.open cut=V24:R5"),
	"cbcEncrypt8CE":       lanes("8 shared=0"),
	"cbcEncrypt4CE":       lanes("4 shared=0"),
	"cbcEncrypt2CE":       lanes("2 shared=0"),
	"cbcEncryptShared8CE": lanes("8 shared=1"),
	"cbcEncryptShared4CE": lanes("4 shared=1"),
	"cbcEncryptShared2CE": lanes("2 shared=1"),
}

func bulk(contract string) []string {
	return []string{
		contract + " keys=aes rounds=10,12,14 n=112,256",
		contract + " keys=aes rounds=10 n=16,32,64",
	}
}

func serial(contract string) []string { return []string{contract + " rounds=10,12,14 n=16,48"} }

func xts(contract string) []string {
	return []string{
		contract + " keys=aes rounds=10,12,14 first=nil n=112,256",
		contract + " keys=aes rounds=10,12,14 first=keys n=32",
		contract + " keys=aes rounds=10 first=nil n=16,64",
	}
}

func lanes(count string) []string {
	return []string{"cbc.encrypt.many keys=aes rounds=10,12,14 lanes=" + count + " store=0,1 blocks=2"}
}

// messages have no pass, or some; and each number of lanes in the tail, with parts of a block.
func messages(contract string) []string {
	contract += " keys=aes"
	return []string{
		contract + " rounds=10,12,14 before=0 more=0 pending=0 n=0,10,21,64,96,127",
		contract + " rounds=10 before=0 more=0 pending=0 n=16,37,80,112",
		contract + " rounds=10,12,14 before=8 more=0 pending=1 n=256",
		contract + " rounds=10 before=0 more=1 pending=0 n=128,384",
	}
}
