package keys

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/internal/pkix"
	"github.com/cipherlane/cipherlane/sm2"
	"github.com/cipherlane/cipherlane/sm3"
)

type sm2CertCmd struct {
	Names  []string `arg:"" optional:"" name:"name" help:"DNS names, IP addresses and email addresses; the first one is also the common name. With --ca: the name of the CA."`
	Output string   `short:"o" required:"" placeholder:"FILE" help:"Write the certificate or the request to this file; - for standard output."`

	NewKey string `placeholder:"FILE" xor:"key" help:"Generate a key, and write it to this file, readable only by you (mode 0600)."`
	Key    string `placeholder:"FILE" xor:"key" help:"Use this private key, such as one that keygen has encrypted."`
	Sign   string `placeholder:"FILE" xor:"key" help:"Sign this request. The certificate has the request's key, subject and names, and nothing else of it."`

	Issuer    string `placeholder:"FILE" help:"Certificate of the CA that signs. Default: the certificate is signed with its own key."`
	IssuerKey string `placeholder:"FILE" help:"Private key of that CA."`
	cli.PassphraseFlags

	CA         bool   `name:"ca" xor:"kind" help:"Make a certificate of a CA."`
	Server     bool   `help:"Make a certificate for servers, the default."`
	Client     bool   `help:"Make a certificate for clients; with --server, for both."`
	Encryption bool   `xor:"kind" help:"Make a certificate for encryption, the second one that TLCP needs."`
	Request    bool   `xor:"kind" help:"Make a request for a certificate."`
	Subject    string `placeholder:"/C=CN/O=…" help:"The subject, of parts C, ST, L, O, OU and CN. Default: /CN= and the first name."`
	Days       *int   `placeholder:"N" help:"Days for which the certificate is valid; default: 3650 with --ca, else 365."`
	Force      bool   `short:"f" help:"Replace existing files."`
}

func (sm2CertCmd) Help() string {
	return `Makes certificates with SM2 and SM3 (X.509, algorithm 1.2.156.10197.1.501, user ID
1234567812345678) for tests and closed systems: there is no list of revoked certificates.

A certificate is valid from a minute ago. If the issuer is no root, its certificates follow
in the file, as servers need it. Before 4.0, "openssl verify" and "openssl req -verify" need
-vfyopt distid:1234567812345678, and cannot verify chains of more than two certificates. A CA
with an encrypted key: make that with keygen and its option --encrypt, and name it with
--key and --issuer-key.

Examples: a CA, a server and a client.

    cipherlane sm2 cert --ca "Example CA" --new-key ca.key -o ca.pem
    cipherlane sm2 cert localhost 127.0.0.1 --issuer ca.pem --issuer-key ca.key --new-key server.key -o server.pem
    cipherlane sm2 cert --client alice@example.org --issuer ca.pem --issuer-key ca.key --new-key alice.key -o alice.pem

The second certificate of a server with TLCP, a CA below another, and a request:

    cipherlane sm2 cert --encryption localhost 127.0.0.1 --issuer ca.pem --issuer-key ca.key --new-key enc.key -o enc.pem
    cipherlane sm2 cert --ca "Branch CA" --issuer ca.pem --issuer-key ca.key --new-key branch.key -o branch.pem
    cipherlane sm2 cert --request www.example.org --subject /C=CN/O=Example --new-key www.key -o www.req
    cipherlane sm2 cert --sign www.req --issuer branch.pem --issuer-key branch.key -o www.pem`
}

// sm2WithSM3 is the AlgorithmIdentifier of signatures (GM/T 0006), 1.2.156.10197.1.501. It has no
// parameters, as those of ECDSA have none.
var sm2WithSM3 = []byte("\x30\x0a\x06\x08\x2a\x81\x1c\xcf\x55\x01\x83\x75")

// maxDays is the longest validity, a century.
const maxDays = 36525

