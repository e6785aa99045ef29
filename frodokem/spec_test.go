package frodokem

import (
	"bytes"
	"crypto/aes"
	"crypto/sha3"
	"encoding/binary"
)

// A spec is a straightforward implementation of draft-longa-cfrg-frodokem: matrices
// are stored, bits are handled one at a time, AES and SHAKE come from the standard
// library. It is the reference for the tests only: it is slow and its running time
// depends on secrets.
type spec struct {
	n, d, b      int
	shared       int // bytes of s, k, pkh and the shared key
	seedSE, salt int // bytes
	aes          bool
	table        []uint16 // T_X
}

type specMatrix [][]uint16

func newSpec(s Set) spec {
	var p spec
	switch (s - 1) % 6 / 2 { // in the order of the constants
	case 0:
		p = spec{n: 640, d: 15, b: 2, shared: 16, table: []uint16{
			4643, 13363, 20579, 25843, 29227, 31145, 32103, 32525, 32689, 32745, 32762, 32766, 32767}}
	case 1:
		p = spec{n: 976, d: 16, b: 3, shared: 24, table: []uint16{
			5638, 15915, 23689, 28571, 31116, 32217, 32613, 32731, 32760, 32766, 32767}}
	case 2:
		p = spec{n: 1344, d: 16, b: 4, shared: 32, table: []uint16{
			9142, 23462, 30338, 32361, 32725, 32765, 32767}}
	}
	p.aes = s%2 == 1
	p.seedSE = p.shared
	if s <= FrodoKEM1344SHAKE {
		p.seedSE, p.salt = 2*p.shared, 2*p.shared
	}
	return p
}

// shake is SHAKE128 for 640 and SHAKE256 for the others.
func (p spec) shake(n int, parts ...[]byte) []byte {
	h := sha3.NewSHAKE256()
	if p.n == 640 {
		h = sha3.NewSHAKE128()
	}
	for _, part := range parts {
		h.Write(part)
	}
	out := make([]byte, n)
	h.Read(out)
	return out
}

func newSpecMatrix(rows, columns int) specMatrix {
	m := make(specMatrix, rows)
	for i := range m {
		m[i] = make([]uint16, columns)
	}
	return m
}

// gen is Frodo.Gen.
func (p spec) gen(seed []byte) specMatrix {
	a := newSpecMatrix(p.n, p.n)
	c, err := aes.NewCipher(seed)
	if err != nil {
		panic(err)
	}
	for i := range a {
		row := make([]byte, 2*p.n)
		if p.aes {
			for j := 0; j < p.n; j += 8 {
				binary.LittleEndian.PutUint16(row[2*j:], uint16(i))
				binary.LittleEndian.PutUint16(row[2*j+2:], uint16(j))
				c.Encrypt(row[2*j:], row[2*j:])
			}
		} else {
			h := sha3.NewSHAKE128()
			h.Write(binary.LittleEndian.AppendUint16(nil, uint16(i)))
			h.Write(seed)
			h.Read(row)
		}
		for j := range a[i] {
			a[i][j] = binary.LittleEndian.Uint16(row[2*j:])
		}
	}
	return a
}

// sampleMatrix is Frodo.SampleMatrix; it also returns the remainder of r.
func (p spec) sampleMatrix(r []byte, rows, columns int) (specMatrix, []byte) {
	m := newSpecMatrix(rows, columns)
	for i := range m {
		for j := range m[i] {
			w := binary.LittleEndian.Uint16(r)
			r = r[2:]
			e := uint16(0)
			for _, t := range p.table[:len(p.table)-1] {
				if w>>1 > t {
					e++
				}
			}
			if w&1 == 1 {
				e = -e
			}
			m[i][j] = e
		}
	}
	return m, r
}

func (a specMatrix) transpose() specMatrix {
	t := newSpecMatrix(len(a[0]), len(a))
	for i := range a {
		for j := range a[i] {
			t[j][i] = a[i][j]
		}
	}
	return t
}

