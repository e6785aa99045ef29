package files

import (
	"bytes"
	"encoding/hex"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

const (
	testKey = "0123456789abcdeffedcba9876543210"
	testIV  = "00112233445566778899aabbccddeeff"
)

// cipherArgs returns the options for a mode, for this command and for openssl.
func cipherArgs(mode string) (ours, theirs []string) {
	if mode != "sm4-ecb" {
		ours, theirs = []string{"--iv", testIV}, []string{"-iv", testIV}
	}
	return ours, append(theirs, "-K", testKey)
}

func TestCipherOpenSSL(t *testing.T) {
	openssl := clitest.Tool(t, "openssl")
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "key"), []byte(testKey+"\n"))
	enc := func(stdin []byte, args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), openssl, append([]string{"enc"}, args...)...)
		cmd.Stdin = bytes.NewReader(stdin)
		out, err := cmd.Output()
		return string(out), err
	}
	if _, err := enc(nil, "-sm4-ecb", "-K", testKey); err != nil {
		t.Skipf("openssl without SM4: %v", err)
	}
	for _, mode := range []string{"sm4-ecb", "sm4-cbc", "sm4-ctr"} {
		ours, theirs := cipherArgs(mode)
		for _, n := range []int{0, 1, 15, 16, 17, 1000, cli.BufferSize - 1, cli.BufferSize, cli.BufferSize + 1, cli.BufferSize + 16, 3*cli.BufferSize + 5} {
			text := clitest.TestMessage(n)
			want, err := enc(text, append(theirs, "-"+mode)...)
			if err != nil {
				t.Fatal(err)
			}
			args := append([]string{"cipher", mode, "-q", "--key-file", "key"}, ours...)
			got := clitest.Call{Dir: dir, Stdin: bytes.NewReader(text)}.OK(t, args...)
			if got != want {
				t.Errorf("%s, %d bytes: not what openssl encrypts", mode, n)
			}
			back := clitest.Call{Dir: dir, Stdin: strings.NewReader(want)}.OK(t, append(args, "-d")...)
			if back != string(text) {
				t.Errorf("%s, %d bytes: not the same after decrypting", mode, n)
			}
			if n%16 == 0 && mode != "sm4-ctr" {
				want, err := enc(text, append(theirs, "-"+mode, "-nopad")...)
				if err != nil {
					t.Fatal(err)
				}
				got := clitest.Call{Dir: dir, Stdin: bytes.NewReader(text)}.OK(t, append(args, "--no-padding")...)
				if got != want {
					t.Errorf("%s, %d bytes, no padding: not what openssl encrypts", mode, n)
				}
				if back := (clitest.Call{Dir: dir, Stdin: strings.NewReader(got)}).OK(t, append(args, "--no-padding", "-d")...); back != string(text) {
					t.Errorf("%s, %d bytes, no padding: not the same after decrypting", mode, n)
				}
			}
		}
	}
}

// TestCipherAnswers needs no other program: GB/T 32907-2016, A.1, and
// draft-ribose-cfrg-sm4-10, A.2.2.1 and A.2.5.1, on every driver.
func TestCipherAnswers(t *testing.T) {
	for _, test := range []struct{ mode, iv, text, want string }{
		{"sm4-ecb", "", testKey, "681edf34d206965e86b3e94f536e4246"},
		{"sm4-cbc", "000102030405060708090a0b0c0d0e0f", "aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffffaaaaaaaabbbbbbbb",
			"78ebb11cc40b0a48312aaeb2040244cb4cb7016951909226979b0d15dc6a8f6d"},
		{"ctr(sm4)", "000102030405060708090a0b0c0d0e0f", "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbcccccccccc", "ac3236cb970cc20791364c395a1342d1a3cbc1878c"},
	} {
		text, err := hex.DecodeString(test.text)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range clitest.DriversOf(t, test.mode) {
			args := []string{"cipher", test.mode, "-K", testKey, "--driver", d}
			if test.iv != "" {
				args = append(args, "--iv", test.iv)
			}
			if !strings.Contains(test.mode, "ctr") {
				args = append(args, "--no-padding")
			}
			o := clitest.Call{Stdin: bytes.NewReader(text)}.Run(t, args...)
			if o.Code != 0 || hex.EncodeToString([]byte(o.Stdout)) != test.want {
				t.Errorf("%s, driver %s: exit code %d, %x, want %s", test.mode, d, o.Code, o.Stdout, test.want)
			}
			if strings.Count(o.Stderr, "\n") != 2 || !strings.Contains(o.Stderr, "list of processes") || !strings.Contains(o.Stderr, "no authentication") {
				t.Errorf("%s: warnings %q", test.mode, o.Stderr)
			}
		}
	}
}

