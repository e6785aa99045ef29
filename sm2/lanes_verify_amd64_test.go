//go:build !purego

package sm2

import "testing"

// Lanes verify signatures themselves. A mistake in them that makes Z zero would have
// every signature verified individually, with the right result.
func TestLanesVerify(t *testing.T) {
	needLanes(t)
	d := must(On("avx512"))
	for n := 2; n <= lanes; n++ {
		list := make([]Verification, n)
		group := make([]verifying, n)
		for i := range list {
			k, digest := must(d.GenerateKey()), randomBytes(DigestSize)
			signature := must(k.SignRaw(nil, digest))
			list[i] = Verification{Key: k.PublicKey(), Digest: digest, Signature: signature[:], Raw: true}
			if i == 1 {
				list[i].Digest = randomBytes(DigestSize) // not what was signed
			}
			if !group[i].begin(&list[i]) {
				t.Fatal("one in 2^127")
			}
			list[i].Digest = nil // individually, it would not be valid
		}
		(&lanesWork{row: avx512}).verify(group)
		for i, b := range list {
			if b.Valid != (i != 1) {
				t.Errorf("%d signatures, number %d: valid is %v", n, i, b.Valid)
			}
		}
	}
}