func (a specMatrix) times(b specMatrix) specMatrix {
	m := newSpecMatrix(len(a), len(b[0]))
	for i := range a {
		for k := range b {
			for j := range b[0] {
				m[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return m
}

func (a specMatrix) plus(b specMatrix, sign uint16) specMatrix {
	m := newSpecMatrix(len(a), len(a[0]))
	for i := range m {
		for j := range m[i] {
			m[i][j] = a[i][j] + sign*b[i][j]
		}
	}
	return m
}

// pack is Frodo.Pack: d bits of each entry, the most significant first.
func (p spec) pack(m specMatrix) []byte {
	var bits []byte
	for _, row := range m {
		for _, x := range row {
			for i := p.d - 1; i >= 0; i-- {
				bits = append(bits, byte(x>>i&1))
			}
		}
	}
	out := make([]byte, len(bits)/8)
	for i, bit := range bits {
		out[i/8] |= bit << (7 - i%8)
	}
	return out
}

func (p spec) unpack(in []byte, rows, columns int) specMatrix {
	m := newSpecMatrix(rows, columns)
	position := 0
	for i := range m {
		for j := range m[i] {
			for range p.d {
				m[i][j] = m[i][j]<<1 | uint16(in[position/8]>>(7-position%8)&1)
				position++
			}
		}
	}
	return m
}

func (p spec) encode(mu []byte) specMatrix {
	m := newSpecMatrix(8, 8)
	for i := range m {
		for j := range m[i] {
			for l := range p.b {
				position := (8*i+j)*p.b + l
				m[i][j] |= uint16(mu[position/8]>>(position%8)&1) << (p.d - p.b + l)
			}
		}
	}
	return m
}

func (p spec) decode(m specMatrix) []byte {
	mu := make([]byte, 8*p.b)
	for i := range m {
		for j := range m[i] {
			x := int(m[i][j]) % (1 << p.d)
			x = (x + 1<<(p.d-p.b-1)) >> (p.d - p.b) % (1 << p.b)
			for l := range p.b {
				position := (8*i+j)*p.b + l
				mu[position/8] |= byte(x>>l&1) << (position % 8)
			}
		}
	}
	return mu
}

// keys derives a key pair from the seeds s || seedSE || z.
func (p spec) keys(seed []byte) (public, private []byte) {
	s, seedSE, z := seed[:p.shared], seed[p.shared:p.shared+p.seedSE], seed[p.shared+p.seedSE:]
	seedA := p.shake(16, z)
	r := p.shake(4*8*p.n, []byte{0x5f}, seedSE)
	st, r := p.sampleMatrix(r, 8, p.n)
	e, _ := p.sampleMatrix(r, p.n, 8)
	b := p.gen(seedA).times(st.transpose()).plus(e, 1)
	public = append(seedA, p.pack(b)...)
	private = append(bytes.Clone(s), public...)
	for _, row := range st {
		for _, x := range row {
			private = binary.LittleEndian.AppendUint16(private, x)
		}
	}
	return public, append(private, p.shake(p.shared, public)...)
}

// encrypt returns B' and C and k.
func (p spec) encrypt(public, hash, mu, salt []byte) (b, c specMatrix, k []byte) {
	g := p.shake(p.seedSE+p.shared, hash, mu, salt)
	r := p.shake(2*(2*8*p.n+64), []byte{0x96}, g[:p.seedSE])
	s, r := p.sampleMatrix(r, 8, p.n)
	e, r := p.sampleMatrix(r, 8, p.n)
	e2, _ := p.sampleMatrix(r, 8, 8)
	b = s.times(p.gen(public[:16])).plus(e, 1)
	c = s.times(p.unpack(public[16:], p.n, 8)).plus(e2, 1).plus(p.encode(mu), 1)
	return b, c, g[p.seedSE:]
}

func (p spec) encapsulate(public, mu, salt []byte) (sharedKey, ciphertext []byte) {
	b, c, k := p.encrypt(public, p.shake(p.shared, public), mu, salt)
	ciphertext = bytes.Join([][]byte{p.pack(b), p.pack(c), salt}, nil)
	return p.shake(p.shared, ciphertext, k), ciphertext
}

func (p spec) decapsulate(private, ciphertext []byte) []byte {
	s, rest := private[:p.shared], private[p.shared:]
	public, rest := rest[:16+p.n*p.d], rest[16+p.n*p.d:]
	st := newSpecMatrix(8, p.n)
	for i := range st {
		for j := range st[i] {
			st[i][j] = binary.LittleEndian.Uint16(rest)
			rest = rest[2:]
		}
	}
	c1, c2, salt := ciphertext[:p.n*p.d], ciphertext[p.n*p.d:][:8*p.d], ciphertext[p.n*p.d+8*p.d:]
	b, c := p.unpack(c1, 8, p.n), p.unpack(c2, 8, 8)
	mu := p.decode(c.plus(b.times(st.transpose()), 0xffff))
	wantB, wantC, k := p.encrypt(public, rest, mu, salt)
	if !bytes.Equal(p.pack(wantB), c1) || !bytes.Equal(p.pack(wantC), c2) {
		k = s
	}
	return p.shake(p.shared, ciphertext, k)
}
