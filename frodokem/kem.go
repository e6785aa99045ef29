package frodokem

import (
	"crypto/rand"
	"errors"
	"strconv"

	"github.com/cipherlane/cipherlane/internal/keccak"
)

// Encapsulate generates a shared key, and a ciphertext from which the owner of the
// private key recovers it.
func (ek *EncapsulationKey) Encapsulate() (sharedKey, ciphertext []byte) {
	p := ek.set.params()
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
	sharedKey = make([]byte, dk.ek.set.params().shared)
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
	for i, e := range list {
		if err := checkSizes(e.Key.set, i, len(list), e.SharedKey, e.Ciphertext); err != nil {
			return err
		}
	}
	for len(list) > 0 {
		m, first := 1, list[0].Key
		for m < min(lanes, len(list)) && list[m].Key.set == first.set && list[m].Key.row == first.row {
			m++
		}
		var ops [lanes]*operation
		b := newBatch(&sets[first.set], first.row, false, ops[:m])
		for _, o := range b.ops {
			rand.Read(o.random[:b.shared+b.salt])
		}
		b.encapsulate(list[:m])
		list = list[m:]
	}
	return nil
}

// DecapsulateMany is the inverse of [EncapsulateMany].
func DecapsulateMany(list []Decapsulation) error {
	for i, d := range list {
		if d.Key.wiped {
			return errWiped
		}
		if err := checkSizes(d.Key.ek.set, i, len(list), d.SharedKey, d.Ciphertext); err != nil {
			return err
		}
	}
	for len(list) > 0 {
		m, first := 1, &list[0].Key.ek
		for m < min(lanes, len(list)) && list[m].Key.ek.set == first.set &&
			list[m].Key.ek.row == first.row {
			m++
		}
		var ops [lanes]*operation
		b := newBatch(&sets[first.set], first.row, false, ops[:m])
		b.decapsulate(list[:m])
		list = list[m:]
	}
	return nil
}

// checkSizes returns an error if a buffer of entry i of a list has the wrong size.
func checkSizes(s Set, i, entries int, sharedKey, ciphertext []byte) (err error) {
	p := s.params()
	switch size := p.ciphertext(); {
	case len(sharedKey) != p.shared:
		err = wrongSize(s, "shared key", len(sharedKey), strconv.Itoa(p.shared), Set.SharedKeySize)
	case len(ciphertext) != size:
		err = wrongSize(s, "ciphertext", len(ciphertext), strconv.Itoa(size), Set.CiphertextSize)
	}
	if err != nil && entries > 1 {
		err = errors.New(err.Error() + ", in number " + strconv.Itoa(i) + " of the list")
	}
	return err
}

// encapsulate performs encapsulations for which mu and the salt are set.
func (b *batch) encapsulate(list []Encapsulation) {
	var keys [lanes]*EncapsulationKey
	var messages [lanes]keccak.Lane
	for i, o := range b.ops {
		keys[i] = list[i].Key
		messages[i] = keccak.Lane{Out: o.hashed[:b.seedSE+b.shared],
			In: [3][]byte{keys[i].hash[:b.shared], o.random[:b.shared+b.salt]}}
	}
	b.hash(messages[:len(list)])
	b.noise(nil)
	b.multiply(&keys)
	for i, o := range b.ops {
		ct := list[i].Ciphertext
		b.pack(o, ct)
		messages[i] = keccak.Lane{In: [3][]byte{ct, o.k}, Out: list[i].SharedKey}
	}
	b.hash(messages[:len(list)])
	b.end()
}

// decapsulate is the inverse of encapsulate.
func (b *batch) decapsulate(list []Decapsulation) {
	var keys [lanes]*EncapsulationKey
	var messages [lanes]keccak.Lane
	for i, o := range b.ops {
		dk, ct := list[i].Key, list[i].Ciphertext
		keys[i] = &dk.ek
		b.unpack(o, ct, dk.st)
		messages[i] = keccak.Lane{Out: o.hashed[:b.seedSE+b.shared],
			In: [3][]byte{dk.ek.hash[:b.shared], o.mu, ct[len(ct)-b.salt:]}}
	}
	b.hash(messages[:len(list)])
	var text []byte // blocks of a ciphertext, hashed at the same time as the seed
	if len(list) == 1 {
		text = list[0].Ciphertext
		text = text[:len(text)/b.rate*b.rate]
	}
	b.noise(text)
	b.multiply(&keys)
	for i, o := range b.ops {
		b.compare(o, list[i].Key.reject[:b.shared])
		messages[i] = keccak.Lane{Out: list[i].SharedKey, State: &o.text,
			In: [3][]byte{list[i].Ciphertext[len(text):], o.k}}
	}
	b.hash(messages[:len(list)])
	b.end()
}
