package tls

import (
	"bytes"
	"context"
	"crypto"
	"crypto/cipherlane/sm2"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls/internal/fips140tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func needSM(t testing.TB) {
	if fips140tls.Required() {
		t.Skip("FIPS 140-3 mode")
	}
}

// A smIdentity is what certificates of one kind need.
type smIdentity struct {
	roots *x509.CertPool
	cert  Certificate
}

// newIdentity returns a certificate for localhost of a CA of its own, both with SM2 or with ECDSA.
func newIdentity(t testing.TB, sm bool) smIdentity {
	t.Helper()
	newKey := func() crypto.Signer {
		var key crypto.Signer
		var err error
		if sm {
			key, err = sm2.GenerateKey()
		} else {
			key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		}
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: fmt.Sprint("CA ", sm)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		BasicConstraintsValid: true, IsCA: true, KeyUsage: x509.KeyUsageCertSign,
	}
	caKey, key := newKey(), newKey()
	create := func(template, parent *x509.Certificate, public any) *x509.Certificate {
		der, err := x509.CreateCertificate(rand.Reader, template, parent, public, caKey)
		if err != nil {
			t.Fatal(err)
		}
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		return certificate
	}
	ca := create(template, template, caKey.Public())
	leaf := create(&x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"}, NotBefore: template.NotBefore, NotAfter: template.NotAfter,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, ca, key.Public())
	roots := x509.NewCertPool()
	roots.AddCert(ca)
	return smIdentity{roots, Certificate{Certificate: [][]byte{leaf.Raw}, PrivateKey: key, Leaf: leaf}}
}

// NewSMIdentity is newIdentity for other packages. It skips tests without SM.
func NewSMIdentity(t testing.TB) (*x509.CertPool, Certificate) {
	needSM(t)
	id := newIdentity(t, true)
	return id.roots, id.cert
}

// pair makes a handshake over TCP. Its errors are those of the ends.
func pair(t testing.TB, client, server *Config) (c, s *Conn, clientErr, serverErr error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			serverErr = err
			return
		}
		conn.SetDeadline(time.Now().Add(time.Minute))
		s = Server(conn, server)
		serverErr = s.Handshake()
		if serverErr != nil {
			conn.Close()
		}
	}()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn.SetDeadline(time.Now().Add(time.Minute))
	c = Client(conn, client)
	clientErr = c.Handshake()
	if clientErr != nil {
		conn.Close()
	}
	<-done
	t.Cleanup(func() {
		conn.Close()
		if s != nil {
			s.conn.Close()
		}
	})
	return c, s, clientErr, serverErr
}

// transfer sends data both ways.
func transfer(t testing.TB, a, b *Conn, n int) {
	t.Helper()
	data := bytes.Repeat([]byte("cipherlane"), n/10+1)[:n]
	for range 2 {
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := a.Write(data); err != nil {
				t.Error(err)
			}
		})
		got := make([]byte, n)
		if _, err := io.ReadFull(b, got); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%v", err)
		}
		wg.Wait()
		a, b = b, a
	}
}

