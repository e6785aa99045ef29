package pkix

// MarshalPublic returns a SubjectPublicKeyInfo.
func MarshalPublic(algorithm, key []byte) []byte {
	return Append(nil, Sequence, algorithm, Append(nil, BitString, []byte{0}, key))
}

// ParsePublic returns the AlgorithmIdentifier and the key of a SubjectPublicKeyInfo.
func ParsePublic(der []byte) (algorithm Reader, key []byte, ok bool) {
	all := Read(der)
	info := all.In(Sequence)
	algorithm = info.In(Sequence)
	bits := info.Next(BitString)
	if !all.Done() || !info.Done() || len(bits) == 0 || bits[0] != 0 {
		return algorithm, nil, false
	}
	return algorithm, bits[1:], true
}

// MarshalPrivate returns a PrivateKeyInfo (PKCS #8) and leaves no other copy of the key.
func MarshalPrivate(algorithm, key []byte) []byte {
	const overhead = 3 + 2*5 // version; tags and lengths
	info := make([]byte, 0, overhead+len(algorithm)+len(key))
	info = Append(info, Integer, []byte{0})
	info = append(info, algorithm...)
	info = Append(info, OctetString, key)
	der := Append(make([]byte, 0, overhead+len(info)), Sequence, info)
	clear(info)
	return der
}

// ParsePrivate returns the AlgorithmIdentifier and the key of a PrivateKeyInfo or, in
// version 2 (RFC 5958), of a OneAsymmetricKey, without copying the key. public is the
// public key beside it, or nil. Attributes are ignored.
func ParsePrivate(der []byte) (algorithm Reader, key, public []byte, ok bool) {
	all := Read(der)
	info := all.In(Sequence)
	version := info.Next(Integer)
	algorithm = info.In(Sequence)
	key = info.Next(OctetString)
	if info.Has(Explicit0) {
		info.Next(Explicit0)
	}
	ok = string(version) == "\x00" || string(version) == "\x01"
	if info.Has(Implicit1) { // only in version 2, whose number in the encoding is 1
		bits := info.Next(Implicit1)
		ok = string(version) == "\x01" && len(bits) > 1 && bits[0] == 0
		if ok {
			public = bits[1:]
		}
	}
	if !ok || !all.Done() || !info.Done() {
		return algorithm, nil, nil, false
	}
	return algorithm, key, public, true
}

// CertificatePublic returns the SubjectPublicKeyInfo of an X.509 certificate (RFC 5280),
// or nil if der is not one. It does not check anything else: neither the signature nor
// names, dates or extensions.
func CertificatePublic(der []byte) []byte {
	message, _, _, ok := parseSigned(der)
	if !ok {
		return nil
	}
	signed := Read(message)
	tbs := signed.In(Sequence)
	if tbs.Has(Explicit0) {
		tbs.Next(Explicit0) // the version
	}
	tbs.Next(Integer) // the serial number
	for range 4 {
		tbs.Next(Sequence) // the algorithm again, the issuer, the validity, the subject
	}
	return tbs.Whole(Sequence)
}

// parseSigned returns the parts of a certificate or of a request for one: what is signed, the
// AlgorithmIdentifier, and the signature.
func parseSigned(der []byte) (message, algorithm, signature []byte, ok bool) {
	all := Read(der)
	outer := all.In(Sequence)
	message, algorithm = outer.Whole(Sequence), outer.Whole(Sequence)
	bits := outer.Next(BitString)
	if !all.Done() || !outer.Done() || len(bits) == 0 || bits[0] != 0 {
		return nil, nil, nil, false
	}
	return message, algorithm, bits[1:], true
}