// check returns an error for flags that contradict each other.
func (c *sm2CertCmd) check() error {
	switch {
	case c.Key == "" && c.NewKey == "" && c.Sign == "":
		return cli.Usagef("no key: make one with --new-key FILE, or name one with --key FILE or a request with --sign FILE")
	case (c.Issuer == "") != (c.IssuerKey == ""):
		return cli.Usagef("--issuer and --issuer-key: one needs the other")
	case c.Sign != "" && c.Issuer == "":
		return cli.Usagef("--sign: name the CA with --issuer and --issuer-key")
	case c.Sign != "" && c.Request:
		return cli.Usagef("--sign and --request can't be used together")
	case c.Sign != "" && (len(c.Names) > 0 || c.Subject != ""):
		return cli.Usagef("--sign: the request has the subject and the names")
	case c.Request && (c.Issuer != "" || c.Days != nil || c.Client || c.Server):
		return cli.Usagef("--request: --issuer, --issuer-key, --days, --client and --server are up to the CA")
	case c.CA && (c.Client || c.Server):
		return cli.Usagef("--ca: a CA has no certificate for servers or clients")
	case c.CA && len(c.Names) > 1, c.CA && c.Sign == "" && len(c.Names) == 0 && c.Subject == "":
		return cli.Usagef("--ca: want one name, that of the CA")
	case c.CA && len(c.Names) == 1 && c.Subject != "":
		return cli.Usagef("--ca: want a name or --subject, not both")
	case !c.CA && c.Sign == "" && len(c.Names) == 0:
		return cli.Usagef("no name: want DNS names, IP addresses or email addresses")
	case c.Days != nil && (*c.Days < 1 || *c.Days > maxDays):
		return cli.Usagef("--days %d: want 1 to %d", *c.Days, maxDays)
	}
	stdin := 0
	for _, file := range []string{c.Key, c.Sign, c.Issuer, c.IssuerKey, c.PassphrasePath()} {
		if file == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return cli.Usagef("standard input cannot have more than one of keys, certificate, request and passphrase")
	}
	return nil
}

func (c *sm2CertCmd) Run(p *cli.Program) error {
	if err := inventory.RefuseFIPS(); err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	for _, path := range []string{c.Key, c.Sign, c.Issuer, c.IssuerKey, c.PassphrasePath()} {
		if !cli.IsStdin(path) {
			p.Reads(path)
		}
	}
	if err := p.CheckPair(c.Force, c.Output, c.NewKey); err != nil {
		return err
	}
	certificate, key, err := c.subject(p)
	if err != nil {
		return err
	}
	if key != nil {
		defer key.Wipe()
	}
	text, err := c.signed(p, certificate, key)
	if err != nil {
		return err
	}
	parts := []cli.Part{{File: c.Output, Mode: 0o666, Text: text}}
	if c.NewKey != "" {
		der := sm2.MarshalPKCS8PrivateKey(key)
		defer clear(der)
		parts = append(parts, cli.Part{File: c.NewKey, Mode: 0o600, Text: EncodePEM(PEMPrivate, der)})
	}
	return p.WriteBoth(c.Force, parts...)
}

// subject returns a certificate with the subject, its names and its public key. The private key is
// nil if a request is signed.
func (c *sm2CertCmd) subject(p *cli.Program) (certificate *pkix.Certificate, key *sm2.PrivateKey, err error) {
	if c.Sign != "" {
		certificate, err = readRequest(p, c.Sign)
		return certificate, nil, err
	}
	certificate = new(pkix.Certificate)
	if err := c.name(certificate); err != nil {
		return nil, nil, err
	}
	if c.NewKey != "" {
		key, err = sm2.GenerateKey()
	} else {
		key, err = (&PrivateFlags{c.Key, c.PassphraseFlags}).private(p, "")
	}
	if err == nil {
		certificate.Public = sm2.MarshalPKIXPublicKey(key.PublicKey())
	}
	return certificate, key, err
}

// name sets the subject and the names of a certificate.
func (c *sm2CertCmd) name(certificate *pkix.Certificate) error {
	var attributes []pkix.Attribute
	for part := range strings.SplitSeq(strings.TrimPrefix(c.Subject, "/"), "/") {
		if c.Subject == "" {
			break
		}
		name, value, _ := strings.Cut(part, "=")
		kind, ok := map[string]byte{
			"C": pkix.Country, "ST": pkix.Province, "L": pkix.Locality, "O": pkix.Organization, "OU": pkix.OrganizationalUnit, "CN": pkix.CommonName,
		}[name]
		switch {
		case !ok || c.Subject[0] != '/':
			return cli.Usagef("--subject %s: want parts such as /C=CN/O=Example/CN=name, of C, ST, L, O, OU and CN", cli.Quote(c.Subject))
		case kind == pkix.Country && (len(value) != 2 || strings.Trim(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != ""):
			return cli.Usagef("--subject: C=%s: want two capital letters", cli.Quote(value))
		}
		if err := checkName(value, "--subject: "+name+": "); err != nil {
			return err
		}
		attributes = append(attributes, pkix.Attribute{Type: kind, Value: value})
	}
	if len(c.Names) > 0 && !strings.Contains(c.Subject, "/CN=") {
		if err := checkName(c.Names[0], ""); err != nil {
			return err
		}
		attributes = append(attributes, pkix.Attribute{Type: pkix.CommonName, Value: c.Names[0]})
	}
	certificate.Subject = pkix.MarshalName(attributes)
	if c.CA {
		return nil
	}
	for _, name := range c.Names {
		tag, value := generalName(name)
		if tag == 0 {
			return cli.Usagef("%s: is no DNS name, IP address or email address", cli.Quote(name))
		}
		certificate.Names = pkix.Append(certificate.Names, tag, value)
	}
	return nil
}

// checkName returns an error for a value that the subject of a certificate cannot have (RFC 5280,
// appendix A: at most 64 characters).
func checkName(value, prefix string) error {
	if value == "" || len([]rune(value)) > 64 || strings.ToValidUTF8(value, "") != value || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return cli.Usagef("%s%s: want 1 to 64 characters of UTF-8", prefix, cli.Quote(value))
	}
	return nil
}

