module github.com/cipherlane/cipherlane/peers

go 1.26.0

require github.com/cipherlane/cipherlane v0.0.0

// Other implementations, that ours are checked against and measured with.
require (
	// eFrodoKEM-640-SHAKE, under the name that NIST's third round had for it.
	github.com/cloudflare/circl v1.6.5
	// SM3, SM4; and over any block cipher: CMAC, CCM, GCM-SIV, XTS with ciphertext stealing.
	github.com/emmansun/gmsm v0.44.1
	// CCM as WebRTC uses it (pkg/crypto/ccm).
	github.com/pion/dtls/v3 v3.1.15
	// XTS for whole blocks.
	golang.org/x/crypto v0.58.0
)

// Libraries that take a cipher.Block: ours must serve them as crypto/aes does.
require (
	// EAX and OCB of OpenPGP.
	github.com/ProtonMail/go-crypto v1.5.2
	// AES-CBC with HMAC, and AES key wrap, of JSON Web Encryption.
	github.com/go-jose/go-jose/v4 v4.1.8
	// Encrypted cookies.
	github.com/gorilla/securecookie v1.1.2
	// EME, which gocryptfs encrypts file names with.
	github.com/rfjakob/eme v1.2.0
)

// A VPN: a copy of it, made when testing, gets our ChaCha20-Poly1305 (wireguard). Tailscale's
// has assembly for it on arm (count), and its tunnel is measured, too (wireguard).
require (
	github.com/tailscale/wireguard-go v0.0.0-20260928213032-417aef361226
	golang.zx2c4.com/wireguard v0.0.0-20260522210424-ecfc5a8d5446
)

// Network namespaces, CPU time of other processes (wireguard).
require golang.org/x/sys v0.49.0

require (
	golang.org/x/net v0.60.0 // indirect
	golang.zx2c4.com/wintun v0.0.0-20230126152724-0fa3db229ce2 // indirect
)

replace github.com/cipherlane/cipherlane => ..
