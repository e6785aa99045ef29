package sm2

import (
	"crypto/hmac"
	"encoding/binary"
	"math/big"

	"github.com/cipherlane/cipherlane/sm3"
)

// A straightforward implementation of GB/T 32918 on math/big, as a reference for the
// tests.

func number(hex string) *big.Int {
	n, ok := new(big.Int).SetString(hex, 16)
	if !ok {
		panic(hex)
	}
	return n
}

// GB/T 32918.5-2017.
var (
	specP = number("FFFFFFFEFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF00000000FFFFFFFFFFFFFFFF")
	specA = number("FFFFFFFEFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF00000000FFFFFFFFFFFFFFFC")
	specB = number("28E9FA9E9D9F5E344D5A9E4BCF6509A7F39789F515AB8F92DDBCBD414D940E93")
	specN = number("FFFFFFFEFFFFFFFFFFFFFFFFFFFFFFFF7203DF6B21C6052B53BBF40939D54123")
	specG = specPoint{
		number("32C4AE2C1F1981195F9904466A39C9948FE30BBFF2660BE1715A4589334C74C7"),
		number("BC3736A2F4F6779C59BDCEE36B692153D0A9877CC62A474002DF32E52139F0A0"),
	}
)

// specPoint is a point of the curve; infinity has no coordinates.
type specPoint struct{ x, y *big.Int }

func (p specPoint) infinite() bool { return p.x == nil }

func (p specPoint) equal(q specPoint) bool {
	if p.infinite() || q.infinite() {
		return p.infinite() == q.infinite()
	}
	return p.x.Cmp(q.x) == 0 && p.y.Cmp(q.y) == 0
}

func (p specPoint) add(q specPoint) specPoint {
	if p.infinite() {
		return q
	}
	if q.infinite() {
		return p
	}
	var slope, t big.Int
	if p.x.Cmp(q.x) == 0 {
		if t.Add(p.y, q.y).Cmp(specP) == 0 {
			return specPoint{}
		}
		slope.Mul(p.x, p.x)
		slope.Mul(&slope, big.NewInt(3))
		slope.Add(&slope, specA)
		slope.Mul(&slope, t.ModInverse(&t, specP))
	} else {
		slope.Sub(q.y, p.y)
		t.Sub(q.x, p.x)
		t.Mod(&t, specP)
		slope.Mul(&slope, t.ModInverse(&t, specP))
	}
	x, y := new(big.Int), new(big.Int)
	x.Mul(&slope, &slope).Sub(x, p.x).Sub(x, q.x).Mod(x, specP)
	y.Sub(p.x, x).Mul(y, &slope).Sub(y, p.y).Mod(y, specP)
	return specPoint{x, y}
}

func (p specPoint) times(k *big.Int) (r specPoint) {
	for i := k.BitLen() - 1; i >= 0; i-- {
		r = r.add(r)
		if k.Bit(i) == 1 {
			r = r.add(p)
		}
	}
	return r
}

func (p specPoint) coordinates() []byte {
	return append(p.x.FillBytes(make([]byte, 32)), p.y.FillBytes(make([]byte, 32))...)
}

func (p specPoint) bytes() []byte { return append([]byte{4}, p.coordinates()...) }

func specHash(parts ...[]byte) []byte {
	var all []byte
	for _, p := range parts {
		all = append(all, p...)
	}
	sum := sm3.Sum(all)
	return sum[:]
}

// specZ is Z of part 2, section 5.5.
func specZ(id []byte, p specPoint) []byte {
	return specHash(binary.BigEndian.AppendUint16(nil, uint16(8*len(id))), id,
		specA.Bytes(), specB.Bytes(), specG.coordinates(), p.coordinates())
}

// specSign implements part 2, section 6.1, with a given k. It returns nil where the
// standard requires another k.
func specSign(d, k *big.Int, digest []byte) (r, s *big.Int) {
	x := specG.times(k).x
	r = new(big.Int).Add(new(big.Int).SetBytes(digest), x)
	r.Mod(r, specN)
	if r.Sign() == 0 || new(big.Int).Add(r, k).Cmp(specN) == 0 {
		return nil, nil
	}
	s = new(big.Int).Mul(r, d)
	s.Sub(k, s)
	inverse := new(big.Int).Add(d, big.NewInt(1))
	s.Mul(s, inverse.ModInverse(inverse, specN)).Mod(s, specN)
	if s.Sign() == 0 {
		return nil, nil
	}
	return r, s
}

// specVerify implements part 2, section 7.1.
func specVerify(p specPoint, digest []byte, r, s *big.Int) bool {
	for _, v := range []*big.Int{r, s} {
		if v.Sign() <= 0 || v.Cmp(specN) >= 0 {
			return false
		}
	}
	t := new(big.Int).Add(r, s)
	t.Mod(t, specN)
	if t.Sign() == 0 {
		return false
	}
	q := specG.times(s).add(p.times(t))
	if q.infinite() {
		return false
	}
	e := new(big.Int).SetBytes(digest)
	e.Add(e, q.x).Mod(e, specN)
	return e.Cmp(r) == 0
}

// specKDF implements part 3, section 5.4.3.
func specKDF(z []byte, n int) (key []byte) {
	for ct := uint32(1); len(key) < n; ct++ {
		key = append(key, specHash(z, binary.BigEndian.AppendUint32(nil, ct))...)
	}
	return key[:n]
}

// specEncrypt implements part 4, section 6.1, with a given k.
func specEncrypt(p specPoint, k *big.Int, message []byte) (c1, c2, c3 []byte) {
	q := p.times(k)
	x, y := q.coordinates()[:32], q.coordinates()[32:]
	c2 = specKDF(q.coordinates(), len(message))
	for i := range c2 {
		c2[i] ^= message[i]
	}
	return specG.times(k).bytes(), c2, specHash(x, message, y)
}

// specNonces calls use with the nonces of RFC 6979, section 3.2, until it returns
// true.
func specNonces(d *big.Int, digest []byte, use func(k *big.Int) bool) {
	mac := func(key []byte, parts ...[]byte) []byte {
		h := hmac.New(sm3.New, key)
		for _, p := range parts {
			h.Write(p)
		}
		return h.Sum(nil)
	}
	x := d.FillBytes(make([]byte, 32))
	e := new(big.Int).SetBytes(digest)
	h := e.Mod(e, specN).FillBytes(make([]byte, 32))
	k, v := make([]byte, 32), make([]byte, 32)
	for i := range v {
		v[i] = 1
	}
	k = mac(k, v, []byte{0}, x, h)
	v = mac(k, v)
	k = mac(k, v, []byte{1}, x, h)
	v = mac(k, v)
	for {
		v = mac(k, v)
		if n := new(big.Int).SetBytes(v); n.Sign() > 0 && n.Cmp(specN) < 0 && use(n) {
			return
		}
		k = mac(k, v, []byte{0})
		v = mac(k, v)
	}
}
