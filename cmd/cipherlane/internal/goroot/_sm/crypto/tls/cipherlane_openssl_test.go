package tls

import (
	"bytes"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/cryptotest"
	"time"
)

// smRecorded has exchanges with OpenSSL, and the keys and certificates that they were made with. See
// its file SOURCES.
const smRecorded = "cipherlane_testdata"

// What OpenSSL sent is replayed, and what is sent must be what it got. With CIPHERLANE_OPENSSL, the
// command of OpenSSL, exchanges are made and recorded.
func TestSMRecorded(t *testing.T) {
	needSM(t)
	file := func(name string) string { return filepath.Join(smRecorded, name) }
	ca, err := os.ReadFile(file("ca.pem"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		t.Fatal("no certificate of a CA")
	}
	load := func(name string) Certificate {
		pair, err := LoadX509KeyPair(file(name+".pem"), file(name+".key"))
		if err != nil {
			t.Fatal(err)
		}
		return pair
	}
	config := func(c *Config) *Config {
		c.Time = func() time.Time { return time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC) }
		c.ServerName, c.RootCAs, c.SessionTicketsDisabled = "localhost", roots, true
		return c
	}
	serve := "s_server -naccept 1 -quiet -tls1_3 -num_tickets 1 -groups curveSM2 -cert server.pem -key server.key -ciphersuites "
	connect := "s_client -quiet -tls1_3 -servername localhost -verify_return_error -CAfile ca.pem -groups curveSM2:X25519 -ciphersuites "
	for _, k := range []struct {
		name    string
		server  bool // which end Go is
		config  *Config
		openssl string
		suite   uint16
		retry   bool
	}{
		{"client-gcm", false, config(&Config{CurvePreferences: []CurveID{CurveSM2}, Certificates: []Certificate{load("client")}}),
			serve + "TLS_SM4_GCM_SM3 -Verify 1 -verify_return_error -CAfile ca.pem -client_sigalgs sm2sig_sm3", TLS_SM4_GCM_SM3, false},
		{"client-retry", false, config(&Config{CurvePreferences: []CurveID{X25519, CurveSM2}}), serve + "TLS_SM4_CCM_SM3", TLS_SM4_CCM_SM3, true},
		{"server-gcm", true, config(&Config{Certificates: []Certificate{load("server")}, ClientAuth: RequireAndVerifyClientCert, ClientCAs: roots}),
			connect + "TLS_SM4_GCM_SM3 -cert client.pem -key client.key", TLS_SM4_GCM_SM3, false},
		{"server-ccm", true, config(&Config{Certificates: []Certificate{load("server")}}), connect + "TLS_SM4_CCM_SM3:TLS_AES_128_GCM_SHA256", TLS_SM4_CCM_SM3, false},
	} {
		t.Run(k.name, func(t *testing.T) {
			t.Setenv("GODEBUG", "cryptocustomrand=0") // with 1, which these tests have, reads of it are random
			cryptotest.SetGlobalRandom(t, 1)
			var conn net.Conn
			if command := os.Getenv("CIPHERLANE_OPENSSL"); command != "" {
				recording := &recordingConn{Conn: withOpenSSL(t, command, k.openssl, k.server)}
				conn = recording
				defer func() {
					var text bytes.Buffer
					if _, err := recording.WriteTo(&text); err != nil || t.Failed() {
						t.Fatal(err)
					}
					if err := os.WriteFile(file(k.name), text.Bytes(), 0o666); err != nil {
						t.Error(err)
					}
				}()
			} else {
				text, err := os.ReadFile(file(k.name))
				if err != nil {
					t.Fatal(err)
				}
				flows, err := parseTestData(bytes.NewReader(text))
				if err != nil {
					t.Fatal(err)
				}
				conn = &replayingConn{t: t, flows: flows, reading: k.server}
			}
			c := Client(conn, k.config)
			if k.server {
				c = Server(conn, k.config)
			}
			defer c.Close()
			if err := c.Handshake(); err != nil {
				t.Fatal(err)
			}
			line := []byte("from OpenSSL\n")
			if _, err := c.Write([]byte("from Go\n")); err != nil {
				t.Fatal(err)
			}
			if got := make([]byte, len(line)); true {
				if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, line) {
					t.Fatalf("%q, %v", got, err)
				}
			}
			state := c.ConnectionState()
			if state.CipherSuite != k.suite || state.CurveID != CurveSM2 || state.HelloRetryRequest != k.retry {
				t.Errorf("%s, %v, retry %t", CipherSuiteName(state.CipherSuite), state.CurveID, state.HelloRetryRequest)
			}
			if authenticated := len(state.VerifiedChains) == 1; authenticated != (!k.server || k.config.ClientCAs != nil) {
				t.Errorf("the other end is authenticated: %t", authenticated)
			}
		})
	}
}

// withOpenSSL returns a connection with OpenSSL, which sends a line.
func withOpenSSL(t *testing.T, command, args string, client bool) net.Conn {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	address := l.Addr().String()
	option := " -connect "
	if !client {
		l.Close()
		option = " -accept "
	}
	words := strings.Fields(command + " " + args + option + address)
	c := exec.Command(words[0], words[1:]...)
	c.Dir = smRecorded
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
		if t.Failed() {
			t.Logf("OpenSSL: %s", out.String())
		}
	})
	fmt.Fprintln(stdin, "from OpenSSL")
	if client {
		conn, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	for range 100 {
		if conn, err := net.Dial("tcp", address); err == nil {
			return conn
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("OpenSSL does not listen: %s", out.String())
	return nil
}
