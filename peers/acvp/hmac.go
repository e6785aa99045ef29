package main

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"fmt"
	"hash"
	"slices"
)

// hashes are those of the standard library, by their names in the protocol.
var hashes = map[string]func() hash.Hash{
	"SHA2-224": sha256.New224, "SHA2-256": sha256.New, "SHA2-384": sha512.New384, "SHA2-512": sha512.New,
	"SHA2-512/224": sha512.New512_224, "SHA2-512/256": sha512.New512_256,
	"SHA3-224": func() hash.Hash { return sha3.New224() }, "SHA3-256": func() hash.Hash { return sha3.New256() },
	"SHA3-384": func() hash.Hash { return sha3.New384() }, "SHA3-512": func() hash.Hash { return sha3.New512() },
}

func hmacTest(name string) function {
	return func(g *group, t *test) (answer, error) {
		m := hmac.New(hashes[name], t.Key)
		m.Write(t.Msg)
		if g.MacLen < 8 || g.MacLen%8 != 0 || g.MacLen > 8*m.Size() {
			return nil, errSizes
		}
		return answer{"mac": octets(m.Sum(nil)[:g.MacLen/8])}, nil
	}
}

func pbkdf(g *group, t *test) (answer, error) {
	h := hashes[g.HMAC]
	if h == nil || t.KeyLen < 8 || t.KeyLen%8 != 0 || t.Iterations < 1 {
		return nil, fmt.Errorf("hash %q, %d iterations or a key of %d bits: not supported", g.HMAC, t.Iterations, t.KeyLen)
	}
	key, err := pbkdf2.Key(h, t.Password, t.Salt, t.Iterations, t.KeyLen/8)
	return answer{"derivedKey": octets(key)}, err
}

// hkdfTest answers tests of HKDF as NIST SP 800-56C has it, with both parties as info.
func hkdfTest(g *group, t *test) (answer, error) {
	h := hashes[g.KDF.HMAC]
	if h == nil || g.KDF.Pattern != "uPartyInfo||vPartyInfo" || g.KDF.Encoding != "concatenation" || g.MultiExpansion || t.KDF.Length%8 != 0 {
		return nil, fmt.Errorf("hash %q or fixed information %q: not supported", g.KDF.HMAC, g.KDF.Pattern)
	}
	info := slices.Concat(t.PartyU.ID, t.PartyU.Ephemeral, t.PartyV.ID, t.PartyV.Ephemeral)
	key, err := hkdf.Key(h, t.KDF.Z, t.KDF.Salt, string(info), t.KDF.Length/8)
	switch {
	case err != nil:
		return nil, err
	case g.Type == "VAL":
		return answer{"testPassed": bytes.Equal(key, t.DerivedKey)}, nil
	default:
		return answer{"dkm": octets(key)}, nil
	}
}
