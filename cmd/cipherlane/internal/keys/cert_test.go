package keys

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/internal/pkix"
	"github.com/cipherlane/cipherlane/sm2"
	"github.com/cipherlane/cipherlane/sm3"
)

// certificates reads a file of certificates.
func certificates(t *testing.T, path string) (list []*pkix.Certificate) {
	t.Helper()
	rest := clitest.Read(t, path)
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		c, ok := pkix.ParseCertificate(block.Bytes)
		if !ok || block.Type != "CERTIFICATE" {
			t.Fatalf("%s: not parsed: %s", path, block.Type)
		}
		// crypto/x509 reads all of the structure up to the curve of the key, and nothing before it is wrong.
		if _, err := x509.ParseCertificate(block.Bytes); err == nil || err.Error() != "x509: unsupported elliptic curve" {
			t.Errorf("%s: crypto/x509: %v", path, err)
		}
		list = append(list, c)
	}
	if len(rest) > 0 || list == nil {
		t.Fatalf("%s: %d certificates, then %q", path, len(list), rest)
	}
	return list
}

// TestCert makes chains of certificates, and looks at all that they say.
func TestCert(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "pw"), []byte("secret\n"))
	c.OK(t, "sm2", "keygen", "-e", "--passphrase-file", "pw", "-o", "encrypted.key")
	start := time.Now().Truncate(time.Second)
	for _, line := range []string{
		"--ca CA --new-key ca.key -o ca.pem",
		"--ca --subject /C=CN/ST=S/L=L/O=Ä/OU=U/CN=B --key encrypted.key --passphrase-file pw --issuer ca.pem --issuer-key ca.key --days 400 -o branch.pem",
		"localhost 127.0.0.1 ::1 *.example.org a@example.org --issuer ca.pem --issuer-key ca.key --new-key server.key -o server.pem",
		"--client alice --subject /CN=A --issuer branch.pem --issuer-key encrypted.key --passphrase-file pw --new-key alice.key --days 1 -o alice.pem",
		"--client --server both --subject /O=Org --new-key both.key -o both.pem",
		"--encryption localhost --issuer ca.pem --issuer-key ca.key --key server.key -o enc.pem",
		"--request www.example.org 10.0.0.1 --subject /O=Org --new-key www.key -o www.req",
		"--sign www.req --issuer branch.pem --issuer-key encrypted.key --passphrase-file pw -o www.pem",
		"--ca Third --issuer branch.pem --issuer-key encrypted.key --passphrase-file pw --new-key third.key --days 30 -o third.pem",
		"deep --issuer third.pem --issuer-key third.key --new-key deep.key --days 29 -o deep.pem",
	} {
		if out := c.OK(t, append([]string{"sm2", "cert"}, strings.Fields(line)...)...); out != "" {
			t.Errorf("%s: prints %q", line, out)
		}
	}
	attributes := func(pairs ...pkix.Attribute) []byte { return pkix.MarshalName(pairs) }
	cn := func(name string) []byte { return attributes(pkix.Attribute{Type: pkix.CommonName, Value: name}) }
	branch := attributes(pkix.Attribute{Type: pkix.Country, Value: "CN"}, pkix.Attribute{Type: pkix.Province, Value: "S"}, pkix.Attribute{Type: pkix.Locality, Value: "L"},
		pkix.Attribute{Type: pkix.Organization, Value: "Ä"}, pkix.Attribute{Type: pkix.OrganizationalUnit, Value: "U"}, pkix.Attribute{Type: pkix.CommonName, Value: "B"})
	org := func(name string) []byte {
		return attributes(pkix.Attribute{Type: pkix.Organization, Value: "Org"}, pkix.Attribute{Type: pkix.CommonName, Value: name})
	}
	const ca = pkix.CertSign | pkix.CRLSign
	serials := map[[32]byte]bool{}
	for _, test := range []struct {
		file, key string
		issuer    string // its file, or "" for itself
		subject   []byte
		days      int
		isCA      bool
		usage     pkix.Usage
		purposes  []string
		names     string
		chain     []string // the files of the certificates that follow
	}{
		{"ca", "ca", "", cn("CA"), 3650, true, ca, nil, "", nil},
		{"branch", "", "ca", branch, 400, true, ca, nil, "", nil},
		{"server", "server", "ca", cn("localhost"), 365, false, pkix.DigitalSignature, []string{pkix.ServerAuth},
			"\x82\x09localhost\x87\x04\x7f\x00\x00\x01\x87\x10" + strings.Repeat("\x00", 15) + "\x01\x82\x0d*.example.org\x81\x0da@example.org", nil},
		{"alice", "alice", "branch", cn("A"), 1, false, pkix.DigitalSignature, []string{pkix.ClientAuth}, "\x82\x05alice", []string{"branch"}},
		{"both", "both", "", org("both"), 365, false, pkix.DigitalSignature, []string{pkix.ServerAuth, pkix.ClientAuth}, "\x82\x04both", nil},
		{"enc", "server", "ca", cn("localhost"), 365, false, pkix.KeyEncipherment | pkix.DataEncipherment | pkix.KeyAgreement, []string{pkix.ServerAuth}, "\x82\x09localhost", nil},
		{"www", "www", "branch", org("www.example.org"), 365, false, pkix.DigitalSignature, []string{pkix.ServerAuth}, "\x82\x0fwww.example.org\x87\x04\x0a\x00\x00\x01", []string{"branch"}},
		{"third", "third", "branch", cn("Third"), 30, true, ca, nil, "", []string{"branch"}},
		{"deep", "deep", "third", cn("deep"), 29, false, pkix.DigitalSignature, []string{pkix.ServerAuth}, "\x82\x04deep", []string{"third", "branch"}},
	} {
		all := certificates(t, filepath.Join(dir, test.file+".pem"))
		got, issuer := all[0], all[0]
		if test.issuer != "" {
			issuer = certificates(t, filepath.Join(dir, test.issuer+".pem"))[0]
		}
		if !bytes.Equal(got.Subject, test.subject) || !bytes.Equal(got.Issuer, issuer.Subject) {
			t.Errorf("%s: %q by %q, want %q by %q", test.file, got.Subject, got.Issuer, test.subject, issuer.Subject)
		}
		if got.CA != test.isCA || got.Usage != test.usage || !slices.Equal(got.Purposes, test.purposes) || string(got.Names) != test.names {
			t.Errorf("%s: CA %v, usage %x, purposes %q, names %q", test.file, got.CA, got.Usage, got.Purposes, got.Names)
		}
		from := got.NotBefore.Add(time.Minute)
		if from.Before(start) || from.After(time.Now()) || !got.NotAfter.Equal(got.NotBefore.AddDate(0, 0, test.days)) {
			t.Errorf("%s: from %v until %v", test.file, got.NotBefore, got.NotAfter)
		}
		if serials[got.Serial] || [16]byte(got.Serial[:16]) != [16]byte{} || got.Serial[16]>>6 != 1 {
			t.Errorf("%s: serial number %x", test.file, got.Serial)
		}
		serials[got.Serial] = true
		if string(got.Algorithm) != "\x30\x0a\x06\x08\x2a\x81\x1c\xcf\x55\x01\x83\x75" {
			t.Errorf("%s: algorithm %x", test.file, got.Algorithm)
		}
		key, err := sm2.ParsePKIXPublicKey(issuer.Public)
		if err != nil || !key.VerifyMessage(got.Signed, got.Signature, nil) {
			t.Errorf("%s: the signature is wrong (%v)", test.file, err)
		}
		own, err := sm2.ParsePKIXPublicKey(got.Public)
		if err != nil {
			t.Fatal(err)
		}
		if id := sm3.Sum(own.Bytes()); !bytes.Equal(got.SubjectKeyID, id[:20]) || !bytes.Equal(got.AuthorityKeyID, issuer.SubjectKeyID) {
			t.Errorf("%s: identifiers %x, %x", test.file, got.SubjectKeyID, got.AuthorityKeyID)
		}
		if test.key != "" {
			path := filepath.Join(dir, test.key+".key")
			block, _ := pem.Decode(clitest.Read(t, path))
			private, err := sm2.ParsePKCS8PrivateKey(block.Bytes)
			if err != nil || !private.PublicKey().Equal(own) || block.Type != "PRIVATE KEY" {
				t.Errorf("%s: another key, %s (%v)", test.file, block.Type, err)
			}
			if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
				t.Errorf("%s: mode %v, %v", path, info.Mode(), err)
			}
		}
		if len(all) != 1+len(test.chain) {
			t.Fatalf("%s: %d certificates", test.file, len(all))
		}
		for i, file := range test.chain {
			if want := certificates(t, filepath.Join(dir, file+".pem"))[0]; !bytes.Equal(all[1+i].Signed, want.Signed) {
				t.Errorf("%s: certificate %d is not that of %s", test.file, 1+i, file)
			}
		}
	}

	// To standard output, from standard input, and with OpenSSL's other label.
	ca2 := certificates(t, clitest.Write(t, filepath.Join(dir, "stdout"), []byte(c.OK(t, "sm2", "cert", "x", "--key", "server.key", "-o", "-"))))
	if string(ca2[0].Names) != "\x82\x01x" {
		t.Errorf("on standard output: %q", ca2[0].Names)
	}
	request := clitest.Read(t, filepath.Join(dir, "www.req"))
	block, _ := pem.Decode(request)
	for _, text := range [][]byte{request, block.Bytes, bytes.ReplaceAll(request, []byte("CERTIFICATE"), []byte("NEW CERTIFICATE")), append([]byte("Certificate Request:\r\n"), bytes.ReplaceAll(request, []byte("\n"), []byte("\r\n"))...)} {
		clitest.Call{Dir: dir, Stdin: bytes.NewReader(text)}.OK(t, "sm2", "cert", "--sign", "-", "--issuer", "ca.pem", "--issuer-key", "ca.key", "-o", "-")
	}
}