// Everything of TLS 1.3 works with both suites and groups.
func TestSMHandshake(t *testing.T) {
	needSM(t)
	sm := newIdentity(t, true)
	for _, suite := range smSuites {
		for _, groups := range [][]CurveID{{CurveSM2}, {CurveSM2MLKEM768}, {CurveSM2, X25519}, {CurveSM2MLKEM768, X25519}, {X25519, CurveSM2}, {X25519MLKEM768, CurveSM2MLKEM768}} {
			for _, mutual := range []bool{false, true} {
				t.Run(fmt.Sprint(CipherSuiteName(suite), groups, mutual), func(t *testing.T) {
					var log bytes.Buffer
					client := &Config{RootCAs: sm.roots, ServerName: "localhost", CurvePreferences: groups, CipherSuites: []uint16{suite}, NextProtos: []string{"a", "b"},
						ClientSessionCache: NewLRUClientSessionCache(4), KeyLogWriter: &log}
					server := &Config{Certificates: []Certificate{sm.cert}, NextProtos: []string{"b"}}
					if mutual {
						server.ClientCAs, server.ClientAuth = sm.roots, RequireAndVerifyClientCert
						client.Certificates = []Certificate{sm.cert}
					}
					for resumed := range 2 {
						c, s, err, serverErr := pair(t, client, server)
						if err != nil || serverErr != nil {
							t.Fatalf("client: %v; server: %v", err, serverErr)
						}
						transfer(t, c, s, 100_000)
						state, other := c.ConnectionState(), s.ConnectionState()
						group := groups[0]
						if !isSMGroup(group) {
							group = groups[1]
						}
						if state.CipherSuite != suite || state.CurveID != group || state.NegotiatedProtocol != "b" || state.DidResume != (resumed == 1) || other.CipherSuite != suite || other.CurveID != group {
							t.Errorf("%+v", state)
						}
						if state.HelloRetryRequest != !isSMGroup(groups[0]) {
							t.Errorf("HelloRetryRequest: %t", state.HelloRetryRequest)
						}
						if len(state.VerifiedChains) != 1 || mutual != (len(other.VerifiedChains) == 1) {
							t.Errorf("chains %d, %d", len(state.VerifiedChains), len(other.VerifiedChains))
						}
						x, err1 := state.ExportKeyingMaterial("label", []byte("context"), 40)
						y, err2 := other.ExportKeyingMaterial("label", []byte("context"), 40)
						if err1 != nil || err2 != nil || !bytes.Equal(x, y) {
							t.Errorf("exporters %x, %x, %v, %v", x, y, err1, err2)
						}
						if err := c.sendKeyUpdate(true); err != nil {
							t.Fatal(err)
						}
						transfer(t, c, s, 50_000)
						if !bytes.Contains(log.Bytes(), []byte("SERVER_TRAFFIC_SECRET_0 ")) {
							t.Error("nothing in the key log")
						}
					}
				})
			}
		}
	}
}

// sendKeyUpdate sends a KeyUpdate and changes the key, like handleKeyUpdate.
func (c *Conn) sendKeyUpdate(request bool) error {
	c.out.Lock()
	defer c.out.Unlock()
	msg, err := (&keyUpdateMsg{updateRequested: request}).marshal()
	if err != nil {
		return err
	}
	if _, err := c.writeRecordLocked(recordTypeHandshake, msg); err != nil {
		return err
	}
	suite := cipherSuiteTLS13ByID(c.cipherSuite)
	c.setWriteTrafficSecret(suite, QUICEncryptionLevelInitial, suite.nextTrafficSecret(c.out.trafficSecret))
	return nil
}

