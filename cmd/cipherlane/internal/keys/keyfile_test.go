package keys

import (
	"bytes"
	"encoding/asn1"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/internal/pkix"
	"github.com/cipherlane/cipherlane/sm2"
)

// smallKey is a private key with a zero in front, and sm2Key the one of GB/T 32918.5, annex A.
const (
	smallKey = "00848910a443a92524005bbcceb7993f8d7102509c9119715d1454a050483c6a"
	sm2Key   = "3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8"

	// AlgorithmIdentifiers of SM2: by name, and with the parameters of the curve.
	namedSM2    = "301306072a8648ce3d020106082a811ccf5501822d"
	explicitSM2 = "3081ec06072a8648ce3d02013081e0020101302c06072a8648ce3d0101022100fffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffff30440420fffffffeffffffffffffffffffffffffffffffff00000000fffffffffffffffc042028e9fa9e9d9f5e344d5a9e4bcf6509a7f39789f515ab8f92ddbcbd414d940e9304410432c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7bc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0022100fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123020101"
)

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newSM2(t *testing.T, digits string) *sm2.PrivateKey {
	t.Helper()
	key, err := sm2.NewPrivateKey(unhex(t, digits))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// editor returns a text as programs on Windows store it.
func editor(text []byte) map[string][]byte {
	crlf := strings.ReplaceAll(string(text), "\n", "\r\n")
	return map[string][]byte{
		"": text, ", CRLF": []byte(crlf), ", BOM": append([]byte("\xef\xbb\xbf"), crlf...),
		", UTF-16LE": clitest.EncodeUTF16(crlf, binary.LittleEndian, true), ", UTF-16BE": clitest.EncodeUTF16(crlf, binary.BigEndian, true),
		", UTF-16LE without a mark": clitest.EncodeUTF16(crlf, binary.LittleEndian, false),
	}
}

func relabel(t *testing.T, text []byte, from, to string) []byte {
	t.Helper()
	changed := bytes.ReplaceAll(text, []byte(from+"-----"), []byte(to+"-----"))
	if bytes.Equal(changed, text) {
		t.Fatalf("no %s in %s", from, text)
	}
	return changed
}

// Keys as other programs and people write them.
func TestKeyForms(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	private := func(text []byte) (*sm2.PrivateKey, string) {
		clitest.Write(t, file, text)
		key, err := (&PrivateFlags{Key: file}).private(new(cli.Program), "")
		return key, fmt.Sprint(err)
	}
	public := func(text []byte) (*sm2.PublicKey, string) {
		clitest.Write(t, file, text)
		key, err := sm2Public(new(cli.Program), file, "")
		return key, fmt.Sprint(err)
	}
	key := newSM2(t, smallKey)
	d, q := key.Bytes(), key.PublicKey().Bytes()
	p8, sec1 := sm2.MarshalPKCS8PrivateKey(key), sm2.MarshalECPrivateKey(key)
	octets := func(d []byte) []byte {
		return pkix.Append(nil, pkix.Sequence, []byte{pkix.Integer, 1, 1}, pkix.Append(nil, pkix.OctetString, d))
	}
	v2 := pkix.Append(nil, pkix.Sequence, []byte{pkix.Integer, 1, 1}, unhex(t, namedSM2),
		pkix.Append(nil, pkix.OctetString, octets(d)), pkix.Append(nil, pkix.Implicit1, []byte{0}, q))
	parameters := EncodePEM("SM2 PARAMETERS", unhex(t, namedSM2)[11:])
	digits, colons := hex.EncodeToString(d), ""
	for i := 0; i < len(digits); i += 2 {
		colons += digits[i:i+2] + ":"
		if i%30 == 28 {
			colons += "\n    "
		}
	}
	for name, text := range map[string][]byte{
		"PKCS #8, a number of 31 bytes":      EncodePEM(PEMPrivate, pkix.MarshalPrivate(unhex(t, namedSM2), octets(d[1:]))),
		"PKCS #8, a number of 33 bytes":      EncodePEM(PEMPrivate, pkix.MarshalPrivate(unhex(t, namedSM2), octets(append([]byte{0}, d...)))),
		"PKCS #8, explicit parameters":       EncodePEM(PEMPrivate, pkix.MarshalPrivate(unhex(t, explicitSM2), octets(d))),
		"PKCS #8, version 2, the public key": EncodePEM(PEMPrivate, v2),
		"PKCS #8 as SEC 1":                   EncodePEM(pemEC, p8),
		"PKCS #8 as an SM2 key":              EncodePEM("SM2 PRIVATE KEY", p8),
		"PKCS #8 as an encrypted key":        EncodePEM(PEMEncrypted, p8),
		"PKCS #8 without a label":            bytes.ReplaceAll(EncodePEM("X", p8), []byte(" X"), nil),
		"SEC 1 as PKCS #8":                   EncodePEM(PEMPrivate, sec1),
		"SEC 1 as an SM2 key":                EncodePEM("SM2 PRIVATE KEY", sec1),
		"behind parameters":                  append(bytes.Clone(parameters), EncodePEM(pemEC, sec1)...),
		"behind a certificate":               append(EncodePEM(pemCertificate, inventory.Random(90)), EncodePEM(PEMPrivate, p8)...),
		"base64":                             []byte(base64.StdEncoding.EncodeToString(p8) + "\n"),
		"base64 in lines":                    bytes.Join(bytes.Split(EncodePEM(PEMPrivate, p8), []byte("\n"))[1:5], []byte("\n")),
		"base64 of SEC 1":                    []byte(base64.StdEncoding.EncodeToString(sec1)),
		"hex of PKCS #8":                     []byte(hex.EncodeToString(p8) + "\n"),
		"hex of SEC 1, in capitals":          []byte(strings.ToUpper(hex.EncodeToString(sec1))),
		"64 digits":                          []byte(digits + "\n"),
		"0x":                                 []byte("0x" + digits + "\n"),
		"0X and capitals":                    []byte("0X" + strings.ToUpper(digits)),
		"66 digits":                          []byte("00" + digits + "\n"),
		"0x and 66 digits":                   []byte("0x00" + digits),
		"62 digits":                          []byte(digits[2:] + "\n"),
		"with colons, in lines":              []byte("    00:" + colons + "\n"),
		"with spaces":                        []byte(strings.ReplaceAll(colons, ":", " ")),
	} {
		for edit, text := range editor(text) {
			if got, err := private(text); got == nil || !got.Equal(key) {
				t.Errorf("%s%s: %s", name, edit, err)
			}
			if _, err := public(text); !strings.Contains(err, "key: is a private key, want the public one") && !strings.Contains(name, "certificate") {
				t.Errorf("%s%s as a public key: %s", name, edit, err)
			}
		}
	}
	// A number with 63 digits: the first of the 64 is a zero.
	odd := newSM2(t, "0"+sm2Key[1:])
	if got, err := private([]byte(sm2Key[1:] + "\n")); got == nil || !got.Equal(odd) {
		t.Errorf("63 digits: %s", err)
	}

	hybrid := append([]byte{6 | q[64]&1}, q[1:]...)
	spki := sm2.MarshalPKIXPublicKey(key.PublicKey())
	certificate := func(label string, more ...byte) []byte {
		der := selfSigned(t, key)
		return EncodePEM(label, append(der, more...))
	}
	for name, text := range map[string][]byte{
		"explicit parameters":      EncodePEM(pemPublic, pkix.MarshalPublic(unhex(t, explicitSM2), q)),
		"a hybrid point":           EncodePEM(pemPublic, pkix.MarshalPublic(unhex(t, namedSM2), hybrid)),
		"labelled as a key of EC":  EncodePEM("EC PUBLIC KEY", spki),
		"labelled as private":      EncodePEM(PEMPrivate, spki),
		"labelled certificate":     EncodePEM(pemCertificate, spki),
		"without a label":          bytes.ReplaceAll(EncodePEM("X", spki), []byte(" X"), nil),
		"behind parameters":        append(bytes.Clone(parameters), EncodePEM(pemPublic, spki)...),
		"base64":                   []byte(base64.StdEncoding.EncodeToString(spki)),
		"hex":                      []byte(hex.EncodeToString(spki)),
		"130 digits":               []byte(hex.EncodeToString(q) + "\n"),
		"0x and 130 digits":        []byte("0x" + hex.EncodeToString(q)),
		"128 digits":               []byte(hex.EncodeToString(q[1:]) + "\n"),
		"0x and 128 digits":        []byte("0x" + hex.EncodeToString(q[1:]) + "\n"),
		"66 digits":                []byte(hex.EncodeToString(key.PublicKey().BytesCompressed())),
		"hybrid, 130 digits":       []byte(hex.EncodeToString(hybrid)),
		"a certificate":            certificate(pemCertificate),
		"X509 CERTIFICATE":         certificate("X509 CERTIFICATE"),
		"TRUSTED CERTIFICATE":      certificate("TRUSTED CERTIFICATE", 0x30, 2, 0x0c, 0),
		"a certificate, as a key":  certificate(pemPublic),
		"a certificate, as base64": []byte(base64.StdEncoding.EncodeToString(selfSigned(t, key))),
	} {
		for edit, text := range editor(text) {
			if got, err := public(text); got == nil || !got.Equal(key.PublicKey()) {
				t.Errorf("%s%s: %s", name, edit, err)
			}
			if _, err := private(text); !strings.Contains(err, ", want the private one") && !strings.Contains(err, ", want a private key") {
				t.Errorf("%s%s as a private key: %s", name, edit, err)
			}
		}
	}

	for name, test := range map[string]struct {
		text         []byte
		private, pub string // why it is neither key
	}{
		"parameters":            {parameters, "has only the parameters of a curve, want a private key", "has only the parameters of a curve, want a public key"},
		"a request":             {EncodePEM("CERTIFICATE REQUEST", selfSigned(t, key)), "PEM of another kind (CERTIFICATE REQUEST)", "PEM of another kind (CERTIFICATE REQUEST)"},
		"ssh":                   {EncodePEM("OPENSSH PRIVATE KEY", inventory.Random(99)), "not a private key but PEM of another kind (OPENSSH PRIVATE KEY)", "PEM of another kind (OPENSSH"},
		"empty":                 {nil, "is empty, want a private key", "is empty, want a public key"},
		"blank":                 {[]byte("\r\n"), "is empty", "is empty"},
		"54 digits":             {[]byte(digits[10:]), "hex digits of 27 bytes, want 32 bytes (64 digits)", "hex digits of 27 bytes, want 65, 64 or, compressed, 33"},
		"68 digits":             {[]byte("0000" + digits), "hex digits of 34 bytes", "hex digits of 34 bytes"},
		"66 digits, not 00":     {[]byte("01" + digits), "hex digits of 33 bytes", "hex digits of 33 bytes"},
		"no curve":              {EncodePEM(pemEC, octets(d)), "the private key does not name its curve", "is a private key"},
		"another base point":    {EncodePEM(PEMPrivate, pkix.MarshalPrivate(bytes.Replace(unhex(t, explicitSM2), unhex(t, "32c4ae2c"), unhex(t, "32c4ae2d"), 1), octets(d))), "a key of another algorithm or curve", "is a private key"},
		"hybrid, wrong":         {EncodePEM(pemPublic, pkix.MarshalPublic(unhex(t, namedSM2), append([]byte{7 ^ q[64]&1}, q[1:]...))), "is a public key", "not the encoding of a point"},
		"version 2, wrong":      {EncodePEM(PEMPrivate, bytes.Replace(v2, q, odd.PublicKey().Bytes(), 1)), "the public key is not the one of the private key", "is a private key"},
		"damaged, then another": {append([]byte("-----BEGIN PRIVATE KEY-----\n*\n-----END PRIVATE KEY-----\n"), parameters...), "the PRIVATE KEY is damaged", "has only the parameters"},
		"many":                  {bytes.Repeat([]byte("-----BEGIN A-----\n-----BEGIN B-----\n"), 5000), "PEM of another kind (A, B, A, …)", "PEM of another kind (A, B, A, …)"},
		"control":               {[]byte("-----BEGIN \x1b[2JX-----\n"), "neither PEM", "neither PEM"},
		"END of another":        {bytes.Replace(EncodePEM(PEMPrivate, p8), []byte("END PRIVATE"), []byte("END EC PRIVATE"), 1), "the END line of the PRIVATE KEY is missing", "not a public key"},
	} {
		if got, err := private(test.text); got != nil || !strings.Contains(err, test.private) || strings.Contains(err, "\n") {
			t.Errorf("%s: %s, want %q", name, err, test.private)
		}
		if got, err := public(test.text); got != nil || !strings.Contains(err, test.pub) || strings.Contains(err, "\n") {
			t.Errorf("%s, as a public key: %s, want %q", name, err, test.pub)
		}
	}
}

// selfSigned returns a certificate without a valid signature.
func selfSigned(t *testing.T, key *sm2.PrivateKey) []byte {
	sequence := func(parts ...[]byte) []byte { return pkix.Append(nil, pkix.Sequence, parts...) }
	algorithm := unhex(t, namedSM2)
	tbs := sequence([]byte{pkix.Integer, 1, 1}, algorithm, sequence(), sequence(), sequence(), sm2.MarshalPKIXPublicKey(key.PublicKey()))
	return sequence(tbs, algorithm, []byte{pkix.BitString, 1, 0})
}

// Keys of FrodoKEM go through the same code.
func TestKeyFormsKEM(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	file := func(name string) string { return filepath.Join(dir, name) }
	c.OK(t, "kem", "keygen", "--seed", "--set", "eFrodoKEM-640-AES", "-o", "k", "--public", "p")
	want := string(clitest.Read(t, file("p")))
	for name, change := range map[string]func(text []byte) []byte{
		"label":  func(text []byte) []byte { return relabel(t, text, "PRIVATE KEY", "FRODOKEM PRIVATE KEY") },
		"base64": func(text []byte) []byte { return []byte(base64.StdEncoding.EncodeToString(pemBlocksDER(t, text))) },
		"hex":    func(text []byte) []byte { return []byte(hex.EncodeToString(pemBlocksDER(t, text))) },
		"UTF-16": func(text []byte) []byte { return clitest.EncodeUTF16(string(text), binary.LittleEndian, true) },
	} {
		clitest.Write(t, file("changed"), change(clitest.Read(t, file("k"))))
		if o := c.Run(t, "kem", "pubkey", "--key", "changed"); o.Stdout != want {
			t.Errorf("%s: %+v", name, o)
		}
	}
	c.OK(t, "kem", "keygen", "--raw", "--set", "eFrodoKEM-640-AES", "-f", "-o", "k", "--public", "p")
	c.Fails(t, cli.ExitFailed, "p: is hex digits, which need --raw and --set", "kem", "encap", "--to", "p", "-o", "x", "--secret", "y")
}

func pemBlocksDER(t *testing.T, text []byte) []byte {
	t.Helper()
	der, err := pemBlocks(text)[0].decode("f")
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// The names of HMAC-SM3, and what is known to read them.
func TestKeyEncryptionNames(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "pw"), []byte("secret\n"))
	if err := os.Chmod(filepath.Join(dir, "pw"), 0o600); err != nil {
		t.Fatal(err)
	}
	for kdf, oid := range map[string]string{
		"pbkdf2-sm3":       "060a2a811ccf550183110301" + "0500",
		"pbkdf2-sm3-gmssl": "06092a811ccf5501831102" + "30",
	} {
		c.OK(t, "sm2", "keygen", "-e", "--kdf", kdf, "--cipher", "sm4", "--passphrase-file", "pw", "-f", "-o", kdf, "--public", "p")
		der := pemBlocksDER(t, clitest.Read(t, filepath.Join(dir, kdf)))
		if !bytes.Contains(der, unhex(t, oid)) {
			t.Errorf("%s: no %s in %x", kdf, oid, der)
		}
		if got := c.OK(t, "sm2", "pubkey", "--key", kdf, "--passphrase-file", "pw"); got != string(clitest.Read(t, filepath.Join(dir, "p"))) {
			t.Errorf("%s: another public key", kdf)
		}
		c.Fails(t, cli.ExitFailed, "the key is encrypted in a way that is not known here: want PBKDF2 with HMAC of SM3", "sm2", "pubkey", "--key", changed(t, dir, der, unhex(t, oid)[2:10]), "--passphrase-file", "pw")
	}
}

