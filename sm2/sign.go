package sm2

import (
	"crypto"
	"encoding"
	"encoding/binary"
	"errors"
	"hash"
	"io"
	"runtime"
	"strconv"

	"github.com/cipherlane/cipherlane/internal/clone"
	"github.com/cipherlane/cipherlane/internal/fips"
	"github.com/cipherlane/cipherlane/sm3"
)

// DefaultID is the user ID that is used unless another one was agreed on (GM/T 0009).
const DefaultID = "1234567812345678"

// DigestSize is the size in bytes of a digest that [PrivateKey.Sign] signs.
const DigestSize = sm3.Size

// maxID is the maximum length of an ID in bytes: its length in bits must fit into
// 16 bits.
const maxID = 1<<16/8 - 1

// SignatureOptions are options for [PrivateKey.SignMessage], [PublicKey.VerifyMessage],
// [PublicKey.Digest] and [PublicKey.NewDigest]. The zero value and nil mean the same.
type SignatureOptions struct {
	ID []byte // user ID of the signer; nil for DefaultID
}

func (o *SignatureOptions) id() []byte {
	if o == nil {
		return nil
	}
	return o.ID
}

// HashFunc returns 0, since package crypto does not define a [crypto.Hash] for SM3.
func (*SignatureOptions) HashFunc() crypto.Hash { return 0 }

// Sign signs a 32-byte digest: the result of [PublicKey.Digest], or another hash
// value if the protocol requires it. It returns the signature in DER.
//
// If random is nil, the signature is deterministic: the nonce is derived as in RFC
// 6979, with SM3. Otherwise the nonce comes from the system's random number
// generator, and random is not read. opts may be nil or a *[SignatureOptions], whose
// ID is ignored because the digest already includes it. Sign and
// [PrivateKey.SignMessage] return an error for other options that name a hash
// function, since package crypto does not define a [crypto.Hash] for SM3.
func (k *PrivateKey) Sign(random io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	if len(digest) != DigestSize {
		return nil, errors.New("sm2: digest of " + strconv.Itoa(len(digest)) + " bytes, want " + strconv.Itoa(DigestSize))
	}
	if err := checkOptions(opts); err != nil {
		return nil, err
	}
	var e scalar
	e.setInteger(limbs(digest))
	var r, s scalar
	if err := k.sign(&r, &s, &e, random == nil); err != nil {
		return nil, err
	}
	return encodeSignature(&r, &s), nil
}

// SignMessage signs a message with the ID of the signer, as the standard defines it.
// It calls [PrivateKey.Sign] with the result of [PublicKey.Digest]. random is as for
// Sign; opts may be nil or a *[SignatureOptions] with the ID.
func (k *PrivateKey) SignMessage(random io.Reader, message []byte, opts crypto.SignerOpts) ([]byte, error) {
	if err := checkOptions(opts); err != nil {
		return nil, err
	}
	o, _ := opts.(*SignatureOptions)
	digest, err := k.public.Digest(message, o)
	if err != nil {
		return nil, err
	}
	return k.Sign(random, digest[:], nil)
}

func checkOptions(opts crypto.SignerOpts) error {
	if opts != nil && opts.HashFunc() != 0 {
		return errors.New("sm2: the options name another hash function than SM3; want nil or *sm2.SignatureOptions")
	}
	return nil
}

// SignRaw is like [PrivateKey.Sign], but returns the signature as two 32-byte
// big-endian integers, r and s.
func (k *PrivateKey) SignRaw(random io.Reader, digest []byte) (signature [64]byte, err error) {
	if len(digest) != DigestSize {
		return signature, errors.New("sm2: digest of " + strconv.Itoa(len(digest)) + " bytes, want " + strconv.Itoa(DigestSize))
	}
	var e, r, s scalar
	e.setInteger(limbs(digest))
	if err := k.sign(&r, &s, &e, random == nil); err != nil {
		return signature, err
	}
	rb, sb := r.bytes(), s.bytes()
	copy(signature[:32], rb[:])
	copy(signature[32:], sb[:])
	return signature, nil
}