// The order of what a client offers decides which certificate of a server it gets, in whatever way
// the server has them. Without an offer it gets what it got before.
func TestSMCertificates(t *testing.T) {
	needSM(t)
	sm, other := newIdentity(t, true), newIdentity(t, false)
	client := func(groups ...CurveID) *Config {
		return &Config{InsecureSkipVerify: true, ServerName: "localhost", CurvePreferences: groups}
	}
	callback := func(list ...Certificate) *Config {
		return &Config{GetCertificate: func(hello *ClientHelloInfo) (*Certificate, error) {
			for i := range list {
				if hello.SupportsCertificate(&list[i]) == nil {
					return &list[i], nil
				}
			}
			return &list[0], nil
		}}
	}
	both := map[string]*Config{
		"SM2 first":          {Certificates: []Certificate{sm.cert, other.cert}},
		"SM2 last":           {Certificates: []Certificate{other.cert, sm.cert}},
		"callback, first":    callback(sm.cert, other.cert),
		"callback, last":     callback(other.cert, sm.cert),
		"curves":             {Certificates: []Certificate{other.cert, sm.cert}, CurvePreferences: []CurveID{X25519, CurveP256}},
		"TLS 1.3 only":       {Certificates: []Certificate{other.cert, sm.cert}, MinVersion: VersionTLS13},
		"for another config": {GetConfigForClient: func(*ClientHelloInfo) (*Config, error) { return callback(other.cert, sm.cert), nil }},
	}
	for name, server := range both {
		for _, k := range []struct {
			groups []CurveID
			sm     bool
		}{{nil, false}, {[]CurveID{X25519}, false}, {[]CurveID{X25519, CurveSM2}, false}, {[]CurveID{CurveSM2, X25519}, true}, {[]CurveID{CurveSM2}, true}} {
			c, _, err, serverErr := pair(t, client(k.groups...), server)
			if err != nil || serverErr != nil {
				t.Errorf("%s %v: %v, %v", name, k.groups, err, serverErr)
				continue
			}
			_, got := c.ConnectionState().PeerCertificates[0].PublicKey.(*sm2.PublicKey)
			if got != k.sm || isSMSuite(c.ConnectionState().CipherSuite) != k.sm {
				t.Errorf("%s %v: %v", name, k.groups, CipherSuiteName(c.ConnectionState().CipherSuite))
			}
		}
		old := client()
		old.MaxVersion = VersionTLS12
		if name != "TLS 1.3 only" {
			if _, _, err, serverErr := pair(t, old, server); err != nil || serverErr != nil {
				t.Errorf("%s, TLS 1.2: %v, %v", name, err, serverErr)
			}
		}
	}
	for name, server := range map[string]*Config{"certificate": {Certificates: []Certificate{sm.cert}}, "callback": callback(sm.cert)} {
		c, _, err, serverErr := pair(t, client(X25519, CurveSM2), server)
		if err != nil || serverErr != nil || !isSMSuite(c.ConnectionState().CipherSuite) {
			t.Errorf("%s only: %v, %v", name, err, serverErr)
		}
		if _, _, err, serverErr = pair(t, client(), server); err == nil || serverErr == nil {
			t.Errorf("%s only, a client without SM: %v, %v", name, err, serverErr)
		}
	}
	server := &Config{Certificates: []Certificate{other.cert}}
	for _, groups := range [][]CurveID{{X25519, CurveSM2}, {CurveSM2, X25519}} {
		c, _, err, serverErr := pair(t, client(groups...), server)
		if err != nil || serverErr != nil || isSMSuite(c.ConnectionState().CipherSuite) || c.ConnectionState().HelloRetryRequest {
			t.Errorf("server without SM, %v: %v, %v", groups, err, serverErr)
		}
	}
	if _, _, err, serverErr := pair(t, client(CurveSM2), server); err == nil || serverErr == nil {
		t.Errorf("server without SM: %v, %v", err, serverErr)
	}
}

