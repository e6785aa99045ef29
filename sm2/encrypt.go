package sm2

import (
	"crypto"
	"crypto/subtle"
	"errors"
	"io"
	"strconv"

	"github.com/cipherlane/cipherlane/internal/pkix"
	"github.com/cipherlane/cipherlane/sm3"
)

// A Format is an encoding of a ciphertext, which consists of a point C1, the
// encrypted message C2 and a 32-byte hash C3.
type Format int

const (
	ASN1   Format = iota // DER, as in GM/T 0009: C1 as two integers, C3, C2
	C1C3C2               // concatenated, as in GB/T 32918.4-2016
	C1C2C3               // concatenated, as was usual before 2016
)

func (f Format) String() string {
	switch f {
	case ASN1:
		return "ASN1"
	case C1C3C2:
		return "C1C3C2"
	case C1C2C3:
		return "C1C2C3"
	}
	return "Format(" + strconv.Itoa(int(f)) + ")"
}

// ErrDecryption is returned for any ciphertext that is not valid for the key.
var ErrDecryption = errors.New("sm2: decryption failed")

// MaxMessage is the maximum length of a message in bytes. It is a limit of this
// package. To encrypt longer messages, encrypt them with a cipher, and its key with
// SM2.
const MaxMessage = 1<<24 - 1<<10

// Encrypt encrypts a message of 1 to [MaxMessage] bytes. It does not authenticate
// the sender: anyone who has the public key can encrypt.
func (k *PublicKey) Encrypt(message []byte, format Format) ([]byte, error) {
	if len(message) == 0 || len(message) > MaxMessage {
		return nil, errors.New("sm2: message of " + strconv.Itoa(len(message)) + " bytes, want 1 to " + strconv.Itoa(MaxMessage))
	}
	if format < ASN1 || format > C1C2C3 {
		return nil, errors.New("sm2: no such format: " + format.String())
	}
	if k.empty() {
		return nil, errPoint
	}
	var nonce scalar
	var secret [64]byte
	defer clear(nonce[:])
	c2 := make([]byte, len(message))
	for {
		nonce.random()
		c1, c3, ok := k.encryptWith(c2, message, &secret, &nonce)
		if ok == 1 {
			return joinCiphertext(c1, c2, c3, format), nil
		}
	}
}

// encryptWith implements section 6.1 of part 4 for the given nonce. ok is 0 if the
// standard requires another nonce. secret is memory for the shared secret, which it
// clears.
func (k *PublicKey) encryptWith(c2, message []byte, secret *[64]byte, nonce *scalar) (c1 affine, c3 [32]byte, ok int) {
	var p, q point
	p.multiplyBase(k.row, nonce)
	q.multiply(k.row, nonce, &k.point)
	var shared affine
	affinePair(k.row, &c1, &shared, &p, &q)
	shared.putCoordinates(secret)
	sm3.KDF(c2, secret[:])
	ok = 1 ^ allZero(c2)
	subtle.XORBytes(c2, c2, message)
	c3 = check(secret, message)
	p.wipe()
	q.wipe()
	shared = affine{}
	clear(secret[:])
	scrub()
	return c1, c3, ok
}

// Decrypt decrypts a ciphertext. opts is a [Format], or nil for [ASN1]. In the
// concatenated formats C1 may be compressed. The first argument is not used. If the
// ciphertext is not valid for this key, the error is [ErrDecryption].
func (k *PrivateKey) Decrypt(_ io.Reader, ciphertext []byte, opts crypto.DecrypterOpts) ([]byte, error) {
	format := ASN1
	switch o := opts.(type) {
	case nil:
	case Format:
		format = o
	default:
		return nil, errors.New("sm2: options for decryption are a Format")
	}
	if format < ASN1 || format > C1C2C3 {
		return nil, errors.New("sm2: no such format: " + format.String())
	}
	if !k.usable {
		return nil, errUnusable
	}
	c1, c2, c3, ok := splitCiphertext(k.public.row, ciphertext, format)
	if !ok {
		return nil, ErrDecryption
	}
	message := make([]byte, len(c2))
	if !k.open(message, &c1, c2, c3) {
		return nil, ErrDecryption
	}
	return message, nil
}

