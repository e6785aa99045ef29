package keys

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/sm2"
	"github.com/cipherlane/cipherlane/sm3"
)

// zeros is a message of zeros.
func zeros(n int64) io.Reader { return io.LimitReader(zeroReader{}, n) }

type zeroReader struct{}

func (zeroReader) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func TestSM2(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	message := inventory.Random(1000)
	clitest.Write(t, filepath.Join(dir, "m"), message)
	clitest.Write(t, filepath.Join(dir, "other"), append(message, 0))
	clitest.Write(t, filepath.Join(dir, "pw"), []byte("correct horse\r\nand a second line\n"))
	forms := map[string][]string{
		"plain": nil, "hex": {"--hex"}, "driver": {"--driver", "generic"},
		"sha256": {"-e"}, "sm3": {"--encrypt", "--kdf", "pbkdf2-sm3"}, "gmssl": {"-e", "--kdf", "pbkdf2-sm3-gmssl"}, "sm4": {"-e", "--cipher", "sm4"}, "scrypt": {"-e", "--kdf", "scrypt"},
	}
	if testing.Short() { // deriving keys from passphrases is intentionally slow
		forms = map[string][]string{"hex": {"--hex"}, "sha256": {"-e"}}
	}
	for form, flags := range forms {
		t.Run(form, func(t *testing.T) {
			pem, pub, sig, ct := form+".pem", form+".pub", form+".sig", form+".ct"
			private := []string{"--key", pem}
			if len(flags) > 0 && (flags[0] == "-e" || flags[0] == "--encrypt") {
				flags = append(flags, "--passphrase-file", "pw")
				private = append(private, "--passphrase-file", "pw")
			}
			withKey := func(list ...string) []string { return append(list, private...) }
			if out := c.OK(t, append([]string{"sm2", "keygen", "-o", pem, "--public", pub}, flags...)...); out != "" {
				t.Errorf("keygen prints %q", out)
			}
			if info, err := os.Stat(filepath.Join(dir, pem)); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			want := string(clitest.Read(t, filepath.Join(dir, pub)))
			made := withKey("sm2", "pubkey")
			if form == "hex" {
				made = append(made, "--hex")
			}
			if got := c.OK(t, made...); got != want {
				t.Errorf("pubkey: %s, want %s", got, want)
			}

			c.OK(t, withKey("sm2", "sign", "-o", sig, "m")...)
			verify := func(flags ...string) clitest.Outcome {
				return c.Run(t, append([]string{"sm2", "verify", "--public", pub, "--signature", sig}, flags...)...)
			}
			for _, v := range []struct {
				flags, stdout string
				code          int
			}{
				{"m", "m: OK\n", 0},
				{"m --driver generic", "m: OK\n", 0},
				{"other", "other: FAILED\n", 1},
				{"m --id bob --status", "", 1},
				{"m --id 1234567812345678", "m: OK\n", 0},
				{"m --status", "", 0},
				{"other --status", "", 1},
			} {
				if o := verify(strings.Fields(v.flags)...); o.Stdout != v.stdout || o.Stderr != "" || o.Code != v.code {
					t.Errorf("verify %s: %q, %q, exit code %d", v.flags, o.Stdout, o.Stderr, o.Code)
				}
			}
			if form != "plain" && form != "hex" {
				return
			}
			c.OK(t, withKey("sm2", "sign", "-f", "-o", sig, "--id", "", "--raw", "--deterministic", "m")...)
			signature := clitest.Read(t, filepath.Join(dir, sig))
			c.OK(t, withKey("sm2", "sign", "-f", "-o", sig, "--id", "", "--raw", "--deterministic", "--driver", "generic", "m")...)
			if !bytes.Equal(signature, clitest.Read(t, filepath.Join(dir, sig))) || len(signature) != 64 {
				t.Errorf("deterministic: %x", signature)
			}
			if o := verify("--raw", "--id", "", "m"); o.Stdout != "m: OK\n" || o.Code != 0 {
				t.Errorf("raw, empty ID: %+v", o)
			}
			if o := verify("--raw", "m"); o.Stdout != "m: FAILED\n" || o.Code != 1 {
				t.Errorf("raw, another ID: %+v", o)
			}
			var doc sm2VerifyDocument
			if o := verify("--raw", "--json", "m"); json.Unmarshal([]byte(o.Stdout), &doc) != nil || doc != (sm2VerifyDocument{1, "m", "failed"}) || o.Code != 1 {
				t.Errorf("%+v", o)
			}

			for _, format := range []string{"", "--raw", "--c1c2c3"} {
				flags := []string{"-f", "-o", ct}
				back := []string{}
				if format != "" {
					flags, back = append(flags, format), append(back, format)
				}
				c.OK(t, append([]string{"sm2", "encrypt", "--to", pub, "m"}, flags...)...)
				if got := c.OK(t, append(withKey("sm2", "decrypt", ct), back...)...); got != string(message) {
					t.Errorf("%s: decrypted to %d bytes", format, len(got))
				}
			}
			c.OK(t, withKey("sm2", "decrypt", "--c1c2c3", "-o", form+".back", ct)...)
			if info, err := os.Stat(filepath.Join(dir, form+".back")); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
		})
	}
}

