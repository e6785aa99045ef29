package peers

import (
	"bytes"
	"crypto/rand"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emmansun/gmsm/pkcs"
	"github.com/emmansun/gmsm/pkcs8"
	gmsm2 "github.com/emmansun/gmsm/sm2"
	"golang.org/x/crypto/scrypt"

	"github.com/cipherlane/cipherlane/sm2"
)

// sm2Encryptions are the ways to encrypt a private key.
func sm2Encryptions() map[string]*sm2.KeyEncryption {
	return map[string]*sm2.KeyEncryption{
		"sha256-aes": {Iterations: 10000},
		"sha256-sm4": {Iterations: 10000, SM4: true},
		"sm3-aes":    {Iterations: 10000, SM3: true},
		"sm3-sm4":    {Iterations: 10000, SM3: true, SM4: true},
		"gmssl-aes":  {Iterations: 10000, SM3: true, GmSSL: true},
		"gmssl-sm4":  {Iterations: 10000, SM3: true, GmSSL: true, SM4: true},
		"scrypt-aes": {Scrypt: scrypt.Key},
		"scrypt-sm4": {Scrypt: scrypt.Key, SM4: true},
	}
}

// Encrypted keys, in both directions.
func TestSM2EncryptedKeys(t *testing.T) {
	key := mustSM2(sm2.GenerateKey())
	theirs := mustSM2(gmsm2.NewPrivateKey(key.Bytes()))
	passphrase := []byte("correct horse")
	// OpenSSL has HMAC-SM3 for this from version 3.1 on.
	plain := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: sm2.MarshalPKCS8PrivateKey(key)})
	cmd := exec.Command("openssl", "pkcs8", "-topk8", "-v2", "sm4-cbc", "-v2prf", "hmacWithSM3", "-passout", "pass:correct horse")
	cmd.Stdin = bytes.NewReader(plain)
	text, err := cmd.Output()
	opensslHMACSM3 := err == nil
	if opensslHMACSM3 {
		block, _ := pem.Decode(text)
		if k, err := sm2.ParseEncryptedPrivateKey(block.Bytes, passphrase, nil); err != nil || !k.Equal(key) {
			t.Errorf("OpenSSL's key with HMAC-SM3: %v", err)
		}
	}
	for name, options := range sm2Encryptions() {
		der := mustSM2(sm2.MarshalEncryptedPrivateKey(key, passphrase, options))
		if !strings.HasPrefix(name, "sm3") { // OpenSSL's name of HMAC-SM3, which gmsm does not know
			if k, err := pkcs8.ParsePKCS8PrivateKeySM2(der, passphrase); err != nil || !theirs.Equal(k) {
				t.Errorf("%s: gmsm: %v", name, err)
			}
			if _, err := pkcs8.ParsePKCS8PrivateKeySM2(der, []byte("wrong")); err == nil {
				t.Errorf("%s: gmsm reads it with another passphrase", name)
			}
		}
		if options.GmSSL || options.SM3 && !opensslHMACSM3 {
			continue
		}
		file := filepath.Join(t.TempDir(), "key")
		text := pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: der})
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		block, _ := pem.Decode(openssl(t, nil, "pkey", "-in", file, "-passin", "pass:correct horse"))
		if k, err := sm2.ParsePKCS8PrivateKey(block.Bytes); err != nil || !k.Equal(key) {
			t.Errorf("%s: OpenSSL: %v", name, err)
		}
	}
	for name, opts := range map[string]*pkcs8.Opts{
		"PBKDF2 with HMAC-SHA-256, SM4":     {Cipher: pkcs.SM4CBC, KDFOpts: pkcs8.PBKDF2Opts{SaltSize: 8, IterationCount: 5000, HMACHash: pkcs8.SHA256}},
		"PBKDF2 with HMAC-SM3, SM4":         {Cipher: pkcs.SM4CBC, KDFOpts: pkcs8.PBKDF2Opts{SaltSize: 16, IterationCount: 5000, HMACHash: pkcs8.SM3}},
		"PBKDF2 with HMAC-SHA-256, AES-256": {Cipher: pkcs.AES256CBC, KDFOpts: pkcs8.PBKDF2Opts{SaltSize: 32, IterationCount: 5000, HMACHash: pkcs8.SHA256}},
		"PBKDF2 with HMAC-SHA-512, AES-128": {Cipher: pkcs.AES128CBC, KDFOpts: pkcs8.PBKDF2Opts{SaltSize: 8, IterationCount: 5000, HMACHash: pkcs8.SHA512}},
		"PBKDF2 with HMAC-SHA-384, AES-192": {Cipher: pkcs.AES192CBC, KDFOpts: pkcs8.PBKDF2Opts{SaltSize: 8, IterationCount: 5000, HMACHash: pkcs8.SHA384}},
		"PBKDF2 with HMAC-SHA-224, DES":     {Cipher: pkcs.TripleDESCBC, KDFOpts: pkcs8.PBKDF2Opts{SaltSize: 8, IterationCount: 5000, HMACHash: pkcs8.SHA224}},
		"PBKDF2 with HMAC-SHA-1, AES-256":   {Cipher: pkcs.AES256CBC, KDFOpts: pkcs8.PBKDF2Opts{SaltSize: 8, IterationCount: 5000, HMACHash: pkcs8.SHA1}},
		"scrypt, SM4":                       {Cipher: pkcs.SM4CBC, KDFOpts: pkcs8.ScryptOpts{SaltSize: 16, CostParameter: 1 << 12, BlockSize: 8, ParallelizationParameter: 2}},
	} {
		der := mustSM2(pkcs8.MarshalPrivateKey(theirs, passphrase, opts))
		if k, err := sm2.ParseEncryptedPrivateKey(der, passphrase, &sm2.KeyEncryption{Scrypt: scrypt.Key}); err != nil || !k.Equal(key) {
			t.Errorf("gmsm's key, %s: %v", name, err)
		}
	}
}

