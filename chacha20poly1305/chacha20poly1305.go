// Package chacha20poly1305 implements the AEAD ChaCha20-Poly1305 (RFC 8439) and
// its variant with 24-byte nonces, XChaCha20-Poly1305
// (draft-irtf-cfrg-xchacha-03).
//
//	aead, err := chacha20poly1305.NewX(key)
//	if err != nil {
//		return err
//	}
//	nonce := make([]byte, chacha20poly1305.NonceSizeX)
//	rand.Read(nonce) // 24 random bytes do not repeat
//	sealed := aead.Seal(nil, nonce, plaintext, additionalData)
//	opened, err := aead.Open(nil, nonce, sealed, additionalData)
//
// [New] and [NewX] have the same signatures, sizes, results and panics as the
// functions of that name in golang.org/x/crypto/chacha20poly1305, so that a
// program can switch by changing an import. [NewAEAD] and [NewXAEAD] return the
// concrete type, which lets callers' buffers stay on the stack and provides
// [AEAD.SealMany] and [AEAD.OpenMany] for many packets under one key.
//
// # Drivers
//
// The package contains several implementations and selects the best one for
// this machine; [Drivers] lists them, [On] selects one by name, and the command
// "cipherlane list chacha20poly1305" shows which one is selected and why.
//
// # Timing
//
// No driver uses a secret, be it the key, the text or the correct tag, as a
// memory index or a branch condition. Poly1305 multiplies integers: on a CPU
// whose multiplication takes longer for some operands (ARM7, ARM9, some
// PowerPC), the running time depends on them. SECURITY.md describes how this is
// checked.
package chacha20poly1305

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/chachapoly"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/fips"
	"github.com/cipherlane/cipherlane/internal/hidden"
)

const (
	KeySize    = 32 // bytes in a key
	NonceSize  = 12 // bytes in a ChaCha20-Poly1305 nonce: use a counter, since 2^32 random nonces are too many
	NonceSizeX = 24 // bytes in an XChaCha20-Poly1305 nonce: may be random
	Overhead   = 16 // bytes in the tag: the difference between the lengths of ciphertext and plaintext
)

var (
	errOpen  = errors.New("chacha20poly1305: message authentication failed")
	errKey   = errors.New("chacha20poly1305: bad key length")
	errFIPS  = errors.New("chacha20poly1305: use of ChaCha20Poly1305 is not allowed in FIPS 140-only mode")
	errWiped = errors.New(useOfWiped)
)

const useOfWiped = "chacha20poly1305: use of a wiped key"

var table = drivers.Register("chacha20poly1305", chachapoly.Rows(), chachapoly.PacketRules()...)

// An AEAD is ChaCha20-Poly1305 or XChaCha20-Poly1305 with one key. It implements
// [cipher.AEAD] and is safe for concurrent use.
//
// A nonce must never be used twice with the same key: two messages under one
// nonce reveal their XOR and allow others to be forged.
type AEAD struct {
	private
	key       [8]uint32
	plan      drivers.Plan
	nonceSize int
}

var _ cipher.AEAD = (*AEAD)(nil)

// New returns ChaCha20-Poly1305 for a 32-byte key. Nonces have 12 bytes.
func New(key []byte) (cipher.AEAD, error) { return automatic().New(key) }

// NewX returns XChaCha20-Poly1305 for a 32-byte key. Nonces have 24 bytes, long
// enough to be random.
func NewX(key []byte) (cipher.AEAD, error) { return automatic().NewX(key) }

// NewAEAD is [New] with the concrete type.
func NewAEAD(key []byte) (*AEAD, error) { return automatic().NewAEAD(key) }

// NewXAEAD is [NewX] with the concrete type.
func NewXAEAD(key []byte) (*AEAD, error) { return automatic().NewXAEAD(key) }

// A Driver is one implementation. Its methods are the package's constructors, and
// return the same types.
type Driver struct{ plan drivers.Plan }

// On returns the driver with the given name. The error wraps [driver.ErrUnknown]
// if there is no such driver, and [driver.ErrUnavailable] if this machine cannot
// run it.
func On(name string) (Driver, error) {
	plan, err := table.On(name)
	return Driver{plan}, err
}

// Drivers returns the drivers for this architecture.
func Drivers() []driver.Info {
	t, _ := driver.Find(table.Package())
	return t.Drivers()
}

// automatic returns the driver selected for this machine.
func automatic() Driver { return Driver{table.Auto()} }

// New is the package's [New] with this driver.
func (d Driver) New(key []byte) (cipher.AEAD, error) {
	a, err := d.NewAEAD(key)
	if err != nil {
		return nil, err // not a nil *AEAD in an interface
	}
	return a, nil
}

