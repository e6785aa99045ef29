package tls

import (
	"crypto"
	"crypto/cipherlane/sm2"
	"crypto/cipherlane/sm3"
	"crypto/cipherlane/sm4"
	"crypto/mlkem"
	"crypto/tls/internal/fips140tls"
	"crypto/x509"
	"errors"
	"internal/godebug"
	"io"
	"slices"
)

// The cipher suites of RFC 8998, for TLS 1.3.
const (
	TLS_SM4_GCM_SM3 uint16 = 0x00C6
	TLS_SM4_CCM_SM3 uint16 = 0x00C7
)

const (
	// CurveSM2 is the key exchange on the curve of SM2 (RFC 8998).
	CurveSM2 CurveID = 41

	// CurveSM2MLKEM768 is this key exchange together with ML-KEM-768
	// (draft-yang-tls-hybrid-sm2-mlkem).
	CurveSM2MLKEM768 CurveID = 4590
)

// SM2WithSM3 is the signature algorithm sm2sig_sm3 (RFC 8998).
const SM2WithSM3 SignatureScheme = 0x0708

// handshakeID is the ID of signatures in CertificateVerify. Those of certificates have another.
var handshakeID = []byte("TLSv1.3+GM+Cipher+Suite")

type (
	smPublicKey = sm2.PublicKey

	// smKeys are the private keys for shares of groups of SM.
	smKeys struct {
		ecdh  *sm2.PrivateKey
		mlkem *mlkem.DecapsulationKey768
	}
)

var smSuites = []uint16{TLS_SM4_GCM_SM3, TLS_SM4_CCM_SM3}

// smSuiteList is not in cipherSuitesTLS13, which other packages change through linkname.
var smSuiteList = []*cipherSuiteTLS13{
	{TLS_SM4_GCM_SM3, 16, aeadSM4GCM, crypto.SM3},
	{TLS_SM4_CCM_SM3, 16, aeadSM4CCM, crypto.SM3},
}

func init() { crypto.RegisterHash(crypto.SM3, sm3.New) }

func cipherSuiteTLS13ByID(id uint16) *cipherSuiteTLS13 {
	for _, suite := range smSuiteList {
		if suite.id == id {
			return suite
		}
	}
	return cipherSuiteTLS13ByIDStd(id)
}

func aeadSM4GCM(key, nonceMask []byte) aead {
	c, err := sm4.NewGCM(key)
	if err != nil {
		panic(err)
	}
	return newSMAEAD(c.Seal, c.Open, nonceMask)
}

func aeadSM4CCM(key, nonceMask []byte) aead {
	block, err := sm4.New(key)
	if err != nil {
		panic(err)
	}
	c, err := block.NewCCM(aeadNonceLength, smTagSize)
	if err != nil {
		panic(err)
	}
	return newSMAEAD(c.Seal, c.Open, nonceMask)
}

const smTagSize = 16

// A smAEAD hides the type of a cipher. From one in an interface, the linker reaches sm4.Cipher, and in
// programs that find methods by name it then keeps all of its modes.
type smAEAD struct {
	seal func(dst, nonce, plaintext, data []byte) []byte
	open func(dst, nonce, ciphertext, data []byte) ([]byte, error)
}

func newSMAEAD(seal func(dst, nonce, plaintext, data []byte) []byte, open func(dst, nonce, ciphertext, data []byte) ([]byte, error), nonceMask []byte) aead {
	a := &xorNonceAEAD{aead: &smAEAD{seal, open}}
	copy(a.nonceMask[:], nonceMask)
	return a
}

func (*smAEAD) NonceSize() int { return aeadNonceLength }
func (*smAEAD) Overhead() int  { return smTagSize }

func (a *smAEAD) Seal(dst, nonce, plaintext, data []byte) []byte {
	return a.seal(dst, nonce, plaintext, data)
}

func (a *smAEAD) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	return a.open(dst, nonce, ciphertext, data)
}

func isSMSuite(id uint16) bool { return id == TLS_SM4_GCM_SM3 || id == TLS_SM4_CCM_SM3 }

func isSMGroup(id CurveID) bool { return id == CurveSM2 || id == CurveSM2MLKEM768 }

// smSetting is for users of programs: off, offer, prefer or only.
var smSetting = godebug.New("#tlssm")

// smEnabled reports whether there is SM at all.
func smEnabled() bool { return smSetting.Value() != "off" && !fips140tls.Required() }

