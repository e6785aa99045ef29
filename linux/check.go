package linux

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"

	"github.com/cipherlane/cipherlane/internal/offload"
	"github.com/cipherlane/cipherlane/kcapi"
)

// wrong is the error for incorrect results. There is no retry after it.
type wrong struct{ what string }

func (w *wrong) Error() string { return w.what }

func wrongf(format string, args ...any) error { return &wrong{fmt.Sprintf(format, args...)} }

// check compares a driver with a known answer, if there is one for the key size, and
// with this library, in both directions. s is open with the key. The error is a *wrong
// if results are incorrect; other errors come from the sockets.
func (e *engine) check(s *object, key []byte) error {
	a := e.algorithm
	soft := a.software(key)
	if hexed(a.answer.key) == nil || len(hexed(a.answer.key)) == e.keySize {
		if err := e.checkAnswer(); err != nil {
			return err
		}
	}
	switch a.socketType {
	case "skcipher":
		return e.checkCipher(s.cipher, soft)
	case "aead":
		if err := e.checkAEAD(s.aead, soft, 16, a.checkSizes()); err != nil {
			return err
		}
		for tagSize := 12; tagSize < 16; tagSize++ {
			s, err := e.open(e.name, key, tagSize, e.slow)
			if err != nil {
				if reason(err) == kcapi.ErrSize { // keys with such tags will not be opened either
					continue
				}
				return err
			}
			err = e.checkAEAD(s.aead, soft, tagSize, []int{offload.Floor, 4097})
			s.close()
			if err != nil {
				return err
			}
		}
		return nil
	}
	for _, n := range append(a.checkSizes(), 0, 1, 63) {
		p := random(n + 1)[1:]
		got, err := s.hash.Digest(nil, p)
		if err != nil {
			return err
		}
		if !bytes.Equal(got, soft.digest(p)) {
			return wrongf("the hash of %d bytes", n)
		}
	}
	return nil
}

func (e *engine) checkAnswer() error {
	k := e.algorithm.answer
	s, err := e.open(e.name, hexed(k.key), 16, e.slow)
	if err != nil {
		return err
	}
	defer s.close()
	var got []byte
	switch {
	case s.cipher != nil:
		got = make([]byte, len(hexed(k.input)))
		err = s.cipher.Encrypt(got, hexed(k.input), hexed(k.iv))
	case s.aead != nil:
		got, err = s.aead.Seal(nil, hexed(k.iv), hexed(k.input), hexed(k.data))
	default:
		got, err = s.hash.Digest(nil, hexed(k.input))
	}
	if err != nil {
		return err
	}
	if !bytes.Equal(got, hexed(k.output)) {
		return wrongf("the known answer")
	}
	return nil
}

// checkSizes returns sizes around those at which drivers switch between code paths.
// Only whole blocks of cbc and ctr go to Linux, and no empty messages.
func (a *algorithm) checkSizes() []int {
	list := []int{16, 32, 48, 4080, 4096, 4112, 65520, 65536}
	if a.name == "xts(aes)" || a.name == "xts(sm4)" || a.socketType == "aead" || a.socketType == "hash" {
		list = append(list, 17, 31, 4095, 4097, 65535)
	}
	return list
}

// checkCipher uses unaligned buffers, separate ones and in place.
func (e *engine) checkCipher(s cipherSocket, soft software) error {
	a := e.algorithm
	for i, n := range a.checkSizes() {
		iv := random(a.ivSize)
		if len(a.operations) == 1 { // counter mode: test carries through the words of the counter
			for k := []int{0, 4, 8, 12}[i%4]; k < len(iv); k++ {
				iv[k] = 0xff
			}
			if i > 3 { // not in the first block
				iv[len(iv)-1] -= byte(16 * i)
			}
		}
		before := bytes.Clone(iv)
		src, want, dst := random(n + 1)[1:], make([]byte, n), make([]byte, n+3)[3:]
		soft.encrypt(want, src, iv)
		if err := s.Encrypt(dst, src, iv); err != nil {
			return err
		}
		if !bytes.Equal(dst, want) {
			return wrongf("encryption of %d bytes", n)
		}
		copy(dst, src)
		if err := s.Encrypt(dst, dst, iv); err != nil {
			return err
		}
		if !bytes.Equal(dst, want) {
			return wrongf("encryption of %d bytes in place", n)
		}
		if soft.decrypt != nil {
			clear(dst)
			if err := s.Decrypt(dst, want, iv); err != nil {
				return err
			}
			if !bytes.Equal(dst, src) {
				return wrongf("decryption of %d bytes", n)
			}
			copy(dst, want)
			if err := s.Decrypt(dst, dst, iv); err != nil {
				return err
			}
			if !bytes.Equal(dst, src) {
				return wrongf("decryption of %d bytes in place", n)
			}
		}
		if !bytes.Equal(iv, before) {
			return wrongf("the IV is changed")
		}
	}
	return nil
}

func (e *engine) checkAEAD(s aeadSocket, soft software, tagSize int, sizes []int) error {
	for i, n := range sizes {
		nonce, data := random(e.algorithm.ivSize), random([]int{0, 13, 16, 300}[i%4])
		n = min(n, piece-len(data))
		text := random(n + 1)[1:]
		want := soft.aead.Seal(nil, nonce, text, data)[:n+tagSize] // short tags are truncated long ones
		got, err := s.Seal(make([]byte, 3, n+64), nonce, text, data)
		if err != nil {
			return err
		}
		if !bytes.Equal(got[3:], want) {
			return wrongf("sealing of %d bytes", n)
		}
		place := append(make([]byte, 0, n+16), text...)
		if got, err = s.Seal(place[:0], nonce, place, data); err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return wrongf("sealing of %d bytes in place", n)
		}
		if got, err = s.Open(nil, nonce, want, data); err != nil {
			if reason(err) == kcapi.ErrAuth {
				return wrongf("a message of %d bytes is taken for a forgery", n)
			}
			return err
		}
		if !bytes.Equal(got, text) {
			return wrongf("opening of %d bytes", n)
		}
		for _, at := range []int{0, n - 1, n, n + tagSize - 1} { // text and tag
			forged := bytes.Clone(want)
			forged[at] ^= 0x40
			if _, err := s.Open(nil, nonce, forged, data); err == nil {
				return wrongf("a forged message of %d bytes is taken", n)
			} else if reason(err) != kcapi.ErrAuth {
				return err
			}
		}
		if len(data) > 0 {
			data[len(data)-1] ^= 1
			if _, err := s.Open(nil, nonce, want, data); err == nil {
				return wrongf("forged data of %d bytes are taken", len(data))
			} else if reason(err) != kcapi.ErrAuth {
				return err
			}
		}
	}
	return nil
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b)
	return b
}

// hexed decodes a string of the table; an empty one becomes nil.
func hexed(s string) []byte {
	b := must(hex.DecodeString(s))
	if len(b) == 0 {
		return nil
	}
	return b
}
