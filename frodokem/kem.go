package frodokem

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/keccak"
)

// Encapsulate generates a shared key, and a ciphertext from which the owner of the
// private key recovers it.
func (ek *EncapsulationKey) Encapsulate() (sharedKey, ciphertext []byte) {
	p := ek.set.of()
	sharedKey, ciphertext = make([]byte, p.shared), make([]byte, p.ciphertext())
	if err := ek.EncapsulateTo(sharedKey, ciphertext); err != nil {
		panic(err) // the sizes are right
	}
	return sharedKey, ciphertext
}

// EncapsulateTo is like [EncapsulationKey.Encapsulate], but writes to buffers of the
// caller. They must have the sizes of the set and must not overlap. EncapsulateTo
// does not allocate.
func (ek *EncapsulationKey) EncapsulateTo(sharedKey, ciphertext []byte) error {
	list := [1]Encapsulation{{Key: ek, SharedKey: sharedKey, Ciphertext: ciphertext}}
	return EncapsulateMany(list[:])
}

// Decapsulate returns the shared key of a ciphertext. It returns an error only if
// the ciphertext has the wrong size or the key was wiped. A ciphertext that was not
// created for this key yields a key that nobody else knows, so that later steps of
// the protocol fail (implicit rejection).
func (dk *DecapsulationKey) Decapsulate(ciphertext []byte) (sharedKey []byte, err error) {
	sharedKey = make([]byte, dk.ek.set.of().shared)
	if err := dk.DecapsulateTo(sharedKey, ciphertext); err != nil {
		return nil, err
	}
	return sharedKey, nil
}

// DecapsulateTo is like [DecapsulationKey.Decapsulate], but writes to a buffer of the
// caller. It must have the size of shared keys and must not overlap the ciphertext.
// DecapsulateTo does not allocate.
func (dk *DecapsulationKey) DecapsulateTo(sharedKey, ciphertext []byte) error {
	list := [1]Decapsulation{{Key: dk, SharedKey: sharedKey, Ciphertext: ciphertext}}
	return DecapsulateMany(list[:])
}

// An Encapsulation is one entry of a list for [EncapsulateMany].
type Encapsulation struct {
	Key        *EncapsulationKey
	SharedKey  []byte // filled; must have the size for the set
	Ciphertext []byte // filled; must have the size for the set
}

// A Decapsulation is one entry of a list for [DecapsulateMany].
type Decapsulation struct {
	Key        *DecapsulationKey
	Ciphertext []byte
	SharedKey  []byte // filled; must have the size for the set
}

// EncapsulateMany performs many encapsulations. Keys may be the same or different,
// of any sets. Up to eight consecutive entries of one set and driver are processed
// together, which takes much less time than one at a time, and less still if they
// share a key. If a buffer has the wrong size, EncapsulateMany does nothing, and the
// error identifies the buffer.
func EncapsulateMany(list []Encapsulation) error {
	for i := range list {
		e := &list[i]
		if err := checkSize(e.Key.set, i, len(list), "shared key", len(e.SharedKey), Set.SharedKeySize); err != nil {
			return err
		}
		if err := checkSize(e.Key.set, i, len(list), "ciphertext", len(e.Ciphertext), Set.CiphertextSize); err != nil {
			return err
		}
	}
	var random [lanes][maxShared + maxSalt]byte
	defer clearRandom(&random)
	for len(list) > 0 {
		m := 1
		for m < min(lanes, len(list)) && list[m].Key.set == list[0].Key.set && list[m].Key.row == list[0].Key.row {
			m++
		}
		p := list[0].Key.set.of()
		for i := range m {
			rand.Read(random[i][:p.mu()+p.salt])
		}
		encapsulate(p, list[:m], &random)
		list = list[m:]
	}
	return nil
}

func clearRandom(r *[lanes][maxShared + maxSalt]byte) {
	clear(r[:])
	runtime.KeepAlive(r)
}

// DecapsulateMany is the inverse of [EncapsulateMany].
func DecapsulateMany(list []Decapsulation) error {
	for i := range list {
		d := &list[i]
		if d.Key.wiped {
			return errWiped
		}
		if err := checkSize(d.Key.ek.set, i, len(list), "shared key", len(d.SharedKey), Set.SharedKeySize); err != nil {
			return err
		}
		if err := checkSize(d.Key.ek.set, i, len(list), "ciphertext", len(d.Ciphertext), Set.CiphertextSize); err != nil {
			return err
		}
	}
	for len(list) > 0 {
		m := 1
		for m < min(lanes, len(list)) && list[m].Key.ek.set == list[0].Key.ek.set && list[m].Key.ek.row == list[0].Key.ek.row {
			m++
		}
		decapsulate(list[0].Key.ek.set.of(), list[:m])
		list = list[m:]
	}
	return nil
}

func checkSize(s Set, i, of int, what string, size int, want func(Set) int) error {
	if size == want(s) {
		return nil
	}
	err := wrongSize(s, what, size, fmt.Sprint(want(s)), want)
	if of > 1 {
		err = fmt.Errorf("%w, in number %d of the list", err, i)
	}
	return err
}