func publicSM(key crypto.PublicKey) *sm2.PublicKey {
	if !smEnabled() {
		return nil
	}
	return sm2.PublicOf(key)
}

// isSMCertificate reports whether the private key of a certificate is one of SM2.
func isSMCertificate(c *Certificate) bool {
	signer, ok := c.PrivateKey.(crypto.Signer)
	return ok && publicSM(signer.Public()) != nil
}

// CipherSuiteName returns the standard name of a cipher suite, or its number in hexadecimal.
func CipherSuiteName(id uint16) string {
	switch id {
	case TLS_SM4_GCM_SM3:
		return "TLS_SM4_GCM_SM3"
	case TLS_SM4_CCM_SM3:
		return "TLS_SM4_CCM_SM3"
	}
	return cipherSuiteNameStd(id)
}

func (i CurveID) String() string {
	switch i {
	case CurveSM2:
		return "CurveSM2"
	case CurveSM2MLKEM768:
		return "CurveSM2MLKEM768"
	}
	return i.stringStd()
}

func (i SignatureScheme) String() string {
	if i == SM2WithSM3 {
		return "SM2WithSM3"
	}
	return i.stringStd()
}

func isTLS13OnlyKeyExchange(id CurveID) bool { return isSMGroup(id) || isTLS13OnlyKeyExchangeStd(id) }

func isPQKeyExchange(id CurveID) bool { return id == CurveSM2MLKEM768 || isPQKeyExchangeStd(id) }

// Keys and signatures.

func parsePrivateKey(der []byte) (crypto.PrivateKey, error) {
	if smEnabled() {
		if key, err := x509.ParsePKCS8PrivateKey(der); err == nil {
			if key, ok := key.(*sm2.PrivateKey); ok {
				return key, nil
			}
		} else if key, err := sm2.ParseECPrivateKey(der); err == nil {
			return key, nil
		}
	}
	return parsePrivateKeyStd(der)
}

// matchSM returns an error unless a private key belongs to a public key.
func matchSM(private crypto.PrivateKey, public *sm2.PublicKey) error {
	key, ok := private.(*sm2.PrivateKey)
	if !ok {
		return errors.New("tls: private key type does not match public key type")
	}
	if !key.PublicKey().Equal(public) {
		return errors.New("tls: private key does not match public key")
	}
	return nil
}

const signatureSM2 uint8 = 0x78

func typeAndHashFromSignatureScheme(s SignatureScheme) (uint8, crypto.Hash, error) {
	if s == SM2WithSM3 {
		return signatureSM2, directSigning, nil
	}
	return typeAndHashFromSignatureSchemeStd(s)
}

func signatureSchemesForPublicKey(version uint16, public crypto.PublicKey) []SignatureScheme {
	if publicSM(public) == nil {
		return signatureSchemesForPublicKeyStd(version, public)
	}
	if version < VersionTLS13 {
		return nil
	}
	return []SignatureScheme{SM2WithSM3}
}

func verifyHandshakeSignature(kind uint8, public crypto.PublicKey, hash crypto.Hash, signed, sig []byte) error {
	if kind != signatureSM2 {
		return verifyHandshakeSignatureStd(kind, public, hash, signed, sig)
	}
	key := publicSM(public)
	if key == nil {
		return errors.New("expected an SM2 public key")
	}
	if !key.VerifyMessage(signed, sig, &sm2.SignatureOptions{ID: handshakeID}) {
		return errors.New("SM2 verification failure")
	}
	return nil
}

func signHandshake(kind uint8, signer crypto.Signer, random io.Reader, message []byte, opts crypto.SignerOpts) ([]byte, error) {
	if kind == signatureSM2 {
		return sm2.SignWith(signer, random, message, handshakeID)
	}
	return crypto.SignMessage(signer, random, message, opts)
}

// Key exchanges.

func keyExchangeForCurveID(id CurveID) (keyExchange, error) {
	switch id {
	case CurveSM2:
		return smKeyExchange{}, nil
	case CurveSM2MLKEM768:
		return smHybridKeyExchange{}, nil
	}
	return keyExchangeForCurveIDStd(id)
}

// smShareSize is the number of bytes of a share: an uncompressed point.
const smShareSize = 65

var errSMShare = errors.New("tls: invalid key share on the curve of SM2")

type smKeyExchange struct{}

