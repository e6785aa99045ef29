package sm2

import (
	"crypto/fips140"
	"fmt"
	"io"
)

// A Signing is one of the signatures that [SignMany] makes.
type Signing struct {
	Key       *PrivateKey // may be the same for several
	Digest    []byte      // 32 bytes, as for [PrivateKey.Sign]; not in a Signature of the batch
	Signature [64]byte    // the result: r and s, 32 bytes each, as of [PrivateKey.SignRaw]
}

// DER returns the signature as [PrivateKey.Sign] does.
func (s *Signing) DER() []byte {
	r, t := scalar(limbs(s.Signature[:32])), scalar(limbs(s.Signature[32:]))
	return encodeSignature(&r, &t)
}

// A Verification is one of those that [VerifyMany] does.
type Verification struct {
	Key       *PublicKey // may be the same for several
	Digest    []byte     // 32 bytes
	Signature []byte     // in DER, as for [PublicKey.Verify]
	Raw       bool       // it is not in DER, but two numbers of 32 bytes, as for [PublicKey.VerifyRaw]
	Valid     bool       // the result
}

// maxSideBySide is the number of entries that are worked on at the same time.
const maxSideBySide = 64

// SignMany makes many signatures of digests, each as [PrivateKey.SignRaw] does,
// but side by side: the driver avx512 makes eight at a time, in less than twice the
// time of one. The more there are, up to 64, the less each takes. Keys and their
// drivers may differ. random is as for [PrivateKey.Sign]: if it is nil, the
// signatures are deterministic. If a digest has another length than 32 bytes or a
// key is not usable, SignMany returns an error and has changed nothing. It is safe for
// concurrent use with different batches, and takes time that depends on no secret.
// With avx512 a batch of two or more allocates nothing.
func SignMany(random io.Reader, batch []Signing) error {
	for i := range batch {
		b := &batch[i]
		if len(b.Digest) != DigestSize {
			return fmt.Errorf("sm2: the digest of entry %d has %d bytes, want %d", i, len(b.Digest), DigestSize)
		}
		if !b.Key.usable {
			return fmt.Errorf("sm2: the private key of entry %d was wiped, or never made", i)
		}
	}
	var list [maxSideBySide]*Signing
	n := 0
	for i := range batch {
		b := &batch[i]
		if b.Key.public.row.sideBySide() {
			list[n] = b
			if n++; n == len(list) {
				signMany(list[:n], random == nil)
				n = 0
			}
			continue
		}
		b.sign(random == nil)
	}
	if n == 1 {
		list[0].sign(random == nil)
	} else if n > 0 {
		signMany(list[:n], random == nil)
	}
	return nil
}

// sign is done by the key alone, which is usable.
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
// [PublicKey.VerifyRaw] does, but side by side: the driver avx512 verifies eight at
// a time, in less than twice the time of one. It sets Valid of every entry, and
// reports whether there are any and all are valid: an empty batch is not, as it is more
// likely a mistake than a proof. Keys and their drivers may differ. It is safe for
// concurrent use with different batches, allocates nothing, and takes its time from
// the signatures.
func VerifyMany(batch []Verification) bool {
	var list [maxSideBySide]*Verification
	n := 0
	for i := range batch {
		b := &batch[i]
		if !b.Key.row.sideBySide() {
			b.verify()
			continue
		}
		list[n] = b
		if n++; n == len(list) {
			verifyMany(list[:n])
			n = 0
		}
	}
	if n == 1 {
		list[0].verify()
	} else if n > 0 {
		verifyMany(list[:n])
	}
	valid := len(batch) > 0
	for i := range batch {
		valid = valid && batch[i].Valid
	}
	return valid
}

// verify is done by the key alone.
func (b *Verification) verify() {
	var r, s scalar
	b.Valid = b.decode(&r, &s) && b.Key.verify(b.Digest, &r, &s)
}

// decode reads the signature, two numbers below n.
func (b *Verification) decode(r, s *scalar) bool {
	if !b.Raw {
		return decodeSignature(r, s, b.Signature)
	}
	return len(b.Signature) == 64 && r.setBytes(b.Signature[:32])&s.setBytes(b.Signature[32:]) == 1
}

// GenerateMany makes a private key for every entry, as [GenerateKey] does, but side
// by side as [SignMany] does. In FIPS 140-only mode it returns an error and has
// changed nothing.
func GenerateMany(keys []*PrivateKey) error { return automatic().GenerateMany(keys) }

// GenerateMany is the package's [GenerateMany] with this driver.
func (d Driver) GenerateMany(keys []*PrivateKey) error {
	if fips140.Enforced() {
		return errFIPS
	}
	for len(keys) > 1 && d.row.sideBySide() {
		n := min(len(keys), maxSideBySide)
		generateMany(keys[:n], d.row)
		keys = keys[n:]
	}
	for i := range keys {
		k, err := d.GenerateKey()
		if err != nil {
			return err
		}
		keys[i] = k
	}
	return nil
}