// A client without a reason to offer SM does not, and a certificate of SM2 is one.
func TestSMOffer(t *testing.T) {
	needSM(t)
	sm, other := newIdentity(t, true).cert, newIdentity(t, false).cert
	hello := func(setting string, config *Config) *clientHelloMsg {
		t.Setenv("GODEBUG", "tlssm="+setting)
		config.ServerName = "localhost"
		m, _, _, err := Client(nil, config).makeClientHello()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, k := range []struct {
		setting string
		config  *Config
		want    smOffer
		groups  []CurveID
	}{
		{"", &Config{}, smNone, nil},
		{"", &Config{Certificates: []Certificate{other}}, smNone, nil},
		{"", &Config{Certificates: []Certificate{other, sm}}, smFirst, []CurveID{CurveSM2}},
		{"off", &Config{Certificates: []Certificate{sm}, CurvePreferences: []CurveID{CurveSM2, X25519}}, smNone, nil},
		{"", &Config{CurvePreferences: []CurveID{X25519}}, smNone, nil},
		{"", &Config{CurvePreferences: []CurveID{X25519, CurveSM2}}, smLast, []CurveID{CurveSM2}},
		{"", &Config{CurvePreferences: []CurveID{CurveSM2, CurveSM2MLKEM768}}, smAlways, []CurveID{CurveSM2MLKEM768, CurveSM2}},
		{"", &Config{CurvePreferences: []CurveID{CurveSM2MLKEM768, X25519}}, smFirst, []CurveID{CurveSM2MLKEM768}},
		{"offer", &Config{CurvePreferences: []CurveID{X25519}}, smLast, []CurveID{CurveSM2}},
		{"offer", &Config{}, smLast, []CurveID{CurveSM2}},
		{"prefer", &Config{}, smFirst, []CurveID{CurveSM2}},
		{"only", &Config{}, smAlways, []CurveID{CurveSM2}},
		{"prefer", &Config{MaxVersion: VersionTLS12}, smNone, nil},
	} {
		m := hello(k.setting, k.config)
		suites := slices.DeleteFunc(slices.Clone(m.cipherSuites), func(id uint16) bool { return !isSMSuite(id) })
		groups := slices.DeleteFunc(slices.Clone(m.supportedCurves), func(id CurveID) bool { return !isSMGroup(id) })
		scheme, others := slices.Contains(m.supportedSignatureAlgorithms, SM2WithSM3), len(m.supportedSignatureAlgorithmsCert)
		if k.want == smNone {
			if len(suites)+len(groups) > 0 || scheme || others == 0 || len(m.keyShares) == 0 && k.config.MaxVersion == 0 {
				t.Errorf("%q, %v: %v, %v, %t, %d", k.setting, k.config.CurvePreferences, suites, groups, scheme, others)
			}
			continue
		}
		if !slices.Equal(suites, smSuites) || !slices.Equal(groups, k.groups) || !scheme || others > 0 {
			t.Errorf("%q, %v: %v, %v, %t, %d", k.setting, k.config.CurvePreferences, suites, groups, scheme, others)
		}
		first := isSMSuite(m.cipherSuites[0]) && isSMGroup(m.supportedCurves[0]) && isSMGroup(m.keyShares[0].group) && m.supportedSignatureAlgorithms[0] == SM2WithSM3
		only := len(m.supportedCurves) == len(groups) && len(m.cipherSuites) == len(suites) && len(m.supportedSignatureAlgorithms) == 1 && len(m.supportedVersions) == 1
		if first != (k.want != smLast) || only != (k.want == smAlways) {
			t.Errorf("%q, %v: first %t, only %t", k.setting, k.config.CurvePreferences, first, only)
		}
		share := slices.ContainsFunc(m.keyShares, func(s keyShare) bool { return !isSMGroup(s.group) })
		if share == (k.want == smAlways) {
			t.Errorf("%q, %v: a share for servers without SM: %t", k.setting, k.config.CurvePreferences, share)
		}
	}
}

// alertOf returns the alert that the other end got.
func alertOf(err error) alert {
	var e *net.OpError
	var a alert
	if errors.As(err, &e) && errors.As(e.Err, &a) {
		return a
	}
	return 0
}

// What does not go together ends a handshake with the alert of RFC 8446.
func TestSMRules(t *testing.T) {
	needSM(t)
	sm, other, foreign := newIdentity(t, true), newIdentity(t, false), newIdentity(t, true)
	wrongKey := sm.cert
	wrongKey.PrivateKey = foreign.cert.PrivateKey
	client := func() *Config {
		return &Config{RootCAs: sm.roots, ServerName: "localhost", CurvePreferences: []CurveID{CurveSM2}}
	}
	server := func(c Certificate) *Config { return &Config{Certificates: []Certificate{c}} }
	mutual := func(c Certificate) (*Config, *Config) {
		a, b := client(), server(sm.cert)
		a.GetClientCertificate = func(*CertificateRequestInfo) (*Certificate, error) { return &c, nil }
		b.ClientAuth, b.ClientCAs = RequireAndVerifyClientCert, sm.roots
		return a, b
	}
	type test struct {
		name                     string
		client, server           *Config
		atClient, atServer       alert // that the client and the server get
		clientError, serverError string
	}
	tests := []test{
		{"another CA", client(), server(foreign.cert), 0, alertBadCertificate, "unknown authority", ""},
		{"another key", client(), server(wrongKey), 0, alertDecryptError, "invalid signature by the server certificate: SM2 verification failure", ""},
		{"certificate of ECDSA", client(), server(other.cert), alertHandshakeFailure, 0, "", "no cipher suite supported"},
	}
	a, b := mutual(other.cert)
	tests = append(tests, test{"client with ECDSA", a, b, 0, 0, "doesn't support any of the certificate's signature algorithms", ""})
	a, b = mutual(foreign.cert)
	tests = append(tests, test{"client of another CA", a, b, 0, 0, "", "unknown authority"})
	a, b = mutual(wrongKey)
	tests = append(tests, test{"client with another key", a, b, 0, 0, "", "SM2 verification failure"})
	for _, k := range tests {
		_, _, clientErr, serverErr := pair(t, k.client, k.server)
		if k.clientError != "" && (clientErr == nil || !strings.Contains(clientErr.Error(), k.clientError)) || k.serverError != "" && (serverErr == nil || !strings.Contains(serverErr.Error(), k.serverError)) {
			t.Errorf("%s: client: %v; server: %v", k.name, clientErr, serverErr)
		}
		if k.atClient != 0 && alertOf(clientErr) != k.atClient || k.atServer != 0 && alertOf(serverErr) != k.atServer {
			t.Errorf("%s: alerts: client: %v; server: %v", k.name, clientErr, serverErr)
		}
	}
}

// A client refuses a group that does not go with the cipher suite, in a ServerHello and in a
// HelloRetryRequest, with the alert illegal_parameter. CertificateVerify has the algorithm of the suite.
func TestSMGroupOfSuite(t *testing.T) {
	needSM(t)
	for _, suite := range []uint16{TLS_AES_128_GCM_SHA256, TLS_SM4_GCM_SM3, TLS_SM4_CCM_SM3} {
		for _, group := range []CurveID{X25519, CurveP256, X25519MLKEM768, CurveSM2, CurveSM2MLKEM768} {
			for _, hello := range []*serverHelloMsg{{serverShare: keyShare{group: group}}, {selectedGroup: group}} {
				x, y := net.Pipe()
				sent := make(chan []byte, 1)
				go func() {
					b, _ := io.ReadAll(y)
					sent <- b
				}()
				hs := &clientHandshakeStateTLS13{c: Client(x, &Config{}), serverHello: hello}
				hs.c.vers, hs.c.haveVers = VersionTLS13, true
				err := hs.checkSM(cipherSuiteTLS13ByID(suite))
				x.Close()
				var want []byte
				if isSMSuite(suite) != isSMGroup(group) {
					want = []byte{byte(recordTypeAlert), 3, 3, 0, 2, alertLevelError, byte(alertIllegalParameter)}
				}
				if got := <-sent; (err != nil) != (want != nil) || !bytes.Equal(got, want) {
					t.Errorf("%s, %v: %v, sent %x", CipherSuiteName(suite), group, err, got)
				}
			}
		}
		got := acceptedSchemes(&Conn{cipherSuite: suite}, func(uint16) []SignatureScheme { return []SignatureScheme{Ed25519} }, VersionTLS13)
		want := Ed25519
		if isSMSuite(suite) {
			want = SM2WithSM3
		}
		if !slices.Equal(got, []SignatureScheme{want}) {
			t.Errorf("%s: accepted %v", CipherSuiteName(suite), got)
		}
	}
}

// A signature of a handshake has its own ID.
func TestSMHandshakeID(t *testing.T) {
	needSM(t)
	key := newIdentity(t, true).cert.PrivateKey.(*sm2.PrivateKey)
	text := []byte("text")
	for id, want := range map[string]bool{"TLSv1.3+GM+Cipher+Suite": true, sm2.DefaultID: false, "TLSv1.3+GM+Cipher+Suit": false} {
		signature, err := key.SignMessage(nil, text, &sm2.SignatureOptions{ID: []byte(id)})
		if err != nil {
			t.Fatal(err)
		}
		if err := verifyHandshakeSignature(signatureSM2, key.Public(), directSigning, text, signature); (err == nil) != want {
			t.Errorf("%s: %v", id, err)
		}
	}
	if err := verifyHandshakeSignature(signatureSM2, newIdentity(t, false).cert.PrivateKey.(crypto.Signer).Public(), directSigning, text, nil); err == nil {
		t.Error("a key of ECDSA is taken")
	}
}

// altered changes a byte of what is read, or, without a mask, ends there.
type altered struct {
	net.Conn
	at, mask, seen int
}

func (a *altered) Read(b []byte) (int, error) {
	n, err := a.Conn.Read(b)
	if i := a.at - a.seen; i >= 0 && i < n {
		if a.mask == 0 {
			return i, io.EOF
		}
		b[i] ^= byte(a.mask)
	}
	a.seen += n
	return n, err
}

// A handshake with an altered byte, or that is cut off, ends with an error, and nothing panics. 1,000
// run at the same time, half of them such; 200 with -short.
func TestSMAltered(t *testing.T) {
	needSM(t)
	sm := newIdentity(t, true)
	server := &Config{Certificates: []Certificate{sm.cert}, ClientCAs: sm.roots, ClientAuth: RequireAndVerifyClientCert}
	client := &Config{RootCAs: sm.roots, ServerName: "localhost", CurvePreferences: []CurveID{CurveSM2}, Certificates: []Certificate{sm.cert}}
	run := func(at, mask int, atServer bool) error {
		x, y := net.Pipe()
		defer x.Close()
		defer y.Close()
		deadline := time.Now().Add(2 * time.Minute)
		if at >= 0 { // an altered length may be one that never comes
			deadline = time.Now().Add(2 * time.Second)
		}
		x.SetDeadline(deadline)
		y.SetDeadline(deadline)
		var cx, cy net.Conn = x, y
		if at >= 0 && atServer {
			cy = &altered{Conn: y, at: at, mask: mask}
		} else if at >= 0 {
			cx = &altered{Conn: x, at: at, mask: mask}
		}
		c, s := Client(cx, client), Server(cy, server)
		result := make(chan error, 1)
		go func() {
			err := s.Handshake()
			if err == nil {
				_, err = s.Write([]byte("x"))
			}
			if err != nil {
				y.Close()
			}
			result <- err
		}()
		err := c.Handshake()
		if err == nil {
			_, err = io.ReadFull(c, make([]byte, 1))
		}
		if err != nil {
			x.Close()
		}
		return errors.Join(err, <-result)
	}
	n := 1000
	if testing.Short() {
		n = 200
	}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			// Byte 1 of a record is the version, which receivers ignore, and so they do random bytes of
			// what they do not know. Behind byte 300 messages are encrypted, and each end reads more
			// than 750.
			at, mask, bad := 300+i*450/n, 1<<(i%8), i%2 == 0
			if !bad {
				at = -1
			}
			if i%10 == 0 {
				mask = 0
			}
			if err := run(at, mask, i%4 == 0); (err != nil) != bad {
				t.Errorf("byte %d altered: %v", at, err)
			}
		})
	}
	wg.Wait()
}