// open is decrypt, and clears message if the ciphertext is not valid.
func (k *PrivateKey) open(message []byte, c1 *affine, c2, c3 []byte) bool {
	var secret [64]byte
	if k.decrypt(message, &secret, c1, c2, c3) == 0 {
		clear(message)
		return false
	}
	return true
}

// decrypt implements section 7.1 of part 4. It returns 0 if the ciphertext is not
// valid. secret is memory for the shared secret, which it clears.
func (k *PrivateKey) decrypt(message []byte, secret *[64]byte, c1 *affine, c2, c3 []byte) (ok int) {
	var p point
	p.multiply(k.public.row, &k.d, c1)
	shared := p.affine(k.public.row)
	shared.putCoordinates(secret)
	sm3.KDF(message, secret[:])
	ok = 1 ^ allZero(message)
	subtle.XORBytes(message, message, c2)
	u := check(secret, message)
	ok &= subtle.ConstantTimeCompare(u[:], c3)
	p.wipe()
	shared = affine{}
	clear(secret[:])
	scrub()
	return ok
}

// check returns C3, the hash of x2, the message and y2.
func check(secret *[64]byte, message []byte) (c3 [32]byte) {
	h := sm3.New()
	h.Write(secret[:32])
	h.Write(message)
	h.Write(secret[32:])
	h.Sum(c3[:0])
	// Overwrite the bytes of the secret that the hash has buffered.
	var zero [sm3.BlockSize]byte
	h.Reset()
	h.Write(zero[:sm3.BlockSize-1])
	return c3
}

// allZero returns 1 if all bytes of b are zero, else 0.
func allZero(b []byte) int {
	var or byte
	for _, v := range b {
		or |= v
	}
	return subtle.ConstantTimeByteEq(or, 0)
}

func joinCiphertext(c1 affine, c2 []byte, c3 [32]byte, format Format) []byte {
	if format == ASN1 {
		var room [70]byte
		numbers := pkix.AppendNumber(pkix.AppendNumber(room[:0], c1.x.bytes()), c1.y.bytes())
		hash := pkix.Append(nil, pkix.OctetString, c3[:])
		return pkix.Append(make([]byte, 0, len(c2)+128), pkix.Sequence, numbers, hash, pkix.Append(nil, pkix.OctetString, c2))
	}
	p := c1.bytes()
	b := append(make([]byte, 0, len(p)+len(c2)+len(c3)), p[:]...)
	if format == C1C3C2 {
		return append(append(b, c3[:]...), c2...)
	}
	return append(append(b, c2...), c3[:]...)
}

func splitCiphertext(row uint8, b []byte, format Format) (c1 affine, c2, c3 []byte, ok bool) {
	if format == ASN1 {
		all := pkix.Read(b)
		body := all.In(pkix.Sequence)
		x, y := body.Number(), body.Number()
		c3, c2 = body.Next(pkix.OctetString), body.Next(pkix.OctetString)
		if !all.Done() || !body.Done() || len(c3) != sm3.Size || len(c2) == 0 {
			return c1, nil, nil, false
		}
		ok = c1.x.setBytes(x[:]) && c1.y.setBytes(y[:]) && c1.onCurve() != 0
		return c1, c2, c3, ok
	}
	if len(b) == 0 {
		return c1, nil, nil, false
	}
	size := pointSize
	if b[0]&^1 == formCompressed {
		size = compressedSize
	}
	if len(b) <= size+sm3.Size {
		return c1, nil, nil, false
	}
	ok = c1.setBytes(row, b[:size])
	b = b[size:]
	if format == C1C3C2 {
		return c1, b[sm3.Size:], b[:sm3.Size], ok
	}
	n := len(b) - sm3.Size
	return c1, b[:n], b[n:], ok
}