// generalName returns the kind and the encoding of a name, or 0 if it is none.
func generalName(name string) (tag byte, value []byte) {
	if ip, err := netip.ParseAddr(name); err == nil && ip.Zone() == "" {
		return pkix.IPName, ip.Unmap().AsSlice()
	}
	if local, host, ok := strings.Cut(name, "@"); ok {
		if local == "" || strings.ContainsFunc(local, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>[]:;@\,"`, r) }) || !isHost(host) {
			return 0, nil
		}
		return pkix.EmailName, []byte(name)
	}
	if isHost(strings.TrimPrefix(name, "*.")) {
		return pkix.DNSName, []byte(name)
	}
	return 0, nil
}

// isHost reports whether a name is one of DNS, as hosts have them (RFC 1123, section 2.1).
func isHost(name string) bool {
	if len(name) > 253 {
		return false
	}
	last := ""
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || strings.ContainsFunc(label, func(r rune) bool {
			return (r|0x20 < 'a' || r|0x20 > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
		}) {
			return false
		}
		last = label
	}
	return strings.Trim(last, "0123456789") != "" // else it is a mistaken IP address
}

// signed completes a certificate and returns it in PEM, or a request.
func (c *sm2CertCmd) signed(p *cli.Program, certificate *pkix.Certificate, key *sm2.PrivateKey) ([]byte, error) {
	signer := key
	sign := func(message []byte) ([]byte, error) { return signer.SignMessage(rand.Reader, message, nil) }
	if c.Request {
		der, err := certificate.MarshalRequest(sm2WithSM3, sign)
		return EncodePEM(pemRequest, der), err
	}
	days := 365
	switch {
	case c.Days != nil:
		days = *c.Days
	case c.CA:
		days = 3650
	}
	certificate.NotBefore = time.Now().UTC().Truncate(time.Second).Add(-time.Minute)
	certificate.NotAfter = certificate.NotBefore.AddDate(0, 0, days)
	switch {
	case c.CA:
		certificate.CA = true
		certificate.Usage = pkix.CertSign | pkix.CRLSign
	case c.Encryption:
		certificate.Usage = pkix.KeyEncipherment | pkix.DataEncipherment | pkix.KeyAgreement
	default:
		certificate.Usage = pkix.DigitalSignature
	}
	if !c.CA {
		if c.Server || !c.Client {
			certificate.Purposes = append(certificate.Purposes, pkix.ServerAuth)
		}
		if c.Client {
			certificate.Purposes = append(certificate.Purposes, pkix.ClientAuth)
		}
	}
	_, public, _ := pkix.ParsePublic(certificate.Public)
	id := sm3.Sum(public)
	certificate.SubjectKeyID = id[:20] // as in RFC 7093, with SM3
	serial := certificate.Serial[len(certificate.Serial)-16:]
	rand.Read(serial)
	serial[0] = serial[0]&0x3f | 0x40 // always 16 bytes, and positive

	certificate.Issuer = certificate.Subject
	certificate.AuthorityKeyID = certificate.SubjectKeyID
	var chain [][]byte
	if c.Issuer != "" {
		issuers, err := c.issuers(p, certificate.NotAfter)
		if err != nil {
			return nil, err
		}
		if signer, err = c.issuerKey(p, issuers[0].certificate); err != nil {
			return nil, err
		}
		defer signer.Wipe()
		certificate.Issuer = issuers[0].certificate.Subject
		certificate.AuthorityKeyID = issuers[0].certificate.SubjectKeyID
		for _, i := range issuers {
			if !bytes.Equal(i.certificate.Subject, i.certificate.Issuer) {
				chain = append(chain, i.der)
			}
		}
	}
	der, err := certificate.Marshal(sm2WithSM3, sign)
	if err != nil {
		return nil, err
	}
	text := EncodePEM(pemCertificate, der)
	for _, der := range chain {
		text = append(text, EncodePEM(pemCertificate, der)...)
	}
	return text, nil
}

