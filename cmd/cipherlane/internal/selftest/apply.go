package selftest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/internal/catalog"
)

// An Input holds everything that an algorithm needs for one message.
type Input struct{ Key, IV, Data, Text []byte }

// Apply hashes or encrypts a message with a driver; the empty name stands for
// the automatic choice.
func Apply(a catalog.Algorithm, driver string, in Input) ([]byte, error) {
	out := make([]byte, len(in.Text))
	switch {
	case a.Hash != nil:
		newHash, err := a.Hash(driver)
		if err != nil {
			return nil, err
		}
		h := newHash()
		h.Write(in.Text)
		return h.Sum(nil), nil
	case a.ECB != nil:
		c, err := a.ECB(driver, in.Key)
		if err != nil {
			return nil, err
		}
		c.EncryptBlocks(out, in.Text)
	case a.BlockMode != nil:
		m, err := a.BlockMode(driver, in.Key, in.IV, true)
		if err != nil {
			return nil, err
		}
		m.CryptBlocks(out, in.Text)
	case a.Stream != nil:
		s, err := a.Stream(driver, in.Key, in.IV, true)
		if err != nil {
			return nil, err
		}
		s.XORKeyStream(out, in.Text)
	case a.Whole != nil:
		f, err := a.Whole(driver, in.Key, in.IV, true)
		if err != nil {
			return nil, err
		}
		f(out, in.Text)
	case a.MAC != nil:
		h, err := a.MAC(driver, in.Key)
		if err != nil {
			return nil, err
		}
		h.Write(in.Text)
		return h.Sum(nil), nil
	case a.Wrap != nil:
		w, err := a.Wrap(driver, in.Key)
		if err != nil {
			return nil, err
		}
		return w.WrapKey(nil, in.Text)
	case a.AEAD != nil:
		c, err := a.AEAD(driver, in.Key)
		if err != nil {
			return nil, err
		}
		return c.Seal(nil, in.IV, in.Text, in.Data), nil
	case a.KEM != nil: // the SHA-256 of the public key that the seed yields
		k, err := a.KEM(driver)
		if err != nil {
			return nil, err
		}
		key, err := k.PrivateKey(in.Key)
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

// undo decrypts the output of apply for a message. It ignores in.text, and must not be
// called for a hash, a MAC, a KEM or a signer.
func undo(a catalog.Algorithm, driver string, in Input, sealed []byte) ([]byte, error) {
	out := make([]byte, len(sealed))
	switch {
	case a.ECB != nil:
		c, err := a.ECB(driver, in.Key)
		if err != nil {
			return nil, err
		}
		c.DecryptBlocks(out, sealed)
		return out, nil
	case a.BlockMode != nil:
		m, err := a.BlockMode(driver, in.Key, in.IV, false)
		if err != nil {
			return nil, err
		}
		m.CryptBlocks(out, sealed)
		return out, nil
	case a.AEAD != nil:
		c, err := a.AEAD(driver, in.Key)
		if err != nil {
			return nil, err
		}
		return c.Open(nil, in.IV, sealed, in.Data)
	case a.Stream != nil:
		s, err := a.Stream(driver, in.Key, in.IV, false)
		if err != nil {
			return nil, err
		}
		s.XORKeyStream(out, sealed)
		return out, nil
	case a.Whole != nil:
		f, err := a.Whole(driver, in.Key, in.IV, false)
		if err != nil {
			return nil, err
		}
		f(out, sealed)
		return out, nil
	case a.Wrap != nil:
		w, err := a.Wrap(driver, in.Key)
		if err != nil {
			return nil, err
		}
		return w.UnwrapKey(nil, sealed)
	default:
		panic("catalog entry " + a.Name + " has no inverse")
	}
}

var (
	errWrong     = errors.New("wrong result")
	errBack      = errors.New("decrypting does not return the plaintext")
	errAccepted  = errors.New("a changed message was accepted")
	errUnchanged = errors.New("an unchanged message was rejected")
)

// CheckAnswer runs a driver on the known answer of its algorithm.
func CheckAnswer(a catalog.Algorithm, driver string) error {
	in := Input{a.Answer.Key, a.Answer.IV, a.Answer.Data, a.Answer.Input}
	check := checkOutput
	if a.Signer != nil {
		check = checkSignature
	}
	if err := check(a, driver, in, a.Answer.Output); err != nil {
		return fmt.Errorf("known answer of %s: %w", a.Answer.Source, err)
	}
	return nil
}

// checkOutput checks a driver in both directions: it must encrypt the input to the
// output and decrypt it again. Authenticated modes must also reject the output with a
// changed bit.
func checkOutput(a catalog.Algorithm, driver string, in Input, want []byte) error {
	got, err := Apply(a, driver, in)
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
		return checkKEM(a, driver, in.Key)
	}
	back, err := undo(a, driver, in, got)
	if err != nil {
		return err
	}
	if !bytes.Equal(back, in.Text) {
		return errBack
	}
	if a.AEAD != nil || a.Wrap != nil {
		got[len(in.Text)/2] ^= 1
		if _, err := undo(a, driver, in, got); err == nil {
			return errAccepted
		}
	}
	return nil
}

// checkMany is checkOutput for several messages at once. If one of them is changed, that
// one must be rejected, and no other.
func checkMany(a catalog.Algorithm, driver string, messages []catalog.Message) error {
	if err := a.Many(driver, messages); err != nil {
		return err
	}
	sealed := slices.Clone(messages)
	for i, m := range messages {
		want, err := Apply(a, "generic", Input{m.Key, m.IV, m.Data, m.Text})
		if err == nil && !bytes.Equal(m.Out, want) {
			err = errWrong
		}
		if err != nil {
			return ofMany(messages, i, err)
		}
		sealed[i].Text = m.Out
	}
	if a.OpenMany == nil {
		return nil
	}
	for _, changed := range []int{-1, int(inventory.Random(1)[0]) % len(sealed)} {
		if changed >= 0 {
			text := sealed[changed].Text
			text[len(text)/2] ^= 1
		}
		if err := a.OpenMany(driver, sealed); err != nil {
			return err
		}
		for i, m := range sealed {
			var err error
			switch {
			case i == changed && m.Err == nil:
				err = errAccepted
			case i != changed && m.Err != nil:
				err = errUnchanged
			case i != changed && !bytes.Equal(m.Out, messages[i].Text):
				err = errBack
			}
			if err != nil {
				return ofMany(messages, i, err)
			}
		}
	}
	return nil
}

func ofMany(messages []catalog.Message, i int, err error) error {
	return fmt.Errorf("%d bytes, number %d of %d messages: %w", len(messages[i].Text), i+1, len(messages), err)
}

// checkManyKEM checks that encapsulating and decapsulating n times at once gives the
// same shared keys as decapsulating one by one, which checkKEM compares with the
// portable driver. If n is odd, two keys alternate.
func checkManyKEM(a catalog.Algorithm, driver string, n int) error {
	k, err := a.KEM(driver)
	if err != nil {
		return err
	}
	var two [2]catalog.PrivateKey
	for i := range two {
		if two[i], err = k.GenerateKey(); err != nil {
			return err
		}
		defer two[i].Wipe()
	}
	keys, public := make([]catalog.PrivateKey, n), make([]catalog.PublicKey, n)
	for i := range keys {
		keys[i] = two[n%2*i%2]
		public[i] = keys[i].PublicKey()
	}
	sharedKeys, ciphertexts, err := k.EncapsulateMany(public)
	if err != nil {
		return err
	}
	single := make([][]byte, n)
	for i, key := range keys {
		if single[i], err = key.Decapsulate(ciphertexts[i]); err != nil {
			return err
		}
		if !bytes.Equal(single[i], sharedKeys[i]) {
			return fmt.Errorf("number %d of %d ciphertexts: %w", i+1, n, errBack)
		}
	}
	changed := n / 2
	ciphertexts[changed][len(ciphertexts[changed])/2] ^= 1
	if single[changed], err = keys[changed].Decapsulate(ciphertexts[changed]); err != nil {
		return err
	}
	back, err := k.DecapsulateMany(keys, ciphertexts)
	if err != nil {
		return err
	}
	for i := range back {
		if !bytes.Equal(back[i], single[i]) {
			return fmt.Errorf("number %d of %d ciphertexts: %w", i+1, n, errWrong)
		}
	}
	return nil
}
