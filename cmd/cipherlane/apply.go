package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/cipherlane/cipherlane/internal/catalog"
)

// An input is all that an algorithm needs for one message.
type input struct{ key, iv, data, text []byte }

// apply hashes or encrypts a message with a driver; the empty name stands for
// the automatic choice.
func apply(a catalog.Algorithm, driver string, in input) ([]byte, error) {
	out := make([]byte, len(in.text))
	switch {
	case a.Hash != nil:
		newHash, err := a.Hash(driver)
		if err != nil {
			return nil, err
		}
		h := newHash()
		h.Write(in.text)
		return h.Sum(nil), nil
	case a.ECB != nil:
		c, err := a.ECB(driver, in.key)
		if err != nil {
			return nil, err
		}
		c.EncryptBlocks(out, in.text)
	case a.BlockMode != nil:
		m, err := a.BlockMode(driver, in.key, in.iv, true)
		if err != nil {
			return nil, err
		}
		m.CryptBlocks(out, in.text)
	case a.Stream != nil:
		s, err := a.Stream(driver, in.key, in.iv, true)
		if err != nil {
			return nil, err
		}
		s.XORKeyStream(out, in.text)
	case a.Whole != nil:
		f, err := a.Whole(driver, in.key, in.iv, true)
		if err != nil {
			return nil, err
		}
		f(out, in.text)
	case a.MAC != nil:
		h, err := a.MAC(driver, in.key)
		if err != nil {
			return nil, err
		}
		h.Write(in.text)
		return h.Sum(nil), nil
	case a.Wrap != nil:
		w, err := a.Wrap(driver, in.key)
		if err != nil {
			return nil, err
		}
		return w.WrapKey(nil, in.text)
	case a.AEAD != nil:
		c, err := a.AEAD(driver, in.key)
		if err != nil {
			return nil, err
		}
		return c.Seal(nil, in.iv, in.text, in.data), nil
	case a.KEM != nil: // a seed to the SHA-256 of its public key
		k, err := a.KEM(driver)
		if err != nil {
			return nil, err
		}
		key, err := k.PrivateKey(in.key)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(key.PublicKey().Bytes())
		return sum[:], nil
	default:
		panic("catalog entry " + a.Name + " has no constructor")
	}
	return out, nil
}

// undo decrypts what apply returned for a message, whose text it does not look
// at. It must not be called for a hash, a MAC, a KEM or a signer.
func undo(a catalog.Algorithm, driver string, in input, sealed []byte) ([]byte, error) {
	out := make([]byte, len(sealed))
	switch {
	case a.ECB != nil:
		c, err := a.ECB(driver, in.key)
		if err != nil {
			return nil, err
		}
		c.DecryptBlocks(out, sealed)
		return out, nil
	case a.BlockMode != nil:
		m, err := a.BlockMode(driver, in.key, in.iv, false)
		if err != nil {
			return nil, err
		}
		m.CryptBlocks(out, sealed)
		return out, nil
	case a.AEAD != nil:
		c, err := a.AEAD(driver, in.key)
		if err != nil {
			return nil, err
		}
		return c.Open(nil, in.iv, sealed, in.data)
	case a.Stream != nil:
		s, err := a.Stream(driver, in.key, in.iv, false)
		if err != nil {
			return nil, err
		}
		s.XORKeyStream(out, sealed)
		return out, nil
	case a.Whole != nil:
		f, err := a.Whole(driver, in.key, in.iv, false)
		if err != nil {
			return nil, err
		}
		f(out, sealed)
		return out, nil
	case a.Wrap != nil:
		w, err := a.Wrap(driver, in.key)
		if err != nil {
			return nil, err
		}
		return w.UnwrapKey(nil, sealed)
	default:
		panic("catalog entry " + a.Name + " has no inverse")
	}
}

var (
	errWrong    = errors.New("wrong result")
	errBack     = errors.New("decrypting does not give the plaintext back")
	errAccepted = errors.New("a changed message was accepted")
)

// checkAnswer runs a driver on the known answer of its algorithm.
func checkAnswer(a catalog.Algorithm, driver string) error {
	in := input{a.Answer.Key, a.Answer.IV, a.Answer.Data, a.Answer.Input}
	check := checkOutput
	if a.Signer != nil {
		check = checkSignature
	}
	if err := check(a, driver, in, a.Answer.Output); err != nil {
		return fmt.Errorf("known answer of %s: %w", a.Answer.Source, err)
	}
	return nil
}

// checkOutput checks a driver in both directions: it must turn the input into
// the output and back, and refuse the output with a bit changed if it can.
func checkOutput(a catalog.Algorithm, driver string, in input, want []byte) error {
	got, err := apply(a, driver, in)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return errWrong
	}
	if a.Hash != nil || a.MAC != nil {
		return nil
	}
	if a.KEM != nil {
		return checkKEM(a, driver, in.key)
	}
	back, err := undo(a, driver, in, got)
	if err != nil {
		return err
	}
	if !bytes.Equal(back, in.text) {
		return errBack
	}
	if a.AEAD != nil || a.Wrap != nil {
		got[len(in.text)/2] ^= 1
		if _, err := undo(a, driver, in, got); err == nil {
			return errAccepted
		}
	}
	return nil
}
