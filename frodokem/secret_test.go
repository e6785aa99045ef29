package frodokem

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/ctgrind"
	"github.com/cipherlane/cipherlane/internal/keccak"
)

// secret returns a copy of b that valgrind treats as secret, as well as everything
// computed from it.
func secret(b []byte) []byte {
	s := slices.Clone(b)
	ctgrind.Secret(s)
	return s
}

// reveal declares a result public and checks it.
func reveal(t *testing.T, got, want []byte, format string, args ...any) {
	t.Helper()
	ctgrind.Public(got)
	equal(t, got, want, format, args...)
}

// The portable driver with secret seeds, a secret message and a secret matrix S.
// The public key, from which A is generated, and the ciphertext are public.
func TestSecretGeneric(t *testing.T) {
	d, err := On("generic")
	if err != nil {
		t.Fatal(err)
	}
	// Grow the stack before there are secrets: if the stack moves to adjacent memory,
	// valgrind mistakes that for pushing and popping of frames.
	warm := newKey(t, d, FrodoKEM640AES, 1)
	_, ct := warm.ek.Encapsulate()
	if warm.DecapsulateTo(make([]byte, warm.Set().SharedKeySize()), ct) != nil {
		t.Fatal("decapsulation fails")
	}
	for _, s := range []Set{FrodoKEM640AES, EFrodoKEM640SHAKE, FrodoKEM976AES} {
		p, want := s.params(), newSpec(s)
		seed, mu, salt := random(1, s.SeedSize()), random(2, p.shared), random(3, p.salt)
		public, private := want.keys(seed)
		sharedKey, ciphertext := want.encapsulate(public, mu, salt)

		z := p.shared + p.seedSE
		dk := new(DecapsulationKey)
		dk.st = make([]uint16, nbar*p.n)
		hidden := secret(seed)
		ctgrind.Public(hidden[z:])
		dk.generate(d, s, hidden)
		reveal(t, dk.ek.Bytes(), public, "%v: public key", s)
		reveal(t, dk.Bytes(), private, "%v: private key", s)

		ss, ct := make([]byte, p.shared), make([]byte, p.ciphertext())
		encapsulateWith(&dk.ek, ss, ct, slices.Concat(secret(mu), salt))
		reveal(t, ct, ciphertext, "%v: ciphertext", s)
		reveal(t, ss, sharedKey, "%v: shared key", s)

		ctgrind.Secret(bytesOf(dk.st))
		ctgrind.Secret(dk.reject[:])
		verdict := binary.LittleEndian.AppendUint64(nil, uint64(p.isNoise(dk.st)))
		reveal(t, verdict, []byte{1, 0, 0, 0, 0, 0, 0, 0}, "%v: the verdict on S", s)
		changed := bytes.Clone(ciphertext)
		changed[17] ^= 1
		for _, x := range [][]byte{ciphertext, changed} {
			if err := dk.DecapsulateTo(ss, x); err != nil {
				t.Fatal(err)
			}
			reveal(t, ss, want.decapsulate(private, x), "%v: decapsulation", s)
		}
	}
}

// TestScratchIsWiped examines the memory that operations have returned to the pool.
func TestScratchIsWiped(t *testing.T) {
	eachDriver(t, func(t *testing.T, d Driver) {
		for _, s := range []Set{FrodoKEM640AES, EFrodoKEM640SHAKE} {
			dk := newKey(t, d, s, 5)
			_, ct := dk.ek.Encapsulate()
			if _, err := dk.Decapsulate(ct); err != nil {
				t.Fatal(err)
			}
			for range 4 { // the pool may have several
				b := newBatch(s.params(), d.row, false, make([]*operation, 1))
				o := b.ops[0]
				secrets := map[string][]byte{"noise": bytesOf(o.matrices[:]), "random": o.random[:],
					"hashed": o.hashed[:], "kernels'": kernelSecrets(&o.kernel)}
				if o.state != o.text || o.state != (keccak.State{}) {
					t.Errorf("%v: states of hashes are not wiped", s)
				}
				if x := o.portable; x != nil {
					secrets["sums"] = unsafe.Slice((*byte)(unsafe.Pointer(&x.sums)), unsafe.Sizeof(x.sums))
				}
				for name, b := range secrets {
					if slices.ContainsFunc(b, func(x byte) bool { return x != 0 }) {
						t.Errorf("%v: %s memory is not wiped", s, name)
					}
				}
				defer b.end()
			}
		}
	})
}