// There is no SM over QUIC, whatever the ends have.
func TestSMQUIC(t *testing.T) {
	needSM(t)
	sm, other := newIdentity(t, true), newIdentity(t, false)
	for _, groups := range [][]CurveID{{CurveSM2, X25519}, {X25519, CurveSM2}, {CurveSM2}} {
		c := Client(nil, &Config{ServerName: "localhost", MinVersion: VersionTLS13, CurvePreferences: groups})
		c.quic = &quicState{transportParams: []byte{}}
		m, _, _, err := c.makeClientHello()
		if err != nil {
			continue // there is no other group
		}
		if slices.ContainsFunc(m.cipherSuites, isSMSuite) || slices.ContainsFunc(m.supportedCurves, isSMGroup) {
			t.Errorf("%v: offered", groups)
		}
	}
	s := Server(nil, &Config{Certificates: []Certificate{sm.cert, other.cert}})
	hs := &serverHandshakeStateTLS13{c: s, ctx: context.Background(), clientHello: &clientHelloMsg{
		cipherSuites: smSuites, supportedCurves: []CurveID{CurveSM2}, supportedSignatureAlgorithms: []SignatureScheme{SM2WithSM3}, supportedVersions: []uint16{VersionTLS13},
	}}
	if got := hs.selectSM(nil); !slices.Equal(got, smSuites) {
		t.Errorf("without QUIC: %v", got)
	}
	s.quic, hs.cert = &quicState{}, nil
	if got := hs.selectSM(nil); got != nil || hs.cert != nil {
		t.Errorf("%v", got)
	}
}

