//go:build !(mips || mipsle || mips64 || mips64le)

package files

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"

	"filippo.io/age"
	"filippo.io/age/agessh"
	"github.com/cipherlane/cipherlane/chacha20"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/keys"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/recipients"
	"github.com/cipherlane/cipherlane/internal/pkix"
	"github.com/cipherlane/cipherlane/sm2"
	//lint:ignore SA1019 the format of OpenSSH has bcrypt
	"golang.org/x/crypto/blowfish"
	//lint:ignore SA1019 and Poly1305 without the rest of RFC 8439
	"golang.org/x/crypto/poly1305"
	"golang.org/x/crypto/scrypt"
	"golang.org/x/crypto/ssh"
)

// Keys of ssh as recipients and identities. Package agessh parses what x/crypto/ssh does; this
// file adds the forms that ssh-keygen, openssl and agents write besides.

var errSSHKind = errors.New("keys of this kind cannot encrypt: want ssh-ed25519, or ssh-rsa with 2048 bits or more")

// An unsupportedKey is a public key of ssh with which files cannot be encrypted.
type unsupportedKey struct{ kind string }

func (e unsupportedKey) Error() string {
	return fmt.Sprintf("is a key of ssh (%s), and %v", e.kind, errSSHKind)
}

// parseSSHRecipient parses a line as in authorized_keys. ok is false if it is none.
func parseSSHRecipient(line string) (r age.Recipient, err error, ok bool) {
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
	if err != nil {
		kind := sshKind(line)
		switch {
		case kind == "":
			return nil, nil, false
		case slices.Contains(sshStanzas, kind) || !isSSHKind(line, kind):
			return nil, errors.New("is a damaged key of ssh: cut short, or mistyped"), true
		}
		return nil, unsupportedKey{kind}, true
	}
	switch key.Type() {
	case "ssh-ed25519":
		r, err = agessh.NewEd25519Recipient(key)
	case "ssh-rsa":
		if public, isRSA := key.(ssh.CryptoPublicKey).CryptoPublicKey().(*rsa.PublicKey); isRSA && public.N.BitLen() < 2048 {
			return nil, unsupportedKey{fmt.Sprintf("ssh-rsa with %d bits", public.N.BitLen())}, true
		}
		r, err = agessh.NewRSARecipient(key)
	default:
		err = unsupportedKey{key.Type()}
	}
	return r, err, true
}

// sshKind returns the word with which a key of ssh begins, or "" if a line has none.
func sshKind(line string) string {
	kind, _, _ := strings.Cut(line, " ")
	if strings.HasPrefix(kind, "ssh-") || strings.HasPrefix(kind, "ecdsa-sha2-") || strings.HasPrefix(kind, "sk-") {
		return kind
	}
	return ""
}

// isSSHKind reports whether the key in a line says that it is of the kind that the line says.
func isSSHKind(line, kind string) bool {
	fields := strings.Fields(line)
	if len(fields) < 2 {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(fields[1])
	return err == nil && len(kind) <= maxKind && bytes.HasPrefix(key, appendField(nil, []byte(kind)))
}

// maxKind is more than the name of a kind of keys has.
const maxKind = 64

// A lockedKey is an identity that has a passphrase, which is asked for only if a file may be
// for it.
type lockedKey struct {
	types       []string // of stanzas
	fingerprint string   // in stanzas of ssh; "" if it is not known
	open        func() (age.Identity, error)
	identity    age.Identity
}

func (l *lockedKey) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	if !slices.ContainsFunc(stanzas, func(s *age.Stanza) bool {
		return slices.Contains(l.types, s.Type) && (l.fingerprint == "" || len(s.Args) > 0 && s.Args[0] == l.fingerprint)
	}) {
		return nil, age.ErrIncorrectIdentity
	}
	list, err := l.unlock()
	if err != nil {
		return nil, err
	}
	return list[0].Unwrap(stanzas)
}

// unlock asks for the passphrase, once.
func (l *lockedKey) unlock() (list []age.Identity, err error) {
	if l.identity == nil {
		if l.identity, err = l.open(); err != nil {
			return nil, err
		}
	}
	return []age.Identity{l.identity}, nil
}

// sshStanzas are the types of stanzas for keys of ssh.
var sshStanzas = []string{"ssh-ed25519", "ssh-rsa"}

