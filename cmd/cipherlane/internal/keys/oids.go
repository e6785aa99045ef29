package keys

// oidNames has the algorithms of keys that people may take for one of ours.
var oidNames = map[string]string{
	"1.2.840.113549.1.1.1":  "RSA",
	"1.2.840.113549.1.1.7":  "RSA, for OAEP only",
	"1.2.840.113549.1.1.10": "RSA, for PSS only",
	"1.2.840.113549.1.3.1":  "Diffie-Hellman",
	"1.2.840.10040.4.1":     "DSA",
	"1.2.840.10045.2.1":     "an elliptic curve without a name",
	"1.2.840.10045.3.1.7":   "NIST P-256",
	"1.3.132.0.33":          "NIST P-224",
	"1.3.132.0.34":          "NIST P-384",
	"1.3.132.0.35":          "NIST P-521",
	"1.3.132.0.10":          "secp256k1",
	"1.3.36.3.3.2.8.1.1.7":  "brainpoolP256r1",
	"1.3.36.3.3.2.8.1.1.11": "brainpoolP384r1",
	"1.3.36.3.3.2.8.1.1.13": "brainpoolP512r1",
	"1.2.156.10197.1.301":   "SM2",
	"1.3.101.110":           "X25519",
	"1.3.101.111":           "X448",
	"1.3.101.112":           "Ed25519",
	"1.3.101.113":           "Ed448",

	"2.16.840.1.101.3.4.4.1":  "ML-KEM-512",
	"2.16.840.1.101.3.4.4.2":  "ML-KEM-768",
	"2.16.840.1.101.3.4.4.3":  "ML-KEM-1024",
	"2.16.840.1.101.3.4.3.17": "ML-DSA-44",
	"2.16.840.1.101.3.4.3.18": "ML-DSA-65",
	"2.16.840.1.101.3.4.3.19": "ML-DSA-87",
}

// algorithmName returns the name of the algorithm with an object identifier. If it is not known
// here, the identifier has to do.
func algorithmName(oid string) string {
	if name := oidNames[oid]; name != "" {
		return name
	}
	return "object identifier " + oid
}