// fileSM2 writes a file for another program.
func fileSM2(t *testing.T, dir, name string, b []byte) string {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestSM2GmSSL runs the command of GmSSL 3, which GMSSL names or which is in PATH.
func TestSM2GmSSL(t *testing.T) {
	command := os.Getenv("GMSSL")
	if command == "" {
		var err error
		if command, err = exec.LookPath("gmssl"); err != nil {
			t.Skip("no gmssl; CONTRIBUTING.md says where to get it")
		}
	}
	dir := t.TempDir()
	run := func(args ...string) []byte {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), command, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("gmssl %q: %v\n%s", args, err, out)
		}
		return out
	}
	file := func(name string) []byte { return mustSM2(os.ReadFile(filepath.Join(dir, name))) }
	const passphrase = "correct horse"
	run("sm2keygen", "-pass", passphrase, "-out", "theirs", "-pubout", "theirs.pub")
	block, _ := pem.Decode(file("theirs"))
	theirs, err := sm2.ParseEncryptedPrivateKey(block.Bytes, []byte(passphrase), nil)
	if err != nil {
		t.Fatalf("GmSSL's key: %v", err)
	}
	block, _ = pem.Decode(file("theirs.pub"))
	if k, err := sm2.ParsePKIXPublicKey(block.Bytes); err != nil || !k.Equal(theirs.Public()) {
		t.Errorf("GmSSL's public key: %v", err)
	}
	ours := mustSM2(sm2.GenerateKey())
	der := mustSM2(sm2.MarshalEncryptedPrivateKey(ours, []byte(passphrase), &sm2.KeyEncryption{SM3: true, GmSSL: true, SM4: true}))
	fileSM2(t, dir, "ours", pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: der}))
	fileSM2(t, dir, "ours.pub", pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: sm2.MarshalPKIXPublicKey(ours.PublicKey())}))
	for name, key := range map[string]*sm2.PrivateKey{"ours": ours, "theirs": theirs} {
		for i, id := range []string{sm2.DefaultID, "alice@example.org"} {
			message := random(1000*i + 16)
			fileSM2(t, dir, "message", message)
			os.Remove(filepath.Join(dir, "signature"))
			run("sm2sign", "-key", name, "-pass", passphrase, "-id", id, "-in", "message", "-out", "signature")
			if !key.PublicKey().VerifyMessage(message, file("signature"), &sm2.SignatureOptions{ID: []byte(id)}) {
				t.Errorf("%s: ours refuses a signature of GmSSL", name)
			}
			fileSM2(t, dir, "signature", mustSM2(key.SignMessage(rand.Reader, message, &sm2.SignatureOptions{ID: []byte(id)})))
			if out := run("sm2verify", "-pubkey", name+".pub", "-id", id, "-in", "message", "-sig", "signature"); !bytes.Contains(out, []byte("success")) {
				t.Errorf("%s: GmSSL refuses a signature of ours: %s", name, out)
			}
		}
		for _, n := range []int{16, 100, 255} { // 255 is its maximum
			message := random(n)
			fileSM2(t, dir, "message", message)
			run("sm2encrypt", "-pubkey", name+".pub", "-in", "message", "-out", "ciphertext")
			if p, err := key.Decrypt(nil, file("ciphertext"), sm2.ASN1); err != nil || !bytes.Equal(p, message) {
				t.Errorf("%s, %d bytes: ours does not decrypt: %v", name, n, err)
			}
			fileSM2(t, dir, "ciphertext", mustSM2(key.PublicKey().Encrypt(message, sm2.ASN1)))
			run("sm2decrypt", "-key", name, "-pass", passphrase, "-in", "ciphertext", "-out", "plaintext")
			if !bytes.Equal(file("plaintext"), message) {
				t.Errorf("%s, %d bytes: GmSSL does not decrypt", name, n)
			}
		}
	}
}

