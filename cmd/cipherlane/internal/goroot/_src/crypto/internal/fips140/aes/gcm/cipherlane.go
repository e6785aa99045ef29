//go:build !s390x && !ppc64 && !ppc64le

package gcm

import (
	lane "crypto/internal/cipherlane/aes"
	"crypto/internal/fips140"
	"crypto/internal/fips140/aes"
	"crypto/internal/fips140/subtle"
	"crypto/internal/impl"
	"unsafe"
)

// useCipherlane says that cipherlane's GCM is in use. In FIPS 140-3 mode, Go's is.
var useCipherlane = !fips140.Enabled

func init() { impl.Register("gcm", "cipherlane", &useCipherlane) }

// gcmPlatformData is memory for Go's table or for a hash key, which has no pointers.
type gcmPlatformData struct {
	gcmPlatformDataStd
	rest [(unsafe.Sizeof(lane.Hash{}) - unsafe.Sizeof(gcmPlatformDataStd{})) / 8]uint64
}

func (g *GCM) hash() *lane.Hash { return (*lane.Hash)(unsafe.Pointer(&g.gcmPlatformData)) }

// These do not compile if the memory is too small or not aligned.
const (
	_ = unsafe.Sizeof(gcmPlatformData{}) - unsafe.Sizeof(lane.Hash{})
	_ = -(unsafe.Offsetof(GCM{}.gcmPlatformData) % unsafe.Alignof(uint64(0)))
)

// keys returns the round keys for cipherlane's GCM, or nil if Go's is in use.
func (g *GCM) keys() *lane.Keys {
	if !useCipherlane {
		return nil
	}
	return aes.CipherlaneKeys(&g.cipher)
}

func initGCM(g *GCM) {
	if keys := g.keys(); keys != nil {
		lane.InitHash(g.hash(), keys)
	} else {
		initGCMStd(g)
	}
}

func seal(out []byte, g *GCM, nonce, plaintext, data []byte) {
	keys := g.keys()
	if keys == nil {
		sealStd(out, g, nonce, plaintext, data)
		return
	}
	m := lane.Message{Hash: g.hash()}
	lane.Seal(&m, keys, nonce, out, plaintext, data)
	m.Tag(out[len(plaintext):])
}

func open(out []byte, g *GCM, nonce, ciphertext, data []byte) error {
	keys := g.keys()
	if keys == nil {
		return openStd(out, g, nonce, ciphertext, data)
	}
	n := len(ciphertext) - g.tagSize
	m := lane.Message{Hash: g.hash()}
	lane.Open(&m, keys, nonce, out, ciphertext[:n], data)
	same := subtle.ConstantTimeCompare(m.Y[:g.tagSize], ciphertext[n:])
	clear(m.Y[:]) // the right tag would allow a forgery
	if same != 1 {
		return errOpen
	}
	return nil
}