func TestCipherErrors(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "key"), []byte(testKey+"\n"))
	clitest.Write(t, filepath.Join(dir, "text"), clitest.TestMessage(1000))
	c := clitest.Call{Dir: dir}
	c.OK(t, "cipher", "sm4-cbc", "-q", "--key-file", "key", "--iv", testIV, "-o", "message", "text")
	message := clitest.Read(t, filepath.Join(dir, "message"))
	other := strings.Replace(testKey, "0", "1", 1)

	cipher := func(code int, words string, args ...string) {
		t.Helper()
		c.Fails(t, code, words, append([]string{"cipher", "-q", "-o", "out"}, args...)...)
	}
	cipher(2, "--iv", "sm4-ecb", "-K", testKey, "--iv", testIV, "text")
	cipher(2, "--iv", "sm4-cbc", "-K", testKey, "text")
	cipher(2, "--iv", "sm4-ctr", "-K", testKey, "--iv", testIV[1:], "text")
	cipher(2, "--iv", "sm4-ctr", "-K", testKey, "--iv", "x"+testIV[1:], "text")
	cipher(2, "-K", "sm4-ecb", "-K", testKey+"00", "text")
	cipher(2, "-K", "sm4-ecb", "-K", "z"+testKey[1:], "text")
	cipher(2, "no key", "sm4-ecb", "text")
	cipher(2, "--no-padding", "sm4-ctr", "-K", testKey, "--iv", testIV, "--no-padding", "text")
	cipher(2, "same file", "sm4-ecb", "-K", testKey, "-f", "-o", "text", "text")
	cipher(1, "multiple of 16", "sm4-ecb", "-K", testKey, "--no-padding", "text")
	cipher(1, "missing", "sm4-ecb", "-K", testKey, "missing")
	cipher(1, "wrong padding", "sm4-cbc", "-d", "-K", other, "--iv", testIV, "message")
	if cmd := (clitest.Call{Dir: dir}).Run(t, "cipher", "sm4-ecb", "-q", "-K", testKey, "-o", "message", "text"); cmd.Code != 1 || !strings.Contains(cmd.Stderr, "exists already") {
		t.Errorf("existing output: %+v", cmd)
	}
	for _, n := range []int{0, 1, 15, len(message) - 1, len(message) - 16} {
		words := "whole block"
		if n > 0 && n%16 == 0 {
			words = "wrong padding"
		}
		clitest.Write(t, filepath.Join(dir, "cut"), message[:n])
		cipher(1, words, "sm4-cbc", "-d", "-K", testKey, "--iv", testIV, "cut")
	}
	// Invalid padding.
	for _, end := range []string{"00", "11", "ff", "0102", "0203", "030303ff03", "10"} {
		block, err := hex.DecodeString(strings.Repeat("55", 16-len(end)/2) + end)
		if err != nil {
			t.Fatal(err)
		}
		sealed := clitest.Call{Stdin: bytes.NewReader(block)}.OK(t, "cipher", "sm4-ecb", "-q", "-K", testKey, "--no-padding")
		clitest.Write(t, filepath.Join(dir, "cut"), []byte(sealed))
		cipher(1, "wrong padding", "sm4-ecb", "-d", "-K", testKey, "cut")
	}
	if got := clitest.Entries(t, dir); got != "cut key message text" {
		t.Errorf("files: %s", got)
	}
}
