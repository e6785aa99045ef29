package sm2

import (
	"crypto/rand"
	"sync"

	"github.com/cipherlane/cipherlane/sm3"
)

// A batch contains the digests and nonces of entries that are signed together, or new keys.
type batch struct {
	bytes  [32 * maxSideBySide]byte
	nonces [maxSideBySide]scalar

	// Digests are read only once: even if the caller changes them meanwhile, a nonce
	// derived from one digest must not sign another.
	digests [maxSideBySide]scalar
}

// randomKeys sets the first count nonces to new keys, from 1 to n-2.
func (w *batch) randomKeys(count int) {
	w.randomScalars(count)
	for i := range count {
		k := &w.nonces[i]
		for next := (scalar{}); ; k.random() { // n-1 is not a valid key
			if next.add(k, &scalar{1}); next.isZero() == 0 {
				clear(next[:])
				break
			}
		}
	}
}

func (w *batch) readDigests(list []*Signing) {
	for i, b := range list {
		w.digests[i].setInteger(limbs(b.Digest))
	}
}

// makeNonces generates the nonces for a list.
func (w *batch) makeNonces(list []*Signing, deterministic bool) {
	if deterministic {
		n := noncesPool.Get().(*manyNonces)
		n.make(w.nonces[:len(list)], w.digests[:len(list)], list)
		n.free(len(list))
		return
	}
	w.randomScalars(len(list))
}

// randomScalars sets the first count nonces to random numbers from 1 to n-1.
func (w *batch) randomScalars(count int) {
	random := w.bytes[:32*count]
	rand.Read(random)
	for i := range count {
		if k := &w.nonces[i]; !k.setCandidate(random[32*i:][:32]) {
			k.random()
		}
	}
}

// manyNonces is nonces for a list, with the hashes computed in parallel.
type manyNonces struct {
	key, v [maxSideBySide][32]byte
	tail   [maxSideBySide][65]byte // a counter, the private key and the digest
	block  [maxSideBySide][sm3.BlockSize + 97]byte
	list   [maxSideBySide]sm3.Message
}

var noncesPool = sync.Pool{New: func() any { return new(manyNonces) }}

func (n *manyNonces) free(used int) {
	clear(n.key[:used])
	clear(n.v[:used])
	clear(n.tail[:used])
	clear(n.block[:used])
	clear(n.list[:used])
	noncesPool.Put(n)
}

func (n *manyNonces) make(nonces, digests []scalar, list []*Signing) {
	for i, b := range list {
		putLimbs((*[32]byte)(n.tail[i][1:]), (*[4]uint64)(&b.Key.d))
		putLimbs((*[32]byte)(n.tail[i][33:]), (*[4]uint64)(&digests[i]))
		for j := range n.v[i] {
			n.v[i][j] = 1
		}
	}
	used := len(list)
	for round := range byte(2) {
		for i := range used {
			n.tail[i][0] = round
		}
		n.update(&n.key, used, len(n.tail[0]))
		n.update(&n.v, used, 0)
	}
	n.update(&n.v, used, 0)
	for i, b := range list {
		if k := &nonces[i]; !k.setCandidate(n.v[i][:]) {
			single := newNonces(&b.Key.d, &digests[i])
			single.next(k)
			single.wipe()
		}
	}
}

// update sets out to the HMAC of v and the first tail bytes of the tail.
func (n *manyNonces) update(out *[maxSideBySide][32]byte, used, tail int) {
	for i := range used {
		b := &n.block[i]
		n.pad(i, 0x36)
		copy(b[sm3.BlockSize:], n.v[i][:])
		copy(b[sm3.BlockSize+32:], n.tail[i][:tail])
		n.list[i].Data = b[:sm3.BlockSize+32+tail]
	}
	sm3.SumMany(n.list[:used])
	for i := range used {
		b := &n.block[i]
		n.pad(i, 0x5c)
		copy(b[sm3.BlockSize:], n.list[i].Sum[:])
		n.list[i].Data = b[:sm3.BlockSize+32]
	}
	sm3.SumMany(n.list[:used])
	for i := range used {
		out[i] = n.list[i].Sum
	}
}

// pad begins a block with the key.
func (n *manyNonces) pad(i int, padByte byte) {
	b := &n.block[i]
	for j, k := range &n.key[i] {
		b[j] = k ^ padByte
		b[32+j] = padByte
	}
}

// sign signs an entry with the nonce of this number, whose product has the x coordinate x1.
func (w *batch) sign(b *Signing, number int, x1 *[4]uint64, deterministic bool) {
	var r, s scalar
	b.Key.prepare()
	if b.Key.signPoint(&r, &s, &w.digests[number], &w.nonces[number], x1) != 0 {
		b.sign(deterministic) // rejects the same nonce if deterministic
		return
	}
	b.put(&r, &s)
}

// A verifying is a signature that is verified with others. It is valid if the x coordinate of s G
// + t P is v.
type verifying struct {
	entry *Verification
	s, t  scalar
	v     scalar
}

// begin decodes a signature. If it returns false, the entry is finished. If v is below
// p-n, two numbers below p are congruent to it modulo n; these rare signatures are
// verified individually.
func (l *verifying) begin(b *Verification) bool {
	l.entry = b
	b.Valid = false
	var r, e scalar
	if len(b.Digest) != DigestSize || !b.decode(&r, &l.s) {
		return false
	}
	l.t.add(&r, &l.s)
	if r.isZero()|l.s.isZero()|l.t.isZero() != 0 {
		return false
	}
	e.setInteger(limbs(b.Digest))
	l.v.sub(&r, &e)
	other := [4]uint64(l.v)
	if addOrder(&other) && lessThan(&other, (*[4]uint64)(&prime)) != 0 {
		b.verify()
		return false
	}
	return true
}