// TestSM2Stream: a message from a file or a pipe is not held in memory.
func TestSM2Stream(t *testing.T) {
	dir := t.TempDir()
	clitest.Call{Dir: dir}.OK(t, "sm2", "keygen", "-o", "k", "--public", "p")
	size := int64(300 << 20)
	if testing.Short() {
		size = 128 << 20
	}
	run := func(n int64, args ...string) (out bytes.Buffer, kilobytes int64) {
		cmd := clitest.Call{Dir: dir, Stdin: zeros(n)}.Command(t, append([]string{"sm2"}, args...)...)
		cmd.Stdout = &out
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v, %s", args, err, &out)
		}
		most := reflect.Indirect(reflect.ValueOf(cmd.ProcessState.SysUsage())).FieldByName("Maxrss")
		if !most.IsValid() {
			t.Skip("this system does not tell how much memory a process had")
		}
		if runtime.GOOS == "darwin" { // in bytes
			return out, most.Int() >> 10
		}
		return out, most.Int()
	}
	_, least := run(1000, "sign", "--key", "k")
	signature, signing := run(size, "sign", "--key", "k")
	clitest.Write(t, filepath.Join(dir, "s"), signature.Bytes())
	out, verifying := run(size, "verify", "--public", "p", "--signature", "s")
	if out.String() != "-: OK\n" {
		t.Errorf("%q", &out)
	}
	if most := least + size>>12; signing > most || verifying > most { // a quarter of the message
		t.Errorf("%d KiB of memory to sign %d KiB, %d to verify, %d for a short message", signing, size>>10, verifying, least)
	}
}

