package doctor

import (
	"crypto/cipher"
	"errors"
	"slices"
	"time"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/kcapi"
	"github.com/cipherlane/cipherlane/linux"
	"github.com/cipherlane/cipherlane/sm4"
)

// maskedEngines determines whether this Linux hides its engines although it is older
// than 7.2: some vendors have backported that.
func maskedEngines(env *kcapi.Environment, probe func(typ, name string) error) {
	if env.HidesEngines || env.AFALG.State != kcapi.Ready {
		return
	}
	for _, r := range env.Engines {
		typ := map[string]string{"ahash": "hash", "shash": "hash", "ablkcipher": "skcipher"}[r.Type]
		if typ == "" {
			typ = r.Type
		}
		if !slices.Contains(kcapi.SocketTypes, typ) || env.Types[typ].State != kcapi.Ready || r.SelfTest != "passed" || !env.Allowed(r.Driver) {
			continue
		}
		err := probe(typ, r.Driver)
		if err == nil {
			return
		}
		if errors.Is(err, kcapi.ErrNoAlgorithm) || errors.Is(err, kcapi.ErrMasked) {
			env.HidesEngines = true
			return
		}
	}
}

// tryLinux calls the operations that use Linux, so that the report shows that calls
// reach it.
func tryLinux(uses []linux.Use, names []string) {
	const enough = 200 * time.Millisecond
	for _, u := range uses {
		if u.State != linux.InUse || !slices.Contains(names, u.Algorithm) {
			continue
		}
		b := make([]byte, 64<<10)
		try := userOf(u.Algorithm, u.Operation, inventory.Random(u.KeySize), b)
		for start := time.Now(); try != nil && time.Since(start) < enough && callsOf(u) == 0; {
			for range 8 {
				try()
			}
		}
	}
}

// callsOf returns the number of calls of an operation that used Linux.
func callsOf(u linux.Use) int64 {
	for _, now := range linux.Status() {
		if now.Algorithm == u.Algorithm && now.KeySize == u.KeySize && now.Operation == u.Operation {
			return now.Calls
		}
	}
	return 0
}

// A blockCipher is the interface that the ciphers of packages aes and sm4 share.
type blockCipher interface {
	NewCBCEncrypter(iv []byte) cipher.BlockMode
	NewCBCDecrypter(iv []byte) cipher.BlockMode
	NewCTR(iv []byte) cipher.Stream
	NewGCM(nonceSize, tagSize int) (cipher.AEAD, error)
}

type sectorCipher interface {
	Encrypt(dst, src []byte, sector uint64)
	Decrypt(dst, src []byte, sector uint64)
}

// userOf returns an operation on a message as programs call it, which uses Linux where
// that is enabled. It returns nil for an unknown operation.
func userOf(algorithm, operation string, key, b []byte) func() {
	var c blockCipher
	var x sectorCipher
	var err error
	switch algorithm {
	case "sm3":
		return func() { linux.SumSM3(b) }
	case "xts(aes)":
		x, err = aes.NewXTS(key)
	case "xts(sm4)":
		x, err = sm4.NewXTS(key)
	case "cbc(aes)", "ctr(aes)", "gcm(aes)":
		c, err = aes.New(key)
	case "cbc(sm4)", "ctr(sm4)", "gcm(sm4)":
		c, err = sm4.New(key)
	default:
		return nil
	}
	if err != nil {
		return nil
	}
	iv := make([]byte, inventory.BlockSize)
	switch algorithm[:3] + " " + operation {
	case "cbc encrypt":
		return func() { c.NewCBCEncrypter(iv).CryptBlocks(b, b) }
	case "cbc decrypt":
		return func() { c.NewCBCDecrypter(iv).CryptBlocks(b, b) }
	case "ctr encrypt":
		return func() { c.NewCTR(iv).XORKeyStream(b, b) }
	case "xts encrypt":
		return func() { x.Encrypt(b, b, 1) }
	case "xts decrypt":
		return func() { x.Decrypt(b, b, 1) }
	case "gcm seal", "gcm open":
		a, err := c.NewGCM(12, 16)
		if err != nil {
			return nil
		}
		text := b[:len(b)-a.Overhead()]
		if operation == "seal" {
			return func() { a.Seal(b[:0], iv[:12], text, nil) }
		}
		sealed := a.Seal(nil, iv[:12], text, nil)
		return func() { a.Open(b[:0], iv[:12], sealed, nil) }
	}
	return nil
}
