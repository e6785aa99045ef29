// Measure prints the CPU time per byte of TLS within one process, and the time per call of
// crypto/aes and crypto/cipher, in nanoseconds: a line for each, with a tab.
package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: measure MIB")
	}
	mb, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	for _, overTCP := range []bool{false, true} {
		for _, suite := range []uint16{tls.TLS_AES_128_GCM_SHA256, tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256} {
			if err := transfer(suite, overTCP, mb); err != nil {
				log.Fatal(err)
			}
		}
	}
	calls()
}

// transfer sends bytes from one end of a connection to the other. The suites of TLS 1.3 cannot be
// selected, so that others than its first are those of TLS 1.2.
func transfer(suite uint16, overTCP bool, mb int) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	certificate := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"x"}}
	der, err := x509.CreateCertificate(rand.Reader, certificate, certificate, key.Public(), key)
	if err != nil {
		return err
	}
	config := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		InsecureSkipVerify: true, DynamicRecordSizingDisabled: true} // both ends are here
	transport := "in memory"
	nearEnd, farEnd := net.Pipe()
	if overTCP {
		transport = "over loopback TCP"
		if nearEnd, farEnd, err = loopback(); err != nil {
			return err
		}
	}
	if suite != tls.TLS_AES_128_GCM_SHA256 {
		config.MaxVersion, config.CipherSuites = tls.VersionTLS12, []uint16{suite}
	}
	server, client := tls.Server(nearEnd, config), tls.Client(farEnd, config)
	defer client.Close()
	failed := make(chan error, 1)
	go func() {
		b := make([]byte, 64<<10)
		for range mb * 16 {
			if _, err := server.Write(b); err != nil {
				failed <- err
				break
			}
		}
		server.Close()
	}()
	b := make([]byte, 64<<10)
	for n := 0; n < mb<<20/8; { // warm up
		m, err := client.Read(b)
		if err != nil {
			return err
		}
		n += m
	}
	if got := client.ConnectionState().CipherSuite; got != suite {
		return fmt.Errorf("suite %s, want %s", tls.CipherSuiteName(got), tls.CipherSuiteName(suite))
	}
	before, n := cpu(), 0
	for {
		m, err := client.Read(b)
		n += m
		if err == io.EOF {
			break
		} else if err != nil {
			return err
		}
	}
	fmt.Printf("TLS, %s, %s, per byte\t%.4f\n", tls.CipherSuiteName(suite), transport, float64(cpu()-before)/float64(n))
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

func loopback() (nearEnd, farEnd net.Conn, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	if farEnd, err = net.Dial("tcp", l.Addr().String()); err != nil {
		return nil, nil, err
	}
	nearEnd, err = l.Accept()
	return nearEnd, farEnd, err
}

// cpu returns the CPU time of this process.
func cpu() time.Duration {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		log.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// best prints the shortest time that a call took.
func best(name string, f func()) {
	calls := func(n int) time.Duration {
		begin := time.Now()
		for range n {
			f()
		}
		return time.Since(begin)
	}
	n := 1
	for calls(n) < 200*time.Microsecond {
		n *= 2
	}
	shortest := time.Hour
	for range 200 {
		shortest = min(shortest, calls(n))
	}
	fmt.Printf("%s\t%.2f\n", name, float64(shortest)/float64(n))
}

func calls() {
	key, nonce, data := make([]byte, 16), make([]byte, 12), make([]byte, 13)
	block, err := aes.NewCipher(key)
	if err != nil {
		log.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		log.Fatal(err)
	}
	best("aes.NewCipher", func() { b, _ := aes.NewCipher(key); runtime.KeepAlive(b) })
	best("aes.NewCipher and cipher.NewGCM", func() { b, _ := aes.NewCipher(key); g, _ := cipher.NewGCM(b); runtime.KeepAlive(g) })
	for _, n := range []int{16, 64, 256, 1420, 16384} {
		b := make([]byte, n, n+16)
		best(fmt.Sprintf("AES-128-GCM seal, %d bytes", n), func() { gcm.Seal(b[:0], nonce, b, data) })
		sealed, out := gcm.Seal(nil, nonce, b, data), make([]byte, n)
		best(fmt.Sprintf("AES-128-GCM open, %d bytes", n), func() { gcm.Open(out[:0], nonce, sealed, data) })
	}
	for _, n := range []int{1, 16, 64, 176, 192, 1420, 16384} {
		b, stream := make([]byte, n), cipher.NewCTR(block, key)
		best(fmt.Sprintf("AES-128-CTR, %d bytes", n), func() { stream.XORKeyStream(b, b) })
	}
	for _, n := range []int{16, 64, 16384} {
		b, encrypter, decrypter := make([]byte, n), cipher.NewCBCEncrypter(block, key), cipher.NewCBCDecrypter(block, key)
		best(fmt.Sprintf("AES-128-CBC encrypt, %d bytes", n), func() { encrypter.CryptBlocks(b, b) })
		best(fmt.Sprintf("AES-128-CBC decrypt, %d bytes", n), func() { decrypter.CryptBlocks(b, b) })
	}
}