// changed writes DER with the last of some bytes changed, and returns the name of the file.
func changed(t *testing.T, dir string, der, part []byte) string {
	t.Helper()
	at := bytes.Index(der, part)
	der = bytes.Clone(der)
	der[at+len(part)-1] ^= 0x10
	clitest.Write(t, filepath.Join(dir, "changed"), der)
	return "changed"
}

func TestDecodeDigits(t *testing.T) {
	for text, want := range map[string]string{
		"": "-", "0x": "-", "0": "00", "f": "0f", "ff": "ff", "0xff": "ff", "0X0fF": "00ff", "ff:00": "ff00", " 1 2\t3\r\n": "0123",
		"g": "-", "0xg": "-", "0x0x00": "-", "-1": "-", "x0": "-", ":": "-", "\xff": "-",
	} {
		got, ok := decodeDigits([]byte(text))
		if ok != (want != "-") || ok && fmt.Sprintf("%x", got) != want {
			t.Errorf("%q: %x, %v, want %s", text, got, ok, want)
		}
	}
}

func TestDotted(t *testing.T) {
	for _, oid := range []asn1.ObjectIdentifier{{0, 0}, {0, 39}, {1, 0}, {1, 39}, {2, 0}, {2, 48}, {2, 999, 3}, {1, 2, 840, 113549, 1, 1, 1}, {1, 2, 156, 10197, 1, 301}, {1, 3, 1<<31 - 1, 128, 127}} {
		der, err := asn1.Marshal(oid)
		if err != nil {
			t.Fatal(err)
		}
		if got := Dotted(der[2:]); got != oid.String() {
			t.Errorf("%s, want %v", got, oid)
		}
	}
	for _, bad := range [][]byte{nil, {0x80}, {0x2a, 0x86}, {0x2a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}} {
		if got := Dotted(bad); got != "" {
			t.Errorf("%x: %s", bad, got)
		}
	}
}
