//go:build linux

// Command replaced calls what "cipherlane go" replaces, so that a plugin of qemu-user can count
// its instructions. The command ci/count builds it plainly and with everything replaced, and
// compares. It does not import cipherlane: it is a program as those of others.
//
//	replaced MATCH SIZE...
//
// MATCH is a regular expression for the names of operations. The output is that of peers/count:
// "case TAG CALLS BYTES LIBRARY NAME".
package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hpke"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"

	gmsm2 "github.com/emmansun/gmsm/sm2"
	gmsm3 "github.com/emmansun/gmsm/sm3"
	gmsm4 "github.com/emmansun/gmsm/sm4"
	tjfoc2 "github.com/tjfoc/gmsm/sm2"
	tjfoc3 "github.com/tjfoc/gmsm/sm3"
	tjfoc4 "github.com/tjfoc/gmsm/sm4"
	"golang.org/x/crypto/chacha20"
	"golang.org/x/crypto/chacha20poly1305"
)

var (
	match *regexp.Regexp
	sizes []int
	tag   = 2

	key, key32 = filled(16), filled(32)
	iv         = filled(16)
	nonce      = iv[:12]
	extra      = filled(13) // additional data
)

// tailscale makes the AEAD of Tailscale's wireguard-go, on architectures for which that has one
// that every CPU can run.
var tailscale func(key []byte) (cipher.AEAD, error)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: replaced MATCH SIZE...")
		os.Exit(2)
	}
	match = regexp.MustCompile(os.Args[1])
	for _, text := range os.Args[2:] {
		sizes = append(sizes, must(strconv.Atoi(text)))
	}
	runtime.LockOSThread() // the plugin counts the instructions of each thread
	fmt.Println("version Go", runtime.Version())
	info, _ := debug.ReadBuildInfo()
	for _, m := range info.Deps {
		if name := names[m.Path]; name != "" {
			fmt.Println("version", name, m.Version)
		}
	}
	blocks("std", "AES-128", must(aes.NewCipher(key)))
	standardChaCha()
	blocks("gmsm", "SM4", must(gmsm4.NewCipher(key)))
	blocks("tjfoc", "SM4", must(tjfoc4.NewCipher(key)))
	add("gmsm", "SM3", func(n int) func() { p := filled(n); return func() { gmsm3.Sum(p) } })
	add("tjfoc", "SM3", func(n int) func() { p := filled(n); return func() { tjfoc3.Sm3Sum(p) } })
	aead("x/crypto", "ChaCha20-Poly1305", must(chacha20poly1305.New(key32)))
	add("x/crypto", "ChaCha20", func(n int) func() {
		p := filled(n)
		return func() { must(chacha20.NewUnauthenticatedCipher(key32, nonce)).XORKeyStream(p, p) }
	})
	if tailscale != nil {
		aead("tailscale", "ChaCha20-Poly1305", must(tailscale(key32)))
	}
	signatures()
}

var names = map[string]string{
	"github.com/emmansun/gmsm":          "gmsm",
	"github.com/tjfoc/gmsm":             "tjfoc",
	"github.com/tailscale/wireguard-go": "tailscale",
	"golang.org/x/crypto":               "x/crypto",
}

func must[T any](v T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, "replaced:", err)
		os.Exit(1)
	}
	return v
}

func mark() { syscall.RawSyscall(4000, uintptr(tag), 0, 0) }