func TestSM2Refuses(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir, Stdin: strings.NewReader("")}
	put := func(name string, data []byte) { clitest.Write(t, filepath.Join(dir, name), data) }
	put("m", []byte("message"))
	put("pw", []byte("secret\n"))
	put("bad", []byte("wrong\n"))
	put("empty", nil)
	put("noline", bytes.Repeat([]byte{'x'}, 2000))
	c.OK(t, "sm2", "keygen", "-o", "a", "--public", "a.pub")
	c.OK(t, "sm2", "keygen", "--hex", "-o", "h", "--public", "h.pub")
	c.OK(t, "sm2", "keygen", "-e", "--passphrase-file", "pw", "-o", "e", "--public", "e.pub")
	c.OK(t, "sm2", "sign", "--key", "a", "-o", "sig", "m")
	c.OK(t, "sm2", "sign", "--key", "a", "--raw", "-o", "raw", "m")
	c.OK(t, "sm2", "encrypt", "--to", "a.pub", "-o", "ct", "m")
	c.OK(t, "sm2", "encrypt", "--to", "a.pub", "--c1c2c3", "-o", "old", "m")
	ct, der := clitest.Read(t, filepath.Join(dir, "ct")), []byte{0x30, 0x81, 0x87, 0x02, 0x01, 0x00}
	put("cut", ct[:len(ct)-1])
	put("changed", append(bytes.Clone(ct[:len(ct)-1]), ct[len(ct)-1]^1))
	put("der", der)
	text := clitest.Read(t, filepath.Join(dir, "a"))
	put("damaged", bytes.Replace(text, []byte("\nM"), []byte("\n*"), 1))
	put("half", text[:100])
	put("legacy", bytes.Replace(bytes.ReplaceAll(text, []byte(" PRIVATE"), []byte(" EC PRIVATE")), []byte("KEY-----\n"), []byte("KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n"), 1))
	ecOID, curve := []byte{6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1}, []byte{6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7}
	sequence := func(parts ...[]byte) []byte {
		b := bytes.Join(parts, nil)
		return append([]byte{0x30, byte(len(b))}, b...)
	}
	put("p256", EncodePEM(PEMPrivate, sequence([]byte{2, 1, 0}, sequence(ecOID, curve), []byte{4, 1, 0})))
	put("p256.pub", EncodePEM(pemPublic, sequence(sequence(ecOID, curve), []byte{3, 2, 0, 4})))
	put("p256.ec", EncodePEM(pemEC, sequence([]byte{2, 1, 1}, []byte{4, 1, 0}, append([]byte{0xa0, byte(len(curve))}, curve...))))
	put("x25519", EncodePEM(pemPublic, sequence(sequence([]byte{6, 3, 0x2b, 0x65, 0x6e}), []byte{3, 2, 0, 4})))
	name, date := sequence(), sequence()
	put("p256.cert", sequence(sequence([]byte{0xa0, 3, 2, 1, 2}, []byte{2, 1, 5}, sequence(ecOID), name, date, name, sequence(sequence(ecOID, curve), []byte{3, 2, 0, 4})), sequence(ecOID), []byte{3, 2, 0, 4}))
	for _, name := range []string{"a", "a.pub"} {
		block, _ := pem.Decode(clitest.Read(t, filepath.Join(dir, name)))
		put(name+".der", block.Bytes)
	}
	put("cert", EncodePEM(pemCertificate, sequence()))
	put("zero", []byte(strings.Repeat("0", 64)+"\n"))
	put("offcurve", []byte("04"+strings.Repeat("01", 64)+"\n"))
	put("huge", nil)
	if err := os.Truncate(filepath.Join(dir, "huge"), 17<<20); err != nil {
		t.Fatal(err)
	}
	before := clitest.Entries(t, dir)
	for _, test := range []struct {
		args, want string
		code       int
	}{
		{"sign --key absent m", "absent: no such file", cli.ExitFailed},
		{"sign --key a absent", "absent: no such file", cli.ExitFailed},
		{"sign --key a .", ".: is a directory", cli.ExitFailed},
		{"sign --key a.pub m", "a.pub: is a public key, want the private one", cli.ExitFailed},
		{"decrypt --key h.pub ct", "h.pub: is a public key, want the private one", cli.ExitFailed},
		{"sign --key m m", "m: not a private key: neither PEM (-----BEGIN PRIVATE KEY-----) nor DER nor one line of hex", cli.ExitFailed},
		{"sign --key damaged m", "damaged: the PRIVATE KEY is damaged", cli.ExitFailed},
		{"sign --key half m", "half: the END line of the PRIVATE KEY is missing", cli.ExitFailed},
		{"sign --key legacy m", `legacy: is encrypted in the old format of OpenSSL; "openssl pkcs8`, cli.ExitFailed},
		{"sign --key der m", "der: not a private key: neither PEM", cli.ExitFailed},
		{"sign --key zero m", "zero: sm2: private key out of range", cli.ExitFailed},
		{"sign --key p256 m", "p256: is a key for another algorithm (NIST P-256), want SM2", cli.ExitFailed},
		{"pubkey --key p256.ec", "p256.ec: is a key for another algorithm (NIST P-256), want SM2", cli.ExitFailed},
		{"sign --key e m --passphrase-file bad", "e: wrong passphrase, or the key is damaged", cli.ExitFailed},
		// Before anybody is asked for a passphrase.
		{"sign --key e m -o sig --passphrase-file bad", "sig: exists already; use -f", cli.ExitFailed},
		{"decrypt --key e ct -o m --passphrase-file bad", "m: exists already; use -f", cli.ExitFailed},
		{"pubkey --key e -o e.pub --passphrase-file bad", "e.pub: exists already; use -f", cli.ExitFailed},
		{"sign --key e m --passphrase-file empty", "empty: the first line, the passphrase, is empty", cli.ExitFailed},
		{"sign --key e m --passphrase-file noline", "noline: a passphrase can have at most 1023 bytes", cli.ExitFailed},
		{"sign --key e m --passphrase-file absent", "absent: no such file", cli.ExitFailed},
		{"sign --key a -o a m", "a: input and output are the same file", cli.ExitUsage},
		{"sign --key a -f -o a m", "a: input and output are the same file", cli.ExitUsage},
		{"sign --key a -f -o m m", "m: input and output are the same file", cli.ExitUsage},
		{"sign --key a -o sig m", "sig: exists already; use -f", cli.ExitFailed},
		{"sign --key -", "standard input cannot have more than one of key, passphrase and message", cli.ExitUsage},
		{"sign --key e --passphrase-file -", "standard input cannot have more than one of", cli.ExitUsage},
		{"sign --key a --driver none m", `no such driver: "none"`, cli.ExitUsage},
		{"sign m", "--key", cli.ExitUsage},
		{"verify --public a --signature sig m", `a: is a private key, want the public one: "cipherlane sm2 pubkey"`, cli.ExitFailed},
		{"verify --public cert --signature sig m", "cert: sm2: not an X.509 certificate", cli.ExitFailed},
		{"verify --public p256.cert --signature sig m", "p256.cert: is a key for another algorithm (NIST P-256), want SM2", cli.ExitFailed},
		{"sign --key p256.cert m", "p256.cert: is a certificate, want a private key", cli.ExitFailed},
		{"sign --key a.pub.der m", "a.pub.der: is a public key, want the private one", cli.ExitFailed},
		{"encrypt --to a.der m", "a.der: is a private key, want the public one", cli.ExitFailed},
		{"pubkey --key - --passphrase-file -", "standard input cannot have both the key and its passphrase", cli.ExitUsage},
		{"verify --public p256.pub --signature sig m", "p256.pub: is a key for another algorithm (NIST P-256)", cli.ExitFailed},
		{"verify --public x25519 --signature sig m", "x25519: is a key for another algorithm (X25519)", cli.ExitFailed},
		{"verify --public offcurve --signature sig m", "offcurve: sm2: not the encoding of a point", cli.ExitFailed},
		{"verify --public m --signature sig m", "m: not a public key: neither PEM (-----BEGIN PUBLIC KEY-----)", cli.ExitFailed},
		{"verify --public a.pub --signature m m", "m: not a signature in DER", cli.ExitFailed},
		{"verify --public a.pub --signature raw m", "raw: not a signature in DER; for signatures of 64 bytes, use --raw", cli.ExitFailed},
		{"verify --public a.pub --signature sig --raw m", "sig: is a signature in DER; leave out --raw", cli.ExitFailed},
		{"verify --public a.pub --signature m --raw m", "m: not a signature: has 7 bytes, want 64", cli.ExitFailed},
		{"verify --public a.pub --signature huge m", "huge: too long for a signature\n", cli.ExitFailed},
		{"verify --public huge --signature sig m", "huge: too long for a key\n", cli.ExitFailed},
		{"verify --public a.pub --signature -", "standard input cannot have more than one of message, key and signature", cli.ExitUsage},
		{"verify --public a.pub m", "--signature", cli.ExitUsage},
		{"encrypt --to a -o x m", `a: is a private key, want the public one`, cli.ExitFailed},
		{"encrypt --to a.pub -o x empty", "empty: is empty; SM2 encrypts messages of at least one byte", cli.ExitFailed},
		{"encrypt --to a.pub -o x huge", `huge: is longer than 16776192 bytes, the maximum; "cipherlane encrypt" accepts any length`, cli.ExitFailed},
		{"encrypt --to -", "standard input cannot have both", cli.ExitUsage},
		{"decrypt --key h ct", "ct: not a ciphertext for this key, or damaged\n", cli.ExitFailed},
		{"decrypt --key a -o x cut", "cut: not a ciphertext for this key, or damaged\n", cli.ExitFailed},
		{"decrypt --key a -o x changed", "changed: not a ciphertext for this key, or damaged\n", cli.ExitFailed},
		{"decrypt --key a -o x empty", "empty: not a ciphertext for this key", cli.ExitFailed},
		{"decrypt --key a -o x --raw ct", "ct: not a ciphertext for this key, or damaged; it can be decrypted in another format: leave out --raw", cli.ExitFailed},
		{"decrypt --key a -o x --raw old", "old: not a ciphertext for this key, or damaged; it can be decrypted in another format: use --c1c2c3", cli.ExitFailed},
		{"decrypt --key a -f -o a ct", "a: input and output are the same file", cli.ExitUsage},
		{"keygen", "--output", cli.ExitUsage},
		{"keygen -o a", "a: exists already; use -f", cli.ExitFailed},
		{"keygen -o x --public a.pub", "a.pub: exists already; use -f", cli.ExitFailed},
		{"keygen -o x -e --kdf md5", "--kdf md5: want pbkdf2-sha256, pbkdf2-sm3, pbkdf2-sm3-gmssl or scrypt", cli.ExitUsage},
		{"keygen -o x -e --cipher des", "--cipher des: want aes-256 or sm4", cli.ExitUsage},
		{"keygen -o x --kdf scrypt", "only make sense with --encrypt", cli.ExitUsage},
		{"keygen -o x --hex -e", "hex digits cannot be encrypted", cli.ExitUsage},
		{"keygen -o x --driver none", `no such driver: "none"`, cli.ExitUsage},
	} {
		o := c.Fails(t, test.code, strings.TrimSuffix(test.want, "\n"), append([]string{"sm2"}, strings.Fields(test.args)...)...)
		if strings.HasSuffix(test.want, "\n") && !strings.HasSuffix(o.Stderr, test.want) {
			t.Errorf("%s: says %q", test.args, o.Stderr)
		}
		if o.Stdout != "" {
			t.Errorf("%s: prints %q", test.args, o.Stdout)
		}
	}
	if got := clitest.Entries(t, dir); got != before {
		t.Errorf("files after failures: %s\nbefore: %s", got, before)
	}
	if err := os.Chmod(filepath.Join(dir, "a"), 0o644); err != nil {
		t.Fatal(err)
	}
	if o := c.Run(t, "sm2", "pubkey", "--key", "a"); o.Code != 0 || !strings.Contains(o.Stderr, "a: warning: other users can read this key file") {
		t.Errorf("%+v", o)
	}
}

