package frodokem

import (
	"errors"
	"strconv"
	"strings"
)

// A Set is one of the twelve parameter sets. Its methods generate and parse keys.
type Set uint8

// The parameter sets. The number is the dimension n of the lattice: 640, 976
// and 1344 target the security of AES-128, AES-192 and AES-256. AES or SHAKE
// generates the public matrix; sets with AES are faster on machines with AES
// instructions. Sets whose names begin with E are for ephemeral keys only.
const (
	FrodoKEM640AES Set = iota + 1
	FrodoKEM640SHAKE
	FrodoKEM976AES
	FrodoKEM976SHAKE
	FrodoKEM1344AES
	FrodoKEM1344SHAKE
	EFrodoKEM640AES
	EFrodoKEM640SHAKE
	EFrodoKEM976AES
	EFrodoKEM976SHAKE
	EFrodoKEM1344AES
	EFrodoKEM1344SHAKE
)

const (
	nbar  = 8  // rows of S', columns of S and B
	seedA = 16 // bytes of the seed of the matrix A

	maxN      = 1344
	maxShared = 32
	maxSeedSE = 64
	maxSalt   = 64
)

// params are the parameters of a set (ISO/IEC 18033-2/Amd 2; table in section 7 of
// draft-longa-cfrg-frodokem). Sets differ in nothing else, so they share all code and a type.
type params struct {
	name   string
	n      int
	d      int // q = 2^d
	b      int // bits of a message in each entry of a matrix of 8 x 8
	rate   int // of the SHAKE that hashes
	aes    bool
	shared int // bytes of s, mu, k, pkh and the shared key
	seedSE int // bytes
	salt   int // bytes
	cdf    []uint16
}

// The distributions of the noise: entry i is one less than 2^15 times the
// probability that the absolute value is at most i. The last entry, 2^15-1, needs
// no comparison and is omitted.
var (
	cdf640 = []uint16{
		4643, 13363, 20579, 25843, 29227, 31145, 32103, 32525, 32689, 32745, 32762, 32766,
	}
	cdf976  = []uint16{5638, 15915, 23689, 28571, 31116, 32217, 32613, 32731, 32760, 32766}
	cdf1344 = []uint16{9142, 23462, 30338, 32361, 32725, 32765}
)

var sets = [...]params{
	FrodoKEM640AES:     {"FrodoKEM-640-AES", 640, 15, 2, 168, true, 16, 32, 32, cdf640},
	FrodoKEM640SHAKE:   {"FrodoKEM-640-SHAKE", 640, 15, 2, 168, false, 16, 32, 32, cdf640},
	FrodoKEM976AES:     {"FrodoKEM-976-AES", 976, 16, 3, 136, true, 24, 48, 48, cdf976},
	FrodoKEM976SHAKE:   {"FrodoKEM-976-SHAKE", 976, 16, 3, 136, false, 24, 48, 48, cdf976},
	FrodoKEM1344AES:    {"FrodoKEM-1344-AES", 1344, 16, 4, 136, true, 32, 64, 64, cdf1344},
	FrodoKEM1344SHAKE:  {"FrodoKEM-1344-SHAKE", 1344, 16, 4, 136, false, 32, 64, 64, cdf1344},
	EFrodoKEM640AES:    {"eFrodoKEM-640-AES", 640, 15, 2, 168, true, 16, 16, 0, cdf640},
	EFrodoKEM640SHAKE:  {"eFrodoKEM-640-SHAKE", 640, 15, 2, 168, false, 16, 16, 0, cdf640},
	EFrodoKEM976AES:    {"eFrodoKEM-976-AES", 976, 16, 3, 136, true, 24, 24, 0, cdf976},
	EFrodoKEM976SHAKE:  {"eFrodoKEM-976-SHAKE", 976, 16, 3, 136, false, 24, 24, 0, cdf976},
	EFrodoKEM1344AES:   {"eFrodoKEM-1344-AES", 1344, 16, 4, 136, true, 32, 32, 0, cdf1344},
	EFrodoKEM1344SHAKE: {"eFrodoKEM-1344-SHAKE", 1344, 16, 4, 136, false, 32, 32, 0, cdf1344},
}

// Sets lists all sets.
func Sets() []Set {
	list := make([]Set, 0, len(sets)-1)
	for s := FrodoKEM640AES; int(s) < len(sets); s++ {
		list = append(list, s)
	}
	return list
}

// ParseSet returns the set with the given name, such as "FrodoKEM-976-AES". It ignores
// case.
func ParseSet(name string) (Set, error) {
	for _, s := range Sets() {
		if strings.EqualFold(s.String(), name) {
			return s, nil
		}
	}
	return 0, errors.New("frodokem: no such parameter set: " + strconv.Quote(name))
}

// params returns the parameters of a set. It panics if s is not a valid set.
func (s Set) params() *params {
	if s == 0 || int(s) >= len(sets) {
		panic("frodokem: no such parameter set: " + strconv.Itoa(int(s)))
	}
	return &sets[s]
}

// String returns the name of the set, such as "FrodoKEM-976-AES".
func (s Set) String() string {
	if s == 0 || int(s) >= len(sets) {
		return "Set(" + strconv.Itoa(int(s)) + ")"
	}
	return sets[s].name
}

// Ephemeral reports whether a key of this set may be used for a few ciphertexts only.
func (s Set) Ephemeral() bool { return s.params().salt == 0 }

// SharedKeySize returns the size of shared keys in bytes.
func (s Set) SharedKeySize() int { return s.params().shared }

// CiphertextSize returns the size of ciphertexts in bytes.
func (s Set) CiphertextSize() int { return s.params().ciphertext() }

// EncapsulationKeySize returns the size of public keys in bytes.
func (s Set) EncapsulationKeySize() int { return s.params().public() }

// DecapsulationKeySize returns the size of private keys in bytes, in the
// expanded form of the standard.
func (s Set) DecapsulationKeySize() int { return s.params().private() }

// SeedSize returns the size of private keys in bytes in the short form.
func (s Set) SeedSize() int { return s.params().seed() }

// The matrices of a ciphertext, B' and C, have n + 8 columns of d bytes. That of a public key has
// n rows.
func (p *params) ciphertext() int { return (p.n+nbar)*p.d + p.salt }
func (p *params) public() int     { return seedA + p.n*p.d }
func (p *params) private() int    { return p.shared + p.public() + 2*nbar*p.n + p.shared }
func (p *params) seed() int       { return p.shared + p.seedSE + seedA }
func (p *params) q1() uint16      { return uint16(1<<p.d - 1) } // q-1
