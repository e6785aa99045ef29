package sm2

import (
	"math/big"
	"testing"
)

// Products of the base point, and the one number for which equal points meet.
func TestSumsMultiplyBase(t *testing.T) { eachDriver(t, testSumsMultiplyBase) }

func testSumsMultiplyBase(t *testing.T, d Driver) {
	m := new(big.Int).Mod(specN, new(big.Int).Lsh(big.NewInt(1), 192))
	m.Sub(specN, m.Lsh(m, 1))
	w := new(sums)
	for _, delta := range []int64{-2, -1, 1, 2} {
		k := new(big.Int).Add(m, big.NewInt(delta))
		list := []*big.Int{k, new(big.Int).Sub(specN, k), big.NewInt(delta*delta + 1), number(annexNonce)}
		for i, v := range list {
			w.nonces[i] = *toScalar(v)
		}
		if !w.multiplyBase(d.row, len(list)) {
			t.Fatalf("%x: points met", k)
		}
		for i, v := range list {
			p := w.points[i*baseDigits]
			if !toSpec(&point{p.x, p.y, one}).equal(specG.times(v)) {
				t.Errorf("%x G is wrong", v)
			}
		}
	}
	for _, k := range []*big.Int{m, new(big.Int).Sub(specN, m)} {
		w.nonces[2] = *toScalar(k)
		if w.multiplyBase(d.row, 4) {
			t.Errorf("%x: no points met", k)
		}
	}
}

// With this key, the highest digits of the base point and the lowest ones of the key are often the
// same point or opposite ones. Then signatures are verified individually.
func TestVerifyManyMeeting(t *testing.T) { eachDriver(t, testVerifyManyMeeting) }

func testVerifyManyMeeting(t *testing.T, d Driver) {
	secret := new(big.Int).Lsh(big.NewInt(1), baseWindow*(baseDigits-1))
	k := newKey(d, secret.Text(16))
	batch := make([]Signing, maxSideBySide)
	list := make([]Verification, len(batch))
	for i := range batch {
		batch[i] = Signing{Key: k, Digest: randomBytes(32)}
	}
	if err := SignMany(nil, batch); err != nil {
		t.Fatal(err)
	}
	for i := range batch {
		list[i] = Verification{Key: k.PublicKey(), Digest: batch[i].Digest, Signature: batch[i].Signature[:], Raw: true}
	}
	list[5].Digest = randomBytes(32)
	VerifyMany(list)
	for i := range list {
		if list[i].Valid != (i != 5) {
			t.Errorf("%d: %v", i, list[i].Valid)
		}
	}
}

// Nothing of nonces stays in memory that is used again.
func TestSumsWipes(t *testing.T) {
	w := new(sums)
	list := []*Signing{}
	for range 5 {
		list = append(list, &Signing{Key: newKey(Driver{}, "123456789"), Digest: randomBytes(32)})
	}
	w.readDigests(list)
	w.makeNonces(list, false)
	w.multiplyBase(generic, len(list))
	if w.digits == [verifyDigits]uint64{} || w.points[0] == (affine{}) || w.products[0] == (element{}) {
		t.Fatal("nothing to wipe")
	}
	w.free(len(list))
	if w.batch != (batch{}) || w.points != [len(w.points)]affine{} || w.products != [len(w.products)]element{} || w.digits != [verifyDigits]uint64{} {
		t.Error("secrets stay")
	}
}
