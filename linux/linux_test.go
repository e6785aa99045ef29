package linux

import (
	"bytes"
	"crypto/cipher"
	"os"
	"testing"

	stdaes "crypto/aes"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/kcapi"
	"github.com/cipherlane/cipherlane/sm4"
)

// required is the value of LINUX_REQUIRE, a space-separated list of algorithms that the
// machine must have; "none" means that it has none.
var required = os.Getenv("LINUX_REQUIRE")

// eachBackend runs a test with the stand-in, and with Linux if it has AF_ALG.
func eachBackend(t *testing.T, f func(t *testing.T, p *provider)) {
	t.Run("standin", func(t *testing.T) { f(t, enable(t, newStandIn(), Engine)) })
	t.Run("linux", func(t *testing.T) {
		if _, err := kcapi.Probe("skcipher", "cbc(aes)"); err != nil {
			if required != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
		f(t, enable(t, system{}, Any))
	})
}

// ready prepares an algorithm, or skips the test if Linux does not have it.
func (p *provider) ready(t *testing.T, name string, keySize int) *engine {
	t.Helper()
	e := p.engines[name][keySize]
	e.prepare(true)
	if e.state.Load() != ready {
		t.Skip(e.why)
	}
	return e
}

// used checks that calls went to Linux.
func (e *engine) used(t *testing.T) {
	t.Helper()
	for _, o := range e.ops {
		if o.calls.Load() == 0 {
			t.Errorf("%v: %v: no call went to Linux", e, o)
		}
	}
	if n := e.failures.Load(); n != 0 {
		t.Errorf("%v: %d failures, last: %s", e, n, e.why)
	}
}

type cipherWithModes interface {
	cipher.Block
	NewCBCEncrypter(iv []byte) cipher.BlockMode
	NewCBCDecrypter(iv []byte) cipher.BlockMode
	NewCTR(iv []byte) cipher.Stream
	NewGCM(nonceSize, tagSize int) (cipher.AEAD, error)
	Wipe()
}

// subjects are the ciphers, with a reference that never goes to Linux.
var subjects = []struct {
	name      string
	sizes     []int
	new       func(key []byte) cipherWithModes
	reference func(key []byte) cipher.Block
}{
	{"aes", []int{16, 24, 32},
		func(key []byte) cipherWithModes { return must(aes.New(key)) },
		func(key []byte) cipher.Block { return must(stdaes.NewCipher(key)) }},
	{"sm4", []int{16},
		func(key []byte) cipherWithModes { return must(sm4.New(key)) },
		func(key []byte) cipher.Block { return must(must(sm4.On("generic")).New(key)) }},
}

// Objects that use Linux pass the conformance tests of all drivers.
func TestConformance(t *testing.T) {
	eachBackend(t, func(t *testing.T, p *provider) {
		for _, s := range subjects {
			for _, size := range s.sizes {
				if testing.Short() && size == 24 {
					continue
				}
				made := func(key []byte) (cipherWithModes, error) { return s.new(key), nil }
				e := newEngineName(s.name, size)
				t.Run(e, func(t *testing.T) {
					t.Run("CBC", func(t *testing.T) {
						e := p.ready(t, "cbc("+s.name+")", size)
						conformance.BlockMode(t, conformance.BlockModeCase{
							KeySize: size, IVSize: 16,
							Encrypter:          func(key, iv []byte) cipher.BlockMode { return s.new(key).NewCBCEncrypter(iv) },
							Decrypter:          func(key, iv []byte) cipher.BlockMode { return s.new(key).NewCBCDecrypter(iv) },
							KeyedEncrypter:     conformance.Of(made, cipherWithModes.NewCBCEncrypter),
							KeyedDecrypter:     conformance.Of(made, cipherWithModes.NewCBCDecrypter),
							ReferenceEncrypter: func(key, iv []byte) cipher.BlockMode { return cipher.NewCBCEncrypter(s.reference(key), iv) },
							ReferenceDecrypter: func(key, iv []byte) cipher.BlockMode { return cipher.NewCBCDecrypter(s.reference(key), iv) },
							Vectors:            vectorsOf("cbc("+s.name+")", size, s.reference),
						})
						e.used(t)
					})
					t.Run("CTR", func(t *testing.T) {
						e := p.ready(t, "ctr("+s.name+")", size)
						conformance.Stream(t, conformance.StreamCase{
							KeySize: size, IVSize: 16,
							New:       func(key, iv []byte) cipher.Stream { return s.new(key).NewCTR(iv) },
							Keyed:     conformance.Of(made, cipherWithModes.NewCTR),
							Reference: func(key, iv []byte) cipher.Stream { return cipher.NewCTR(s.reference(key), iv) },
							Vectors:   vectorsOf("ctr("+s.name+")", size, s.reference),
						})
						e.used(t)
					})
					t.Run("GCM", func(t *testing.T) {
						e := p.ready(t, "gcm("+s.name+")", size)
						conformance.AEAD(t, conformance.AEADCase{
							KeySize: size, NonceSizes: []int{12, 8}, TagSizes: []int{16, 12, 13, 14, 15},
							New: func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
								return s.new(key).NewGCM(nonceSize, tagSize)
							},
							Reference: func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
								return conformance.ReferenceGCM(s.reference(key), nonceSize, tagSize)
							},
							NonceFor: func(key []byte, j0 [16]byte) []byte { return conformance.GCMNonce(s.reference(key), j0) },
							Vectors:  aeadVectors(s.name, size, s.reference),
						})
						e.used(t)
					})
				})
			}
		}
	})
}

