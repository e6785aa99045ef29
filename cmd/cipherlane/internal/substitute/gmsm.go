package substitute

// gmsm replaces in github.com/emmansun/gmsm the hash function, the block cipher with all
// modes for which gmsm asks it, and the operations of SM2 behind the types of its packages
// sm2 and ecdh. MQV, recovery of public keys and the methods of elliptic.Curve need point
// arithmetic, which cipherlane's API does not have, so they stay gmsm's. TestGMSM runs the
// tests of the module.
var gmsm = substitution{
	path:     "github.com/emmansun/gmsm",
	versions: []string{"v0.44.0", "v0.44.1"},
	packages: []substitute{
		{dir: "cipher", algorithms: []string{"SM4"}, source: "gmsm/cipher", renames: []string{"func NewOFBNLFEncrypter(", "func NewOFBNLFDecrypter("}, tested: map[string]string{
			"454debc48da2b140209416317b072a444767b445b96253df2417145b600acc4a": "v0.44.0",
		}},
		{dir: "ecdh", algorithms: []string{"SM2"}, source: "gmsm/ecdh", renames: []string{
			"type PrivateKey ", "type PublicKey ",
			"func (c *sm2Curve) NewPublicKey(", "func (c *sm2Curve) ecdh(", "func (c *sm2Curve) privateKeyToPublicKey(",
		}, tested: map[string]string{
			"51536e5f043705520cf90e18b14d4084f51e876c99dbf2cfcc74b644d289e07a": "v0.44.0",
		}},
		{dir: "internal/sm2", algorithms: []string{"SM2"}, source: "gmsm/internal/sm2", renames: []string{
			"type PrivateKey ", "type PublicKey ", "type Ciphertext ",
			"func GenerateKey(", "func NewPublicKey(", "func NewCiphertext(",
			"func Sign(", "func SignDeterministic(", "func Verify(", "func Encrypt(", "func Decrypt(",
		}, tested: map[string]string{
			"13d18620fb0ecf0b584846b0f919e207d4ec31ac8f0a10a8e6eeeff3d384f948": "v0.44.0",
		}},
		{dir: "internal/sm3", algorithms: []string{"SM3"}, source: "gmsm/internal/sm3", tests: []string{"kat_test.go"}, tested: map[string]string{
			"49c4ff8384f49169be8283ca2d002d054a1a2a32d4b297ce4cb8736804049377": "v0.44.0",
		}},
		{dir: "internal/sm4", algorithms: []string{"SM4"}, source: "gmsm/internal/sm4", tests: []string{"kat_test.go"}, tested: map[string]string{
			"f5b7675a0385819a032ccba2aad5abe0c428531cf1c71c7eef3b7865acbdeb01": "v0.44.0",
		}},
		{dir: "sm3", algorithms: []string{"SM3"}, source: "gmsm/sm3", renames: []string{"func Sum("}, tested: map[string]string{
			"18fc213e6497d2f4f488de1fe13fc5480122b673c9061823d179f93170cd015c": "v0.44.0",
		}},

		// These call what is replaced, in ways that the substitutes rely on.
		{dir: "internal/cipher/gcmsiv", tested: map[string]string{
			"13adb35bb73eda1b03773cced919f3bc410811dbec8a7785867a5fe5ef4c70c4": "v0.44.0",
		}},
		{dir: "internal/cipher/xts", tested: map[string]string{
			"a6f8feb23d071e0d25d9d0b5fdf70ff72f96a7a0e62ad6d0e1376e88515a98ec": "v0.44.0",
		}},
		{dir: "kdf", tested: map[string]string{
			"dff11b2095c317ed34a9caec7bb40f379aa32a6eadd9e2047db000f0e2cd139b": "v0.44.0",
		}},
		{dir: "sm2", tested: map[string]string{
			"b57b1867236d84c80c4aa00e23ae3714c38cfd0768913f4aa02ae1f31a5eeb7d": "v0.44.0",
		}},
		{dir: "sm4", tested: map[string]string{
			"7a22c0593a2e26a5e3ff47d0fbd90b5f5d26f24b202222314ac1048b0bae7e23": "v0.44.0",
		}},
	},
}