// A signature that fits in another way, and one that fits in none.
func TestSM2VerifyAdvice(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	file := func(name string) string { return filepath.Join(dir, name) }
	message := inventory.Random(100)
	clitest.Write(t, file("m"), message)
	clitest.Write(t, file("other"), inventory.Random(100))
	c.OK(t, "sm2", "keygen", "-o", "k", "--public", "p")
	for _, id := range []string{"", "1234567812345678", "bob"} {
		c.OK(t, "sm2", "sign", "--key", "k", "--id", id, "-o", "sig"+id, "m")
	}
	c.OK(t, "sm2", "sign", "--key", "k", "--raw", "--id", "", "-o", "raw", "m")
	key, err := (&PrivateFlags{Key: file("k")}).private(new(cli.Program), "")
	if err != nil {
		t.Fatal(err)
	}
	sum := sm3.Sum(message)
	plain, err := key.Sign(nil, sum[:], nil)
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, file("plain"), plain)
	clitest.Write(t, file("sig.hex"), []byte(hex.EncodeToString(plain)+"\n"))
	clitest.Write(t, file("sig.raw.hex"), []byte("0x"+hex.EncodeToString(clitest.Read(t, file("raw")))))
	clitest.Write(t, file("sig.base64"), []byte(base64.StdEncoding.EncodeToString(plain)+"\n"))
	empty := "is valid with an empty user ID, which OpenSSL before 4.0 uses unless it is told one; use --id \"\"\n"
	for args, want := range map[string]string{
		"--signature sig m":                        empty,
		"--signature sig m --id bob":               empty,
		"--signature sig m --json":                 empty,
		"--signature sig m --status":               "",
		"--signature raw --raw m":                  empty,
		"--signature sig other":                    "",
		"--signature sigbob m":                     "",
		"--signature sig1234567812345678 m --id a": "is valid with the default user ID; leave out --id\n",
		"--signature plain m":                      "signs the SM3 hash of the message without a user ID and the public key",
		"--signature sig.hex m":                    "is a signature as hex digits; decode it first (xxd -r -p)\n",
		"--signature sig.raw.hex m":                "is a signature as hex digits; decode it first (xxd -r -p)\n",
		"--signature sig.base64 m":                 "is a signature as base64; decode it first (base64 -d)\n",
	} {
		o := c.Run(t, append([]string{"sm2", "verify", "--public", "p"}, strings.Fields(args)...)...)
		if o.Code != cli.ExitFailed || !strings.Contains(o.Stderr, want) || want == "" && o.Stderr != "" || strings.Contains(o.Stdout, "OK") || strings.Count(o.Stderr, "\n") > 1 {
			t.Errorf("%s: %+v, want %q", args, o, want)
		}
	}
	// Standard input: a file is read again from where it was, a pipe is not.
	in, err := os.Open(file("m"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cut := message[10:]
	clitest.Write(t, file("cut"), cut)
	c.OK(t, "sm2", "sign", "--key", "k", "--id", "", "-f", "-o", "sig", "cut")
	if _, err := in.Seek(10, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if o := (clitest.Call{Dir: dir, Stdin: in}).Run(t, "sm2", "verify", "--public", "p", "--signature", "sig"); o.Stdout != "-: FAILED\n" || !strings.Contains(o.Stderr, empty) {
		t.Errorf("standard input: %+v", o)
	}
	if o := (clitest.Call{Dir: dir, Stdin: bytes.NewReader(cut)}).Run(t, "sm2", "verify", "--public", "p", "--signature", "sig"); o.Stdout != "-: FAILED\n" || o.Stderr != "" {
		t.Errorf("a pipe: %+v", o)
	}
}

// Ciphertexts as they are often passed on.
func TestSM2DecryptAdvice(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	key := newSM2(t, sm2Key)
	clitest.Write(t, filepath.Join(dir, "k"), []byte(sm2Key))
	for format, flag := range map[sm2.Format]string{sm2.ASN1: "", sm2.C1C3C2: "use --raw", sm2.C1C2C3: "use --c1c2c3"} {
		ciphertext, err := key.PublicKey().Encrypt([]byte("message"), format)
		if err != nil {
			t.Fatal(err)
		}
		var right []string // the flag that fits
		if flag != "" {
			right = []string{strings.TrimPrefix(flag, "use ")}
		}
		wrong := []string{"--raw"}
		if format == sm2.C1C3C2 {
			wrong = nil
		}
		if format == sm2.ASN1 {
			flag = "leave out --raw and --c1c2c3"
		}
		check := func(text []byte, steps string) {
			t.Helper()
			clitest.Write(t, filepath.Join(dir, "ct"), text)
			for _, flags := range [][]string{right, wrong} {
				want := steps
				if !slices.Equal(flags, right) {
					want = strings.TrimPrefix(steps+", "+flag, ", ")
				}
				if want == "" {
					continue
				}
				c.Fails(t, cli.ExitFailed, "ct: not a ciphertext for this key, or damaged; it can be decrypted in another format: "+want, append([]string{"sm2", "decrypt", "--key", "k", "ct"}, flags...)...)
			}
		}
		check(ciphertext, "")
		digits := hex.EncodeToString(ciphertext)
		check([]byte(digits), "decode it from hex digits (xxd -r -p)")
		check([]byte("0x"+strings.ToUpper(digits)+"\r\n"), "decode it from hex digits (xxd -r -p)")
		check(clitest.EncodeUTF16(digits, binary.LittleEndian, true), "decode it from hex digits (xxd -r -p)")
		check([]byte(base64.StdEncoding.EncodeToString(ciphertext)), "decode it from base64 (base64 -d)")
		if format != sm2.ASN1 {
			check(ciphertext[1:], "put the byte 04, which C1 lacks, in front of it")
			check([]byte(digits[2:]+"\n"), "decode it from hex digits (xxd -r -p), put the byte 04, which C1 lacks, in front of it")
		}
	}
	// The advice works.
	ciphertext, err := key.PublicKey().Encrypt([]byte("message"), sm2.C1C3C2)
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, filepath.Join(dir, "ct"), []byte(hex.EncodeToString(ciphertext[1:])))
	shell, xxd := clitest.Tool(t, "sh"), clitest.Tool(t, "xxd")
	script := `{ printf '\004'; ` + xxd + ` -r -p "$1"; } > "$2"`
	if out, err := exec.CommandContext(t.Context(), shell, "-c", script, "sh", filepath.Join(dir, "ct"), filepath.Join(dir, "bytes")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := c.OK(t, "sm2", "decrypt", "--key", "k", "--raw", "bytes"); got != "message" {
		t.Errorf("decrypted to %q", got)
	}
}

// TestSM2Terminal reads passphrases from a terminal, or runs without one.
func TestSM2Terminal(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script, setsid := clitest.Tool(t, "script"), clitest.Tool(t, "setsid")
	typed := func(text, args string) (string, int) {
		cmd := exec.CommandContext(t.Context(), script, "-qec", "exec "+self+" "+args, "/dev/null")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), clitest.AsCommand+"=1")
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.CombinedOutput()
		if e := new(exec.ExitError); err != nil && !errors.As(err, &e) {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := typed("open sesame\nopen sesame\n", "sm2 keygen -e -o k --public p"); code != 0 || !strings.Contains(out, "New passphrase for k: ") || !strings.Contains(out, "Repeat passphrase: ") {
		t.Errorf("%q, %d", out, code)
	}
	if out, code := typed("open sesame\n", "sm2 pubkey --key k -o p2"); code != 0 || !strings.Contains(out, "Passphrase for k: ") {
		t.Errorf("%q, %d", out, code)
	}
	if !bytes.Equal(clitest.Read(t, filepath.Join(dir, "p")), clitest.Read(t, filepath.Join(dir, "p2"))) {
		t.Error("another public key")
	}
	for _, test := range []struct{ text, args, want string }{
		{"open sesam\n", "sm2 pubkey --key k", "k: wrong passphrase"},
		{"\n", "sm2 pubkey --key k", "the passphrase is empty"},
		{"a\nb\n", "sm2 keygen -e -o x", "the two passphrases differ"},
	} {
		if out, code := typed(test.text, test.args); code != 1 || !strings.Contains(out, test.want) {
			t.Errorf("%s: %q, %d", test.args, out, code)
		}
	}
	for args, want := range map[string]string{
		"sm2 pubkey --key k":  "k: is encrypted, and there is no terminal to ask",
		"sm2 keygen -e -o x":  "no terminal to ask for the passphrase; use --passphrase-file",
		"sm2 sign --key k k":  "--passphrase-file",
		"sm2 decrypt --key k": "--passphrase-file",
	} {
		cmd := exec.CommandContext(t.Context(), setsid, append([]string{"-w", self}, strings.Fields(args)...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), clitest.AsCommand+"=1")
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != cli.ExitUsage || !strings.Contains(string(out), want) {
			t.Errorf("%s: %q, %d", args, out, code)
		}
	}
	if got := clitest.Entries(t, dir); got != "k p p2" {
		t.Errorf("files: %s", got)
	}
}

// TestSM2OpenSSL: keys, signatures and ciphertexts in both directions.
func TestSM2OpenSSL(t *testing.T) {
	openssl := clitest.Tool(t, "openssl")
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), openssl, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("openssl %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if out, err := exec.CommandContext(t.Context(), openssl, "genpkey", "-algorithm", "SM2").CombinedOutput(); err != nil {
		t.Skipf("this openssl has no SM2: %s", out)
	}
	clitest.Write(t, filepath.Join(dir, "m"), inventory.Random(5000))
	clitest.Write(t, filepath.Join(dir, "short"), inventory.Random(48))
	clitest.Write(t, filepath.Join(dir, "pw"), []byte("secret\n"))

	c.OK(t, "sm2", "keygen", "-o", "ours", "--public", "ours.pub")
	run("genpkey", "-algorithm", "SM2", "-out", "theirs")
	run("ecparam", "-name", "SM2", "-genkey", "-out", "params") // parameters and PKCS #8 or SEC 1
	run("ec", "-in", "theirs", "-out", "sec1")                  // "SM2 PRIVATE KEY" from 3.0 on
	run("pkcs8", "-topk8", "-in", "theirs", "-v2", "sm4-cbc", "-passout", "file:pw", "-out", "e1")
	run("pkcs8", "-topk8", "-in", "theirs", "-scrypt", "-v2", "aes-256-cbc", "-passout", "file:pw", "-out", "e2")
	run("pkey", "-in", "theirs", "-sm4-cbc", "-passout", "file:pw", "-out", "e3")
	run("pkcs8", "-topk8", "-in", "theirs", "-v2", "aes-128-cbc", "-passout", "file:pw", "-out", "e4")
	run("pkcs8", "-topk8", "-in", "theirs", "-v2", "des3", "-v2prf", "hmacWithSHA1", "-passout", "file:pw", "-outform", "DER", "-out", "e5")
	run("pkcs8", "-topk8", "-in", "theirs", "-nocrypt", "-outform", "DER", "-out", "der")
	run("ec", "-in", "theirs", "-outform", "DER", "-out", "sec1.der")
	run("ec", "-in", "theirs", "-param_enc", "explicit", "-conv_form", "hybrid", "-out", "explicit")
	names := []string{"theirs", "params", "sec1", "sec1.der", "der", "explicit", "e1", "e2", "e3", "e4", "e5"}
	// OpenSSL has HMAC-SM3 for this from version 3.1 on.
	hmacSM3 := exec.CommandContext(t.Context(), openssl, "pkcs8", "-topk8", "-in", filepath.Join(dir, "theirs"), "-v2", "sm4-cbc", "-v2prf", "hmacWithSM3", "-passout", "pass:secret", "-out", filepath.Join(dir, "e6")).Run() == nil
	if hmacSM3 {
		names = append(names, "e6")
	}
	for _, name := range names {
		os.Chmod(filepath.Join(dir, name), 0o600)
		keyFile := name
		if name == "explicit" { // as is its public key
			keyFile = "theirs"
		}
		run("pkey", "-in", keyFile, "-passin", "file:pw", "-pubout", "-out", keyFile+".pub")
		if got, want := c.OK(t, "sm2", "pubkey", "--key", name, "--passphrase-file", "pw"), string(clitest.Read(t, filepath.Join(dir, keyFile+".pub"))); got != want {
			t.Errorf("%s: public key %s, want %s", name, got, want)
		}
	}
	made := [][]string{{}, {"--kdf", "scrypt", "--cipher", "sm4"}, {"--kdf", "scrypt"}, {"--cipher", "sm4"}}
	if testing.Short() {
		made = made[:2]
	}
	if hmacSM3 {
		made = append(made, []string{"--kdf", "pbkdf2-sm3"}, []string{"--kdf", "pbkdf2-sm3", "--cipher", "sm4"})
	}
	for i, flags := range made {
		name := fmt.Sprint("made", i)
		c.OK(t, append([]string{"sm2", "keygen", "-e", "--passphrase-file", "pw", "-o", name, "--public", name + ".pub"}, flags...)...)
		if got, want := run("pkey", "-in", name, "-passin", "file:pw", "-pubout"), string(clitest.Read(t, filepath.Join(dir, name+".pub"))); got != want {
			t.Errorf("%s: OpenSSL has the public key %s, want %s", name, got, want)
		}
	}
	for _, key := range []string{"ours", "theirs"} {
		run("req", "-x509", "-new", "-key", key, "-sm3", "-subj", "/CN=a", "-out", key+".cert")
		run("x509", "-in", key+".cert", "-outform", "DER", "-out", key+".cert.der")
		run("pkey", "-in", key, "-pubout", "-outform", "DER", "-out", key+".pub.der")
		for id, sigopt := range map[string][]string{
			"1234567812345678":  {"-sigopt", "distid:1234567812345678"},
			"alice@example.org": {"-sigopt", "distid:alice@example.org"},
			"":                  {"-sigopt", "distid:"}, // the default of versions before 4.0
		} {
			c.OK(t, "sm2", "sign", "--key", key, "--id", id, "-f", "-o", "sig", "m")
			if out := run(append(append([]string{"dgst", "-sm3", "-verify", key + ".pub", "-signature", "sig"}, sigopt...), "m")...); !strings.Contains(out, "Verified OK") {
				t.Errorf("%s, ID %q: OpenSSL says %s", key, id, out)
			}
			run(append(append([]string{"dgst", "-sm3", "-sign", key, "-out", "sig"}, sigopt...), "m")...)
			for _, public := range []string{".pub", ".cert", ".cert.der", ".pub.der"} {
				if out := c.OK(t, "sm2", "verify", "--public", key+public, "--id", id, "--signature", "sig", "m"); out != "m: OK\n" {
					t.Errorf("%s, ID %q: %s", key+public, id, out)
				}
			}
		}
		c.OK(t, "sm2", "encrypt", "--to", key+".pub", "-f", "-o", "ct", "short")
		if out := run("pkeyutl", "-decrypt", "-inkey", key, "-in", "ct"); out != string(clitest.Read(t, filepath.Join(dir, "short"))) {
			t.Errorf("%s: OpenSSL decrypts to %x", key, out)
		}
		run("pkeyutl", "-encrypt", "-pubin", "-inkey", key+".pub", "-in", "short", "-out", "ct")
		if out := c.OK(t, "sm2", "decrypt", "--key", key, "ct"); out != string(clitest.Read(t, filepath.Join(dir, "short"))) {
			t.Errorf("%s: decrypted to %x", key, out)
		}
	}
}

// FuzzSM2Files: no key or signature file makes the command panic.
func FuzzSM2Files(f *testing.F) {
	f.Add([]byte(strings.Repeat("01", 32) + "\n"))
	f.Add([]byte("-----BEGIN PRIVATE KEY-----\nMIGTAgEAMBMGByqGSM49AgEGCCqBHM9VAYIt\n-----END PRIVATE KEY-----\n"))
	f.Add([]byte("-----BEGIN EC PRIVATE KEY-----\nMAoCAQEEAQKgAgYA\n-----END EC PRIVATE KEY-----\n"))
	f.Add([]byte{0x30, 6, 2, 1, 1, 2, 1, 1})
	f.Add([]byte("0x" + namedSM2))
	f.Add([]byte("MAoCAQEEAQKgAgYA"))
	f.Add([]byte("-----BEGIN TRUSTED CERTIFICATE-----\nMAAwAA==\n-----END TRUSTED CERTIFICATE-----\n-----BEGIN-----"))
	f.Add([]byte("\xff\xfe0\x001\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		found, _, _ := findKeys(text, "f")
		if !slices.ContainsFunc(found, func(k foundKey) bool { return k.kind == PEMEncrypted }) { // it would ask for a passphrase
			key, err := (&PrivateFlags{Key: "f"}).Parse(new(cli.Program), text)
			if (key == nil) != (err != nil) || err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: key %v, error %v", text, key != nil, err)
			}
		}
		if _, err := ParseSM2Public("sm2", text, "f"); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v", text, err)
		}
		for _, raw := range []bool{false, true} {
			(&sm2VerifyCmd{Signature: "f", Raw: raw}).checkForm(text)
		}
	})
}