func (smKeyExchange) keyShares(io.Reader) (*keySharePrivateKeys, []keyShare, error) {
	key, err := sm2.GenerateKey()
	if err != nil {
		return nil, nil, err
	}
	return &keySharePrivateKeys{sm: smKeys{ecdh: key}}, []keyShare{{CurveSM2, key.PublicKey().Bytes()}}, nil
}

func (smKeyExchange) serverSharedSecret(_ io.Reader, share []byte) ([]byte, keyShare, error) {
	key, err := sm2.GenerateKey()
	if err != nil {
		return nil, keyShare{}, err
	}
	defer key.Wipe()
	secret, err := agreeSM(key, share)
	return secret, keyShare{CurveSM2, key.PublicKey().Bytes()}, err
}

func (smKeyExchange) clientSharedSecret(keys *keySharePrivateKeys, share []byte) ([]byte, error) {
	return agreeSM(keys.sm.ecdh, share)
}

func agreeSM(key *sm2.PrivateKey, share []byte) ([]byte, error) {
	if key == nil || len(share) != smShareSize {
		return nil, errSMShare
	}
	peer, err := sm2.NewPublicKey(share)
	if err != nil {
		return nil, errSMShare
	}
	return key.ECDH(peer)
}

// smHybridKeyExchange has the share and the secret of SM2 first.
type smHybridKeyExchange struct{}

func (smHybridKeyExchange) keyShares(random io.Reader) (*keySharePrivateKeys, []keyShare, error) {
	keys, shares, err := smKeyExchange{}.keyShares(random)
	if err != nil {
		return nil, nil, err
	}
	if keys.sm.mlkem, err = mlkem.GenerateKey768(); err != nil {
		return nil, nil, err
	}
	point := shares[0].data
	both := slices.Concat(point, keys.sm.mlkem.EncapsulationKey().Bytes())
	return keys, []keyShare{{CurveSM2MLKEM768, both}, {CurveSM2, point}}, nil
}

func (smHybridKeyExchange) serverSharedSecret(random io.Reader, share []byte) ([]byte, keyShare, error) {
	if len(share) != smShareSize+mlkem.EncapsulationKeySize768 {
		return nil, keyShare{}, errSMShare
	}
	peer, err := mlkem.NewEncapsulationKey768(share[smShareSize:])
	if err != nil {
		return nil, keyShare{}, err
	}
	secret, own, err := smKeyExchange{}.serverSharedSecret(random, share[:smShareSize])
	if err != nil {
		return nil, keyShare{}, err
	}
	kemSecret, ciphertext := peer.Encapsulate()
	return append(secret, kemSecret...), keyShare{CurveSM2MLKEM768, append(own.data, ciphertext...)}, nil
}

func (smHybridKeyExchange) clientSharedSecret(keys *keySharePrivateKeys, share []byte) ([]byte, error) {
	if keys.sm.mlkem == nil || len(share) != smShareSize+mlkem.CiphertextSize768 {
		return nil, errSMShare
	}
	secret, err := agreeSM(keys.sm.ecdh, share[:smShareSize])
	if err != nil {
		return nil, err
	}
	kemSecret, err := keys.sm.mlkem.Decapsulate(share[smShareSize:])
	if err != nil {
		return nil, err
	}
	return append(secret, kemSecret...), nil
}

// What a client offers.

// smOffer is how a client offers SM.
type smOffer int

const (
	smNone   smOffer = iota // not at all
	smLast                  // behind what Go offers
	smFirst                 // before it, with a key share
	smAlways                // and nothing else
)

// smOffer says how a client offers SM: as the user said, or as the program does by its
// configuration.
func (c *Config) smOffer() smOffer {
	if !smEnabled() {
		return smNone
	}
	switch smSetting.Value() {
	case "offer":
		return smLast
	case "prefer":
		return smFirst
	case "only":
		return smAlways
	}
	switch {
	case len(c.CurvePreferences) == 0:
		if slices.ContainsFunc(c.Certificates, func(c Certificate) bool { return isSMCertificate(&c) }) {
			return smFirst
		}
		return smNone
	case !slices.ContainsFunc(c.CurvePreferences, isSMGroup):
		return smNone
	case !slices.ContainsFunc(c.CurvePreferences, func(id CurveID) bool { return !isSMGroup(id) }):
		return smAlways
	case isSMGroup(c.CurvePreferences[0]):
		return smFirst
	}
	return smLast
}