// Key files are what OpenSSL writes.
func TestSMKeyPair(t *testing.T) {
	needSM(t)
	sm := newIdentity(t, true)
	key := sm.cert.PrivateKey.(*sm2.PrivateKey)
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: sm.cert.Certificate[0]})
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for kind, der := range map[string][]byte{"PRIVATE KEY": pkcs8, "EC PRIVATE KEY": sm2.MarshalECPrivateKey(key)} {
		text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
		text = append([]byte("-----BEGIN EC PARAMETERS-----\nBggqgRzPVQGCLQ==\n-----END EC PARAMETERS-----\n"), text...)
		got, err := X509KeyPair(certificate, text)
		if err != nil {
			t.Errorf("%s: %v", kind, err)
		} else if !key.Equal(got.PrivateKey) {
			t.Errorf("%s: another key", kind)
		}
	}
	wrong, _ := sm2.GenerateKey()
	text := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: sm2.MarshalECPrivateKey(wrong)})
	if _, err := X509KeyPair(certificate, text); err == nil || err.Error() != "tls: private key does not match public key" {
		t.Errorf("%v", err)
	}
}

// Shares that are no points, and of other sizes, are refused.
func TestSMShares(t *testing.T) {
	needSM(t)
	for _, id := range []CurveID{CurveSM2, CurveSM2MLKEM768} {
		exchange, err := keyExchangeForCurveID(id)
		if err != nil {
			t.Fatal(err)
		}
		keys, shares, err := exchange.keyShares(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		secret, share, err := exchange.serverSharedSecret(rand.Reader, shares[0].data)
		if err != nil || share.group != id {
			t.Fatal(err)
		}
		if got, err := exchange.clientSharedSecret(keys, share.data); err != nil || !bytes.Equal(got, secret) {
			t.Errorf("%v: %x, %x, %v", id, got, secret, err)
		}
		for _, bad := range [][]byte{nil, {0}, shares[0].data[1:], append(shares[0].data, 0), append([]byte{2}, shares[0].data[1:]...), make([]byte, len(shares[0].data))} {
			if _, _, err := exchange.serverSharedSecret(rand.Reader, slices.Clone(bad)); err == nil {
				t.Errorf("%v: the server takes %d bytes", id, len(bad))
			}
		}
		for _, bad := range [][]byte{nil, {0}, share.data[1:], append(slices.Clone(share.data), 0), make([]byte, len(share.data))} {
			if _, err := exchange.clientSharedSecret(keys, bad); err == nil {
				t.Errorf("%v: the client takes %d bytes", id, len(bad))
			}
		}
	}
	if got := CurveSM2.String() + CurveSM2MLKEM768.String() + SM2WithSM3.String() + CipherSuiteName(0xC6) + crypto.SM3.String(); got != "CurveSM2CurveSM2MLKEM768SM2WithSM3TLS_SM4_GCM_SM3SM3" {
		t.Error(got)
	}
}

// In FIPS 140-3 mode there is nothing of SM.
func TestSMOff(t *testing.T) {
	if !fips140tls.Required() {
		t.Skip("needs GODEBUG=fips140=on")
	}
	m, _, _, err := Client(nil, &Config{ServerName: "localhost", CurvePreferences: []CurveID{CurveSM2, CurveP256}}).makeClientHello()
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(m.cipherSuites, isSMSuite) || slices.ContainsFunc(m.supportedCurves, isSMGroup) {
		t.Errorf("%v, %v", m.cipherSuites, m.supportedCurves)
	}
}

func BenchmarkSMHandshake(b *testing.B) {
	needSM(b)
	for _, kind := range []bool{true, false} {
		b.Run(map[bool]string{true: "SM2", false: "ECDSA"}[kind], func(b *testing.B) {
			id := newIdentity(b, kind)
			client := &Config{RootCAs: id.roots, ServerName: "localhost", CurvePreferences: []CurveID{CurveP256}}
			if kind {
				client.CurvePreferences = []CurveID{CurveSM2}
			}
			server := &Config{Certificates: []Certificate{id.cert}, SessionTicketsDisabled: true}
			for b.Loop() {
				x, y := net.Pipe()
				go func() { Server(y, server).Handshake() }()
				if err := Client(x, client).Handshake(); err != nil {
					b.Fatal(err)
				}
				x.Close()
				y.Close()
			}
		})
	}
}

// TLS 1.2 has no signatures of SM2, though a client offers the algorithm for TLS 1.3.
func TestSMNotInTLS12(t *testing.T) {
	needSM(t)
	for _, sm := range []bool{false, true} {
		cert := newIdentity(t, sm).cert
		leaf, err := x509.ParseCertificate(cert.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		key, err := generateECDHEKey(rand.Reader, X25519)
		if err != nil {
			t.Fatal(err)
		}
		client := &clientHelloMsg{random: make([]byte, 32), supportedCurves: []CurveID{X25519}, supportedSignatureAlgorithms: []SignatureScheme{SM2WithSM3, ECDSAWithP256AndSHA256}}
		server := &serverHelloMsg{random: make([]byte, 32)}
		scheme := ECDSAWithP256AndSHA256
		if sm {
			scheme = SM2WithSM3
		}
		kind, hash, err := typeAndHashFromSignatureScheme(scheme)
		if err != nil {
			t.Fatal(err)
		}
		public := key.PublicKey().Bytes()
		params := append([]byte{3, 0, byte(X25519), byte(len(public))}, public...)
		sig, err := signHandshake(kind, cert.PrivateKey.(crypto.Signer), rand.Reader, slices.Concat(client.random, server.random, params), hash)
		if err != nil {
			t.Fatal(err)
		}
		message := &serverKeyExchangeMsg{key: slices.Concat(params, []byte{byte(scheme >> 8), byte(scheme & 0xff), 0, byte(len(sig))}, sig)}
		ka := &ecdheKeyAgreement{version: VersionTLS12}
		if err := ka.processServerKeyExchange(&Config{}, client, server, leaf, message); (err != nil) != sm {
			t.Errorf("SM2 %t: %v", sm, err)
		} else if sm && !strings.Contains(err.Error(), "invalid signature algorithm") {
			t.Error(err)
		}
	}
}