func filled(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

// add adds an operation with each size. new returns a function that processes n bytes.
func add(library, name string, new func(n int) func()) {
	for _, n := range sizes {
		if match.MatchString(name) {
			calls := 32
			if n >= 1024 {
				calls = 2
			}
			count(library, name, n, calls, new(n))
		}
	}
}

// count counts some calls, and twice as many.
func count(library, name string, n, calls int, f func()) {
	f()
	f()
	fmt.Println("case", tag, calls, n, library, name)
	for range 2 {
		mark()
		for range calls {
			f()
		}
		mark()
		for range 2 * calls {
			f()
		}
		mark()
	}
	tag++
}

func blocks(library, name string, b cipher.Block) {
	ctr := func(n int) func() {
		p, s := filled(n), cipher.NewCTR(b, iv)
		return func() { s.XORKeyStream(p, p) }
	}
	add(library, name+"-CTR", ctr)
	for _, m := range []struct {
		name string
		mode cipher.BlockMode
	}{{"-CBC encrypt", cipher.NewCBCEncrypter(b, iv)}, {"-CBC decrypt", cipher.NewCBCDecrypter(b, iv)}} {
		add(library, name+m.name, func(n int) func() {
			p := filled((n + 15) &^ 15) // whole blocks
			return func() { m.mode.CryptBlocks(p, p) }
		})
	}
	aead(library, name+"-GCM", must(cipher.NewGCM(b)))
}

func aead(library, name string, a cipher.AEAD) {
	add(library, name+" seal", func(n int) func() {
		p, out := filled(n), make([]byte, 0, n+16)
		return func() { a.Seal(out, nonce, p, extra) }
	})
	add(library, name+" open", func(n int) func() {
		c, out := a.Seal(nil, nonce, filled(n), extra), make([]byte, 0, n)
		return func() { must(a.Open(out, nonce, c, extra)) }
	})
}

// standardChaCha calls the ChaCha20-Poly1305 of the standard library, which nothing else that is
// public calls directly. HPKE adds a sequence number to a nonce, and allocates the result.
func standardChaCha() {
	private := must(hpke.NewDHKEMPrivateKey(must(ecdh.X25519().GenerateKey(rand.Reader))))
	kdf, alg := hpke.HKDFSHA256(), hpke.ChaCha20Poly1305()
	_, sender, err := hpke.NewSender(private.PublicKey(), kdf, alg, nil)
	must(sender, err)
	add("std", "ChaCha20-Poly1305 seal", func(n int) func() {
		p := filled(n)
		return func() { must(sender.Seal(extra, p)) }
	})
}

// signatures sign and verify messages of 32 bytes.
func signatures() {
	message := filled(32)
	add := func(library, name string, f func() error) {
		if match.MatchString(name) {
			calls := 8
			if library == "tjfoc" { // takes long
				calls = 2
			}
			count(library, name, 0, calls, func() { must(0, f()) })
		}
	}
	k, t := must(gmsm2.GenerateKey(rand.Reader)), must(tjfoc2.GenerateKey(rand.Reader))
	var ours, theirs [8][]byte // each takes another number of additions
	for i := range ours {
		ours[i] = must(k.SignWithSM2(rand.Reader, nil, message))
		theirs[i] = must(t.Sign(rand.Reader, message, nil))
	}
	i := 0
	valid := func(ok bool) error {
		if i++; !ok {
			return errors.New("the signature is not valid")
		}
		return nil
	}
	add("gmsm", "SM2 sign", func() error { _, err := k.SignWithSM2(rand.Reader, nil, message); return err })
	add("gmsm", "SM2 verify", func() error { return valid(gmsm2.VerifyASN1WithSM2(&k.PublicKey, nil, message, ours[i%8])) })
	add("gmsm", "SM2 new key", func() error { _, err := gmsm2.GenerateKey(rand.Reader); return err })
	sealed := must(gmsm2.EncryptASN1(rand.Reader, &k.PublicKey, message))
	add("gmsm", "SM2 encrypt", func() error { _, err := gmsm2.EncryptASN1(rand.Reader, &k.PublicKey, message); return err })
	add("gmsm", "SM2 decrypt", func() error { _, err := k.Decrypt(nil, sealed, nil); return err })
	add("tjfoc", "SM2 sign", func() error { _, err := t.Sign(rand.Reader, message, nil); return err })
	add("tjfoc", "SM2 verify", func() error { return valid(t.PublicKey.Verify(message, theirs[i%8])) })
	add("tjfoc", "SM2 new key", func() error { _, err := tjfoc2.GenerateKey(rand.Reader); return err })
	sealed2 := must(tjfoc2.Encrypt(&t.PublicKey, message, rand.Reader, tjfoc2.C1C3C2))
	add("tjfoc", "SM2 encrypt", func() error {
		_, err := tjfoc2.Encrypt(&t.PublicKey, message, rand.Reader, tjfoc2.C1C3C2)
		return err
	})
	add("tjfoc", "SM2 decrypt", func() error { _, err := tjfoc2.Decrypt(t, sealed2, tjfoc2.C1C3C2); return err })
}
