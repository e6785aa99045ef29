package substitute

// tjfoc replaces SM3, SM4 and the operations of SM2 in github.com/tjfoc/gmsm. Its go.mod
// demands Go 1.14, so the texts may not use newer features of the language. Sm4GCM stays,
// because what it computes is not GCM, and so do ScalarMult and the key exchange, for which
// cipherlane has no API. TestGMSM compares with the original.
var tjfoc = substitution{
	path:     "github.com/tjfoc/gmsm",
	versions: []string{"v1.4.1"},
	packages: []substitute{
		{dir: "gmtls", algorithms: []string{"SM3", "SM4"}, source: "tjfoc/gmtls", renames: []string{
			"func cipherSM4(", "func macSM3(", "func (c *Conn) writeRecordLocked(",
		}, tested: map[string]string{
			"fb04f1384cf6c8715bb3fa9e8649203b99c0bed8d7f964f56b820c2691c20993": "v1.4.1",
		}},
		{dir: "sm2", algorithms: []string{"SM2"}, source: "tjfoc/sm2", renames: []string{
			"func Sm2Sign(", "func Sm2Verify(", "func Verify(", "func Encrypt(", "func Decrypt(", "func GenerateKey(",
			"func (curve sm2P256Curve) ScalarBaseMult(",
		}, tested: map[string]string{
			"284cc710137c949ccacc03548e80f42e7ba4c72782ec323a4c017320b598c2dd": "v1.4.1",
		}},
		{dir: "sm3", algorithms: []string{"SM3"}, source: "tjfoc/sm3", tested: map[string]string{
			"1a00dda1406d221907178ce88857cd2ef5dc345fc2ae15625b3bfb0a6c14b621": "v1.4.1",
		}},
		{dir: "sm4", algorithms: []string{"SM4"}, source: "tjfoc/sm4", renames: []string{
			"type Sm4Cipher ", "func (c *Sm4Cipher) BlockSize(", "func (c *Sm4Cipher) Encrypt(", "func (c *Sm4Cipher) Decrypt(",
			"func NewCipher(", "func Sm4Cbc(", "func Sm4Ecb(", "func Sm4CFB(", "func Sm4OFB(",
		}, tested: map[string]string{
			"e788aed50acc8c0e99487a51e6a89a39b7f435b915437e5421cf3400fea111cc": "v1.4.1",
		}},
	},
}