// lanes is the maximum number of operations that are processed together.
const lanes = keccak.MaxLanes

// encapsulate performs up to eight encapsulations to keys of one set and driver.
// random contains mu and salt.
func encapsulate(p *params, list []Encapsulation, random *[lanes][maxShared + maxSalt]byte) {
	row := list[0].Key.row
	var g [lanes][maxSeedSE + maxShared]byte // seedSE, k
	var hash [lanes]keccak.Lane
	var s [lanes]*scratch
	for i := range list {
		s[i] = getScratch(row)
		hash[i] = keccak.Lane{In: [3][]byte{list[i].Key.hash[:p.shared], random[i][:p.mu()+p.salt]}, Out: g[i][:p.seedSE+p.shared]}
	}
	keccak.Sum(hashRow(row), p.rate, hash[:len(list)])
	if len(list) == 1 {
		expandOne(p, s[0], list[0].Key, g[0][:p.seedSE], nil, nil)
	} else {
		var keys [lanes]*EncapsulationKey
		for i := range list {
			keys[i] = list[i].Key
		}
		expand(p, s[:len(list)], keys[:len(list)], &g)
	}
	for i := range list {
		ek, ct := list[i].Key, list[i].Ciphertext
		var c [nbar * nbar]uint16
		b := s[i].encrypt(p, ek, &c, random[i][:p.mu()])
		pack(row, p.d, ct, b)
		pack(row, p.d, ct[p.c1():], c[:])
		copy(ct[p.c1()+p.c2():], random[i][p.mu():p.mu()+p.salt])
		hash[i] = keccak.Lane{In: [3][]byte{ct, g[i][p.seedSE : p.seedSE+p.shared]}, Out: list[i].SharedKey}
	}
	keccak.Sum(hashRow(row), p.rate, hash[:len(list)])
	for i := range list {
		s[i].put(p)
	}
	clear(g[:])
	runtime.KeepAlive(&g)
}

// expand derives S', E' and E” from seedSE, at the start of g, and replaces E' with
// B' = S'A + E'. Consecutive messages for one key share A.
func expand(p *params, s []*scratch, keys []*EncapsulationKey, g *[lanes][maxSeedSE + maxShared]byte) {
	row, size := keys[0].row, nbar*p.n
	var hash [lanes]keccak.Lane
	if squeezesBeside(row, p) && apart(keys) {
		var states [lanes]keccak.State
		n := firstBlocks(p)
		for i, s := range s {
			hash[i] = keccak.Lane{In: [3][]byte{domainMessage, g[i][:p.seedSE]}, Out: bytesOf(s.noise[:])[:n]}
		}
		keccak.Begin(hashRow(row), p.rate, hash[:len(s)], states[:len(s)])
		for i, s := range s {
			noise := s.noise[:2*size+nbar*nbar]
			sample(row, p, noise[:size])
			finishOne(row, p, s, false, noise[:size], noise[size:], keys[i].bytes[:seedA], &states[i], bytesOf(noise)[n:])
			states[i].Wipe()
		}
		return
	}
	for i, s := range s {
		hash[i] = keccak.Lane{In: [3][]byte{domainMessage, g[i][:p.seedSE]}, Out: bytesOf(s.noise[:2*size+nbar*nbar])}
	}
	keccak.Sum(hashRow(row), p.rate, hash[:len(s)])
	var list [lanes]product
	for i, s := range s {
		noise := s.noise[:2*size+nbar*nbar]
		fromLittleEndian(noise)
		sample(row, p, noise)
		list[i] = product{s, noise[size : 2*size], noise[:size]}
	}
	for i := 0; i < len(s); {
		seed := keys[i].bytes[:seedA]
		j := i + 1
		for j < len(s) && bytes.Equal(keys[j].bytes[:seedA], seed) {
			j++
		}
		mulSA(row, p, list[i:j], seed)
		i = j
	}
}

// apart reports whether no two consecutive keys have the same A.
func apart(keys []*EncapsulationKey) bool {
	for i := range keys[1:] {
		if bytes.Equal(keys[i].bytes[:seedA], keys[i+1].bytes[:seedA]) {
			return false
		}
	}
	return true
}

// expandOne is expand for one message. It also absorbs in, a whole number of blocks,
// into hash, at the same time where the driver supports that.
func expandOne(p *params, s *scratch, ek *EncapsulationKey, seedSE []byte, hash *keccak.State, in []byte) {
	row, size := ek.row, nbar*p.n
	noise := s.noise[:2*size+nbar*nbar]
	left, rest, out := noise[:size], noise[size:], bytesOf(noise)
	var state keccak.State
	n := firstNoise(row, p, &state, domainMessage, seedSE, left, out, hash, in)
	seed := ek.bytes[:seedA]
	if squeezesBeside(row, p) {
		finishOne(row, p, s, false, left, rest, seed, &state, out[n:])
	} else {
		lastNoise(row, p, &state, rest, out[n:])
		mulSA(row, p, []product{{s, rest[:size], left}}, seed)
	}
	state.Wipe()
}

