package sm2

import (
	"errors"
	"io"
	"strconv"

	"github.com/cipherlane/cipherlane/internal/fips"
)

// A Signing is one entry for [SignMany].
type Signing struct {
	Key       *PrivateKey // entries may share a key
	Digest    []byte      // 32 bytes, as for [PrivateKey.Sign]; must not overlap any Signature of the list
	Signature [64]byte    // the result: r and s, 32 bytes each, as returned by [PrivateKey.SignRaw]
}

// DER returns the signature in DER, as [PrivateKey.Sign] does.
func (s *Signing) DER() []byte {
	r, t := scalar(limbs(s.Signature[:32])), scalar(limbs(s.Signature[32:]))
	return encodeSignature(&r, &t)
}

// A Verification is one entry for [VerifyMany].
type Verification struct {
	Key       *PublicKey // entries may share a key
	Digest    []byte     // 32 bytes
	Signature []byte     // in DER, as for [PublicKey.Verify]
	Raw       bool       // Signature is not in DER, but in the format of [PublicKey.VerifyRaw]
	Valid     bool       // the result
}

// maxSideBySide is the maximum number of entries that are processed together.
const maxSideBySide = 64

// SignMany signs many digests, each as [PrivateKey.SignRaw] does, but processes them
// together: the driver avx512 makes eight signatures at a time, in less than twice the
// time of one, and others share inversions. The time per signature decreases with their
// number, up to 64.
// Entries may use different keys and drivers. random is as for [PrivateKey.Sign]: if it
// is nil, the signatures are deterministic. If the length of a digest is not 32 bytes or
// a key is not usable, SignMany returns an error and changes nothing. It is safe for
// concurrent use with different lists, and its running time depends on no secret. With
// four or more entries it does not allocate.
func SignMany(random io.Reader, list []Signing) error {
	for i := range list {
		b := &list[i]
		if len(b.Digest) != DigestSize {
			return errors.New("sm2: the digest of entry " + strconv.Itoa(i) + " has " + strconv.Itoa(len(b.Digest)) + " bytes, want " + strconv.Itoa(DigestSize))
		}
		if !b.Key.usable {
			return errors.New("sm2: the private key of entry " + strconv.Itoa(i) + " was wiped, or never made")
		}
	}
	var group [maxSideBySide]*Signing
	n := 0
	for i := range list {
		b := &list[i]
		if n == len(group) || n > 0 && b.Key.public.many != group[0].Key.public.many {
			signTogether(group[:n], random == nil)
			n = 0
		}
		group[n] = b
		n++
	}
	signTogether(group[:n], random == nil)
	return nil
}

// signTogether signs entries whose keys have the same driver.
func signTogether(list []*Signing, deterministic bool) {
	switch {
	case len(list) > 1 && sideBySide(list[0].Key.public.many):
		signMany(list, deterministic)
	case len(list) >= minSums:
		signSums(list[0].Key.public.many, list, deterministic)
	default:
		for _, b := range list {
			b.sign(deterministic)
		}
	}
}

// sign signs this entry individually. The key must be usable.
func (b *Signing) sign(deterministic bool) {
	var e, r, s scalar
	e.setInteger(limbs(b.Digest))
	if err := b.Key.sign(&r, &s, &e, deterministic); err != nil {
		panic(err)
	}
	b.put(&r, &s)
}

func (b *Signing) put(r, s *scalar) {
	rb, sb := r.bytes(), s.bytes()
	copy(b.Signature[:32], rb[:])
	copy(b.Signature[32:], sb[:])
}

// VerifyMany verifies many signatures, each as [PublicKey.Verify] or
// [PublicKey.VerifyRaw] does, but processes them together: the driver avx512 verifies
// eight at a time, in less than twice the time of one. Others gain if four entries or more
// have the same key. It sets the field Valid of every entry and reports whether all are
// valid. For an empty list, which is probably a mistake, it returns false. Entries may use
// different keys and drivers. VerifyMany is safe for concurrent use with different lists
// and does not allocate. Its running time depends on the signatures.
func VerifyMany(list []Verification) bool {
	var group, others [maxSideBySide]*Verification
	n, m := 0, 0
	for i := range list {
		b := &list[i]
		if sideBySide(b.Key.many) {
			group[n] = b
			if n++; n == len(group) {
				verifyMany(group[:n])
				n = 0
			}
			continue
		}
		others[m] = b
		if m++; m == len(others) {
			verifyByKey(others[:m])
			m = 0
		}
	}
	if n == 1 {
		group[0].verify()
	} else if n > 0 {
		verifyMany(group[:n])
	}
	verifyByKey(others[:m])
	valid := len(list) > 0
	for i := range list {
		valid = valid && list[i].Valid
	}
	return valid
}

// verifyByKey verifies a list, entries with the same key and driver together. It clears the list.
func verifyByKey(list []*Verification) {
	var same [maxSideBySide]*Verification
	for i, b := range list {
		if b == nil {
			continue
		}
		n := 0
		for j, other := range list[i:] {
			if other != nil && (other.Key == b.Key || *other.Key == *b.Key) {
				same[n] = other
				list[i+j] = nil
				n++
			}
		}
		if n < minSums {
			for _, b := range same[:n] {
				b.verify()
			}
		} else {
			verifySums(same[:n])
		}
	}
}

// verify verifies this entry individually.
func (b *Verification) verify() {
	var r, s scalar
	b.Valid = b.decode(&r, &s) && b.Key.verify(b.Digest, &r, &s)
}

// decode decodes the signature into two numbers below n.
func (b *Verification) decode(r, s *scalar) bool {
	if !b.Raw {
		return decodeSignature(r, s, b.Signature)
	}
	return len(b.Signature) == 64 && r.setBytes(b.Signature[:32])&s.setBytes(b.Signature[32:]) == 1
}

// GenerateMany sets every entry to a new private key, as [GenerateKey] does, but
// generates the keys together, as in [SignMany]. In FIPS 140-only mode it returns an
// error and changes nothing.
func GenerateMany(keys []*PrivateKey) error { return automatic().GenerateMany(keys) }

// GenerateMany is like the package-level [GenerateMany], but uses this driver.
func (d Driver) GenerateMany(keys []*PrivateKey) error {
	if fips.Enforced() {
		return errFIPS
	}
	for len(keys) > 0 {
		n := min(len(keys), maxSideBySide)
		switch {
		case n > 1 && sideBySide(d.many):
			generateMany(keys[:n], d)
		case n >= minSums:
			generateSums(keys[:n], d)
		default:
			for i := range keys {
				keys[i], _ = d.GenerateKey() // fails in FIPS 140-only mode
			}
		}
		keys = keys[n:]
	}
	return nil
}
