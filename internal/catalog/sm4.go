package catalog

import "github.com/cipherlane/cipherlane/sm4"

var (
	newSM4    = constructor(sm4.New, sm4.On, sm4.Driver.New)
	newSM4XTS = constructor(sm4.NewXTS, sm4.On, sm4.Driver.NewXTS)
)

func newSM4CCM(name string, key []byte) (*sm4.CCM, error) {
	c, err := newSM4(name, key)
	if err != nil {
		return nil, err
	}
	return c.NewCCM(12, 16)
}

// The modes' answers are those of RFC 8998, appendix A (GCM, CCM), of
// draft-ribose-cfrg-sm4-10, appendix A.2 (what it has, example 1), of GB/T
// 17964-2021, appendix B (BC, OFBNLF, HCTR) and of GB/T 15852.1-2020 (CMAC). The
// others have no published ones.
var sm4Algorithms = family{
	pkg:      "sm4",
	keySizes: []int{sm4.KeySize},

	cipher: func(name string, key []byte) (blockCipher, error) { return newSM4(name, key) },
	xts:    func(name string, key []byte) (tweakable, error) { return newSM4XTS(name, key) },
	gcm:    aead(constructor(sm4.NewGCM, sm4.On, sm4.Driver.NewGCM)),
	ccm:    aead(newSM4CCM),
	gcmSIV: aead(constructor(sm4.NewGCMSIV, sm4.On, sm4.Driver.NewGCMSIV)),
	siv:    aead(constructor(sm4.NewSIV, sm4.On, sm4.Driver.NewSIV)),
	cmac:   mac(method(newSM4, (*sm4.Cipher).NewCMAC)),
	xcbc:   mac(constructor(sm4.NewXCBC, sm4.On, sm4.Driver.NewXCBC)),

	cbcMany:     cbcMany(newSM4, sm4.EncryptCBCMany),
	cmacMany:    cmacMany(newSM4, sm4.CMACMany),
	ccmMany:     ccmMany(newSM4CCM, sm4.SealCCMMany),
	openCCMMany: ccmMany(newSM4CCM, func(list []sm4.CCMMessage) { sm4.OpenCCMMany(list) }),
}.complete([]Algorithm{
	{
		Name:     "ecb(sm4)",
		Standard: "GB/T 32907-2016",
		Answer: Answer{
			Source: "GB/T 32907-2016, A.1",
			Key:    unhex("0123456789abcdeffedcba9876543210"),
			Input:  unhex("0123456789abcdeffedcba9876543210"),
			Output: unhex("681edf34d206965e86b3e94f536e4246"),
		},
	},
	{
		Name:     "cbc(sm4)",
		Standard: "GB/T 17964-2021",
		Answer: Answer{
			Source: "draft-ribose-cfrg-sm4-10, A.2.2.1",
			Key:    unhex("0123456789abcdeffedcba9876543210"),
			IV:     unhex("000102030405060708090a0b0c0d0e0f"),
			Input:  unhex("aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffffaaaaaaaabbbbbbbb"),
			Output: unhex("78ebb11cc40b0a48312aaeb2040244cb4cb7016951909226979b0d15dc6a8f6d"),
		},
	},
	{
		Name:      "bc(sm4)",
		Standard:  "GB/T 17964-2021",
		BlockMode: directed(newSM4, (*sm4.Cipher).NewBCEncrypter, (*sm4.Cipher).NewBCDecrypter),
		Answer: Answer{
			Source: "GB/T 17964-2021, B",
			Key:    unhex("2b7e151628aed2a6abf7158809cf4f3c"),
			IV:     unhex("000102030405060708090a0b0c0d0e0f"),
			Input:  unhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"),
			Output: unhex("ac529af989a62fce9cddc5ffb84125cafb8cde77339ffe481d113c40bbd5b6786ffc9916f98f94ff12d78319707e240428718707605bc1eac503153ebaa0fb1d"),
		},
	},
	{
		Name:     "cts(cbc(sm4))",
		Standard: "NIST SP 800-38A Addendum (CBC-CS3)",
		Answer: Answer{
			Source: "CBC of OpenSSL 3.0, for the input of RFC 3962, B",
			Key:    []byte("chicken teriyaki"),
			IV:     make([]byte, sm4.BlockSize),
			Input:  []byte("I would like the General Gau's "),
			Output: unhex("1546e495a4ecf0b849d66a9d89c7fd70d671c8c04d527c6693f770bba83fa3"),
		},
	},
	{
		Name:     "cfb(sm4)",
		Standard: "GB/T 17964-2021",
		Answer: Answer{
			Source: "draft-ribose-cfrg-sm4-10, A.2.4.1",
			Key:    unhex("0123456789abcdeffedcba9876543210"),
			IV:     unhex("000102030405060708090a0b0c0d0e0f"),
			Input:  unhex("aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffffaaaaaaaabbbbbbbb"),
			Output: unhex("ac3236cb861dd316e6413b4e3c7524b769d4c54ed433b9a0346009beb37b2b3f"),
		},
	},
	{
		Name:     "ofb(sm4)",
		Standard: "GB/T 17964-2021",
		Answer: Answer{
			Source: "draft-ribose-cfrg-sm4-10, A.2.3.1",
			Key:    unhex("0123456789abcdeffedcba9876543210"),
			IV:     unhex("000102030405060708090a0b0c0d0e0f"),
			Input:  unhex("aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffffaaaaaaaabbbbbbbb"),
			Output: unhex("ac3236cb861dd316e6413b4e3c7524b71d01aca2487ca582cbf5463e6698539b"),
		},
	},
	{
		Name:      "ofbnlf(sm4)",
		Standard:  "GB/T 17964-2021",
		BlockMode: directed(newSM4, (*sm4.Cipher).NewOFBNLFEncrypter, (*sm4.Cipher).NewOFBNLFDecrypter),
		Answer: Answer{
			Source: "GB/T 17964-2021, B",
			Key:    unhex("2b7e151628aed2a6abf7158809cf4f3c"),
			IV:     unhex("000102030405060708090a0b0c0d0e0f"),
			Input:  unhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"),
			Output: unhex("00a5b5c9e645557c20ce7f267736f308a18037828850b9d78883ca622851f86cb7caefdfb6d4caba6ae2d2fce369ceb31001dd71fdda9341f8d221cb720ff27b"),
		},
	},
	{
		Name:     "ctr(sm4)",
		Standard: "GB/T 17964-2021",
		Answer: Answer{
			Source: "draft-ribose-cfrg-sm4-10, A.2.5.1",
			Key:    unhex("0123456789abcdeffedcba9876543210"),
			IV:     unhex("000102030405060708090a0b0c0d0e0f"),
			Input:  unhex("aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccddddddddddddddddeeeeeeeeeeeeeeeeffffffffffffffffaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb"),
			Output: unhex("ac3236cb970cc20791364c395a1342d1a3cbc1878c6f30cd074cce385cdd70c7f234bc0e24c11980fd1286310ce37b926e02fcd0faa0baf38b2933851d824514"),
		},
	},
	{
		Name:     "xts(sm4)",
		Standard: "IEEE 1619",
		Answer: Answer{
			Source: "gmsm v0.44.1, for the input of IEEE 1619, B, vector 2",
			Key:    unhex("1111111111111111111111111111111122222222222222222222222222222222"),
			IV:     unhex("33333333330000000000000000000000"),
			Input:  unhex("4444444444444444444444444444444444444444444444444444444444444444"),
			Output: unhex("a74d726c11196a32be04e001ff29d0c7932f9f3ec29bfcb64dd17f63cbd3ea31"),
		},
	},
	{
		Name:     "hctr(sm4)",
		Standard: "GB/T 17964-2021",
		KeySizes: []int{2 * sm4.KeySize},
		Whole: whole(constructor(sm4.NewHCTR, sm4.On, sm4.Driver.NewHCTR),
			func(h *sm4.HCTR, dst, src, iv []byte) { h.Encrypt(dst, src, (*[sm4.BlockSize]byte)(iv)) },
			func(h *sm4.HCTR, dst, src, iv []byte) { h.Decrypt(dst, src, (*[sm4.BlockSize]byte)(iv)) }),
		Answer: Answer{
			Source: "GB/T 17964-2021, B",
			Key:    unhex("2b7e151628aed2a6abf7158809cf4f3c000102030405060708090a0b0c0d0e0f"),
			IV:     unhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
			Input:  unhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"),
			Output: unhex("9cd7481d3b7ca904b14b4084d9d4c83ed39eac8e16747895fc2ae1eecd220276af3d0d2f21cb3807561347c81ad138117dd85c652afe16a47dc68eb884068ae3"),
		},
	},
	{
		Name:     "gcm(sm4)",
		Standard: "NIST SP 800-38D, RFC 8998",
		Answer: Answer{
			Source: "RFC 8998, A.1",
			Key:    unhex("0123456789abcdeffedcba9876543210"),
			IV:     unhex("00001234567800000000abcd"),
			Data:   unhex("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
			Input:  unhex("aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccddddddddddddddddeeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa"),
			Output: unhex("17f399f08c67d5ee19d0dc9969c4bb7d5fd46fd3756489069157b282bb200735d82710ca5c22f0ccfa7cbf93d496ac15a56834cbcf98c397b4024a2691233b8d" +
				"83de3541e4c2b58177e065a9bf7b62ec"),
		},
	},
	{
		Name:     "ccm(sm4)",
		Standard: "NIST SP 800-38C, RFC 8998",
		Answer: Answer{
			Source: "RFC 8998, A.2",
			Key:    unhex("0123456789abcdeffedcba9876543210"),
			IV:     unhex("00001234567800000000abcd"),
			Data:   unhex("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
			Input:  unhex("aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccddddddddddddddddeeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa"),
			Output: unhex("48af93501fa62adbcd414cce6034d895dda1bf8f132f042098661572e7483094fd12e518ce062c98acee28d95df4416bed31a2f04476c18bb40c84a74b97dc5b" +
				"16842d4fa186f56ab33256971fa110f4"),
		},
	},
	{
		Name:     "gcm-siv(sm4)",
		Standard: "RFC 8452, with SM4",
		Answer: Answer{
			Source: "gmsm v0.44.1, for an input of RFC 8452, C.1",
			Key:    unhex("36864200e0eaf5284d884a0e77d31646"),
			IV:     unhex("bae8e37fc83441b16034566b"),
			Data:   unhex("46bb91c3c5"),
			Input:  unhex("7a806c"),
			Output: unhex("871295e3f05e22dbfc975bae33c608d143a363"),
		},
	},
	{
		Name:     "siv(sm4)",
		Standard: "RFC 5297, with SM4",
		Answer: Answer{
			Source: "libgcrypt 1.10.1, for an input like RFC 5297, A.1",
			Key:    unhex("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
			IV:     unhex("000102030405060708090a0b0c0d0e0f"),
			Data:   unhex("101112131415161718191a1b1c1d1e1f2021222324252627"),
			Input:  unhex("112233445566778899aabbccddee"),
			Output: unhex("e95a6287039d01419106fcd7bf336795d4ed8b49e158dfd130a9bc12b176"),
		},
	},
	{
		Name:     "cmac(sm4)",
		Standard: "NIST SP 800-38B, GB/T 15852.1-2020",
		Answer: Answer{
			Source: "GB/T 15852.1-2020, B",
			Key:    unhex("0123456789abcdeffedcba9876543210"),
			Input:  []byte("This is the test message "),
			Output: unhex("4738a6c760b280fc0c8a8af3886e9f5d"),
		},
	},
	{
		Name:     "xcbc(sm4)",
		Standard: "RFC 3566, with SM4",
		Answer: Answer{
			Source: "ECB and CBC of OpenSSL 3.0, for the input of RFC 3566, 4.6, test case 4",
			Key:    unhex("000102030405060708090a0b0c0d0e0f"),
			Input:  unhex("000102030405060708090a0b0c0d0e0f10111213"),
			Output: unhex("be245d818c8a10a48ec216faa483c92a"),
		},
	},
})
