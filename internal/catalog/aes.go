package catalog

import "github.com/cipherlane/cipherlane/aes"

// The inputs of NIST SP 800-38A, appendix F, for keys of 128 bits.
var (
	sp38aKey   = unhex("2b7e151628aed2a6abf7158809cf4f3c")
	sp38aInput = unhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")
	sp38aIV    = unhex("000102030405060708090a0b0c0d0e0f")
)

var (
	newAES    = constructor(aes.New, aes.On, aes.Driver.New)
	newAESXTS = constructor(aes.NewXTS, aes.On, aes.Driver.NewXTS)
)

func newAESCCM(name string, key []byte) (*aes.CCM, error) {
	c, err := newAES(name, key)
	if err != nil {
		return nil, err
	}
	return c.NewCCM(12, 16)
}

var aesAlgorithms = family{
	pkg:      "aes",
	keySizes: []int{16, 24, 32},

	cipher: func(name string, key []byte) (blockCipher, error) { return newAES(name, key) },
	xts:    func(name string, key []byte) (tweakable, error) { return newAESXTS(name, key) },
	gcm:    aead(constructor(aes.NewGCM, aes.On, aes.Driver.NewGCM)),
	ccm:    aead(newAESCCM),
	gcmSIV: aead(constructor(aes.NewGCMSIV, aes.On, aes.Driver.NewGCMSIV)),
	siv:    aead(constructor(aes.NewSIV, aes.On, aes.Driver.NewSIV)),
	cmac:   mac(method(newAES, (*aes.Cipher).NewCMAC)),
	xcbc:   mac(constructor(aes.NewXCBC, aes.On, aes.Driver.NewXCBC)),

	cbcMany:     cbcMany(newAES, aes.EncryptCBCMany),
	cmacMany:    cmacMany(newAES, aes.CMACMany),
	ccmMany:     ccmMany(newAESCCM, aes.SealCCMMany),
	openCCMMany: ccmMany(newAESCCM, func(list []aes.CCMMessage) { aes.OpenCCMMany(list) }),
}.complete([]Algorithm{
	{
		Name:     "ecb(aes)",
		Standard: "FIPS 197, NIST SP 800-38A",
		Answer: Answer{
			Source: "FIPS 197, C.1",
			Key:    unhex("000102030405060708090a0b0c0d0e0f"),
			Input:  unhex("00112233445566778899aabbccddeeff"),
			Output: unhex("69c4e0d86a7b0430d8cdb78070b4c55a"),
		},
	},
	{
		Name:     "cbc(aes)",
		Standard: "NIST SP 800-38A",
		Answer: Answer{
			Source: "NIST SP 800-38A, F.2.1",
			Key:    sp38aKey,
			IV:     sp38aIV,
			Input:  sp38aInput,
			Output: unhex("7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b273bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"),
		},
	},
	{
		Name:     "cts(cbc(aes))",
		Standard: "NIST SP 800-38A Addendum (CBC-CS3), RFC 3962",
		Answer: Answer{
			Source: "RFC 3962, B",
			Key:    []byte("chicken teriyaki"),
			IV:     make([]byte, aes.BlockSize),
			Input:  []byte("I would like the General Gau's "),
			Output: unhex("fc00783e0efdb2c1d445d4c8eff7ed2297687268d6ecccc0c07b25e25ecfe5"),
		},
	},
	{
		Name:     "cfb(aes)",
		Standard: "NIST SP 800-38A",
		Answer: Answer{
			Source: "NIST SP 800-38A, F.3.13",
			Key:    sp38aKey,
			IV:     sp38aIV,
			Input:  sp38aInput,
			Output: unhex("3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b26751f67a3cbb140b1808cf187a4f4dfc04b05357c5d1c0eeac4c66f9ff7f2e6"),
		},
	},
	{
		Name:     "ofb(aes)",
		Standard: "NIST SP 800-38A",
		Answer: Answer{
			Source: "NIST SP 800-38A, F.4.1",
			Key:    sp38aKey,
			IV:     sp38aIV,
			Input:  sp38aInput,
			Output: unhex("3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed8259740051e9c5fecf64344f7a82260edcc304c6528f659c77866a510d9c1d6ae5e"),
		},
	},
	{
		Name:     "ctr(aes)",
		Standard: "NIST SP 800-38A",
		Answer: Answer{
			Source: "NIST SP 800-38A, F.5.1",
			Key:    sp38aKey,
			IV:     unhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
			Input:  sp38aInput,
			Output: unhex("874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"),
		},
	},
	{
		Name:     "xts(aes)",
		Standard: "IEEE 1619, NIST SP 800-38E",
		Answer: Answer{
			Source: "IEEE 1619, B, vector 2",
			Key:    unhex("1111111111111111111111111111111122222222222222222222222222222222"),
			IV:     unhex("33333333330000000000000000000000"),
			Input:  unhex("4444444444444444444444444444444444444444444444444444444444444444"),
			Output: unhex("c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0"),
		},
	},
	{
		Name:     "gcm(aes)",
		Standard: "NIST SP 800-38D, RFC 5116",
		Answer: Answer{
			Source: "McGrew and Viega, The Galois/Counter Mode of Operation, test case 4",
			Key:    unhex("feffe9928665731c6d6a8f9467308308"),
			IV:     unhex("cafebabefacedbaddecaf888"),
			Data:   unhex("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
			Input:  unhex("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"),
			Output: unhex("42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091" +
				"5bc94fbc3221a5db94fae95ae7121a47"),
		},
	},
	{
		Name:     "ccm(aes)",
		Standard: "NIST SP 800-38C, RFC 5116",
		Answer: Answer{
			Source: "Wycheproof, aes_ccm_test.json, tcId 13",
			Key:    unhex("d97c9b043bdccfd59491a995e78f1696"),
			IV:     unhex("ef423240358830df915506a3"),
			Data:   unhex("3ddba7b3ab69c8b2"),
			Input:  unhex("f047594a5cffda64303a80b2fa6a957169"),
			Output: unhex("e0caf2a9d50f70ecaa43b4a287c3b34a99cff4c61882b413b686ff35b63a3a73de"),
		},
	},
	{
		Name:     "gcm-siv(aes)",
		Standard: "RFC 8452",
		KeySizes: []int{16, 32},
		Answer: Answer{
			Source: "RFC 8452, C.1",
			Key:    unhex("01000000000000000000000000000000"),
			IV:     unhex("030000000000000000000000"),
			Input:  unhex("0100000000000000"),
			Output: unhex("b5d839330ac7b786578782fff6013b815b287c22493a364c"),
		},
	},
	{
		Name:     "siv(aes)",
		Standard: "RFC 5297",
		Answer: Answer{
			Source: "Wycheproof, aead_aes_siv_cmac_test.json, tcId 160",
			Key:    unhex("e22e82b7d90551ca2dcdc31967cd1d8827c0f90959b2edb9474b03b84110f273"),
			IV:     unhex("f19637276bf74112eab6aa7e2a16488e"),
			Data:   unhex("e37c2964cbba591439c7057466d971df3843f807b3457fcf7d22acb904ce6305"),
			Input:  unhex("1cb9ca6618e9af1fe5a04f55320ea61e"),
			Output: unhex("97bfdf207cbefa186da78be2c3597151691d1413b30be9faf827286bc4021a40"),
		},
	},
	{
		Name:     "cmac(aes)",
		Standard: "NIST SP 800-38B, RFC 4493",
		Answer: Answer{
			Source: "RFC 4493, 4, example 3",
			Key:    sp38aKey,
			Input:  sp38aInput[:40],
			Output: unhex("dfa66747de9ae63030ca32611497c827"),
		},
	},
	{
		Name:     "xcbc(aes)",
		Standard: "RFC 3566",
		Answer: Answer{
			Source: "RFC 3566, 4.6, test case 3",
			Key:    unhex("000102030405060708090a0b0c0d0e0f"),
			Input:  unhex("000102030405060708090a0b0c0d0e0f"),
			Output: unhex("d2a246fa349b68a79998a4394ff7a263"),
		},
	},
	{
		Name:     "kw(aes)",
		Standard: "RFC 3394, NIST SP 800-38F",
		Wrap:     func(name string, key []byte) (Wrapper, error) { return newAES(name, key) },
		Answer: Answer{
			Source: "RFC 3394, 4.1",
			Key:    unhex("000102030405060708090a0b0c0d0e0f"),
			Input:  unhex("00112233445566778899aabbccddeeff"),
			Output: unhex("1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5"),
		},
	},
})