func newEngineName(name string, size int) string {
	return name + "-" + []string{16: "128", 24: "192", 32: "256"}[size]
}

// vectorsOf returns the known answer, or for other key sizes an answer of the reference.
func vectorsOf(name string, size int, reference func([]byte) cipher.Block) []conformance.Vector {
	for _, a := range algorithms {
		if k := a.answer; a.name == name && len(hexed(k.key)) == size {
			return []conformance.Vector{{Key: hexed(k.key), IV: hexed(k.iv), Plaintext: hexed(k.input), Ciphertext: hexed(k.output)}}
		}
	}
	v := conformance.Vector{Key: make([]byte, size), IV: make([]byte, 16), Plaintext: make([]byte, 2048), Ciphertext: make([]byte, 2048)}
	if name[:3] == "cbc" {
		cipher.NewCBCEncrypter(reference(v.Key), v.IV).CryptBlocks(v.Ciphertext, v.Plaintext)
	} else {
		cipher.NewCTR(reference(v.Key), v.IV).XORKeyStream(v.Ciphertext, v.Plaintext)
	}
	return []conformance.Vector{v}
}

func aeadVectors(name string, size int, reference func([]byte) cipher.Block) []conformance.AEADVector {
	for _, a := range algorithms {
		if k := a.answer; a.name == "gcm("+name+")" && len(hexed(k.key)) == size {
			return []conformance.AEADVector{{Key: hexed(k.key), Nonce: hexed(k.iv), AdditionalData: hexed(k.data), Plaintext: hexed(k.input), Ciphertext: hexed(k.output)}}
		}
	}
	v := conformance.AEADVector{Key: make([]byte, size), Nonce: make([]byte, 12), Plaintext: make([]byte, 2000)}
	v.Ciphertext = must(conformance.ReferenceGCM(reference(v.Key), 12, 16)).Seal(nil, v.Nonce, v.Plaintext, nil)
	return []conformance.AEADVector{v}
}

// sizes contains sizes at which code paths in Linux or in this package change.
func sizes() []int {
	list := []int{0, 1, 15, 16, 17, 511, 512, 528}
	for _, n := range []int{os.Getpagesize(), 64 << 10, 128 << 10, 208 << 10} {
		list = append(list, n-16, n-1, n, n+1, n+16)
	}
	list = append(list, 1<<20)
	if !testing.Short() {
		list = append(list, 1<<20+1000, 16<<20)
	}
	return list
}