// NewX is the package's [NewX] with this driver.
func (d Driver) NewX(key []byte) (cipher.AEAD, error) {
	a, err := d.NewXAEAD(key)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// NewAEAD is the package's [NewAEAD] with this driver.
func (d Driver) NewAEAD(key []byte) (*AEAD, error) { return d.newAEAD(key, NonceSize) }

// NewXAEAD is the package's [NewXAEAD] with this driver.
func (d Driver) NewXAEAD(key []byte) (*AEAD, error) { return d.newAEAD(key, NonceSizeX) }

func (d Driver) newAEAD(key []byte, nonceSize int) (*AEAD, error) {
	if fips.Enforced() {
		return nil, errFIPS
	}
	if len(key) != KeySize {
		return nil, errKey
	}
	a := &AEAD{plan: d.plan, nonceSize: nonceSize}
	chachapoly.ReadKey(&a.key, key) // in place: nothing stays on the stack
	return a, nil
}

// NonceSize returns the size of nonces in bytes: 12 or 24.
func (a *AEAD) NonceSize() int { return a.nonceSize }

// Overhead returns 16, the size of the tag in bytes.
func (a *AEAD) Overhead() int { return Overhead }

// Wipe overwrites the key. Afterwards Seal panics, and the other methods that use
// the key return an error.
func (a *AEAD) Wipe() {
	clear(a.key[:])
	a.plan = drivers.Wiped
}

func (a *AEAD) wiped() bool { return a.plan.Bulk() == chachapoly.Wiped }

// Seal encrypts plaintext, authenticates it together with additionalData, and
// appends ciphertext and tag to dst. The plaintext and the appended output must
// overlap entirely or not at all. Seal panics if the nonce has the wrong size or
// the plaintext is longer than 2^38-64 bytes.
func (a *AEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	if a.wiped() {
		panic(useOfWiped)
	}
	if len(nonce) != a.nonceSize {
		panic("chacha20poly1305: bad nonce length passed to Seal")
	}
	if uint64(len(plaintext)) > chachapoly.MaxSize {
		panic("chacha20poly1305: plaintext too large")
	}
	whole, out := extend(dst, len(plaintext)+Overhead)
	checkOverlap(out, plaintext, additionalData)
	row := a.plan.Pick(len(plaintext))
	if a.nonceSize == NonceSize {
		n := words(nonce)
		chachapoly.Seal(row, out, plaintext, additionalData, &a.key, &n)
		return whole
	}
	var key [8]uint32
	n := a.derive(&key, nonce)
	chachapoly.Seal(row, out, plaintext, additionalData, &key, &n)
	clear(key[:])
	runtime.KeepAlive(&key)
	return whole
}

// Open checks the tag at the end of ciphertext, which also covers additionalData,
// and appends the plaintext to dst. If the tag is wrong, it returns an error, and
// the memory that the plaintext would have occupied is zeroed. The ciphertext and
// that memory must overlap entirely or not at all. Open panics if the nonce has
// the wrong size or the ciphertext is longer than 2^38-48 bytes.
func (a *AEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	if a.wiped() {
		return nil, errWiped
	}
	if len(nonce) != a.nonceSize {
		panic("chacha20poly1305: bad nonce length passed to Open")
	}
	if len(ciphertext) < Overhead {
		return nil, errOpen
	}
	if uint64(len(ciphertext)) > chachapoly.MaxSize+Overhead {
		panic("chacha20poly1305: ciphertext too large")
	}
	whole, out := extend(dst, len(ciphertext)-Overhead)
	checkOverlap(out, ciphertext, additionalData)
	row := a.plan.Pick(len(out))
	var ok bool
	if a.nonceSize == NonceSize {
		n := words(nonce)
		ok = chachapoly.Open(row, out, ciphertext, additionalData, &a.key, &n)
	} else {
		var key [8]uint32
		n := a.derive(&key, nonce)
		ok = chachapoly.Open(row, out, ciphertext, additionalData, &key, &n)
		clear(key[:])
		runtime.KeepAlive(&key)
	}
	if !ok {
		clear(out)
		return nil, errOpen
	}
	return whole, nil
}

// derive sets key to the ChaCha20 key and returns the ChaCha20 nonce for an
// XChaCha20 nonce (draft-irtf-cfrg-xchacha-03, section 2.3).
func (a *AEAD) derive(key *[8]uint32, nonce []byte) [3]uint32 {
	chachapoly.HChaCha(a.plan.Pick(0), key, &a.key, &[4]uint32{
		binary.LittleEndian.Uint32(nonce),
		binary.LittleEndian.Uint32(nonce[4:]),
		binary.LittleEndian.Uint32(nonce[8:]),
		binary.LittleEndian.Uint32(nonce[12:]),
	})
	return [3]uint32{0, binary.LittleEndian.Uint32(nonce[16:]), binary.LittleEndian.Uint32(nonce[20:])}
}

// words returns a ChaCha20 nonce as words.
func words(nonce []byte) [3]uint32 {
	b := (*[NonceSize]byte)(nonce)
	return [3]uint32{binary.LittleEndian.Uint32(b[:]), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])}
}

func checkOverlap(out, in, data []byte) {
	if alias.InexactOverlap(out, in) {
		panic("chacha20poly1305: invalid buffer overlap of output and input")
	}
	if alias.AnyOverlap(out, data) {
		panic("chacha20poly1305: invalid buffer overlap of output and additional data")
	}
}

// extend appends n bytes to b without setting them.
func extend(b []byte, n int) (whole, part []byte) {
	whole = slices.Grow(b, n)[:len(b)+n]
	return whole, whole[len(b):]
}

// private, when embedded, keeps a struct from being printed.
type private = hidden.Secret
