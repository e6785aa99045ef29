package main

var (
	aes = cipher{Package: "aes", Name: "AES"}
	sm4 = cipher{Package: "sm4", Name: "SM4", GB: true}
)

// table has a line for each mode of each cipher, and for the kernels for GCM of each package.
var table = []line{
	{Mode: "cts", cipher: aes, Standard: "Addendum to NIST SP 800-38A",
		Note: "Kerberos (RFC 3962) and Linux's cts(cbc(aes)) use"},
	{Mode: "cts", cipher: sm4, Standard: "Addendum to NIST SP 800-38A",
		Note: "Linux's cts(cbc(sm4)) uses"},

	{Mode: "cfb", cipher: aes, Standard: "NIST SP 800-38A section 6.3"},
	{Mode: "cfb", cipher: sm4, Standard: "GB/T 17964-2021, NIST SP 800-38A section 6.3"},

	{Mode: "ofb", cipher: aes, Standard: "NIST SP 800-38A section 6.4"},
	{Mode: "ofb", cipher: sm4, Standard: "GB/T 17964-2021, NIST SP 800-38A section 6.4"},

	{Mode: "xts", cipher: aes, Standard: "IEEE 1619, NIST SP 800-38E", Keys: []int{32, 48, 64},
		Note: " for a key of 32 or 64 bytes (XTS-AES-128, XTS-AES-256) or, beyond the standard, 48 bytes"},
	{Mode: "xts", cipher: sm4, Standard: "IEEE 1619, GB/T 17964-2021", Keys: []int{32},
		Note: " as IEEE 1619 defines it for AES, like Linux's xts(sm4), for a key of 32 bytes"},

	{Mode: "randomnonce", cipher: aes,
		Note: ". Its messages are compatible with those of cipher.NewGCMWithRandomNonce."},
	{Mode: "randomnonce", cipher: sm4,
		Note: ", as cipher.NewGCMWithRandomNonce does with AES."},

	{Mode: "ccm", cipher: aes, Standard: "NIST SP 800-38C, RFC 3610", Text: true,
		Note: "For several messages, [SealCCMMany] is faster."},
	{Mode: "ccm", cipher: sm4, Standard: "NIST SP 800-38C; RFC 8998 names it AEAD_SM4_CCM with nonces of 12 bytes and tags of 16",
		Note: "[GCM] is faster and so, for several messages, is [SealCCMMany]."},

	{Mode: "gcmsiv", cipher: aes, Standard: "RFC 8452", Keys: []int{16, 32}},
	{Mode: "gcmsiv", cipher: sm4, Standard: "RFC 8452 with SM4 in place of AES-128", Keys: []int{16},
		Note: " No standard defines it for SM4; libgcrypt and gmsm implement the same construction."},

	{Mode: "siv", cipher: aes, Keys: []int{32, 48, 64},
		Standard: "RFC 5297, AEAD_AES_SIV_CMAC_256, AEAD_AES_SIV_CMAC_384 and AEAD_AES_SIV_CMAC_512"},
	{Mode: "siv", cipher: sm4, Standard: "RFC 5297 with SM4 in place of AES", Keys: []int{32},
		Note: " No standard defines it for SM4; libgcrypt implements the same construction."},

	{Mode: "mac", cipher: aes, Standard: "NIST SP 800-38B, RFC 4493"},
	{Mode: "mac", cipher: sm4, Standard: "NIST SP 800-38B, GB/T 15852.1-2020"},

	{Mode: "xcbc", cipher: aes, Standard: "AES-XCBC-MAC (RFC 3566)",
		Note: "; AES-XCBC-MAC-96 is the first 12 of a tag. [Cipher.NewCMAC] is its successor."},
	{Mode: "xcbc", cipher: sm4, Standard: "of RFC 3566 with SM4 in place of AES, like Linux's xcbc(sm4),",
		Note: ". No standard defines it, and [Cipher.NewCMAC] is the better choice unless a peer requires XCBC."},

	{Mode: "cbcmac", cipher: sm4, Standard: "like Linux's cbcmac(sm4)"},

	{Mode: "many", cipher: aes,
		Note: "with the AVX-512 driver, 16 messages take hardly longer than one. Lengths, keys and drivers may differ."},
	{Mode: "many", cipher: sm4,
		Note: "with the AVX-512 driver, 64 messages take twice as long as one. Lengths, keys and drivers may differ, " +
			"but only gfni-avx512 and sm4ni-avx2 are fast for messages with different Ciphers."},

	{Mode: "gcmpasses", cipher: cipher{Package: "internal/aescore/internal/amd64"},
		Kernels: kernels{Family: "VAES512", Keys: "Keys", Powers: "[64][16]byte", Short: true}},
	{Mode: "gcmpasses", cipher: cipher{Package: "internal/aescore/internal/arm64"},
		Kernels: kernels{Family: "CE", Keys: "Keys", Powers: "[12][16]byte", Short: true}},
	{Mode: "gcmpasses", cipher: cipher{Package: "sm4/internal/arm64"},
		Kernels: kernels{Family: "SM4", Keys: "KeysSM4", Powers: "[12][16]byte", Short: true}},
	{Mode: "gcmpasses", cipher: cipher{Package: "internal/aescore/internal/riscv64"},
		Kernels: kernels{Family: "Zvkned", Keys: "KeysZvkned", Powers: "[64]uint64", Pending: "m.Pending, "}},
	{Mode: "gcmpasses", cipher: cipher{Package: "sm4/internal/riscv64"},
		Kernels: kernels{Family: "Zvksed", Keys: "PairZvksed", Part: ".Forward", Powers: "[64]uint64", Pending: "m.Pending, "}},
}