// smGroups returns the groups of SM in CurvePreferences, or those given if it has none. The order
// is always the same.
func (c *Config) smGroups(otherwise ...CurveID) []CurveID {
	if !slices.ContainsFunc(c.CurvePreferences, isSMGroup) {
		return otherwise
	}
	return slices.DeleteFunc([]CurveID{CurveSM2MLKEM768, CurveSM2}, func(id CurveID) bool { return !slices.Contains(c.CurvePreferences, id) })
}

// smSuites returns the suites of SM in CipherSuites, or all if it has none.
func (c *Config) smSuites() []uint16 {
	if !slices.ContainsFunc(c.CipherSuites, isSMSuite) {
		return smSuites
	}
	return slices.DeleteFunc(slices.Clone(smSuites), func(id uint16) bool { return !slices.Contains(c.CipherSuites, id) })
}

// offerSM adds SM to a ClientHello that has no key shares yet. It is called for TLS 1.3. There is no
// signature_algorithms_cert then: with it, OpenSSL 4.0.3 does not find its certificate of SM2.
func (c *Conn) offerSM(hello *clientHelloMsg) {
	offer := c.config.smOffer()
	if offer == smNone || c.quic != nil {
		return
	}
	suites, groups, schemes := c.config.smSuites(), c.config.smGroups(CurveSM2), []SignatureScheme{SM2WithSM3}
	switch offer {
	case smLast:
		hello.cipherSuites = slices.Concat(hello.cipherSuites, suites)
		hello.supportedCurves = slices.Concat(hello.supportedCurves, groups)
		hello.supportedSignatureAlgorithms = slices.Concat(hello.supportedSignatureAlgorithms, schemes)
	case smFirst:
		hello.cipherSuites = slices.Concat(suites, hello.cipherSuites)
		hello.supportedCurves = slices.Concat(groups, hello.supportedCurves)
		hello.supportedSignatureAlgorithms = slices.Concat(schemes, hello.supportedSignatureAlgorithms)
	case smAlways:
		hello.supportedVersions = []uint16{VersionTLS13}
		hello.cipherSuites = slices.Clone(suites)
		hello.supportedCurves = groups
		hello.supportedSignatureAlgorithms = schemes
	}
	hello.supportedSignatureAlgorithmsCert = nil
}

// addShares adds a share for a server without SM, if the first group of a ClientHello is one of SM.
func (c *Config) addShares(hello *clientHelloMsg, keys *keySharePrivateKeys) error {
	if !isSMGroup(hello.supportedCurves[0]) {
		return nil
	}
	at := slices.IndexFunc(hello.supportedCurves, func(id CurveID) bool { return !isSMGroup(id) })
	if at < 0 {
		return nil
	}
	exchange, err := keyExchangeForCurveID(hello.supportedCurves[at])
	if err != nil {
		return err
	}
	other, shares, err := exchange.keyShares(c.rand())
	if err != nil {
		return err
	}
	if len(shares) == 2 && !slices.Contains(hello.supportedCurves, shares[1].group) {
		shares = shares[:1]
	}
	sm := keys.sm
	*keys = *other
	keys.sm = sm
	hello.keyShares = append(hello.keyShares, shares...)
	return nil
}

// checkSM returns an error if a server selects a group that does not go with its cipher suite.
func (hs *clientHandshakeStateTLS13) checkSM(suite *cipherSuiteTLS13) error {
	group := hs.serverHello.serverShare.group
	if group == 0 {
		group = hs.serverHello.selectedGroup
	}
	if group != 0 && isSMGroup(group) != isSMSuite(suite.id) {
		hs.c.sendAlert(alertIllegalParameter)
		return errors.New("tls: server selected a group that does not go with the cipher suite")
	}
	return nil
}

// schemesOfSuite returns the signature algorithms of a list that go with a cipher suite. 0 stands for those of
// TLS 1.2, where a client that offers SM still has that of SM in its list.
func schemesOfSuite(suite uint16, list []SignatureScheme) []SignatureScheme {
	return slices.DeleteFunc(slices.Clone(list), func(s SignatureScheme) bool { return isSMSuite(suite) != (s == SM2WithSM3) })
}