// TestSM2BouncyCastle runs testdata/Exchange.java with the jars bcprov, bcpkix and
// bcutil, which BOUNCYCASTLE names with colons between them.
func TestSM2BouncyCastle(t *testing.T) {
	jars := os.Getenv("BOUNCYCASTLE")
	java, err := exec.LookPath("java")
	if err != nil || jars == "" {
		t.Skip("no java, or BOUNCYCASTLE does not name its jars; CONTRIBUTING.md says where to get them")
	}
	dir := t.TempDir()
	ours, initiator, ephemeral := mustSM2(sm2.GenerateKey()), mustSM2(sm2.GenerateKey()), mustSM2(sm2.GenerateKey())
	message, id, passphrase := random(777), []byte("alice@example.org"), []byte("correct horse")
	exchange := mustSM2(sm2.NewExchange(ours, id, initiator.PublicKey(), id, false))
	var names []string
	for name, options := range sm2Encryptions() {
		if options.SM4 || options.SM3 && !options.GmSSL { // BouncyCastle knows neither SM4-CBC nor OpenSSL's name of HMAC-SM3
			continue
		}
		names = append(names, name)
		fileSM2(t, dir, "ours.encrypted."+name, mustSM2(sm2.MarshalEncryptedPrivateKey(ours, passphrase, options)))
	}
	for name, b := range map[string][]byte{
		"message": message, "id": id, "passphrase": passphrase,
		"ours.p8": sm2.MarshalPKCS8PrivateKey(ours), "ours.spki": sm2.MarshalPKIXPublicKey(ours.PublicKey()),
		"ours.sig.default": mustSM2(ours.SignMessage(rand.Reader, message, nil)),
		"ours.sig.id":      mustSM2(ours.SignMessage(rand.Reader, message, &sm2.SignatureOptions{ID: id})),
		"ours.C1C3C2":      mustSM2(ours.PublicKey().Encrypt(message, sm2.C1C3C2)),
		"ours.C1C2C3":      mustSM2(ours.PublicKey().Encrypt(message, sm2.C1C2C3)),
		"ours.encrypted":   []byte(strings.Join(names, " ")),
		"initiator":        initiator.Bytes(), "initiator.ephemeral": ephemeral.Bytes(),
		"ours.point": exchange.Point(),
		"ours.key":   mustSM2(exchange.Agree(ephemeral.PublicKey().Bytes(), 48)), "ours.confirmation": mustSM2(exchange.Confirmation()),
	} {
		fileSM2(t, dir, name, b)
	}
	out, err := exec.CommandContext(t.Context(), java, "-cp", jars, "testdata/Exchange.java", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, line := range lines {
		t.Log("BouncyCastle: " + line)
		if !strings.HasSuffix(line, ": ok") {
			t.Errorf("BouncyCastle: %s", line)
		}
	}
	if want := 5 + len(names); len(lines) != want {
		t.Errorf("BouncyCastle did %d checks, want %d", len(lines), want)
	}

	file := func(name string) []byte { return mustSM2(os.ReadFile(filepath.Join(dir, name))) }
	theirs, err := sm2.ParsePKCS8PrivateKey(file("theirs.p8"))
	if err != nil {
		t.Fatal(err)
	}
	if k, err := sm2.ParsePKIXPublicKey(file("theirs.spki")); err != nil || !k.Equal(theirs.Public()) {
		t.Errorf("their public key: %v", err)
	}
	if k, err := sm2.ParseEncryptedPrivateKey(file("theirs.encrypted"), passphrase, nil); err != nil || !k.Equal(theirs) {
		t.Errorf("their encrypted key: %v", err)
	}
	if !ours.PublicKey().VerifyMessage(message, file("theirs.sig.default"), nil) || !ours.PublicKey().VerifyMessage(message, file("theirs.sig.id"), &sm2.SignatureOptions{ID: id}) {
		t.Error("ours refuses their signatures")
	}
	for _, format := range []sm2.Format{sm2.C1C3C2, sm2.C1C2C3} {
		if p, err := ours.Decrypt(nil, file("theirs."+format.String()), format); err != nil || !bytes.Equal(p, message) {
			t.Errorf("%v: ours does not decrypt: %v", format, err)
		}
	}
	if err := exchange.Confirm(file("theirs.confirmation")); err != nil {
		t.Errorf("key exchange: %v", err)
	}
}
