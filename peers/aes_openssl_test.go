package peers

import (
	"bytes"
	"crypto/cipher"
	"encoding/hex"
	"fmt"
	"os/exec"
	"regexp"
	"testing"

	ours "github.com/cipherlane/cipherlane/aes"
)

// openssl runs the command with input and returns its output.
func openssl(t *testing.T, input []byte, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	c := exec.Command("openssl", args...)
	c.Stdin, c.Stderr = bytes.NewReader(input), &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %v: %s", c.Args, err, stderr.Bytes())
	}
	return out
}

// An opensslCase is a mode with the equivalent command.
type opensslCase struct {
	name   string
	sizes  []int
	ivSize int
	args   func(key, iv []byte) []string
	ours   func(c *ours.Cipher, iv, p []byte) ([]byte, error)
	undo   func(c *ours.Cipher, iv, sealed []byte) ([]byte, error) // nil: there is none
}

var (
	opensslAny   = []int{1, 16, 17, 100, 1424, 70001}
	opensslWhole = []int{16, 32, 240, 4096, 70000}
	opensslSteal = []int{16, 17, 31, 32, 33, 100, 1424} // the command supports at most one buffer
)

func opensslCases() []opensslCase {
	list := []opensslCase{
		{name: "ecb", sizes: opensslWhole, args: enc("aes-%d-ecb", "-nopad"),
			ours: withOutput(func(c *ours.Cipher, _, dst, p []byte) { c.EncryptBlocks(dst, p) }),
			undo: withOutput(func(c *ours.Cipher, _, dst, p []byte) { c.DecryptBlocks(dst, p) })},
		{name: "cbc", sizes: opensslWhole, ivSize: 16, args: enc("aes-%d-cbc", "-nopad"),
			ours: withOutput(func(c *ours.Cipher, iv, dst, p []byte) { c.NewCBCEncrypter(iv).CryptBlocks(dst, p) }),
			undo: withOutput(func(c *ours.Cipher, iv, dst, p []byte) { c.NewCBCDecrypter(iv).CryptBlocks(dst, p) })},
		{name: "cbc-cts", sizes: opensslSteal, ivSize: 16, args: enc("aes-%d-cbc-cts"),
			ours: withOutput(func(c *ours.Cipher, iv, dst, p []byte) { c.EncryptCTS(dst, p, iv, 1) }),
			undo: withOutput(func(c *ours.Cipher, iv, dst, p []byte) { c.DecryptCTS(dst, p, iv, 1) })},
		{name: "ctr", sizes: opensslAny, ivSize: 16, args: enc("aes-%d-ctr"), ours: stream((*ours.Cipher).NewCTR)},
		{name: "ofb", sizes: opensslAny, ivSize: 16, args: enc("aes-%d-ofb"), ours: stream((*ours.Cipher).NewOFB)},
		{name: "cfb", sizes: opensslAny, ivSize: 16, args: enc("aes-%d-cfb"),
			ours: stream((*ours.Cipher).NewCFBEncrypter), undo: stream((*ours.Cipher).NewCFBDecrypter)},
		{name: "wrap", sizes: []int{16, 24, 32, 64, 512}, args: wrap("id-aes%d-wrap", "a6a6a6a6a6a6a6a6"),
			ours: func(c *ours.Cipher, _, p []byte) ([]byte, error) { return c.WrapKey(nil, p) },
			undo: func(c *ours.Cipher, _, p []byte) ([]byte, error) { return c.UnwrapKey(nil, p) }},
		{name: "wrap-pad", sizes: []int{1, 7, 8, 9, 15, 16, 17, 20, 32, 100}, args: wrap("id-aes%d-wrap-pad", "a65959a6"),
			ours: func(c *ours.Cipher, _, p []byte) ([]byte, error) { return c.WrapKeyPadded(nil, p) },
			undo: func(c *ours.Cipher, _, p []byte) ([]byte, error) { return c.UnwrapKeyPadded(nil, p) }},
		{name: "cmac", sizes: append([]int{0}, opensslAny...),
			args: func(key, _ []byte) []string {
				return []string{"mac", "-cipher", fmt.Sprintf("AES-%d-CBC", 8*len(key)), "-macopt", "hexkey:" + hex.EncodeToString(key), "-binary", "CMAC"}
			},
			ours: func(c *ours.Cipher, _, p []byte) ([]byte, error) {
				h := c.NewCMAC()
				h.Write(p)
				return h.Sum(nil), nil
			}},
	}
	// The command does not support GCM, but GMAC, which is GCM of additional data alone.
	for _, nonceSize := range []int{1, 12, 16, 60} {
		list = append(list, opensslCase{
			name: fmt.Sprintf("gmac, nonce %d", nonceSize), sizes: opensslAny, ivSize: nonceSize,
			args: func(key, iv []byte) []string {
				return []string{"mac", "-cipher", fmt.Sprintf("AES-%d-GCM", 8*len(key)), "-macopt", "hexkey:" + hex.EncodeToString(key),
					"-macopt", "hexiv:" + hex.EncodeToString(iv), "-binary", "GMAC"}
			},
			ours: func(c *ours.Cipher, iv, p []byte) ([]byte, error) {
				a, err := c.NewGCM(len(iv), 16)
				if err != nil {
					return nil, err
				}
				return a.Seal(nil, iv, nil, p), nil
			}})
	}
	return list
}

