package frodokem

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"runtime"
	"strconv"

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
	err := wrongSize(s, what, size, strconv.Itoa(want(s)), want)
	if of > 1 {
		err = errors.New(err.Error() + ", in number " + strconv.Itoa(i) + " of the list")
	}
	return err
}

// lanes is the maximum number of operations that are processed together.
const lanes = keccak.MaxLanes

// encapsulate performs up to eight encapsulations to keys of one set and driver.
// random contains mu and salt.
func encapsulate(p *params, list []Encapsulation, random *[lanes][maxShared + maxSalt]byte) {
	var (
		row    = list[0].Key.row
		size   = nbar * p.n
		g      [lanes][maxSeedSE + maxShared]byte // seedSE, k
		seeds  [lanes][]byte
		hash   [lanes]keccak.Lane
		states [lanes]keccak.State
		keys   [lanes]*EncapsulationKey
		s      [lanes]*scratch
	)
	for i := range list {
		s[i], keys[i], seeds[i] = getScratch(row), list[i].Key, g[i][:p.seedSE]
		hash[i] = keccak.Lane{In: [3][]byte{list[i].Key.hash[:p.shared], random[i][:p.mu()+p.salt]}, Out: g[i][:p.seedSE+p.shared]}
	}
	keccak.Sum(hashRow[row], p.rate, hash[:len(list)])
	beside := squeezesBeside(row, p, keys[:len(list)])
	expand(row, p, s[:len(list)], 2*size+nbar*nbar, domainMessage, &seeds, beside, &states, nil, nil)
	multiply(row, p, s[:len(list)], keys[:len(list)], beside, &states)
	for i := range list {
		ct := list[i].Ciphertext
		packCiphertext(row, p, ct, s[i].noise[size:2*size+nbar*nbar], random[i][:p.mu()])
		copy(ct[p.c1()+p.c2():], random[i][p.mu():p.mu()+p.salt])
		hash[i] = keccak.Lane{In: [3][]byte{ct, g[i][p.seedSE : p.seedSE+p.shared]}, Out: list[i].SharedKey}
	}
	keccak.Sum(hashRow[row], p.rate, hash[:len(list)])
	for i := range list {
		s[i].put(p)
	}
	clear(g[:])
	runtime.KeepAlive(&g)
}

// decapsulate is the inverse of encapsulate.
func decapsulate(p *params, list []Decapsulation) {
	var (
		row    = list[0].Key.ek.row
		size   = nbar * p.n
		g      [lanes][maxSeedSE + maxShared]byte // seedSE', k'
		mu     [lanes][maxShared]byte
		seeds  [lanes][]byte
		hash   [lanes]keccak.Lane
		states [lanes]keccak.State
		keys   [lanes]*EncapsulationKey
		s      [lanes]*scratch
	)
	for i := range list {
		dk, ct := list[i].Key, list[i].Ciphertext
		s[i], keys[i], seeds[i] = getScratch(row), &dk.ek, g[i][:p.seedSE]
		unpack(row, p.d, s[i].b[:size], ct)
		var w [nbar * nbar]uint16
		unpack(row, p.d, w[:], ct[p.c1():])
		mulBS(row, p.n, &w, s[i].b[:size], dk.st)
		decode(p, mu[i][:p.mu()], &w)
		clear(w[:])
		hash[i] = keccak.Lane{In: [3][]byte{dk.ek.hash[:p.shared], mu[i][:p.mu()], ct[p.c1()+p.c2():]}, Out: g[i][:p.seedSE+p.shared]}
	}
	keccak.Sum(hashRow[row], p.rate, hash[:len(list)])
	var last keccak.State // hashes the ciphertext and k, if there is one message
	var absorbed []byte   // the blocks of the ciphertext that last absorbs early
	if len(list) == 1 {
		ct := list[0].Ciphertext
		absorbed = ct[:len(ct)/p.rate*p.rate]
	}
	beside := squeezesBeside(row, p, keys[:len(list)])
	expand(row, p, s[:len(list)], 2*size+nbar*nbar, domainMessage, &seeds, beside, &states, &last, absorbed)
	multiply(row, p, s[:len(list)], keys[:len(list)], beside, &states)
	for i := range list {
		dk, ct := list[i].Key, list[i].Ciphertext
		var received [nbar * nbar]uint16
		b, c := s[i].noise[size:2*size], (*[nbar * nbar]uint16)(s[i].noise[2*size:])
		encode(p, c, mu[i][:p.mu()])
		unpack(row, p.d, received[:], ct[p.c1():])
		// Compare both matrices mod q, always completely.
		differ := difference(row, p.q1(), b, s[i].b[:size]) | difference(row, p.q1(), c[:], received[:])
		same := subtle.ConstantTimeEq(int32(differ), 0)
		k := g[i][p.seedSE : p.seedSE+p.shared]
		subtle.ConstantTimeCopy(1-same, k, dk.reject[:p.shared])
		hash[i] = keccak.Lane{In: [3][]byte{ct, k}, Out: list[i].SharedKey}
	}
	if len(list) == 1 {
		last.Absorb(hashRow[row], p.rate, &[3][]byte{hash[0].In[0][len(absorbed):], hash[0].In[1]})
		last.Last(list[0].SharedKey)
		last.Wipe()
	} else {
		keccak.Sum(hashRow[row], p.rate, hash[:len(list)])
	}
	for i := range list {
		s[i].put(p)
	}
	clear(g[:])
	clear(mu[:])
	runtime.KeepAlive(&g)
	runtime.KeepAlive(&mu)
}