// sign implements section 6.1 of part 2.
func (k *PrivateKey) sign(r, s, e *scalar, deterministic bool) error {
	if !k.usable {
		return errUnusable
	}
	k.prepare()
	var nonce scalar
	defer clear(nonce[:])
	var nonces *nonces
	if deterministic {
		nonces = newNonces(&k.d, e)
		defer nonces.wipe()
	}
	for {
		if deterministic {
			nonces.next(&nonce)
		} else {
			nonce.random()
		}
		if k.signWith(r, s, e, &nonce) == 0 {
			scrub() // the frame of signWith was in the way of its own, with what next left there
			return nil
		}
	}
}

// prepare computes 1/(1+d), in Montgomery form, on the first call.
func (k *PrivateKey) prepare() {
	k.signing.once.Do(func() {
		k.signing.inverse.add(&k.d, &scalar{1})
		k.signing.inverse.invert(k.public.row, &k.signing.inverse)
		k.signing.inverse.montgomery(&k.signing.inverse, &scalarSquare)
	})
}

// signWith signs with the given nonce. It returns 0 if the standard accepts the
// result.
func (k *PrivateKey) signWith(r, s, e, nonce *scalar) (refused uint64) {
	var p point
	p.multiplyBase(k.public.row, nonce)
	a := p.affine(k.public.row)
	x := a.x.integer()
	refused = k.signPoint(r, s, e, nonce, &x)
	p.wipe()
	a = affine{}
	return refused
}

// signPoint is the last part of signWith, which starts from x1:
//
//	r = e + x1    s = (k - r d) / (1 + d) = (k + r) / (1 + d) - r
func (k *PrivateKey) signPoint(r, s, e, nonce *scalar, x1 *[4]uint64) (refused uint64) {
	r.setInteger(*x1)
	r.add(r, e)
	var sum scalar
	sum.add(nonce, r)
	s.montgomery(&sum, &k.signing.inverse)
	s.sub(s, r)
	refused = r.isZero() | sum.isZero() | s.isZero()
	clear(sum[:])
	scrub()
	return refused
}

// Verify reports whether signature, in DER, is a valid signature of the 32-byte
// digest.
func (k *PublicKey) Verify(digest, signature []byte) bool {
	var r, s scalar
	return decodeSignature(&r, &s, signature) && k.verify(digest, &r, &s)
}

// VerifyMessage reports whether signature, in DER, is a valid signature of the
// message by the signer with the ID of the options, which may be nil.
func (k *PublicKey) VerifyMessage(message, signature []byte, opts *SignatureOptions) bool {
	digest, err := k.Digest(message, opts)
	return err == nil && k.Verify(digest[:], signature)
}

// VerifyRaw is like [PublicKey.Verify], but for a signature of two 32-byte
// big-endian integers, r and s.
func (k *PublicKey) VerifyRaw(digest, signature []byte) bool {
	var r, s scalar
	return len(signature) == 64 && r.setBytes(signature[:32])&s.setBytes(signature[32:]) == 1 && k.verify(digest, &r, &s)
}

// verify implements section 7.1 of part 2, in variable time.
func (k *PublicKey) verify(digest []byte, r, s *scalar) bool {
	var t, e scalar
	t.add(r, s)
	if len(digest) != DigestSize || k.empty() || r.isZero()|s.isZero()|t.isZero() != 0 || fips.Enforced() {
		return false
	}
	var p point
	p.multiplyPublic(k.row, s, &t, &k.point)
	if p.z.isZero() != 0 {
		return false
	}
	// Check that x = X/Z^2 is r - e modulo n. At most two numbers below p qualify.
	e.setInteger(limbs(digest))
	t.sub(r, &e)
	var zz, x element
	zz.sqr(&p.z)
	v := [4]uint64(t)
	for range 2 {
		if lessThan(&v, (*[4]uint64)(&prime)) == 0 {
			return false
		}
		x.mul((*element)(&v), &square)
		x.mul(&x, &zz)
		if x == p.x {
			return true
		}
		if !addOrder(&v) {
			return false
		}
	}
	return false
}

// Digest returns the digest of a message that [PrivateKey.Sign] signs: the hash of Z
// and the message, where Z is the hash of the ID of the signer and the public key. opts
// may be nil.
func (k *PublicKey) Digest(message []byte, opts *SignatureOptions) (digest [DigestSize]byte, err error) {
	z, err := k.identity(opts.id())
	if err != nil {
		return digest, err
	}
	h := sm3.New()
	h.Write(z[:])
	h.Write(message)
	h.Sum(digest[:0])
	return digest, nil
}