// TestCertOpenSSL: OpenSSL verifies our certificates and requests, and shows what they should say. We
// sign OpenSSL's request, and with OpenSSL's CA.
func TestCertOpenSSL(t *testing.T) {
	openssl := clitest.Tool(t, "openssl")
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	run := func(line string, want ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), openssl, strings.Fields(line)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		text := strings.Join(strings.Fields(string(out)), " ")
		for _, w := range want {
			if err != nil || !strings.Contains(text, w) {
				t.Fatalf("openssl %s: %v, no %q in\n%s", line, err, w, text)
			}
		}
	}
	const id = " -vfyopt distid:1234567812345678 "
	for _, line := range []string{
		"--ca CA --new-key ca.key -o ca.pem",
		"--ca Branch --issuer ca.pem --issuer-key ca.key --new-key branch.key --days 366 -o branch.pem",
		"localhost 127.0.0.1 ::1 a@example.org --issuer branch.pem --issuer-key branch.key --new-key server.key -o server.pem",
		"--client --encryption alice --issuer ca.pem --issuer-key ca.key --new-key alice.key -o alice.pem",
		"--request www.example.org --subject /C=CN/O=Örg --new-key www.key -o www.req",
	} {
		c.OK(t, append([]string{"sm2", "cert"}, strings.Fields(line)...)...)
	}
	// OpenSSL before 4.0 uses the ID for the first certificate of a chain only.
	run("verify"+id+"-x509_strict -CAfile ca.pem branch.pem", "branch.pem: OK")
	run("verify"+id+"-x509_strict -partial_chain -purpose sslserver -verify_hostname localhost -CAfile branch.pem server.pem", "server.pem: OK")
	run("verify"+id+"-x509_strict -partial_chain -purpose sslserver -verify_ip ::1 -CAfile branch.pem server.pem", "server.pem: OK")
	run("verify"+id+"-x509_strict -purpose sslclient -CAfile ca.pem alice.pem", "alice.pem: OK")
	run("x509 -noout -text -in server.pem", "Signature Algorithm: SM2-with-SM3", "ASN1 OID: SM2", "Issuer: CN = Branch", "Subject: CN = localhost",
		"X509v3 Key Usage: critical Digital Signature X509v3", "X509v3 Extended Key Usage: TLS Web Server Authentication X509v3",
		"X509v3 Subject Alternative Name: DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, email:a@example.org")
	run("x509 -noout -text -in alice.pem", "X509v3 Key Usage: critical Key Encipherment, Data Encipherment, Key Agreement X509v3", "TLS Web Client Authentication X509v3")
	run("x509 -noout -text -in ca.pem", "X509v3 Key Usage: critical Certificate Sign, CRL Sign X509v3", "X509v3 Basic Constraints: critical CA:TRUE X509v3")
	run("req -noout -text -verify"+id+"-in www.req", "self-signature verify OK", "Subject: C = CN, O = \\C3\\96rg, CN = www.example.org", "DNS:www.example.org")

	run("genpkey -algorithm SM2 -out their.key")
	run("req -new -key their.key -sm3 -sigopt distid:1234567812345678 -subj /O=Theirs/CN=theirs -addext subjectAltName=DNS:theirs -addext extendedKeyUsage=codeSigning -out their.req")
	c.OK(t, "sm2", "cert", "--sign", "their.req", "--issuer", "branch.pem", "--issuer-key", "branch.key", "-o", "their.pem")
	run("x509 -noout -text -in their.pem", "Subject: O = Theirs, CN = theirs", "X509v3 Extended Key Usage: TLS Web Server Authentication X509v3", "X509v3 Subject Alternative Name: DNS:theirs Signature")
	run("verify"+id+"-partial_chain -CAfile branch.pem their.pem", "their.pem: OK")
	run("req -x509 -new -key their.key -sm3 -sigopt distid:1234567812345678 -subj /CN=Theirs -days 400 -out theirca.pem")
	c.OK(t, "sm2", "cert", "ours", "--issuer", "theirca.pem", "--issuer-key", "their.key", "--key", "www.key", "-o", "ours.pem")
	run("verify"+id+"-CAfile theirca.pem ours.pem", "ours.pem: OK")
	run("x509 -noout -text -in ours.pem", "Issuer: CN = Theirs", "Subject: CN = ours")
	// A request that OpenSSL signed without the user ID.
	run("req -new -key their.key -sm3 -subj /CN=theirs -out empty.req")
	c.Fails(t, cli.ExitFailed, "empty.req: the signature is not valid with the user ID 1234567812345678", "sm2", "cert", "--sign", "empty.req", "--issuer", "branch.pem", "--issuer-key", "branch.key", "-o", "x")
}

