//go:build linux

// Command count calls operations of ours, of gmsm and of Go's own libraries, so that a
// plugin of qemu-user can count their instructions. The command ci/count starts it.
//
//	count [-profile] [-clock] [-driver NAME] MATCH SIZE...
//
// MATCH is a regular expression for the names of operations. A line "case TAG CALLS BYTES
// IMPLEMENTATION NAME" of the output belongs to marks of the plugin with this tag: before
// as many calls as stand for CALLS messages, after them, and after twice as many more. BYTES is 0
// if the operation has no size. The
// implementation is "gmsm" or, for ours, "cipherlane:DRIVER", and "cipherlane*:DRIVER" with the
// driver that is selected. Lines "version NAME VERSION" are first. Keys are set and objects
// are made before the first mark. The output is not in place, as in ci/count/c/peers.c: else each
// call would wait for the output of the one before it.
//
// With -profile there is one call, between two marks with the tag 1. With -clock the marks are
// times, for peers/native: after each case, lines "mark TAG NANOSECONDS".
package main

import (
	stdaes "crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"hash"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"github.com/emmansun/gmsm/cbcmac"
	gmcipher "github.com/emmansun/gmsm/cipher"
	gmecdh "github.com/emmansun/gmsm/ecdh"
	gmsm2 "github.com/emmansun/gmsm/sm2"
	gmsm3 "github.com/emmansun/gmsm/sm3"
	gmsm4 "github.com/emmansun/gmsm/sm4"
	"github.com/pion/dtls/v3/pkg/crypto/ccm"
	xchacha "golang.org/x/crypto/chacha20poly1305"
	"golang.org/x/crypto/xts"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/chacha20poly1305"
	"github.com/cipherlane/cipherlane/frodokem"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/sm2"
	"github.com/cipherlane/cipherlane/sm3"
	"github.com/cipherlane/cipherlane/sm4"
)

const (
	many  = 16 // messages side by side
	first = 2  // tag
)

// calls returns the number of calls in the shorter run: enough short ones for streams that
// keep key stream for later calls.
func calls(n int) int {
	switch {
	case *clock && n < 1024:
		return 500
	case *clock && n < 8192:
		return 100
	case *clock:
		return 20
	case n < 1024:
		return 32
	case n < 8192:
		return 8
	}
	return 2
}

var (
	profile    = flag.Bool("profile", false, "make one call, between two marks with the tag 1")
	clock      = flag.Bool("clock", false, "print times")
	onlyDriver = flag.String("driver", "", "only this driver of ours, by `name`")

	match = regexp.MustCompile("")
	sizes []int
	tag   = first
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: count [-profile] [-clock] [-driver NAME] MATCH SIZE...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() < 2 {
		flag.Usage()
		os.Exit(2)
	}
	match = regexp.MustCompile(flag.Arg(0))
	for _, text := range flag.Args()[1:] {
		sizes = append(sizes, must(strconv.Atoi(text)))
	}
	runtime.LockOSThread() // the plugin counts the instructions of each thread
	versions()
	aesCases()
	sm4Cases()
	sm3Cases()
	chachaCases()
	frodoCases()
	sm2Cases()
}

