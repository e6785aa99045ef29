package frodokem

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"runtime"
	"strconv"

	"github.com/cipherlane/cipherlane/internal/fips"
	"github.com/cipherlane/cipherlane/internal/hidden"
	"github.com/cipherlane/cipherlane/internal/keccak"
)

// An EncapsulationKey is a public key, with values precomputed for encapsulation. It
// is safe for concurrent use.
type EncapsulationKey struct {
	set   Set
	row   uint8
	bytes []byte // seedA, then B packed
	b     []uint16
	hash  [maxShared]byte // pkh
}

// A DecapsulationKey is a private key. All methods except [DecapsulationKey.Wipe] are
// safe for concurrent use. Package fmt does not print its contents.
type DecapsulationKey struct {
	private
	ek     EncapsulationKey
	seed   []byte          // s, seedSE, z; nil if only the expanded form is known
	reject [maxShared]byte // s
	st     []uint16        // S^T, 8 x n
	wiped  bool
}

// GenerateKey generates a private key with the system's random number generator.
func (s Set) GenerateKey() (*DecapsulationKey, error) { return automatic().GenerateKey(s) }

// NewDecapsulationKey parses a private key, either in the expanded form of the
// standard (s || pk || S^T || pkh) or in the short form of three seeds
// (s || seedSE || z, draft-longa-cfrg-frodokem-03). The size distinguishes them.
//
// In the expanded form pkh must be the hash of pk, and the entries of S must be in the
// range of the set's noise. NewDecapsulationKey does not check that pk belongs to S, as
// that would take as long as generating a key. The short form is always consistent,
// since everything else is computed from it.
func (s Set) NewDecapsulationKey(key []byte) (*DecapsulationKey, error) {
	return automatic().NewDecapsulationKey(s, key)
}

// NewEncapsulationKey parses a public key. Any bytes of the right size are a valid
// encoding.
func (s Set) NewEncapsulationKey(key []byte) (*EncapsulationKey, error) {
	return automatic().NewEncapsulationKey(s, key)
}

// GenerateKey is like [Set.GenerateKey], but uses this driver.
func (d Driver) GenerateKey(s Set) (*DecapsulationKey, error) {
	p := s.params()
	var seed [maxShared + maxSeedSE + seedA]byte
	defer clear(seed[:])
	rand.Read(seed[:p.seed()])
	return d.NewDecapsulationKey(s, seed[:p.seed()])
}

// NewDecapsulationKey is like [Set.NewDecapsulationKey], but uses this driver.
func (d Driver) NewDecapsulationKey(s Set, key []byte) (*DecapsulationKey, error) {
	p := s.params()
	if fips.Enforced() {
		return nil, errFIPS
	}
	dk := &DecapsulationKey{st: make([]uint16, nbar*p.n)}
	switch len(key) {
	case p.seed():
		dk.generate(d, s, key)
	case p.private():
		rest := key[p.shared:]
		copy(dk.reject[:], key[:p.shared])
		dk.ek.init(d, s, bytes.Clone(rest[:p.public()]))
		rest = rest[p.public():]
		words(dk.st, rest[:2*len(dk.st)])
		fault := ""
		switch {
		case subtle.ConstantTimeCompare(rest[2*len(dk.st):], dk.ek.hash[:p.shared]) == 0:
			fault = "its hash is not that of its public key"
		case p.isNoise(dk.st) == 0:
			fault = "its matrix S has entries that are too large"
		}
		if fault != "" {
			dk.Wipe()
			return nil, errors.New("frodokem: inconsistent private key for " + s.String() + ": " + fault)
		}
	default:
		want := strconv.Itoa(p.private()) + " or " + strconv.Itoa(p.seed())
		return nil, wrongSize(s, "private key", len(key), want, Set.DecapsulationKeySize)
	}
	return dk, nil
}

// NewEncapsulationKey is like [Set.NewEncapsulationKey], but uses this driver.
func (d Driver) NewEncapsulationKey(s Set, key []byte) (*EncapsulationKey, error) {
	p := s.params()
	if fips.Enforced() {
		return nil, errFIPS
	}
	if len(key) != p.public() {
		want := strconv.Itoa(p.public())
		return nil, wrongSize(s, "public key", len(key), want, Set.EncapsulationKeySize)
	}
	ek := new(EncapsulationKey)
	ek.init(d, s, bytes.Clone(key))
	return ek, nil
}