// firstBlocks returns the length in bytes of S' or S^T, rounded up to whole blocks.
func firstBlocks(p *params) int {
	return (2*nbar*p.n + p.rate - 1) / p.rate * p.rate
}

// firstNoise expands seedSE to out as far as needed for left, which is S' or S^T and the
// start of out. It returns the number of bytes written.
func firstNoise(row uint8, p *params, state *keccak.State, domain, seedSE []byte, left []uint16, out []byte, hash *keccak.State, in []byte) int {
	state.Absorb(hashRow(row), p.rate, &[3][]byte{domain, seedSE})
	n := firstBlocks(p)
	keccak.SqueezeAndAbsorb(hashRow(row), p.rate, state, out[:n], hash, in)
	fromLittleEndian(left)
	sample(row, p, left)
	return n
}

// lastNoise fills out, the remainder of the noise, of which rest is the end.
func lastNoise(row uint8, p *params, state *keccak.State, rest []uint16, out []byte) {
	n := (len(out) - 1) / p.rate * p.rate
	state.Squeeze(hashRow(row), p.rate, out[:n])
	state.Last(out[n:])
	fromLittleEndian(rest)
	sample(row, p, rest)
}

// encrypt, called after expand, returns B' and sets c to C = S'B + E” + Encode(mu).
func (s *scratch) encrypt(p *params, ek *EncapsulationKey, c *[nbar * nbar]uint16, mu []byte) []uint16 {
	size := nbar * p.n
	copy(c[:], s.noise[2*size:])
	mulSB(ek.row, s, p.n, c, s.noise[:size], ek.b)
	encode(p, c, mu)
	return s.noise[size : 2*size]
}

// decapsulate is the inverse of encapsulate.
func decapsulate(p *params, list []Decapsulation) {
	row := list[0].Key.ek.row
	var g [lanes][maxSeedSE + maxShared]byte // seedSE', k'
	var mu [lanes][maxShared]byte
	var hash [lanes]keccak.Lane
	var s [lanes]*scratch
	size := nbar * p.n
	for i := range list {
		dk, ct := list[i].Key, list[i].Ciphertext
		s[i] = getScratch(row)
		unpack(row, p.d, s[i].b[:size], ct)
		var w [nbar * nbar]uint16
		unpack(row, p.d, w[:], ct[p.c1():])
		mulBS(row, p.n, &w, s[i].b[:size], dk.st)
		decode(p, mu[i][:p.mu()], &w)
		clear(w[:])
		hash[i] = keccak.Lane{In: [3][]byte{dk.ek.hash[:p.shared], mu[i][:p.mu()], ct[p.c1()+p.c2():]}, Out: g[i][:p.seedSE+p.shared]}
	}
	keccak.Sum(hashRow(row), p.rate, hash[:len(list)])
	var last keccak.State // hashes the ciphertext and k, if there is one message
	blocks := 0           // bytes of the ciphertext already absorbed
	if len(list) == 1 {
		ct := list[0].Ciphertext
		blocks = len(ct) / p.rate * p.rate
		expandOne(p, s[0], &list[0].Key.ek, g[0][:p.seedSE], &last, ct[:blocks])
	} else {
		var keys [lanes]*EncapsulationKey
		for i := range list {
			keys[i] = &list[i].Key.ek
		}
		expand(p, s[:len(list)], keys[:len(list)], &g)
	}
	for i := range list {
		dk, ct := list[i].Key, list[i].Ciphertext
		var c, received [nbar * nbar]uint16
		b := s[i].encrypt(p, &dk.ek, &c, mu[i][:p.mu()])
		unpack(row, p.d, received[:], ct[p.c1():])
		// Compare both matrices mod q, always completely.
		differ := difference(row, p.q1(), b, s[i].b[:size]) | difference(row, p.q1(), c[:], received[:])
		same := subtle.ConstantTimeEq(int32(differ), 0)
		k := g[i][p.seedSE : p.seedSE+p.shared]
		subtle.ConstantTimeCopy(1-same, k, dk.reject[:p.shared])
		clear(c[:])
		hash[i] = keccak.Lane{In: [3][]byte{ct, k}, Out: list[i].SharedKey}
	}
	if len(list) == 1 {
		last.Absorb(hashRow(row), p.rate, &[3][]byte{hash[0].In[0][blocks:], hash[0].In[1]})
		last.Last(list[0].SharedKey)
		last.Wipe()
	} else {
		keccak.Sum(hashRow(row), p.rate, hash[:len(list)])
	}
	for i := range list {
		s[i].put(p)
	}
	clear(g[:])
	clear(mu[:])
	runtime.KeepAlive(&g)
	runtime.KeepAlive(&mu)
}

// differenceGeneric returns 0 if x and y are equal in the bits of the mask.
func differenceGeneric(mask uint16, x, y []uint16) uint16 {
	var d uint16
	for i, v := range x {
		d |= v ^ y[i]
	}
	return d & mask
}