func versions() {
	fmt.Println("version Go", runtime.Version())
	info, _ := debug.ReadBuildInfo()
	for _, m := range info.Deps {
		switch m.Path {
		case "github.com/emmansun/gmsm":
			fmt.Println("version gmsm", m.Version)
		case "golang.org/x/crypto":
			fmt.Println("version x/crypto", m.Version)
		case "github.com/tailscale/wireguard-go":
			fmt.Println("version tailscale/wireguard-go", m.Version)
		case "github.com/pion/dtls/v3":
			fmt.Println("version pion/dtls", m.Version)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(1)
	}
	return v
}

var (
	begin = time.Now()
	times []time.Duration
)

func mark(tag int) {
	if *clock {
		times = append(times, time.Since(begin))
		return
	}
	syscall.RawSyscall(4000, uintptr(tag), 0, 0)
}

// An operation returns a function for calls with n bytes.
type operation = func(n int) func()

// A library adds its operations under its name.
type library struct {
	name     string
	selected func(k drivers.Kind, n int) string // the name, if it depends on the work
}

func (l library) add(name string, whole bool, messages int, kind drivers.Kind, new operation) {
	if !match.MatchString(name) {
		return
	}
	for _, n := range sizes {
		if whole {
			n = (n + 15) &^ 15
		}
		l.count(name, n, messages, kind, calls(n), new(n))
	}
}

// addUnsized adds an operation that has no size.
func (l library) addUnsized(name string, messages, calls int, f func() error) {
	if match.MatchString(name) {
		l.count(name, 0, messages, drivers.Bulk, calls, func() { must(0, f()) })
	}
}

func (l library) count(name string, n, messages int, kind drivers.Kind, calls int, f func()) {
	library := l.name
	if l.selected != nil {
		library = l.selected(kind, n)
	}
	f()
	f()
	if *profile {
		mark(1)
		f()
		mark(1)
		return
	}
	fmt.Println("case", tag, calls*messages, n, library, name)
	rounds := 3
	if *clock {
		rounds = 20
	}
	for range rounds {
		mark(tag)
		for range calls {
			f()
		}
		mark(tag)
		for range 2 * calls {
			f()
		}
		mark(tag)
	}
	for _, t := range times {
		fmt.Println("mark", tag, t.Nanoseconds())
	}
	times = times[:0]
	tag++
}

func bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

var (
	key, key32 = bytes(16), bytes(32)
	iv         = bytes(16)
	nonce      = iv[:12]
	extra      = bytes(13) // additional data
)

// libraries calls f for the automatic choice of a table, with the empty name, and for every driver
// that the CPU can run.
func libraries(pkg string, f func(l library, name string)) {
	table := drivers.Find(pkg)
	list := table.Drivers()
	if *onlyDriver == "" {
		f(library{selected: func(kind drivers.Kind, n int) string {
			plan := table.Auto()
			row := plan.Pick(n)
			switch kind {
			case drivers.Serial:
				row = plan.Serial()
			case drivers.Many:
				row = plan.Many()
			}
			return "cipherlane*:" + list[row].Name
		}}, "")
	}
	for _, d := range list {
		if d.Available() && (*onlyDriver == "" || *onlyDriver == d.Name) {
			f(library{name: "cipherlane:" + d.Name}, d.Name)
		}
	}
}

// constructorOn returns the constructor of a driver, or that of the package if the name is empty.
func constructorOn[D, T any](name string, get func(string) (D, error), auto func([]byte) (T, error), new func(D, []byte) (T, error)) func([]byte) T {
	if name == "" {
		return func(key []byte) T { return must(auto(key)) }
	}
	d := must(get(name))
	return func(key []byte) T { return must(new(d, key)) }
}

// ours are the common methods of the types of packages aes and sm4.
type ours interface {
	EncryptBlocks(dst, src []byte)
	DecryptBlocks(dst, src []byte)
	NewCBCEncrypter(iv []byte) cipher.BlockMode
	NewCBCDecrypter(iv []byte) cipher.BlockMode
	NewCFBEncrypter(iv []byte) cipher.Stream
	NewCFBDecrypter(iv []byte) cipher.Stream
	NewCTR(iv []byte) cipher.Stream
}

type tweakable interface {
	EncryptTweak(dst, src []byte, tweak *[16]byte)
	DecryptTweak(dst, src []byte, tweak *[16]byte)
}

func oursCases(l library, name string, c ours, x tweakable, gcm, ccm cipher.AEAD, cmac hash.Hash) {
	tweak := (*[16]byte)(iv)
	l.add(name+"-ECB encrypt", true, 1, drivers.Bulk, func(n int) func() {
		out, p := make([]byte, n), bytes(n)
		return func() { c.EncryptBlocks(out, p) }
	})
	l.add(name+"-ECB decrypt", true, 1, drivers.Bulk, func(n int) func() {
		out, p := make([]byte, n), bytes(n)
		return func() { c.DecryptBlocks(out, p) }
	})
	l.add(name+"-CTR", false, 1, drivers.Bulk, stream(c.NewCTR))
	l.add(name+"-CBC encrypt", true, 1, drivers.Serial, mode(c.NewCBCEncrypter(iv)))
	l.add(name+"-CBC decrypt", true, 1, drivers.Bulk, mode(c.NewCBCDecrypter(iv)))
	l.add(name+"-CFB encrypt", false, 1, drivers.Serial, stream(c.NewCFBEncrypter))
	l.add(name+"-CFB decrypt", false, 1, drivers.Bulk, stream(c.NewCFBDecrypter))
	l.add(name+"-XTS encrypt", true, 1, drivers.Bulk, func(n int) func() {
		out, p := make([]byte, n), bytes(n)
		return func() { x.EncryptTweak(out, p, tweak) }
	})
	l.add(name+"-XTS decrypt", true, 1, drivers.Bulk, func(n int) func() {
		out, p := make([]byte, n), bytes(n)
		return func() { x.DecryptTweak(out, p, tweak) }
	})
	l.gcm(name, gcm)
	l.aead(name+"-CCM", drivers.Serial, ccm)
	l.add(name+"-CMAC", false, 1, drivers.Serial, sum(cmac))
}

// others are the modes of any block cipher that Go's libraries have.
func others(l library, name string, b cipher.Block) {
	l.add(name+"-CTR", false, 1, drivers.Bulk, stream(func(iv []byte) cipher.Stream { return cipher.NewCTR(b, iv) }))
	l.add(name+"-CBC encrypt", true, 1, drivers.Serial, mode(cipher.NewCBCEncrypter(b, iv)))
	l.add(name+"-CBC decrypt", true, 1, drivers.Bulk, mode(cipher.NewCBCDecrypter(b, iv)))
	l.gcm(name, must(cipher.NewGCM(b)))
}

func (l library) gcm(name string, a cipher.AEAD) {
	l.aead(name+"-GCM", drivers.Bulk, a)
	l.add(name+"-GMAC", false, 1, drivers.Bulk, func(n int) func() {
		data, out := bytes(n), make([]byte, 0, 16)
		return func() { a.Seal(out, nonce, nil, data) }
	})
}

func (l library) aead(name string, kind drivers.Kind, a cipher.AEAD) {
	l.add(name+" seal", false, 1, kind, func(n int) func() {
		p, out := bytes(n), make([]byte, 0, n+16)
		return func() { a.Seal(out, nonce, p, extra) }
	})
	l.add(name+" open", false, 1, kind, func(n int) func() {
		c, out := a.Seal(nil, nonce, bytes(n), extra), make([]byte, 0, n)
		return func() { must(a.Open(out, nonce, c, extra)) }
	})
}

// stream has a stream for each size, because streams keep key stream of blocks that
// a call has not used up.
func stream(new func(iv []byte) cipher.Stream) operation {
	return func(n int) func() {
		out, p, s := make([]byte, n), bytes(n), new(iv)
		return func() { s.XORKeyStream(out, p) }
	}
}

func mode(m cipher.BlockMode) operation {
	return func(n int) func() {
		out, p := make([]byte, n), bytes(n)
		return func() { m.CryptBlocks(out, p) }
	}
}

func sum(h hash.Hash) operation {
	return func(n int) func() {
		p, out := bytes(n), make([]byte, 0, 32)
		return func() { h.Reset(); h.Write(p); h.Sum(out) }
	}
}

// ecb encrypts blocks one by one, for packages without a function for several.
func ecb(f func(dst, src []byte)) operation {
	return func(n int) func() {
		p := bytes(n)
		return func() {
			for i := 0; i < len(p); i += 16 {
				f(p[i:], p[i:])
			}
		}
	}
}

func aesCases() {
	libraries("aes", func(l library, driverName string) {
		newCipher := constructorOn(driverName, aes.On, aes.New, aes.Driver.New)
		newGCM := constructorOn(driverName, aes.On, aes.NewGCM, aes.Driver.NewGCM)
		newXTS := constructorOn(driverName, aes.On, aes.NewXTS, aes.Driver.NewXTS)
		for _, k := range [][]byte{key, key32} {
			name := fmt.Sprintf("AES-%d", 8*len(k))
			c := newCipher(k)
			ccm := must(c.NewCCM(12, 16))
			oursCases(l, name, c, newXTS(bytes(2*len(k))), newGCM(k), ccm, c.NewCMAC())
			l.add(fmt.Sprintf("%s-CBC encrypt, %d messages", name, many), true, many, drivers.Many, func(n int) func() {
				list := make([]aes.CBCMessage, many)
				for i := range list {
					list[i] = aes.CBCMessage{Cipher: c, IV: iv, Src: bytes(n), Dst: bytes(n)}
				}
				return func() { aes.EncryptCBCMany(list) }
			})
			l.add(fmt.Sprintf("%s-CMAC, %d messages", name, many), false, many, drivers.Many, func(n int) func() {
				list := make([]aes.CMACMessage, many)
				for i := range list {
					list[i] = aes.CMACMessage{Cipher: c, Data: bytes(n)}
				}
				return func() { aes.CMACMany(list) }
			})
			l.add(fmt.Sprintf("%s-CCM seal, %d messages", name, many), false, many, drivers.Many, func(n int) func() {
				list := make([]aes.CCMMessage, many)
				for i := range list {
					list[i] = aes.CCMMessage{AEAD: ccm, Dst: make([]byte, 0, n+16), Nonce: nonce, Text: bytes(n), AdditionalData: extra}
				}
				return func() { aes.SealCCMMany(list) }
			})
		}
	})
	if *onlyDriver != "" {
		return
	}
	std, gmsm := library{name: "Go"}, library{name: "gmsm"}
	for _, k := range [][]byte{key, key32} {
		name := fmt.Sprintf("AES-%d", 8*len(k))
		b := must(stdaes.NewCipher(k))
		x := must(xts.NewCipher(stdaes.NewCipher, bytes(2*len(k))))
		std.add(name+"-ECB encrypt", true, 1, drivers.Bulk, ecb(b.Encrypt))
		std.add(name+"-ECB decrypt", true, 1, drivers.Bulk, ecb(b.Decrypt))
		others(std, name, b)
		library{name: "x/crypto"}.add(name+"-XTS encrypt", true, 1, drivers.Bulk, sector(x.Encrypt))
		library{name: "x/crypto"}.add(name+"-XTS decrypt", true, 1, drivers.Bulk, sector(x.Decrypt))
		library{name: "pion"}.aead(name+"-CCM", drivers.Serial, must(ccm.NewCCM(b, 16, 12)))
		gmsm.add(name+"-CMAC", false, 1, drivers.Serial, gmsmCMAC(b))
	}
}

func sector(f func(dst, src []byte, number uint64)) operation {
	return func(n int) func() {
		out, p := make([]byte, n), bytes(n)
		return func() { f(out, p, 7) }
	}
}

func gmsmCMAC(b cipher.Block) operation {
	m := cbcmac.NewCMAC(b, 16)
	return func(n int) func() {
		p := bytes(n)
		return func() { m.MAC(p) }
	}
}

func sm4Cases() {
	libraries("sm4", func(l library, driverName string) {
		c := constructorOn(driverName, sm4.On, sm4.New, sm4.Driver.New)(key)
		ccm := must(c.NewCCM(12, 16))
		oursCases(l, "SM4", c, constructorOn(driverName, sm4.On, sm4.NewXTS, sm4.Driver.NewXTS)(key32), constructorOn(driverName, sm4.On, sm4.NewGCM, sm4.Driver.NewGCM)(key), ccm, c.NewCMAC())
		l.add(fmt.Sprintf("SM4-CBC encrypt, %d messages", many), true, many, drivers.Many, func(n int) func() {
			list := make([]sm4.CBCMessage, many)
			for i := range list {
				list[i] = sm4.CBCMessage{Cipher: c, IV: iv, Src: bytes(n), Dst: bytes(n)}
			}
			return func() { sm4.EncryptCBCMany(list) }
		})
		l.add(fmt.Sprintf("SM4-CMAC, %d messages", many), false, many, drivers.Many, func(n int) func() {
			list := make([]sm4.CMACMessage, many)
			for i := range list {
				list[i] = sm4.CMACMessage{Cipher: c, Data: bytes(n)}
			}
			return func() { sm4.CMACMany(list) }
		})
		l.add(fmt.Sprintf("SM4-CCM seal, %d messages", many), false, many, drivers.Many, func(n int) func() {
			list := make([]sm4.CCMMessage, many)
			for i := range list {
				list[i] = sm4.CCMMessage{AEAD: ccm, Dst: make([]byte, 0, n+16), Nonce: nonce, Text: bytes(n), AdditionalData: extra}
			}
			return func() { sm4.SealCCMMany(list) }
		})
	})
	if *onlyDriver != "" {
		return
	}
	gmsm := library{name: "gmsm"}
	b := must(gmsm4.NewCipher(key))
	gmsm.add("SM4-ECB encrypt", true, 1, drivers.Bulk, mode(gmcipher.NewECBEncrypter(b)))
	gmsm.add("SM4-ECB decrypt", true, 1, drivers.Bulk, mode(gmcipher.NewECBDecrypter(b)))
	others(gmsm, "SM4", b)
	second := must(gmsm4.NewCipher(key32[16:]))
	sector := func(m cipher.BlockMode) func(n int) func() { // an object of gmsm has encrypted its tweak when it was made
		return func(n int) func() {
			tweak, rest := bytes(16), mode(m)(n)
			return func() { second.Encrypt(tweak, tweak); rest() }
		}
	}
	gmsm.add("SM4-XTS encrypt", true, 1, drivers.Bulk, sector(must(gmcipher.NewXTSEncrypter(gmsm4.NewCipher, key32[:16], key32[16:], iv))))
	gmsm.add("SM4-XTS decrypt", true, 1, drivers.Bulk, sector(must(gmcipher.NewXTSDecrypter(gmsm4.NewCipher, key32[:16], key32[16:], iv))))
	gmsm.aead("SM4-CCM", drivers.Serial, must(gmcipher.NewCCM(b)))
	gmsm.add("SM4-CMAC", false, 1, drivers.Serial, gmsmCMAC(b))
}

func sm3Cases() {
	libraries("sm3", func(l library, driverName string) {
		one, several := sm3.Sum, sm3.SumMany
		if driverName != "" {
			d := must(sm3.On(driverName))
			one, several = d.Sum, d.SumMany
		}
		l.add("SM3", false, 1, drivers.Bulk, digest(one))
		for _, many := range []int{2, 4, many} {
			l.add(fmt.Sprintf("SM3, %d messages", many), false, many, drivers.Many, func(n int) func() {
				list := make([]sm3.Message, many)
				for i := range list {
					list[i].Data = bytes(n)
				}
				return func() { several(list) }
			})
		}
	})
	if *onlyDriver == "" {
		library{name: "gmsm"}.add("SM3", false, 1, drivers.Bulk, digest(gmsm3.Sum))
	}
}

func digest(f func([]byte) [32]byte) operation {
	return func(n int) func() {
		p := bytes(n)
		return func() { f(p) }
	}
}

// tailscale makes the AEAD of Tailscale's wireguard-go, where it has assembly that every CPU can
// run.
var tailscale func(key []byte) (cipher.AEAD, error)

func chachaCases() {
	libraries("chacha20poly1305", func(l library, driverName string) {
		l.aead("ChaCha20-Poly1305", drivers.Bulk, constructorOn(driverName, chacha20poly1305.On, chacha20poly1305.New, chacha20poly1305.Driver.New)(key32))
	})
	if *onlyDriver == "" {
		library{name: "x/crypto"}.aead("ChaCha20-Poly1305", drivers.Bulk, must(xchacha.New(key32)))
		if tailscale != nil {
			library{name: "tailscale"}.aead("ChaCha20-Poly1305", drivers.Bulk, must(tailscale(key32)))
		}
	}
}

// sm2Cases signs and verifies a digest, so that no hash is counted. Keys and nonces are random: the
// count of a verification differs by one percent.
func sm2Cases() {
	const calls = 8
	digest := bytes(32)
	libraries("sm2", func(l library, driverName string) {
		generate, generateMany := sm2.GenerateKey, sm2.GenerateMany
		if driverName != "" {
			d := must(sm2.On(driverName))
			generate, generateMany = d.GenerateKey, d.GenerateMany
		}
		k, peer := must(generate()), must(generate())
		l.addUnsized("SM2 sign", 1, calls, func() error { _, err := k.Sign(rand.Reader, digest, nil); return err })
		l.addUnsized("SM2 verify", 1, calls, verification(digest, func() []byte { return must(k.Sign(rand.Reader, digest, nil)) }, k.PublicKey().Verify))
		l.addUnsized("SM2 new key", 1, calls, func() error { _, err := generate(); return err })
		l.addUnsized("SM2 ECDH", 1, calls, func() error { _, err := k.ECDH(peer.PublicKey()); return err })
		signings, verifications, keys := make([]sm2.Signing, many), make([]sm2.Verification, many), make([]*sm2.PrivateKey, many)
		for i := range signings {
			signings[i] = sm2.Signing{Key: k, Digest: digest}
		}
		must(0, sm2.SignMany(rand.Reader, signings))
		l.addUnsized("SM2 sign, 16 messages", many, 1, func() error { return sm2.SignMany(rand.Reader, signings) })
		for i := range verifications {
			verifications[i] = sm2.Verification{Key: k.PublicKey(), Digest: digest, Signature: signings[i].Signature[:], Raw: true}
		}
		l.addUnsized("SM2 verify, 16 messages by one key", many, 1, func() error { return valid(sm2.VerifyMany(verifications)) })
		l.addUnsized("SM2 new key, 16 keys", many, 1, func() error { return generateMany(keys) })
	})
	if *onlyDriver != "" {
		return
	}
	gmsm := library{name: "gmsm"}
	k := must(gmsm2.GenerateKey(rand.Reader))
	gmsm.addUnsized("SM2 sign", 1, calls, func() error { _, err := k.Sign(rand.Reader, digest, nil); return err })
	gmsm.addUnsized("SM2 verify", 1, calls, verification(digest, func() []byte { return must(k.Sign(rand.Reader, digest, nil)) },
		func(digest, signature []byte) bool { return gmsm2.VerifyASN1(&k.PublicKey, digest, signature) }))
	gmsm.addUnsized("SM2 new key", 1, calls, func() error { _, err := gmsm2.GenerateKey(rand.Reader); return err })
	private, peer := must(gmecdh.P256().GenerateKey(rand.Reader)), must(gmecdh.P256().GenerateKey(rand.Reader))
	gmsm.addUnsized("SM2 ECDH", 1, calls, func() error { _, err := private.ECDH(peer.PublicKey()); return err })
}

// verification verifies several signatures in turn, because each takes another number of
// additions.
func verification(digest []byte, sign func() []byte, verify func(digest, signature []byte) bool) func() error {
	var list [8][]byte
	for i := range list {
		list[i] = sign()
	}
	next := 0
	return func() error {
		err := valid(verify(digest, list[next]))
		next = (next + 1) % len(list)
		return err
	}
}

func valid(ok bool) error {
	if !ok {
		return errors.New("the signature is not valid")
	}
	return nil
}

func frodoCases() {
	libraries("frodokem", func(l library, driverName string) {
		for _, set := range []frodokem.Set{frodokem.FrodoKEM640AES, frodokem.FrodoKEM976AES, frodokem.FrodoKEM1344AES, frodokem.FrodoKEM640SHAKE} {
			name := set.String() + " "
			if !match.MatchString(name+"generate") && !match.MatchString(name+"encapsulate") && !match.MatchString(name+"decapsulate") &&
				!match.MatchString(name+"encapsulate, 8 messages") {
				continue // a key takes long
			}
			generate := set.GenerateKey
			if driverName != "" {
				d := must(frodokem.On(driverName))
				generate = func() (*frodokem.DecapsulationKey, error) { return d.GenerateKey(set) }
			}
			dk := must(generate())
			ek := dk.EncapsulationKey()
			shared, ciphertext := ek.Encapsulate()
			l.addUnsized(name+"generate", 1, 1, func() error { _, err := generate(); return err })
			l.addUnsized(name+"encapsulate", 1, 1, func() error { return ek.EncapsulateTo(shared, ciphertext) })
			l.addUnsized(name+"decapsulate", 1, 1, func() error { return dk.DecapsulateTo(shared, ciphertext) })
			list := make([]frodokem.Encapsulation, 8)
			for i := range list {
				list[i] = frodokem.Encapsulation{Key: ek, SharedKey: bytes(len(shared)), Ciphertext: bytes(len(ciphertext))}
			}
			l.addUnsized(fmt.Sprintf("%sencapsulate, %d messages", name, len(list)), len(list), 1, func() error { return frodokem.EncapsulateMany(list) })
		}
	})
}