// NewDigest is like [PublicKey.Digest], but for messages that arrive in pieces: it
// returns an SM3 hash that begins with Z, also after its Reset method.
func (k *PublicKey) NewDigest(opts *SignatureOptions) (hash.Hash, error) {
	z, err := k.identity(opts.id())
	if err != nil {
		return nil, err
	}
	h := &messageDigest{Hash: sm3.New(), z: z}
	h.Reset()
	return h, nil
}

// A messageDigest is a hash that begins with Z.
type messageDigest struct {
	hash.Hash
	z [DigestSize]byte
}

func (h *messageDigest) Reset() {
	h.Hash.Reset()
	h.Write(h.z[:])
}

func (h *messageDigest) Clone() (clone.Cloner, error) {
	c, err := h.Hash.(clone.Cloner).Clone()
	return &messageDigest{Hash: c, z: h.z}, err
}

func (h *messageDigest) AppendBinary(b []byte) ([]byte, error) {
	return h.Hash.(encoding.BinaryAppender).AppendBinary(b)
}

func (h *messageDigest) MarshalBinary() ([]byte, error) {
	return h.Hash.(encoding.BinaryMarshaler).MarshalBinary()
}

func (h *messageDigest) UnmarshalBinary(state []byte) error {
	return h.Hash.(encoding.BinaryUnmarshaler).UnmarshalBinary(state)
}

// curveNumbers is a, b and the base point, in the encoding that Z uses.
var curveNumbers = func() (b [128]byte) {
	var a element
	for range 3 {
		a.sub(&a, &one)
	}
	for i, v := range []element{a, curveB, base.x, base.y} {
		n := v.bytes()
		copy(b[32*i:], n[:])
	}
	return b
}()

// identity returns Z of section 5.5 of part 2.
func (k *PublicKey) identity(id []byte) (z [32]byte, err error) {
	if fips.Enforced() {
		return z, errFIPS
	}
	if id == nil {
		id = []byte(DefaultID)
	}
	if len(id) > maxID {
		return z, errors.New("sm2: user ID of " + strconv.Itoa(len(id)) + " bytes, at most " + strconv.Itoa(maxID) + " are possible")
	}
	own := k.point.coordinates()
	b := make([]byte, 0, 512)
	b = binary.BigEndian.AppendUint16(b, uint16(8*len(id)))
	b = append(b, id...)
	b = append(b, curveNumbers[:]...)
	b = append(b, own[:]...)
	return sm3.Sum(b), nil
}

// nonces generates the nonces of RFC 6979, section 3.2, with SM3.
type nonces struct {
	key, v  [32]byte
	started bool
}

func newNonces(d, e *scalar) *nonces {
	n := new(nonces)
	for i := range n.v {
		n.v[i] = 1
	}
	x, h := d.bytes(), e.bytes()
	for round := range byte(2) {
		n.update(&n.key, n.v[:], []byte{round}, x[:], h[:])
		n.update(&n.v, n.v[:])
	}
	clear(x[:])
	return n
}

// update sets out to the HMAC of the parts, at most 97 bytes in total.
func (n *nonces) update(out *[32]byte, parts ...[]byte) {
	var inner [sm3.BlockSize + 97]byte
	var outer [sm3.BlockSize + sm3.Size]byte
	copy(inner[:], n.key[:])
	copy(outer[:], n.key[:])
	for i := range sm3.BlockSize {
		inner[i] ^= 0x36
		outer[i] ^= 0x5c
	}
	size := sm3.BlockSize
	for _, p := range parts {
		size += copy(inner[size:], p)
	}
	sum := sm3.Sum(inner[:size])
	copy(outer[sm3.BlockSize:], sum[:])
	*out = sm3.Sum(outer[:])
	clear(inner[:])
	clear(outer[:])
	runtime.KeepAlive(&inner)
	runtime.KeepAlive(&outer)
}

func (n *nonces) next(k *scalar) {
	for {
		if n.started {
			n.update(&n.key, n.v[:], []byte{0})
			n.update(&n.v, n.v[:])
		}
		n.started = true
		n.update(&n.v, n.v[:])
		if k.setCandidate(n.v[:]) {
			return
		}
	}
}

func (n *nonces) wipe() { *n = nonces{} }
