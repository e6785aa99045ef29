package sm3

import "runtime"

// HKDF fills key with the output of HKDF with HMAC-SM3 (RFC 5869) for a secret, such
// as that of a key exchange. It calls [HKDFExtract] and then [HKDFExpand]. The salt
// may be empty and need not be secret; info identifies the purpose of the key. It
// allocates nothing. For passwords, use [PBKDF2].
func HKDF(key, secret, salt, info []byte) { automatic().HKDF(key, secret, salt, info) }

// HKDFExtract derives a pseudorandom key from a secret (RFC 5869, section 2.2).
// [HKDFExpand] derives other keys from it.
func HKDFExtract(secret, salt []byte) [Size]byte { return automatic().HKDFExtract(secret, salt) }

// HKDFExpand fills key from a pseudorandom key (RFC 5869, section 2.3). key must not
// overlap pseudorandomKey or info. It panics if key is longer than 255 * 32 bytes,
// and in FIPS 140-only mode, where SM3 is not allowed.
func HKDFExpand(key, pseudorandomKey, info []byte) {
	automatic().HKDFExpand(key, pseudorandomKey, info)
}

// HKDF is like the package's [HKDF], with this driver.
func (d Driver) HKDF(key, secret, salt, info []byte) {
	var prk [Size]byte
	d.extract(&prk, secret, salt)
	d.HKDFExpand(key, prk[:], info)
	clear(prk[:])
	runtime.KeepAlive(&prk)
}

// HKDFExtract is like the package's [HKDFExtract], with this driver.
func (d Driver) HKDFExtract(secret, salt []byte) (prk [Size]byte) {
	d.extract(&prk, secret, salt)
	return prk
}

// extract is like HKDFExtract, but leaves no result on the stack.
func (d Driver) extract(prk *[Size]byte, secret, salt []byte) {
	refuseFIPS()
	var k hmacKey
	k.init(d.plan, salt) // for HMAC, an empty salt is the same as one of zeros
	k.mac(prk, d.plan, secret)
	k.wipe()
}

// HKDFExpand is like the package's [HKDFExpand], with this driver.
func (d Driver) HKDFExpand(key, pseudorandomKey, info []byte) {
	refuseFIPS()
	if len(key) > 255*Size {
		panic("sm3: HKDF of too many bytes")
	}
	var (
		k       hmacKey
		message = digest{plan: d.plan}
		block   [Size]byte // T of RFC 5869
		counter [1]byte
	)
	k.init(d.plan, pseudorandomKey)
	for before := block[:0]; len(key) > 0; before = block[:] {
		counter[0]++
		k.begin(&message)
		message.Write(before)
		message.Write(info)
		message.Write(counter[:])
		k.sum(&block, &message)
		key = key[copy(key, block[:]):]
	}
	k.wipe()
	message = digest{}
	clear(block[:])
	runtime.KeepAlive(&message)
	runtime.KeepAlive(&block)
}
