package sm2

import (
	"bytes"
	"math/big"
	"testing"
)

// Digests chosen such that invalid signatures satisfy the equation, so that only the
// checks of the ranges of r and s and of infinity reject them. They must be refused
// individually and in batches with valid ones.
func TestForged(t *testing.T) { eachDriver(t, testForged) }

func testForged(t *testing.T, d Driver) {
	k := newKey(d, annexKey)
	secret, P := number(annexKey), specG.times(number(annexKey))
	mod := func(v *big.Int) *big.Int { return v.Mod(v, specN) }
	minus := func(a, b *big.Int) *big.Int { return mod(new(big.Int).Sub(a, b)) }
	zero, a := new(big.Int), number(annexNonce)
	type forgery struct {
		name       string
		r, s, hash *big.Int
	}
	x := func(s, sum *big.Int) *big.Int { return specG.times(s).add(P.times(sum)).x }
	list := []forgery{
		{"r = 0", zero, a, minus(zero, x(a, a))},
		{"r = n", specN, a, minus(zero, x(a, a))},
		{"s = 0", a, zero, minus(a, x(zero, a))},
		{"s = n", a, specN, minus(a, x(zero, a))},
		{"r + s = n", a, minus(zero, a), minus(a, x(minus(zero, a), zero))},
		{"r = 0 and s = 0", zero, zero, zero},
	}
	// s G + t P is infinity, whose x might be mistaken for 0 or 1.
	s := minus(zero, new(big.Int).Mul(a, secret))
	r := minus(a, s)
	list = append(list, forgery{"infinity", r, s, r}, forgery{"infinity", r, s, minus(r, big.NewInt(1))}, forgery{"infinity, hash 0", r, s, zero})

	digest := bytes.Repeat([]byte{1}, 32)
	right := must(k.SignRaw(nil, digest))
	for _, f := range list {
		hash := f.hash.FillBytes(make([]byte, 32))
		forged := append(f.r.FillBytes(make([]byte, 32)), f.s.FillBytes(make([]byte, 32))...)
		if k.PublicKey().VerifyRaw(hash, forged) {
			t.Errorf("%s: accepted", f.name)
		}
		batch := make([]Verification, 17)
		for i := range batch {
			batch[i] = Verification{Key: k.PublicKey(), Digest: digest, Signature: right[:], Raw: true}
			if i == 3 || i > 8 && i < 12 {
				batch[i].Digest, batch[i].Signature = hash, forged
			}
		}
		if VerifyMany(batch) {
			t.Errorf("%s: a batch with it is accepted", f.name)
		}
		for i, b := range batch {
			if want := !(i == 3 || i > 8 && i < 12); b.Valid != want {
				t.Errorf("%s: number %d of the batch: valid %v", f.name, i, b.Valid)
			}
		}
	}
}
