//go:build !race && (amd64 || arm64 || loong64 || riscv64)

package sm2

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"runtime"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/guard"
)

// heap keeps objects away from the stack.
var heap []any

// A repeating random number generator returns the same bytes again and again.
type repeating []byte

func (r repeating) Read(p []byte) (n int, err error) {
	for n < len(p) {
		n += copy(p[n:], r)
	}
	return n, nil
}

// from returns a function that calls f with random numbers of 32 bytes that are all the same.
func from(number []byte, f func()) func() {
	return func() {
		system := rand.Reader
		rand.Reader = repeating(number)
		defer func() { rand.Reader = system }()
		f()
	}
}

// TestNoKeyOnTheStack searches the stack that operations have used for the private key,
// 1/(1+d), nonces and shared secrets.
func TestNoKeyOnTheStack(t *testing.T) { eachDriver(t, testNoKeyOnTheStack) }

func testNoKeyOnTheStack(t *testing.T, d Driver) {
	if runtime.GOARCH != "amd64" && d.row == generic {
		return // what the compiler spills of portable code is checked there only
	}
	key, digest := number(annexKey).FillBytes(make([]byte, 32)), randomBytes(32)
	k, peer := must(d.NewPrivateKey(key)), must(d.GenerateKey()).PublicKey()
	batch := make([]Signing, 9)
	for i := range batch {
		batch[i] = Signing{Key: k, Digest: digest}
	}
	message := randomBytes(32)
	ciphertext := must(k.PublicKey().Encrypt(message, C1C3C2))
	c1, _, _, _ := splitCiphertext(d.row, ciphertext, C1C3C2)
	x := must(NewExchange(k, nil, peer, nil, true))

	var secrets []uint64
	add := func(v [4]uint64) {
		for _, limb := range v {
			secrets = append(secrets, limb, binary.BigEndian.Uint64(binary.LittleEndian.AppendUint64(nil, limb)))
		}
	}
	// The plaintext, and the key stream.
	stream := bytes.Clone(message)
	for i, b := range ciphertext[len(ciphertext)-32:] {
		stream[i] ^= b
	}
	add(limbs(message))
	add(limbs(stream))
	var e, nonce scalar
	e.setInteger(limbs(digest))
	newNonces(&k.d, &e).next(&nonce)
	k.prepare()
	for _, v := range []*scalar{&k.d, &nonce} { // the kernels multiply by odd numbers only
		var odd scalar
		odd.sub(&odd, v)
		add(odd)
	}
	add(k.d)
	add(k.signing.inverse)
	add(nonce)
	add(x.nonce)
	var base point
	base.multiplyBase(d.row, &nonce)
	for _, v := range []element{base.x, base.y, base.z} {
		add(v)
	}
	for _, c := range []struct {
		factor *scalar
		q      affine
	}{{&k.d, peer.point}, {&k.d, c1}, {&nonce, k.public.point}} {
		var p point
		p.multiply(d.row, c.factor, &c.q)
		for _, v := range []element{p.x, p.y, p.z} {
			add(v)
		}
		shared := p.affine(d.row)
		for _, v := range []element{shared.x, shared.y} {
			add(v)
			add(v.integer())
		}
	}
	nb := nonce.bytes()
	nonceBytes, keys := bytes.Clone(nb[:]), make([]*PrivateKey, 9)
	room, secret, encryptionNonce := make([]byte, len(digest)), new([64]byte), &nonce
	heap = []any{room, secret, encryptionNonce, k, peer, digest, batch, ciphertext, x, secrets, nil, key, nonceBytes, keys, message, stream}
	for name, f := range map[string]func(){
		"NewPrivateKey":            func() { heap[10], _ = d.NewPrivateKey(key) },
		"SignRaw":                  func() { k.SignRaw(nil, digest) },
		"SignRaw for the 1st time": func() { (&PrivateKey{public: k.public, d: k.d, usable: true}).SignRaw(rand.Reader, digest) },
		"SignMany":                 func() { SignMany(nil, batch) },
		"Decrypt":                  func() { k.Decrypt(nil, ciphertext, C1C3C2) },
		"Encrypt":                  func() { k.public.encryptWith(room, digest, secret, encryptionNonce) },
		"ECDH":                     func() { k.ECDH(peer) },
		"Equal":                    func() { k.Equal(k) },
		"Bytes":                    func() { heap[10] = k.Bytes() },
		"GenerateKey":              from(key, func() { heap[10] = must(d.GenerateKey()) }),
		"GenerateMany":             from(key, func() { d.GenerateMany(keys) }),
		"NewExchange":              from(nonceBytes, func() { heap[10], _ = NewExchange(k, nil, peer, nil, true) }),
		"SignRaw, random":          from(nonceBytes, func() { k.SignRaw(rand.Reader, digest) }),
		"SignMany, random":         from(nonceBytes, func() { SignMany(rand.Reader, batch) }),
		"Encrypt, random":          from(nonceBytes, func() { heap[10], _ = k.PublicKey().Encrypt(digest, ASN1) }),
		"Agree":                    func() { second := *x; heap[10] = &second; second.Agree(peer.Bytes(), 16) },
		"MarshalPKCS8PrivateKey":   func() { heap[10] = MarshalPKCS8PrivateKey(k) },
	} {
		if guard.Leaves(f, func(stack []byte) bool {
			return slices.ContainsFunc(secrets, func(v uint64) bool {
				return bytes.Contains(stack, binary.LittleEndian.AppendUint64(nil, v))
			})
		}) {
			t.Errorf("%s leaves 8 bytes of a secret on the stack", name)
		}
	}
}