var (
	errFIPS  = errors.New("frodokem: not available in FIPS 140-only mode")
	errWiped = errors.New("frodokem: use of a wiped key")
)

// wrongSize returns the error for a wrong size. If another set uses that size, the
// error names the set.
func wrongSize(s Set, what string, size int, want string, sizeOf func(Set) int) error {
	hint := ""
	for _, o := range Sets() {
		// The salt changes only the sizes of ciphertexts and short private keys.
		// Prefer sets that are like s in this respect.
		if sizeOf(o) == size && o.params().aes == s.params().aes &&
			(hint == "" || o.Ephemeral() == s.Ephemeral()) {
			hint = " (this is the size for " + o.String() + ")"
		}
	}
	return errors.New("frodokem: " + what + " of " + strconv.Itoa(size) + " bytes for " + s.String() +
		", want " + want + hint)
}

// init sets ek to a public key. It retains the slice key.
func (ek *EncapsulationKey) init(d Driver, s Set, key []byte) {
	p := s.params()
	ek.set, ek.row = s, d.row
	ek.bytes = key
	ek.b = make([]uint16, nbar*p.n)
	unpack(d.row, p.d, ek.b, ek.bytes[seedA:])
	keccak.Sum(hashRow[d.row], p.rate, []keccak.Lane{{In: [3][]byte{key}, Out: ek.hash[:p.shared]}})
}

// generate generates a key from the seeds s, seedSE and z.
func (dk *DecapsulationKey) generate(d Driver, set Set, seed []byte) {
	p := set.params()
	dk.seed = bytes.Clone(seed)
	copy(dk.reject[:p.shared], seed)
	var ops [1]*operation
	b := newBatch(p, d.row, true, ops[:])
	o, seed := b.ops[0], seed[p.shared:]
	copy(o.seedSE, seed)
	b.hash([]keccak.Lane{{In: [3][]byte{seed[p.seedSE:]}, Out: o.seedA[:]}})
	b.noise(nil)
	copy(dk.st, o.s)
	b.multiplyKey()
	public := make([]byte, p.public())
	copy(public, o.seedA[:])
	pack(d.row, p.d, public[seedA:], o.b)
	b.end()
	dk.ek.init(d, set, public)
}

// Set returns the parameter set of the key.
func (ek *EncapsulationKey) Set() Set { return ek.set }

// Bytes returns the key as bytes (seedA || B).
func (ek *EncapsulationKey) Bytes() []byte { return bytes.Clone(ek.bytes) }

// Set returns the parameter set of the key.
func (dk *DecapsulationKey) Set() Set { return dk.ek.set }

// EncapsulationKey returns the public key.
func (dk *DecapsulationKey) EncapsulationKey() *EncapsulationKey { return &dk.ek }

// Bytes returns the key in the expanded form of the standard, or nil after
// [DecapsulationKey.Wipe].
func (dk *DecapsulationKey) Bytes() []byte {
	if dk.wiped {
		return nil
	}
	p := dk.ek.set.params()
	out := make([]byte, 0, p.private())
	out = append(out, dk.reject[:p.shared]...)
	out = append(out, dk.ek.bytes...)
	for _, x := range dk.st {
		out = append(out, byte(x), byte(x>>8))
	}
	return append(out, dk.ek.hash[:p.shared]...)
}

// Seed returns the key in the short form. It returns nil if the key was wiped, or was
// parsed from the expanded form, from which the seeds cannot be recovered.
func (dk *DecapsulationKey) Seed() []byte { return bytes.Clone(dk.seed) }

// Wipe overwrites the secrets of the key. Afterwards decapsulation returns an error;
// the public key may still be used. Wipe must not be called concurrently with other
// methods.
func (dk *DecapsulationKey) Wipe() {
	dk.wiped = true
	clear(dk.seed)
	dk.seed = nil
	clear(dk.reject[:])
	clear(dk.st)
	runtime.KeepAlive(dk)
}

// private prevents package fmt from printing a type that embeds it.
type private = hidden.Secret