// Messages of every length have the same results as without Linux.
func TestSizes(t *testing.T) {
	eachBackend(t, func(t *testing.T, p *provider) {
		for _, s := range subjects {
			size := s.sizes[len(s.sizes)-1]
			key, iv, data := random(size), random(16), random(20)
			c, ref := s.new(key), s.reference(key)
			for _, name := range []string{"cbc", "ctr", "gcm"} {
				p.engines[name+"("+s.name+")"][size].prepare(true)
			}
			for _, n := range sizes() {
				src := random(n)
				got, want := make([]byte, n), make([]byte, n)
				c.NewCTR(iv).XORKeyStream(got, src)
				cipher.NewCTR(ref, iv).XORKeyStream(want, src)
				same(t, got, want, "ctr(%s) of %d bytes", s.name, n)

				whole := n &^ 15
				c.NewCBCEncrypter(iv).CryptBlocks(got[:whole], src[:whole])
				cipher.NewCBCEncrypter(ref, iv).CryptBlocks(want[:whole], src[:whole])
				same(t, got[:whole], want[:whole], "cbc(%s) of %d bytes", s.name, whole)
				c.NewCBCDecrypter(iv).CryptBlocks(got[:whole], got[:whole])
				same(t, got[:whole], src[:whole], "decryption with cbc(%s) of %d bytes in place", s.name, whole)

				a, r := must(c.NewGCM(12, 16)), must(cipher.NewGCM(ref))
				sealed := a.Seal(nil, iv[:12], src, data)
				same(t, sealed, r.Seal(nil, iv[:12], src, data), "gcm(%s) of %d bytes", s.name, n)
				back, err := a.Open(sealed[:0], iv[:12], sealed, data)
				if err != nil {
					t.Fatalf("gcm(%s) of %d bytes: %v", s.name, n, err)
				}
				same(t, back, src, "opening with gcm(%s) of %d bytes in place", s.name, n)
			}
		}
		xts := map[string][2]func(key []byte) xtsMode{
			"aes": {func(key []byte) xtsMode { return must(aes.NewXTS(key)) }, func(key []byte) xtsMode { return must(must(aes.On("generic")).NewXTS(key)) }},
			"sm4": {func(key []byte) xtsMode { return must(sm4.NewXTS(key)) }, func(key []byte) xtsMode { return must(must(sm4.On("generic")).NewXTS(key)) }},
		}
		for name, x := range xts {
			e := p.engines["xts("+name+")"][32]
			e.prepare(true)
			key := random(32)
			c, ref := x[0](key), x[1](key)
			for _, n := range sizes() {
				if n > 0 && n < 16 {
					continue
				}
				src := random(n)
				got, want := make([]byte, n), make([]byte, n)
				c.Encrypt(got, src, 1<<40+7)
				ref.Encrypt(want, src, 1<<40+7)
				same(t, got, want, "xts(%s) of %d bytes", name, n)
				c.Decrypt(got, got, 1<<40+7)
				same(t, got, src, "decryption with xts(%s) of %d bytes in place", name, n)
			}
		}
		for _, e := range p.list() {
			switch {
			case e.state.Load() == ready && e.keySize != 24 && e.failures.Load() > 0:
				t.Errorf("%v: %d failures: %s", e, e.failures.Load(), e.why)
			case e.state.Load() == ready && e.calls() == 0:
				t.Errorf("%v: no call went to Linux", e)
			}
		}
	})
}

type xtsMode interface {
	Encrypt(dst, src []byte, sector uint64)
	Decrypt(dst, src []byte, sector uint64)
	Wipe()
}

func same(t *testing.T, got, want []byte, format string, args ...any) {
	t.Helper()
	if !bytes.Equal(got, want) {
		i := 0
		for i < min(len(got), len(want)) && got[i] == want[i] {
			i++
		}
		t.Errorf(format, args...)
		t.Fatalf("%d bytes, want %d, different from byte %d on", len(got), len(want), i)
	}
}
