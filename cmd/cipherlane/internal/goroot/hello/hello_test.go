// Package hello is a test that writes what crypto/tls sends first, with randomness that is always the
// same. "cipherlane go --sm check" runs it with Go's standard library and with the copy, and compares.
package hello

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"testing"
	"testing/cryptotest"
	"time"
)

// A half is the connection of one end. It reads what the other sent before.
type half struct {
	in  *bytes.Reader
	out bytes.Buffer
}

func (h *half) Read(b []byte) (int, error)       { return h.in.Read(b) }
func (h *half) Write(b []byte) (int, error)      { return h.out.Write(b) }
func (h *half) Close() error                     { return nil }
func (h *half) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (h *half) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (h *half) SetDeadline(time.Time) error      { return nil }
func (h *half) SetReadDeadline(time.Time) error  { return nil }
func (h *half) SetWriteDeadline(time.Time) error { return nil }

var begin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func certificate(t *testing.T, key crypto.Signer) tls.Certificate {
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"}, NotBefore: begin, NotAfter: begin.AddDate(9, 0, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// answer returns what one end sends until it would read more than there is.
func answer(t *testing.T, seed uint64, config *tls.Config, in []byte, end func(net.Conn, *tls.Config) *tls.Conn) []byte {
	cryptotest.SetGlobalRandom(t, seed)
	h := &half{in: bytes.NewReader(in)}
	end(h, config).Handshake()
	return h.out.Bytes()
}

// offer is a ClientHello of OpenSSL 4.0.3 that offers SM first, and TLS_AES_128_GCM_SHA256 and X25519 (recorded
// on 2026-11-29).
const offer = "" +
	"160301010a01000106030302d99e6b1d0520354c120fc2777f23559adeae277ac1fa7df2d03720b69d62a820e76628dd131c6cf8527d3e7a71b2a2cd" +
	"317e5a68de74f7315a994af6f8be4087000400c71301010000b9000a000600040029001d002300000016000000170000000d002c002a090509060904" +
	"04030503060308070808081a081b081c0809080a080b0804080508060401050106010708002b0003020304002d000201010033004700450029004104" +
	"2545d485833c59b83b7a75817df8d2fcb1155f72dccde8ef88d48c834416afbdd0c63f27f4964926eca2f22e9f4df49d36401e24900c9f3db910a1f9" +
	"51595927001b000504000100030000000e000c0000096c6f63616c686f7374"

// TestHello writes a line for each flight of each pair of configurations to the file that
// CIPHERLANE_HELLO names.
func TestHello(t *testing.T) {
	var out io.Writer = io.Discard
	if name := os.Getenv("CIPHERLANE_HELLO"); name != "" {
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		out = f
	}
	offered, err := hex.DecodeString(offer)
	if err != nil {
		t.Fatal(err)
	}
	cryptotest.SetGlobalRandom(t, 1)
	p256, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsa2048, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	certificates := []tls.Certificate{certificate(t, p256), certificate(t, rsa2048)}
	clients := []struct {
		name   string
		config tls.Config
	}{
		{"default", tls.Config{}},
		{"TLS 1.3", tls.Config{MinVersion: tls.VersionTLS13, NextProtos: []string{"h2", "http/1.1"}}},
		{"TLS 1.2", tls.Config{MaxVersion: tls.VersionTLS12}},
		{"P-384 first", tls.Config{CurvePreferences: []tls.CurveID{tls.CurveP384, tls.X25519}}},
		{"certificate", tls.Config{Certificates: certificates[:1]}},
		{"suites", tls.Config{CipherSuites: []uint16{tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_AES_256_GCM_SHA384}}},
	}
	servers := []struct {
		name   string
		config tls.Config
	}{
		{"default", tls.Config{}},
		{"client certificate", tls.Config{ClientAuth: tls.RequireAnyClientCert, NextProtos: []string{"h2"}}},
		{"X25519 only", tls.Config{CurvePreferences: []tls.CurveID{tls.X25519}}},
		{"TLS 1.2", tls.Config{MaxVersion: tls.VersionTLS12}},
	}
	seed := uint64(2)
	for i := range clients {
		c := &clients[i].config
		c.ServerName, c.InsecureSkipVerify = "localhost", true
		hello := answer(t, seed, c, nil, tls.Client)
		fmt.Fprintf(out, "client %s: %x\n", clients[i].name, hello)
		for j := range servers {
			for k := range certificates {
				s := &servers[j].config
				s.Certificates, s.Time = certificates[k:k+1], func() time.Time { return begin }
				seed++
				first := answer(t, seed, s.Clone(), hello, tls.Server)
				if len(first) == 0 {
					t.Errorf("%s, %s: no answer", clients[i].name, servers[j].name)
				}
				fmt.Fprintf(out, "server %s, certificate %d, client %s: %x\n", servers[j].name, k, clients[i].name, first)
				if i == 0 {
					fmt.Fprintf(out, "server %s, certificate %d, offer of SM: %x\n", servers[j].name, k, answer(t, seed, s.Clone(), offered, tls.Server))
				}
				second := answer(t, seed-uint64(j*len(certificates)+k+1), c, first, tls.Client)
				fmt.Fprintf(out, "client %s, server %s, certificate %d: %x\n", clients[i].name, servers[j].name, k, second)
			}
		}
		seed++
	}
}