// acceptedSchemes returns the signature algorithms for CertificateVerify: those of Go, or that of
// SM.
func acceptedSchemes[F func(uint16) []SignatureScheme | func(uint16, uint16) []SignatureScheme](c *Conn, std F, versions ...uint16) []SignatureScheme {
	if isSMSuite(c.cipherSuite) {
		return []SignatureScheme{SM2WithSM3}
	}
	switch f := any(std).(type) {
	case func(uint16) []SignatureScheme:
		return f(versions[0])
	case func(uint16, uint16) []SignatureScheme:
		return f(versions[0], versions[1])
	}
	return nil
}

// What a server selects.

// supportsSM returns an error if a certificate is one of SM2 and the client does not offer what
// goes with it.
func (chi *ClientHelloInfo) supportsSM(c *Certificate) error {
	if isSMCertificate(c) && (!slices.ContainsFunc(chi.CipherSuites, isSMSuite) || !slices.ContainsFunc(chi.SupportedCurves, isSMGroup)) {
		return errors.New("client doesn't support the cipher suites and curve of SM2")
	}
	return nil
}

// selectSM returns the cipher suites that the server may select: those of SM, or the given ones. It
// depends on the certificate, for which the application is asked here, if a client offers both.
func (hs *serverHandshakeStateTLS13) selectSM(std []uint16) []uint16 {
	c, hello := hs.c, hs.clientHello
	suites, groups := c.config.smSuites(), c.config.smGroups(CurveSM2MLKEM768, CurveSM2)
	if !smEnabled() || c.quic != nil ||
		!slices.ContainsFunc(suites, func(id uint16) bool { return slices.Contains(hello.cipherSuites, id) }) ||
		!slices.ContainsFunc(groups, func(id CurveID) bool { return slices.Contains(hello.supportedCurves, id) }) ||
		!slices.Contains(hello.supportedSignatureAlgorithms, SM2WithSM3) {
		return std
	}
	views := []*ClientHelloInfo{clientHelloInfo(hs.ctx, c, hello), clientHelloInfo(hs.ctx, c, hello)}
	for i, v := range views {
		sm := i == 0
		v.CipherSuites = slices.DeleteFunc(slices.Clone(v.CipherSuites), func(id uint16) bool { return isSMSuite(id) != sm })
		v.SupportedCurves = slices.DeleteFunc(slices.Clone(v.SupportedCurves), func(id CurveID) bool { return isSMGroup(id) != sm })
		v.SignatureSchemes = slices.DeleteFunc(slices.Clone(v.SignatureSchemes), func(s SignatureScheme) bool { return (s == SM2WithSM3) != sm })
		if sm {
			v.SupportedVersions = []uint16{VersionTLS13}
		}
	}
	order := []int{1, 0}
	for _, id := range hello.cipherSuites {
		if cipherSuiteTLS13ByID(id) != nil {
			if isSMSuite(id) {
				order = []int{0, 1}
			}
			break
		}
	}
	// The second time, for a certificate with another name than the client wants, which Go's server
	// sends if it has no better one.
	var found [2]*Certificate
	for round := range 2 {
		for _, i := range order {
			if round == 0 {
				found[i], _ = c.config.getCertificate(views[i])
			}
			certificate := found[i]
			if certificate == nil || isSMCertificate(certificate) != (i == 0) || round == 0 && views[i].SupportsCertificate(certificate) != nil {
				continue
			}
			hs.cert = certificate
			if i == 0 {
				return suites
			}
			return std
		}
	}
	return std
}

// groupsOfSuite returns the groups that go with the cipher suite: those of SM, or the given ones.
func (hs *serverHandshakeStateTLS13) groupsOfSuite(std []CurveID) []CurveID {
	if isSMSuite(hs.suite.id) {
		return hs.c.config.smGroups(CurveSM2MLKEM768, CurveSM2)
	}
	return std
}

// certificateOfSuite returns the certificate that was found with the cipher suite, or asks for it.
func (hs *serverHandshakeStateTLS13) certificateOfSuite() (*Certificate, error) {
	if hs.cert != nil {
		return hs.cert, nil
	}
	return hs.c.config.getCertificate(clientHelloInfo(hs.ctx, hs.c, hs.clientHello))
}

// requestSM changes the request for a certificate if the cipher suite is one of SM.
func (c *Conn) requestSM(m *certificateRequestMsgTLS13) {
	if isSMSuite(c.cipherSuite) {
		m.supportedSignatureAlgorithms = []SignatureScheme{SM2WithSM3}
		m.supportedSignatureAlgorithmsCert = nil // as in offerSM
	}
}
