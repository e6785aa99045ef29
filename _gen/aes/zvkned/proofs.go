package main

// proofs are what the kernels compute, in the words of internal/prove.
var proofs = map[string][]string{
	"encryptBlocksZvkned": {
		"ecb.encrypt keys=aes-zvkned rounds=10,12,14 vlen=128 n=16,64,144",
		"ecb.encrypt keys=aes-zvkned rounds=10 vlen=256 n=144",
		"ecb.encrypt keys=aes-zvkned rounds=10 vlen=512 n=272",
	},
	"decryptBlocksZvkned": {
		"ecb.decrypt keys=aes-zvkned rounds=10,12,14 vlen=128 n=16,64,144",
		"ecb.decrypt keys=aes-zvkned rounds=10 vlen=256 n=144",
		"ecb.decrypt keys=aes-zvkned rounds=10 vlen=512 n=272",
	},
	"ctrZvkned": {
		"ctr counter=counter- inc=32 keys=aes-zvkned rounds=10,12,14 vlen=128 n=21,64,144,208",
		"ctr counter=counter- inc=32 keys=aes-zvkned rounds=10 vlen=256 n=21,144",
		"ctr counter=counter- inc=32 keys=aes-zvkned rounds=10 vlen=512 n=21,272",
	},
	"cbcEncryptZvkned": {
		"cbc.encrypt keys=aes-zvkned rounds=10,12,14 vlen=128 at=0 n=48,64",
		"cbc.encrypt keys=aes-zvkned rounds=10,12,14 vlen=128 at=1 n=32",
		"cbc.encrypt keys=aes-zvkned rounds=10 vlen=256,512 at=0 n=48",
	},
	"cbcDecryptZvkned": {
		"cbc.decrypt keys=aes-zvkned rounds=10,12,14 vlen=128 n=16,64,144",
		"cbc.decrypt keys=aes-zvkned rounds=10 vlen=256 n=144",
		"cbc.decrypt keys=aes-zvkned rounds=10 vlen=512 n=272",
	},
	"cbcMACZvkned": {
		"cbc.mac keys=aes-zvkned rounds=10,12,14 vlen=128 at=0 n=48,64",
		"cbc.mac keys=aes-zvkned rounds=10,12,14 vlen=128 at=1 n=32",
		"cbc.mac keys=aes-zvkned rounds=10 vlen=256,512 at=0 n=48",
	},
	"cfbEncryptZvkned": {
		"cfb.encrypt keys=aes-zvkned rounds=10,12,14 vlen=128 at=0 n=48,64",
		"cfb.encrypt keys=aes-zvkned rounds=10,12,14 vlen=128 at=1 n=32",
		"cfb.encrypt keys=aes-zvkned rounds=10 vlen=256,512 at=0 n=48",
	},
	"cfbDecryptZvkned": {
		"cfb.decrypt keys=aes-zvkned rounds=10,12,14 vlen=128 n=16,64,144",
		"cfb.decrypt keys=aes-zvkned rounds=10 vlen=256 n=144",
		"cfb.decrypt keys=aes-zvkned rounds=10 vlen=512 n=272",
	},
	"ccmSealZvkned": {
		"ccm.seal keys=aes-zvkned inc=32 rounds=10,12,14 vlen=128 n=16,48",
		"ccm.seal keys=aes-zvkned inc=32 rounds=10 vlen=256,512 n=48",
	},
	"ccmOpenZvkned": {
		"ccm.open keys=aes-zvkned inc=32 rounds=10,12,14 vlen=128 n=16,48",
		"ccm.open keys=aes-zvkned inc=32 rounds=10 vlen=256,512 n=48",
	},
	"xtsEncryptZvkned": {
		"xts.encrypt keys=aes-zvkned rounds=10,12,14 vlen=128 n=16,64,144",
		"xts.encrypt keys=aes-zvkned rounds=10 vlen=256 n=144",
		"xts.encrypt keys=aes-zvkned rounds=10 vlen=512 n=272",
	},
	"xtsDecryptZvkned": {
		"xts.decrypt keys=aes-zvkned rounds=10,12,14 vlen=128 n=16,64,144",
		"xts.decrypt keys=aes-zvkned rounds=10 vlen=256 n=144",
		"xts.decrypt keys=aes-zvkned rounds=10 vlen=512 n=272",
	},
	"xtsEncryptShiftsZvkned": {
		"xts.encrypt keys=aes-zvkned rounds=10,12,14 vlen=128 n=16,64,144",
		"xts.encrypt keys=aes-zvkned rounds=10 vlen=256 n=144",
		"xts.encrypt keys=aes-zvkned rounds=10 vlen=512 n=272",
	},
	"xtsDecryptShiftsZvkned": {
		"xts.decrypt keys=aes-zvkned rounds=10,12,14 vlen=128 n=16,64,144",
		"xts.decrypt keys=aes-zvkned rounds=10 vlen=256 n=144",
		"xts.decrypt keys=aes-zvkned rounds=10 vlen=512 n=272",
	},
	"sealZvkned": {
		"gcm.seal keys=aes-zvkned rounds=10,12,14 before=0 pending=0 more=0 vlen=128 n=0,10,61,128,150",
		"gcm.seal keys=aes-zvkned rounds=10 before=0 pending=0 more=0 vlen=128 n=21,48,190",
		"gcm.seal keys=aes-zvkned rounds=10 before=8 pending=1 more=0 vlen=128 n=0,200",
		"gcm.seal keys=aes-zvkned rounds=10,12,14 before=8 pending=0 more=1 vlen=128 n=64,192",
		"gcm.seal keys=aes-zvkned rounds=10 before=8 pending=1 more=1 vlen=128 n=128",
		"gcm.seal keys=aes-zvkned rounds=10 before=0 pending=0 more=0 vlen=256 n=21,125,300",
		"gcm.seal keys=aes-zvkned rounds=10 before=0 pending=0 more=0 vlen=512 n=21,250,600",
	},
	"openZvkned": {
		"gcm.open keys=aes-zvkned rounds=10,12,14 before=0 pending=0 more=0 vlen=128 n=0,10,61,128,150",
		"gcm.open keys=aes-zvkned rounds=10 before=0 pending=0 more=0 vlen=128 n=21,48,190",
		"gcm.open keys=aes-zvkned rounds=10 before=8 pending=1 more=0 vlen=128 n=0,200",
		"gcm.open keys=aes-zvkned rounds=10,12,14 before=8 pending=0 more=1 vlen=128 n=64,192",
		"gcm.open keys=aes-zvkned rounds=10 before=8 pending=1 more=1 vlen=128 n=128",
		"gcm.open keys=aes-zvkned rounds=10 before=0 pending=0 more=0 vlen=256 n=21,125,300",
		"gcm.open keys=aes-zvkned rounds=10 before=0 pending=0 more=0 vlen=512 n=21,250,600",
	},
}