func TestCertRefuses(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	for _, line := range []string{
		"--ca CA --new-key ca.key -o ca.pem --days 100",
		"--ca Other --new-key other.key -o other.pem",
		"localhost --issuer ca.pem --issuer-key ca.key --new-key server.key --days 10 -o server.pem",
		"--request www --new-key www.key -o www.req",
	} {
		c.OK(t, append([]string{"sm2", "cert"}, strings.Fields(line)...)...)
	}
	c.OK(t, "sm2", "keygen", "-o", "key", "--public", "pub")
	pair := clitest.Read(t, filepath.Join(dir, "ca.pem"))
	block, _ := pem.Decode(pair)
	write := func(name string, change func(*pkix.Certificate)) {
		certificate, ok := pkix.ParseCertificate(block.Bytes)
		if !ok {
			t.Fatal("not parsed")
		}
		change(certificate)
		der, err := certificate.Marshal(certificate.Algorithm, func([]byte) ([]byte, error) { return certificate.Signature, nil })
		if err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, filepath.Join(dir, name), EncodePEM(pemCertificate, der))
	}
	write("expired.pem", func(c *pkix.Certificate) { c.NotAfter = time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC) })
	write("useless.pem", func(c *pkix.Certificate) { c.Usage = pkix.CRLSign })
	write("anything.pem", func(c *pkix.Certificate) { c.Usage = 0 })
	write("noca.pem", func(c *pkix.Certificate) { c.CA = false })
	write("p256.pem", func(c *pkix.Certificate) {
		c.Public = bytes.Replace(c.Public, []byte("\x06\x08\x2a\x81\x1c\xcf\x55\x01\x82\x2d"), []byte("\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07"), 1)
	})
	clitest.Write(t, filepath.Join(dir, "damaged.pem"), bytes.Replace(pair, []byte("\nM"), []byte("\n*"), 1))
	clitest.Write(t, filepath.Join(dir, "bad.pem"), EncodePEM(pemCertificate, bytes.Replace(block.Bytes, []byte("\x03\x55\x1d\x0f"), []byte("\x03\x55\x1d\x0e"), 1)))
	request, _ := pem.Decode(clitest.Read(t, filepath.Join(dir, "www.req")))
	clitest.Write(t, filepath.Join(dir, "changed.req"), bytes.Replace(request.Bytes, []byte("\x82\x03www"), []byte("\x82\x03wwv"), 1))
	clitest.Write(t, filepath.Join(dir, "p256.req"), bytes.Replace(request.Bytes, []byte("\x06\x08\x2a\x81\x1c\xcf\x55\x01\x82\x2d"), []byte("\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07"), 1))
	const by, signed = " --issuer ca.pem --issuer-key ca.key", " --new-key y -o x"
	before := clitest.Contents(t, dir)
	for _, test := range []struct {
		args, want string
		code       int
	}{
		{"localhost -o x", "no key: make one with --new-key FILE", cli.ExitUsage},
		{"localhost --new-key y", "--output", cli.ExitUsage},
		{"localhost --key key --new-key y -o x", "--new-key and --key can't be used together", cli.ExitUsage},
		{"localhost --key key --sign www.req -o x" + by, "--key and --sign can't be used together", cli.ExitUsage},
		{"--ca --request CA" + signed, "can't be used together", cli.ExitUsage},
		{"--ca --encryption CA" + signed, "can't be used together", cli.ExitUsage},
		{"--sign www.req --request -o x" + by, "--sign and --request can't be used together", cli.ExitUsage},
		{"localhost --issuer ca.pem" + signed, "--issuer and --issuer-key: one needs the other", cli.ExitUsage},
		{"localhost --issuer-key ca.key" + signed, "--issuer and --issuer-key: one needs the other", cli.ExitUsage},
		{"--sign www.req -o x", "--sign: name the CA with --issuer and --issuer-key", cli.ExitUsage},
		{"--sign www.req localhost -o x" + by, "--sign: the request has the subject and the names", cli.ExitUsage},
		{"--sign www.req --subject /CN=x -o x" + by, "--sign: the request has the subject and the names", cli.ExitUsage},
		{"--request localhost" + by + signed, "are up to the CA", cli.ExitUsage},
		{"--request localhost --days 3" + signed, "are up to the CA", cli.ExitUsage},
		{"--request localhost --client" + signed, "are up to the CA", cli.ExitUsage},
		{"--request localhost --server" + signed, "are up to the CA", cli.ExitUsage},
		{"--ca CA --server" + signed, "--ca: a CA has no certificate for servers or clients", cli.ExitUsage},
		{"--ca CA --client" + signed, "--ca: a CA has no certificate for servers or clients", cli.ExitUsage},
		{"--ca" + signed, "--ca: want one name", cli.ExitUsage},
		{"--ca A B" + signed, "--ca: want one name", cli.ExitUsage},
		{"--ca A --subject /CN=B" + signed, "--ca: want a name or --subject, not both", cli.ExitUsage},
		{signed, "no name: want DNS names", cli.ExitUsage},
		{"--subject /CN=x" + signed, "no name: want DNS names", cli.ExitUsage},
		{"localhost --days 36526" + signed, "--days 36526: want 1 to 36525", cli.ExitUsage},
		{"localhost --days=-1" + signed, "--days -1: want 1 to 36525", cli.ExitUsage},
		{"localhost --days=0" + signed, "--days 0: want 1 to 36525", cli.ExitUsage},
		{"localhost --days x" + signed, "--days: want a whole number", cli.ExitUsage},
		{"localhost --subject CN=x" + signed, "--subject CN=x: want parts such as /C=CN", cli.ExitUsage},
		{"localhost --subject /DC=x" + signed, "--subject /DC=x: want parts such as /C=CN", cli.ExitUsage},
		{"localhost --subject /CN" + signed, `--subject: CN: "": want 1 to 64 characters`, cli.ExitUsage},
		{"localhost --subject /C=China" + signed, "--subject: C=China: want two capital letters", cli.ExitUsage},
		{"localhost --subject /C=cn" + signed, "--subject: C=cn: want two capital letters", cli.ExitUsage},
		{"localhost --subject /O=" + strings.Repeat("x", 65) + signed, "want 1 to 64 characters", cli.ExitUsage},
		{"localhost --subject /O=a\xff" + signed, "want 1 to 64 characters", cli.ExitUsage},
		{"localhost --subject /O=a\x7fb" + signed, "want 1 to 64 characters", cli.ExitUsage},
		{"--ca " + strings.Repeat("x", 65) + signed, "want 1 to 64 characters", cli.ExitUsage},
		{"localhost exa_mple! " + signed, "exa_mple!: is no DNS name, IP address or email address", cli.ExitUsage},
		{"1.2.3 --new-key y -o x", "1.2.3: is no DNS name", cli.ExitUsage},
		{"fe80::1%eth0" + signed, "is no DNS name", cli.ExitUsage},
		{"-o x --new-key x localhost", "two outputs cannot go to the same file", cli.ExitUsage},
		{"localhost --key ca.key --force -o ca.key", "input and output are the same file", cli.ExitUsage},
		{"localhost --issuer - --issuer-key -" + signed, "standard input cannot have more than one", cli.ExitUsage},
		{"localhost --key - --passphrase-file - -o x", "standard input cannot have more than one", cli.ExitUsage},
		{"localhost --new-key y -o ca.pem", "ca.pem: exists already; use -f", cli.ExitFailed},
		{"localhost --new-key key -o x", "key: exists already; use -f", cli.ExitFailed},
		{"localhost --key absent -o x", "absent: no such file", cli.ExitFailed},
		{"localhost --key pub -o x", "pub: is a public key, want the private one", cli.ExitFailed},
		{"localhost --issuer absent --issuer-key ca.key" + signed, "absent: no such file", cli.ExitFailed},
		{"localhost --issuer key --issuer-key ca.key" + signed, "key: is no certificate", cli.ExitFailed},
		{"localhost --issuer damaged.pem --issuer-key ca.key" + signed, "damaged.pem: the CERTIFICATE is damaged", cli.ExitFailed},
		{"localhost --issuer bad.pem --issuer-key ca.key" + signed, "bad.pem: the certificate is damaged", cli.ExitFailed},
		{"localhost --issuer ca.pem --issuer-key other.key --days 1" + signed, "other.key: is not the key of the certificate in ca.pem", cli.ExitFailed},
		{"localhost --issuer ca.pem --issuer-key pub --days 1" + signed, "pub: is a public key, want the private one", cli.ExitFailed},
		{"localhost --issuer server.pem --issuer-key server.key --days 1" + signed, "server.pem: is not the certificate of a CA", cli.ExitFailed},
		{"localhost --issuer useless.pem --issuer-key ca.key --days 1" + signed, "useless.pem: is not the certificate of a CA", cli.ExitFailed},
		{"localhost --issuer noca.pem --issuer-key ca.key --days 1" + signed, "noca.pem: is not the certificate of a CA", cli.ExitFailed},
		{"localhost --issuer p256.pem --issuer-key ca.key --days 1" + signed, "p256.pem: is a key for another algorithm (NIST P-256), want SM2", cli.ExitFailed},
		{"localhost --issuer p256.pem --issuer-key ca.key" + signed, "p256.pem: is a key for another algorithm (NIST P-256), want SM2", cli.ExitFailed}, // whatever its dates
		{"localhost --issuer expired.pem --issuer-key ca.key --days 1" + signed, "expired.pem: has expired on 2020-01-02", cli.ExitFailed},
		{"localhost" + by + signed, "before the new certificate; use fewer --days", cli.ExitFailed},
		{"--sign ca.pem -o x" + by, "ca.pem: is no request for a certificate", cli.ExitFailed},
		{"--sign changed.req -o x" + by, "changed.req: the signature is not valid with the user ID 1234567812345678", cli.ExitFailed},
		{"--sign p256.req -o x" + by, "p256.req: is a key for another algorithm (NIST P-256), want SM2", cli.ExitFailed},
	} {
		c.Fails(t, test.code, test.want, append([]string{"sm2", "cert"}, strings.Fields(test.args)...)...)
	}
	after := clitest.Contents(t, dir)
	for name := range after {
		if before[name] != after[name] {
			t.Errorf("%s was changed", name)
		}
	}
	c.OK(t, "sm2", "cert", "localhost", "--issuer", "anything.pem", "--issuer-key", "ca.key", "--days", "99", "--new-key", "key", "-f", "-o", "server.pem")
	if clitest.Contents(t, dir)["key"] == before["key"] {
		t.Error("-f does not replace the key")
	}
}

