package main

// proofs are what the kernels compute, in the words of internal/prove.
var proofs = map[string][]string{
	"cryptBlocksZvksed": {
		"ecb.encrypt keys=sm4-rounds vlen=128 n=16,64,144",
		"ecb.encrypt keys=sm4-rounds vlen=256,512 n=272",
	},
	"ctrZvksed": {
		"ctr counter=counter- inc=32 keys=sm4-rounds vlen=128 n=64,144,208",
		"ctr counter=counter- inc=32 keys=sm4-rounds vlen=256 n=144",
		"ctr counter=counter- inc=32 keys=sm4-rounds vlen=512 n=272",
		"ctr counter=counter- inc=32 keys=sm4-rounds vlen=128,256,512 n=21",
	},
	"cbcEncryptZvksed": {
		"cbc.encrypt keys=sm4-rounds vlen=128,256,512 at=0 n=48,64",
		"cbc.encrypt keys=sm4-rounds vlen=128,256,512 at=1 n=32",
	},
	"cbcDecryptZvksed": {
		"cbc.decrypt keys=sm4-rounds-back vlen=128 n=16,64,144",
		"cbc.decrypt keys=sm4-rounds-back vlen=256 n=144",
		"cbc.decrypt keys=sm4-rounds-back vlen=512 n=272",
	},
	"cbcMACZvksed": {
		"cbc.mac keys=sm4-rounds vlen=128,256,512 at=0 n=48,64",
		"cbc.mac keys=sm4-rounds vlen=128,256,512 at=1 n=32",
	},
	"cfbEncryptZvksed": {
		"cfb.encrypt keys=sm4-rounds vlen=128,256,512 at=0 n=48,64",
		"cfb.encrypt keys=sm4-rounds vlen=128,256,512 at=1 n=32",
	},
	"cfbDecryptZvksed": {
		"cfb.decrypt keys=sm4-rounds vlen=128 n=16,64,144",
		"cfb.decrypt keys=sm4-rounds vlen=256 n=144",
		"cfb.decrypt keys=sm4-rounds vlen=512 n=272",
	},
	"ccmSealZvksed": {"ccm.seal keys=sm4-rounds inc=32 vlen=128,256,512 n=16,48"},
	"ccmOpenZvksed": {"ccm.open keys=sm4-rounds inc=32 vlen=128,256,512 n=16,48"},
	"xtsZvksed": {
		"xts.encrypt keys=sm4-rounds vlen=128 n=16,64,144",
		"xts.encrypt keys=sm4-rounds vlen=256 n=144",
		"xts.encrypt keys=sm4-rounds vlen=512 n=272",
	},
	"xtsGBZvksed": {
		"xts.encrypt order=gb keys=sm4-rounds vlen=128 n=16,64,144",
		"xts.encrypt order=gb keys=sm4-rounds vlen=256 n=144",
		"xts.encrypt order=gb keys=sm4-rounds vlen=512 n=272",
	},
	"xtsShiftsZvksed": {
		"xts.encrypt keys=sm4-rounds vlen=128 n=16,64,144",
		"xts.encrypt keys=sm4-rounds vlen=256 n=144",
		"xts.encrypt keys=sm4-rounds vlen=512 n=272",
	},
	"xtsGBShiftsZvksed": {
		"xts.encrypt order=gb keys=sm4-rounds vlen=128 n=16,64,144",
		"xts.encrypt order=gb keys=sm4-rounds vlen=256 n=144",
		"xts.encrypt order=gb keys=sm4-rounds vlen=512 n=272",
	},
	"sealZvksed": {
		"gcm.seal keys=sm4-rounds before=0 pending=0 more=0 vlen=128 n=0,10,21,48,61,64,128,150,190",
		"gcm.seal keys=sm4-rounds before=8 pending=1 more=0 vlen=128 n=0,200",
		"gcm.seal keys=sm4-rounds before=8 pending=0,1 more=1 vlen=128 n=64,192",
		"gcm.seal keys=sm4-rounds before=0 pending=0 more=0 vlen=256 n=21,125,300",
		"gcm.seal keys=sm4-rounds before=0 pending=0 more=0 vlen=512 n=21,250,600",
	},
	"openZvksed": {
		"gcm.open keys=sm4-rounds before=0 pending=0 more=0 vlen=128 n=0,10,21,48,61,64,128,150,190",
		"gcm.open keys=sm4-rounds before=8 pending=1 more=0 vlen=128 n=0,200",
		"gcm.open keys=sm4-rounds before=8 pending=0,1 more=1 vlen=128 n=64,192",
		"gcm.open keys=sm4-rounds before=0 pending=0 more=0 vlen=256 n=21,125,300",
		"gcm.open keys=sm4-rounds before=0 pending=0 more=0 vlen=512 n=21,250,600",
	},
}