// newIdentity makes an identity of a private key.
func newIdentity(key any) (age.Identity, error) {
	switch k := key.(type) {
	case *ed25519.PrivateKey:
		return agessh.NewEd25519Identity(*k)
	case ed25519.PrivateKey:
		return agessh.NewEd25519Identity(k)
	case *rsa.PrivateKey:
		return agessh.NewRSAIdentity(k)
	case *ecdsa.PrivateKey:
		return nil, errors.New("is an ecdsa key, and age has no recipients for those: want ssh-ed25519 or ssh-rsa")
	}
	return nil, fmt.Errorf("is a private key of another kind (%T): want ssh-ed25519 or ssh-rsa", key)
}

// isSSHKey reports whether a PrivateKeyInfo has a key of a kind that ssh and age know.
func isSSHKey(der []byte) bool {
	algorithm, _, _, ok := pkix.ParsePrivate(der)
	if !ok || !algorithm.Has(pkix.OID) {
		return false
	}
	name := keys.Dotted(algorithm.Next(pkix.OID))
	return name == "1.2.840.113549.1.1.1" || name == "1.3.101.112" // RSA, Ed25519
}

// pemIdentity parses a private key in PEM or DER: of ssh, FrodoKEM or SM2, as text says. It returns
// nil and no error for a key of SM2 that is not encrypted, and for what is no key.
func pemIdentity(p *cli.Program, text []byte, file, name string, from cli.PassphraseFlags) (age.Identity, error) {
	// ask has the passphrase, and the error of a wrong one.
	ask := func(unlock func(passphrase []byte) (age.Identity, error)) func() (age.Identity, error) {
		return func() (age.Identity, error) {
			passphrase, err := p.Passphrase(from, name)
			if err != nil {
				return nil, cli.AsNamed(err)
			}
			defer clear(passphrase)
			i, err := unlock(passphrase)
			switch {
			case errors.Is(err, x509.IncorrectPasswordError), errors.Is(err, sm2.ErrPassphrase):
				err = errors.New("wrong passphrase, or the key is damaged")
			case err == nil:
				return i, nil
			}
			if e := new(cli.NamedError); errors.As(err, e) {
				return nil, err
			}
			return nil, cli.AsNamed(fmt.Errorf("%s: %w", name, err))
		}
	}
	block, _ := pem.Decode(text)
	kind := keys.KindOfDER(text)
	switch {
	case block != nil:
		kind = block.Type
	case kind != "":
		block = &pem.Block{Type: kind, Bytes: bytes.Clone(text)}
	case keys.HasPEM(text, "OPENSSH PRIVATE KEY"), keys.HasPEM(text, "RSA PRIVATE KEY"):
		return nil, errors.New("is a damaged private key of ssh: cut short, or mistyped")
	default:
		return nil, nil
	}
	switch kind {
	case "OPENSSH PRIVATE KEY":
		c, err := parseOpenSSH(block.Bytes)
		if err != nil {
			return nil, err
		}
		if c.cipher == "none" {
			break
		}
		public, err := ssh.ParsePublicKey(c.public)
		if err != nil || !slices.Contains(sshStanzas, public.Type()) {
			kind := "unknown"
			if err == nil {
				kind = public.Type()
			}
			return nil, unsupportedKey{kind}
		}
		hash := sha256.Sum256(c.public)
		fingerprint := base64.RawStdEncoding.EncodeToString(hash[:4])
		return &lockedKey{types: []string{public.Type()}, fingerprint: fingerprint, open: ask(c.identity)}, nil
	case keys.PEMEncrypted:
		types := append([]string{recipients.SM2Stanza, recipients.FrodoKEMKeyStanza}, sshStanzas...)
		return &lockedKey{types: types, open: ask(func(passphrase []byte) (age.Identity, error) {
			der, err := pkix.Decrypt(block.Bytes, passphrase, scrypt.Key)
			if err != nil {
				return nil, err
			}
			defer clear(der)
			if !isSSHKey(der) {
				if i, err := frodoKEMIdentityOf(der); i != nil || err != nil {
					return i, err
				}
				text := keys.EncodePEM(keys.PEMPrivate, der)
				defer clear(text)
				key, err := (&keys.PrivateFlags{Key: file}).Parse(p, text)
				if err != nil {
					return nil, cli.AsNamed(err)
				}
				return recipients.NewSM2Identity(key), nil
			}
			key, err := x509.ParsePKCS8PrivateKey(der)
			if err != nil {
				return nil, err
			}
			return newIdentity(key)
		})}, nil
	case "RSA PRIVATE KEY":
		if strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED") {
			return &lockedKey{types: []string{"ssh-rsa"}, open: ask(func(passphrase []byte) (age.Identity, error) {
				key, err := ssh.ParseRawPrivateKeyWithPassphrase(pem.EncodeToMemory(block), passphrase)
				if err != nil {
					return nil, err
				}
				return newIdentity(key)
			})}, nil
		}
	case keys.PEMPrivate:
		if !isSSHKey(block.Bytes) {
			return frodoKEMIdentityOf(block.Bytes)
		}
	default:
		return nil, nil
	}
	text = pem.EncodeToMemory(block)
	defer clear(text)
	defer clear(block.Bytes)
	key, err := ssh.ParseRawPrivateKey(text)
	if err != nil {
		return nil, fmt.Errorf("is a damaged private key (%w)", err)
	}
	return newIdentity(key)
}