// enc is openssl enc with a cipher whose name has the size of the key in bits.
func enc(cipher string, more ...string) func(key, iv []byte) []string {
	return func(key, iv []byte) []string {
		args := append([]string{"enc", "-" + fmt.Sprintf(cipher, 8*len(key)), "-K", hex.EncodeToString(key)}, more...)
		if len(iv) > 0 {
			args = append(args, "-iv", hex.EncodeToString(iv))
		}
		return args
	}
}

// wrap is enc with the standard's constant for an IV.
func wrap(cipher, iv string) func(key, iv []byte) []string { return enc(cipher, "-iv", iv) }

func withOutput(f func(c *ours.Cipher, iv, dst, src []byte)) func(*ours.Cipher, []byte, []byte) ([]byte, error) {
	return func(c *ours.Cipher, iv, p []byte) ([]byte, error) {
		dst := make([]byte, len(p))
		f(c, iv, dst, p)
		return dst, nil
	}
}

func stream(mode func(c *ours.Cipher, iv []byte) cipher.Stream) func(*ours.Cipher, []byte, []byte) ([]byte, error) {
	return withOutput(func(c *ours.Cipher, iv, dst, p []byte) { mode(c, iv).XORKeyStream(dst, p) })
}

// Every driver produces the same output as the command openssl.
func TestAESOpenSSL(t *testing.T) {
	path, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("the command openssl is not installed; ci/run installs it")
	}
	if version := openssl(t, nil, "version"); !regexp.MustCompile(`^OpenSSL ([3-9]|[1-9][0-9])\.`).Match(version) {
		t.Skipf("%s is %s; want OpenSSL 3 or newer", path, bytes.TrimSpace(version))
	}
	for _, c := range opensslCases() {
		t.Run(c.name, func(t *testing.T) {
			for _, keySize := range []int{16, 24, 32} {
				for _, n := range c.sizes {
					key, iv, p := random(keySize), random(c.ivSize), random(n)
					want := openssl(t, p, c.args(key, iv)...)
					for _, d := range ours.Drivers() {
						if !d.Available() {
							continue
						}
						own := must(must(ours.On(d.Name))(t).New(key))(t)
						got := must(c.ours(own, iv, bytes.Clone(p)))(t)
						same(t, got, want, "%s, key of %d bytes, %d bytes", d.Name, keySize, n)
						if c.undo != nil {
							same(t, must(c.undo(own, iv, want))(t), p, "%s, key of %d bytes, %d bytes, the other direction", d.Name, keySize, n)
						}
					}
				}
			}
		})
	}
}
