package goroot

import (
	"embed"
	"slices"
	"strings"
)

// With Source.SM, crypto/tls and crypto/x509 of a copy also know TLS 1.3 with SM2, SM3 and SM4 (RFC
// 8998). In _sm are the files that are laid beside Go's. Most of them define a function under the
// name that Go's had, and call Go's for everything that has nothing to do with SM.
//
//go:embed all:_sm
var oursSM embed.FS

// smRoots are the packages of the module that the files in _sm call.
var smRoots = []string{"sm2", "sm3", "sm4"}

const (
	x509Dir = "src/crypto/x509/"
	tlsDir  = "src/crypto/tls/"
)

var smEdits = slices.Concat([]edit{
	{"src/crypto/crypto.go", "\n\tmaxHash\n)", "\n\tSM3 // import crypto/cipherlane/sm3\n\tmaxHash\n)"},
	{"src/crypto/crypto.go", "\n\tBLAKE2b_512: 64,\n", "\n\tBLAKE2b_512: 64,\n\tSM3: 32,\n"},
	{"src/crypto/crypto.go", "\n\tcase BLAKE2b_512:\n", "\n\tcase SM3:\n\t\treturn \"SM3\"\n\tcase BLAKE2b_512:\n"},

	// Keys and certificates.
	{x509Dir + "parser.go", "\n\t\tcert.PublicKey, err = parsePublicKey(", "\n\t\tcert.PublicKey, cert.PublicKeyAlgorithm, err = parseKeyAndAlgorithm("},
	{x509Dir + "x509.go", "\n\t\tout.PublicKey, err = parsePublicKey(", "\n\t\tout.PublicKey, out.PublicKeyAlgorithm, err = parseKeyAndAlgorithm("},
	{x509Dir + "x509.go", "privPub.Equal(parent.PublicKey)", "equalKeys(privPub, parent.PublicKey)"},
}, renamed(x509Dir+"parser.go", "parsePublicKey"),
	renamed(x509Dir+"x509.go", "marshalPublicKey", "(algo PublicKeyAlgorithm) String", "checkSignature", "signingParamsForKey", "signTBS"),
	renamed(x509Dir+"pkcs8.go", "ParsePKCS8PrivateKey", "MarshalPKCS8PrivateKey"),

	// TLS: the algorithms.
	renamed(tlsDir+"tls.go", "parsePrivateKey"),
	renamed(tlsDir+"common.go", "isTLS13OnlyKeyExchange", "isPQKeyExchange"),
	renamed(tlsDir+"common_string.go", "(i SignatureScheme) String", "(i CurveID) String"),
	renamed(tlsDir+"cipher_suites.go", "CipherSuiteName", "cipherSuiteTLS13ByID"),
	renamed(tlsDir+"auth.go", "verifyHandshakeSignature", "typeAndHashFromSignatureScheme", "signatureSchemesForPublicKey"),
	renamed(tlsDir+"key_schedule.go", "keyExchangeForCurveID"),
	[]edit{
		{tlsDir + "key_schedule.go", "\ntype keySharePrivateKeys struct {\n", "\ntype keySharePrivateKeys struct {\n\tsm smKeys\n"},
		{tlsDir + "tls.go", "\n\tdefault:\n\t\treturn fail(errors.New(\"tls: unknown public key algorithm\"))", "\n\tcase *smPublicKey:\n\t\tif err := matchSM(cert.PrivateKey, pub); err != nil {\n\t\t\treturn fail(err)\n\t\t}\n\tdefault:\n\t\treturn fail(errors.New(\"tls: unknown public key algorithm\"))"},
		{tlsDir + "handshake_client.go", "\n\tcase *rsa.PublicKey, *ecdsa.PublicKey, ed25519.PublicKey:\n", "\n\tcase *rsa.PublicKey, *ecdsa.PublicKey, ed25519.PublicKey, *smPublicKey:\n"},
		{tlsDir + "handshake_server.go", "\n\t\tcase *ecdsa.PublicKey, *rsa.PublicKey, ed25519.PublicKey", "\n\t\tcase *smPublicKey, *ecdsa.PublicKey, *rsa.PublicKey, ed25519.PublicKey"},

		// What a client offers, and what a server selects.
		{tlsDir + "cipher_suites.go", "\n\t\tif c := cipherSuiteTLS13ByID(cID); c != nil {", "\n\t\tif c := cipherSuiteTLS13ByID(cID); c != nil && !isSMSuite(cID) {"},
		{tlsDir + "common.go", "\n\tif vers == VersionTLS13 {\n\t\treturn nil\n", "\n\tif vers == VersionTLS13 {\n\t\treturn chi.supportsSM(c)\n"},
		{tlsDir + "handshake_client.go", "\n\t\tif len(hello.supportedCurves) == 0 {", "\n\t\tc.offerSM(hello)\n\t\tif len(hello.supportedCurves) == 0 {"},
		{tlsDir + "handshake_client.go", "hello.keyShares[1].group) {\n\t\t\thello.keyShares = hello.keyShares[:1]\n\t\t}\n", "hello.keyShares[1].group) {\n\t\t\thello.keyShares = hello.keyShares[:1]\n\t\t}\n\t\tif err := config.addShares(hello, keyShareKeys); err != nil {\n\t\t\treturn nil, nil, nil, err\n\t\t}\n"},
		{tlsDir + "handshake_client_tls13.go", "hs.keyShareKeys.ecdhe == nil", "hs.keyShareKeys.ecdhe == nil && hs.keyShareKeys.sm.ecdh == nil"},
		{tlsDir + "handshake_server_tls13.go", "\n\tfor _, suiteID := range preferenceList {", "\n\tfor _, suiteID := range hs.selectSM(preferenceList) {"},
		{tlsDir + "handshake_server_tls13.go", "\n\tpreferredGroups := c.config.curvePreferences(c.vers)", "\n\tpreferredGroups := hs.groupsOfSuite(c.config.curvePreferences(c.vers))"},
		{tlsDir + "handshake_server_tls13.go", "\n\tcertificate, err := c.config.getCertificate(clientHelloInfo(hs.ctx, c, hs.clientHello))", "\n\tcertificate, err := hs.certificateOfSuite()"},
		{tlsDir + "handshake_server_tls13.go", "selectSignatureScheme(c.vers, certificate, hs.clientHello.supportedSignatureAlgorithms)", "selectSignatureScheme(c.vers, certificate, schemesOfSuite(hs.suite.id, hs.clientHello.supportedSignatureAlgorithms))"},

		// What goes with what.
		{tlsDir + "handshake_client_tls13.go", "\n\ths.suite = selectedSuite\n", "\n\tif err := hs.checkSM(selectedSuite); err != nil {\n\t\treturn err\n\t}\n\ths.suite = selectedSuite\n"},
		{tlsDir + "key_agreement.go", "(ka.signatureAlgorithm, clientHello.supportedSignatureAlgorithms)", "(ka.signatureAlgorithm, schemesOfSuite(0, clientHello.supportedSignatureAlgorithms))"},
		{tlsDir + "handshake_client_tls13.go", "\n\t\ths.certReq = certReq\n", "\n\t\ths.certReq = certReq\n\t\tcertReq.supportedSignatureAlgorithms = schemesOfSuite(c.cipherSuite, certReq.supportedSignatureAlgorithms)\n"},
		{tlsDir + "handshake_client_tls13.go", "(certVerify.signatureAlgorithm, supportedSignatureAlgorithms(c.vers", "(certVerify.signatureAlgorithm, acceptedSchemes(c, supportedSignatureAlgorithms, c.vers"},
		{tlsDir + "handshake_server_tls13.go", "(certVerify.signatureAlgorithm, supportedSignatureAlgorithms(c.vers", "(certVerify.signatureAlgorithm, acceptedSchemes(c, supportedSignatureAlgorithms, c.vers"},
		{tlsDir + "handshake_server_tls13.go", "\n\t\tif c.config.ClientCAs != nil {", "\n\t\tc.requestSM(certReq)\n\t\tif c.config.ClientCAs != nil {"},

		// Signatures of a handshake.
		{tlsDir + "handshake_client_tls13.go", "sig, err := crypto.SignMessage(", "sig, err := signHandshake(sigType, "},
		{tlsDir + "handshake_server_tls13.go", "sig, err := crypto.SignMessage(", "sig, err := signHandshake(sigType, "},
	})

// renamed returns edits that give functions and methods of Go another name, not exported, which ends
// with Std.
func renamed(file string, functions ...string) (list []edit) {
	for _, f := range functions {
		at := strings.LastIndex(f, " ") + 1 // behind the receiver
		list = append(list, edit{file, "\nfunc " + f + "(", "\nfunc " + f[:at] + strings.ToLower(f[at:at+1]) + f[at+1:] + "Std("})
	}
	return list
}