// frodoKEMIdentityOf makes an identity of a private key of FrodoKEM. It returns nil and no error for
// other keys.
func frodoKEMIdentityOf(der []byte) (age.Identity, error) {
	key, err := keys.ParseFrodoKEM(der)
	if key == nil || err != nil {
		return nil, err
	}
	i, err := recipients.NewFrodoKEMKeyIdentity(key)
	if err != nil {
		return nil, err
	}
	return i, nil
}

// An openSSH is a private key in the format openssh-key-v1 (PROTOCOL.key of OpenSSH).
type openSSH struct {
	cipher, kdf    string
	options        []byte
	public         []byte
	private, extra []byte // encrypted, and the tag
}

const openSSHMagic = "openssh-key-v1\x00"

// maxRounds bounds the work that a file can cause: some seconds. ssh-keygen's default is 24.
const maxRounds = 2048

func parseOpenSSH(b []byte) (*openSSH, error) {
	damaged := errors.New("is a damaged private key of ssh")
	b, ok := bytes.CutPrefix(b, []byte(openSSHMagic))
	if !ok {
		return nil, damaged
	}
	next := func() []byte {
		if len(b) < 4 || uint64(binary.BigEndian.Uint32(b)) > uint64(len(b)-4) {
			ok = false
			return nil
		}
		n := 4 + int(binary.BigEndian.Uint32(b))
		field := b[4:n]
		b = b[n:]
		return field
	}
	c := &openSSH{cipher: string(next()), kdf: string(next()), options: next()}
	if !ok || len(b) < 4 {
		return nil, damaged
	}
	count := binary.BigEndian.Uint32(b)
	b = b[4:]
	c.public, c.private = next(), next()
	c.extra = b
	if !ok || count != 1 {
		return nil, damaged
	}
	return c, nil
}

// identity decrypts the key.
func (c *openSSH) identity(passphrase []byte) (age.Identity, error) {
	private, err := c.decrypt(passphrase)
	if err != nil {
		return nil, err
	}
	defer clear(private)
	// The same without encryption.
	plain := []byte(openSSHMagic)
	for _, field := range [][]byte{[]byte("none"), []byte("none"), nil} {
		plain = appendField(plain, field)
	}
	plain = binary.BigEndian.AppendUint32(plain, 1)
	plain = appendField(plain, c.public)
	plain = slices.Grow(plain, 4+len(private)) // without a copy of the secret
	plain = appendField(plain, private)
	defer clear(plain)
	text := pem.EncodeToMemory(&pem.Block{Type: "OPENSSH PRIVATE KEY", Bytes: plain})
	defer clear(text)
	if len(private) < 8 || !bytes.Equal(private[:4], private[4:8]) {
		return nil, x509.IncorrectPasswordError
	}
	key, err := ssh.ParseRawPrivateKey(text)
	if err != nil {
		return nil, err
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(signer.PublicKey().Marshal(), c.public) {
		return nil, errors.New("the public key in it is not that of the private key")
	}
	return newIdentity(key)
}

func appendField(b, field []byte) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(field))), field...)
}