// An issuer is a certificate of a CA.
type issuer struct {
	der         []byte
	certificate *pkix.Certificate
}

// issuers reads the certificate of the CA and those that follow it. Its own must allow it to sign one
// that is valid until some time.
func (c *sm2CertCmd) issuers(p *cli.Program, until time.Time) ([]issuer, error) {
	text, err := readKeyText(p, c.Issuer)
	if err != nil {
		return nil, err
	}
	defer clear(text) // it may be the private key by mistake
	file := cli.Quote(c.Issuer)
	found, _, damage := findKeys(text, c.Issuer)
	if err := damage[pemCertificate]; err != nil {
		return nil, err
	}
	var list []issuer
	for _, k := range found {
		if k.kind != pemCertificate {
			clear(k.der)
			continue
		}
		certificate, ok := pkix.ParseCertificate(k.der)
		if !ok {
			return nil, fmt.Errorf("%s: the certificate is damaged", file)
		}
		list = append(list, issuer{k.der, certificate})
	}
	if list == nil {
		return nil, fmt.Errorf("%s: is no certificate", file)
	}
	first := list[0].certificate
	if err := otherAlgorithm(first.Public, pemPublic, c.Issuer, "SM2"); err != nil {
		return nil, err
	}
	switch {
	case !first.CA || first.Usage != 0 && first.Usage&pkix.CertSign == 0:
		return nil, fmt.Errorf("%s: is not the certificate of a CA", file)
	case first.NotAfter.Before(time.Now()):
		return nil, fmt.Errorf("%s: has expired on %s", file, first.NotAfter.Format(time.DateOnly))
	case first.NotAfter.Before(until):
		return nil, fmt.Errorf("%s: expires on %s, before the new certificate; use fewer --days", file, first.NotAfter.Format(time.DateOnly))
	}
	return list, nil
}

// issuerKey reads the private key of the CA with a certificate.
func (c *sm2CertCmd) issuerKey(p *cli.Program, certificate *pkix.Certificate) (*sm2.PrivateKey, error) {
	public, err := sm2.ParsePKIXPublicKey(certificate.Public)
	if err != nil {
		return nil, cli.WithFileName(c.Issuer, err)
	}
	key, err := (&PrivateFlags{c.IssuerKey, c.PassphraseFlags}).private(p, "")
	if err != nil {
		return nil, err
	}
	if !key.PublicKey().Equal(public) {
		key.Wipe()
		return nil, fmt.Errorf("%s: is not the key of the certificate in %s", cli.Quote(c.IssuerKey), cli.Quote(c.Issuer))
	}
	return key, nil
}

// pemRequest is the PEM label of a request for a certificate.
const pemRequest = "CERTIFICATE REQUEST"

// readRequest reads a request for a certificate. It returns a certificate with the request's
// subject, public key and names.
func readRequest(p *cli.Program, file string) (*pkix.Certificate, error) {
	text, err := readKeyText(p, file)
	if err != nil {
		return nil, err
	}
	defer clear(text)
	der := bytes.Clone(text)
	for _, block := range pemBlocks(text) {
		if block.label == pemRequest || block.label == "NEW "+pemRequest {
			if der, err = block.decode(file); err != nil {
				return nil, err
			}
			break
		}
	}
	request, ok := pkix.ParseRequest(der)
	if !ok {
		return nil, fmt.Errorf("%s: is no request for a certificate", cli.Quote(file))
	}
	if err := otherAlgorithm(request.Public, pemPublic, file, "SM2"); err != nil {
		return nil, err
	}
	key, err := sm2.ParsePKIXPublicKey(request.Public)
	switch {
	case err != nil:
		return nil, cli.WithFileName(file, err)
	case !key.VerifyMessage(request.Signed, request.Signature, nil):
		return nil, fmt.Errorf("%s: the signature is not valid with the user ID %s", cli.Quote(file), sm2.DefaultID)
	}
	return &pkix.Certificate{Subject: request.Subject, Public: sm2.MarshalPKIXPublicKey(key), Names: request.Names}, nil
}
