package sm4

import (
	"crypto/cipher"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/ctgrind"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// secret returns a copy of b that valgrind treats as secret, like everything computed
// from it.
func secret(b []byte) []byte {
	s := slices.Clone(b)
	ctgrind.Secret(s)
	return s
}

// reveal checks a result, which is not secret any more.
func reveal(t *testing.T, name string, got, want []byte) {
	t.Helper()
	ctgrind.Public(got)
	if d := diff(got, want); d != "" {
		t.Fatalf("%s: %s", name, d)
	}
}

// All code paths of the portable driver with a secret key and secret data, with and
// without planes.
func TestSecretGeneric(t *testing.T) {
	key, iv := random(KeySize), random(BlockSize)
	spec := NewSpecBlock(key)
	for _, blocks := range []int{1, 2, 3, 2*wideBlocks + 5} {
		plain := random(blocks * BlockSize)
		ecb, cbc, ctr := make([]byte, len(plain)), make([]byte, len(plain)), make([]byte, len(plain)-5)
		for i := 0; i < len(plain); i += BlockSize {
			spec.Encrypt(ecb[i:], plain[i:])
		}
		cipher.NewCBCEncrypter(spec, iv).CryptBlocks(cbc, plain)
		cipher.NewCTR(spec, iv).XORKeyStream(ctr, plain[:len(ctr)])
		for _, wide := range []bool{false, true} {
			var k genericKeys
			k.expand((*[KeySize]byte)(secret(key)))
			if wide {
				k.widen()
			}
			b := secret(plain)
			k.encryptBlocks(b, b)
			reveal(t, "ECB", b, ecb)
			b = secret(ecb)
			k.decryptBlocks(b, b)
			reveal(t, "ECB backwards", b, plain)
			b, chain := secret(plain), [BlockSize]byte(iv)
			k.cbcEncrypt(&chain, b, b)
			reveal(t, "CBC", b, cbc)
			b, chain = secret(cbc), [BlockSize]byte(iv)
			k.cbcDecrypt(&chain, b, b)
			reveal(t, "CBC backwards", b, plain)
			b, counter, rest := secret(plain[:len(ctr)]), [BlockSize]byte(iv), new([BlockSize]byte)
			k.ctr(&counter, b, b, rest)
			reveal(t, "CTR", b, ctr)
			k.wipe()
		}
	}
}

// GCM on every driver that valgrind supports. With a nonce that does not have 12
// bytes, the counter is secret, too.
func TestSecretGCM(t *testing.T) {
	for _, info := range Drivers() {
		for _, nonceSize := range []int{modes.GCMNonceSize, 16} {
			if !info.Available() {
				continue
			}
			t.Log("driver", info.Name) // for ci/checks
			d, err := On(info.Name)
			if err != nil {
				t.Fatal(err)
			}
			key, nonce, data := random(KeySize), random(nonceSize), random(33)
			spec, err := cipher.NewGCMWithNonceSize(NewSpecBlock(key), nonceSize)
			if err != nil {
				t.Fatal(err)
			}
			c, err := d.New(secret(key))
			if err != nil {
				t.Fatal(err)
			}
			g := c.newGCM(nonceSize, modes.GCMTagSize)
			for _, n := range []int{0, 1, 100, 5000} {
				plain := random(n)
				sealed := g.Seal(nil, nonce, secret(plain), data)
				reveal(t, info.Name, sealed, spec.Seal(nil, nonce, plain, data))
				// Open, up to the branch on whether the tag is right.
				m := ghash.Message{Hash: &g.hash}
				m.Begin(nonce, n, data)
				opened := make([]byte, n)
				open(c.plan.Bulk(), &c.keys, &m, opened, sealed[:n])
				reveal(t, info.Name, opened, plain)
				reveal(t, info.Name, m.Y[:], sealed[n:])
			}
		}
	}
}