// TestNothingOfSharedSecretsLeft decrypts with two keys and otherwise identically. Only hashes
// on the stack may depend on the key, in whatever form.
func TestNothingOfSharedSecretsLeft(t *testing.T) { eachDriver(t, testNothingOfSharedSecretsLeft) }

func testNothingOfSharedSecretsLeft(t *testing.T, d Driver) {
	if runtime.GOARCH != "amd64" {
		return // frames of the compiled code differ
	}
	keys := []*PrivateKey{newKey(d, annexKey), newKey(d, annexNonce)}
	c1, c2, c3, _ := splitCiphertext(d.row, must(keys[0].PublicKey().Encrypt(randomBytes(32), C1C3C2)), C1C3C2)
	k, secret, room := new(PrivateKey), new([64]byte), make([]byte, 32)
	heap = []any{keys, k, secret, room, c2, c3}
	set := func(seed byte) {
		k.d, k.public, k.usable = keys[seed-1].d, keys[0].public, true
	}
	// The hash C3 and a copy of it, which is equal to the one in the ciphertext if that is
	// valid, and the result.
	const hashes = 2*32 + 1
	if left := guard.Left(set, func() { k.decrypt(room, secret, &c1, c2, c3) }); left > hashes {
		t.Errorf("%d bytes on the stack depend on the key", left)
	}
}

// TestDigitsLeaveNothing does the same for a number in digits, which functions called later
// overwrite in practice.
func TestDigitsLeaveNothing(t *testing.T) {
	w, k := new(lanesWork), toScalar(number(annexNonce))
	var odd scalar
	odd.setOdd(k)
	secrets := make([]byte, 0, 64)
	for i := range k {
		secrets = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(secrets, k[i]), odd[i])
	}
	heap = []any{w, k, secrets}
	if guard.Leaves(func() { w.setDigits(3, k, true) }, func(stack []byte) bool {
		for b := secrets; len(b) > 0; b = b[8:] {
			if bytes.Contains(stack, b[:8]) {
				return true
			}
		}
		return false
	}) {
		t.Error("8 bytes of a number are on the stack")
	}
}