// decrypt returns the private part.
func (c *openSSH) decrypt(passphrase []byte) ([]byte, error) {
	sizes, ok := map[string]struct{ key, iv, tag int }{
		"aes128-cbc": {16, 16, 0}, "aes192-cbc": {24, 16, 0}, "aes256-cbc": {32, 16, 0},
		"aes128-ctr": {16, 16, 0}, "aes192-ctr": {24, 16, 0}, "aes256-ctr": {32, 16, 0},
		"aes128-gcm@openssh.com": {16, 12, 16}, "aes256-gcm@openssh.com": {32, 12, 16},
		"chacha20-poly1305@openssh.com": {64, 0, 16},
	}[c.cipher]
	if !ok || c.kdf != "bcrypt" {
		return nil, fmt.Errorf("is locked in a way that is not known here (%.40q, %.40q); \"ssh-keygen -p -Z aes256-ctr\" converts it", c.cipher, c.kdf)
	}
	if len(c.extra) != sizes.tag || len(c.private) == 0 || len(c.private)%8 != 0 {
		return nil, errors.New("is a damaged private key of ssh")
	}
	options := c.options
	if len(options) < 4 || uint64(len(options)) != 8+uint64(binary.BigEndian.Uint32(options)) {
		return nil, errors.New("is a damaged private key of ssh")
	}
	salt, rounds := options[4:len(options)-4], binary.BigEndian.Uint32(options[len(options)-4:])
	if rounds == 0 || rounds > maxRounds {
		return nil, fmt.Errorf("its passphrase takes %d rounds of bcrypt, want at most %d", rounds, maxRounds)
	}
	secret, err := bcryptKey(passphrase, salt, int(rounds), sizes.key+sizes.iv)
	if err != nil {
		return nil, err
	}
	defer clear(secret)
	key, iv := secret[:sizes.key], secret[sizes.key:]
	out := make([]byte, len(c.private))
	if sizes.iv == 0 {
		return out, openChaCha(out, c.private, c.extra, key)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	switch {
	case sizes.tag > 0:
		gcm, err := cipher.NewGCM(block)
		if err != nil {
			return nil, err
		}
		if out, err = gcm.Open(out[:0], iv, slices.Concat(c.private, c.extra), nil); err != nil {
			return nil, x509.IncorrectPasswordError
		}
	case strings.HasSuffix(c.cipher, "-ctr"):
		cipher.NewCTR(block, iv).XORKeyStream(out, c.private)
	case len(out)%aes.BlockSize != 0:
		return nil, errors.New("is a damaged private key of ssh")
	default:
		cipher.NewCBCDecrypter(block, iv).CryptBlocks(out, c.private)
	}
	return out, nil
}

// openChaCha decrypts as OpenSSH's chacha20-poly1305 does with the packet number 0 and without
// a length: like RFC 8439, but the tag covers the ciphertext alone. The second half of the
// key, for lengths, is not used.
func openChaCha(dst, src, tag, key []byte) error {
	stream, err := chacha20.NewUnauthenticatedCipher(key[:32], make([]byte, chacha20.NonceSize))
	if err != nil {
		return err
	}
	var first [64]byte // the block with the key of Poly1305
	defer clear(first[:])
	stream.XORKeyStream(first[:], first[:])
	if !poly1305.Verify((*[16]byte)(tag), src, (*[32]byte)(first[:32])) {
		return x509.IncorrectPasswordError
	}
	stream.XORKeyStream(dst, src)
	return nil
}

// bcryptKey is bcrypt_pbkdf of OpenBSD: PBKDF2 with bcrypt in place of HMAC. Bytes of its
// blocks alternate in the key.
func bcryptKey(passphrase, salt []byte, rounds, size int) ([]byte, error) {
	const hashSize = 32
	blocks := (size + hashSize - 1) / hashSize
	key := make([]byte, blocks*hashSize)
	pass := sha512.Sum512(passphrase)
	defer clear(pass[:])
	for i := range blocks {
		var sum [hashSize]byte
		input := binary.BigEndian.AppendUint32(slices.Clone(salt), uint32(i+1))
		for range rounds {
			hashed := sha512.Sum512(input)
			out, err := bcryptHash(pass[:], hashed[:])
			if err != nil {
				return nil, err
			}
			for j := range sum {
				sum[j] ^= out[j]
			}
			input = out[:]
		}
		for j, b := range sum {
			key[j*blocks+i] = b
		}
	}
	return key[:size:size], nil
}

func bcryptHash(pass, salt []byte) (out [32]byte, err error) {
	c, err := blowfish.NewSaltedCipher(pass, salt)
	if err != nil {
		return out, err
	}
	for range 64 {
		blowfish.ExpandKey(salt, c)
		blowfish.ExpandKey(pass, c)
	}
	copy(out[:], "OxychromaticBlowfishSwatDynamite")
	for i := 0; i < len(out); i += blowfish.BlockSize {
		for range 64 {
			c.Encrypt(out[i:], out[i:])
		}
	}
	for i := 0; i < len(out); i += 4 { // words are little-endian at the end
		binary.LittleEndian.PutUint32(out[i:], binary.BigEndian.Uint32(out[i:]))
	}
	return out, nil
}