func TestGeneralNames(t *testing.T) {
	long := strings.Repeat("a", 63)
	for name, want := range map[string]string{
		"localhost": "\x82localhost", "a.b-c.D_9": "\x82a.b-c.D_9", "*.a.b": "\x82*.a.b", "1a": "\x821a", "1.2.3.a": "\x821.2.3.a", long + ".a": "\x82" + long + ".a",
		"1.2.3.4": "\x87\x01\x02\x03\x04", "::ffff:1.2.3.4": "\x87\x01\x02\x03\x04", "2001:db8::1": "\x87\x20\x01\x0d\xb8" + strings.Repeat("\x00", 11) + "\x01",
		"a.b+c@example.org": "\x81a.b+c@example.org",
		"":                  "", ".": "", "a.": "", ".a": "", "a..b": "", "-a": "", "a-": "", "a b": "", "ä.de": "", "*": "", "*.": "", "a.*": "", "*a.b": "", long + "a.a": "", "1.2.3": "", "1.2.3.4.5": "", "256.1.1.1": "",
		strings.Repeat(long+".", 3) + long[:62]: "", strings.Repeat(long+".", 3) + long[:61]: "\x82" + strings.Repeat(long+".", 3) + long[:61],
		"@a.b": "", "a@": "", "a@b@c": "", "a b@c": "", "a,@c": "", "ä@c": "", "a@-": "", "a\x7f@c": "",
		"a[b": "", "a`b": "", "a{b": "", "a/b": "", "a:b": "", "a@b:c": "",
	} {
		tag, value := generalName(name)
		got := string(append([]byte{tag}, value...))
		if tag == 0 && len(value) == 0 {
			got = ""
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
