package sm2

import (
	"crypto/subtle"
	"errors"
	"runtime"
	"strconv"

	"github.com/cipherlane/cipherlane/sm3"
)

// An Exchange is one side of the key exchange of GB/T 32918.3-2016, used once:
//
//	initiator                         responder
//	NewExchange                       NewExchange
//	Point            ── RA ──▶        Agree(RA): the key
//	Agree(RB)        ◀── RB, SB ──    Point, Confirmation
//	Confirm(SB)
//	Confirmation     ── SA ──▶        Confirm(SA)
//
// The confirmations SA and SB are optional. Without them, neither side knows whether
// the other one has the same key. An Exchange is not safe for concurrent use.
type Exchange struct {
	private
	key       *PrivateKey
	peer      *PublicKey
	own       [32]byte // Z of this side
	other     [32]byte
	initiator bool
	state     exchangeState
	nonce     scalar // r
	point     affine // R = r G

	send, expect [32]byte
}

type exchangeState uint8

const (
	exchangeNew exchangeState = iota
	exchangeAgreed
	exchangeOver
)

var (
	errExchange = errors.New("sm2: key exchange failed")
	errOrder    = errors.New("sm2: this step of the key exchange is not to be done now")
)

// NewExchange begins a key exchange. Its ephemeral key comes from the system's random
// number generator. A nil ID stands for [DefaultID]; both sides must use the same IDs.
func NewExchange(key *PrivateKey, id []byte, peer *PublicKey, peerID []byte, initiator bool) (*Exchange, error) {
	var r scalar
	r.random()
	x, err := newExchange(key, id, peer, peerID, initiator, &r)
	clear(r[:])
	scrub()
	return x, err
}

func newExchange(key *PrivateKey, id []byte, peer *PublicKey, peerID []byte, initiator bool, r *scalar) (*Exchange, error) {
	if !key.usable {
		return nil, errUnusable
	}
	if peer.empty() {
		return nil, errPoint
	}
	own, err := key.public.identity(id)
	if err != nil {
		return nil, err
	}
	other, err := peer.identity(peerID)
	if err != nil {
		return nil, err
	}
	x := &Exchange{key: key, peer: peer, own: own, other: other, initiator: initiator, nonce: *r}
	var p point
	p.multiplyBase(key.public.row, r)
	x.point = p.affine(key.public.row)
	p.wipe()
	return x, nil
}

// Point returns the 65-byte point that the other side passes to [Exchange.Agree].
func (x *Exchange) Point() []byte {
	b := x.point.bytes()
	return b[:]
}

// Agree takes the point of the other side, compressed or not, and returns a key
// of n bytes.
func (x *Exchange) Agree(point []byte, n int) ([]byte, error) {
	if x.state != exchangeNew {
		return nil, errOrder
	}
	if !x.key.usable {
		return nil, errUnusable
	}
	if n <= 0 || n > MaxMessage {
		return nil, errors.New("sm2: key of " + strconv.Itoa(n) + " bytes, want 1 to " + strconv.Itoa(MaxMessage))
	}
	var theirs affine
	if !theirs.setBytes(x.key.public.row, point) {
		return nil, errPoint
	}
	key := make([]byte, n)
	ok := x.agree(key, &theirs)
	clear(x.nonce[:])
	x.state = exchangeAgreed
	if ok == 0 {
		clear(key)
		x.state = exchangeOver
		return nil, errExchange
	}
	return key, nil
}

// agree implements steps A4 to A9 and B3 to B8 of section 6.1 of part 3.
func (x *Exchange) agree(key []byte, theirs *affine) (ok uint64) {
	var t, xbar scalar
	row := x.key.public.row
	xbar = reducedX(&x.point)
	t.mul(&xbar, &x.nonce)
	t.add(&t, &x.key.d)

	// U = t (P + xbar R), where P + xbar R is public.
	var p, q point
	xbar = reducedX(theirs)
	p.multiply(row, &xbar, theirs)
	q = point{x.peer.point.x, x.peer.point.y, one}
	p.addPublic(row, &q)
	if p.z.isZero() != 0 {
		clear(t[:])
		return 0
	}
	sum := p.affine(row)
	p.multiply(row, &t, &sum)
	ok = ^p.z.isZero() & 1
	u := p.affine(row)

	var secret [64 + 2*32]byte
	coordinates := u.coordinates()
	copy(secret[:], coordinates[:])
	za, zb, ra, rb := &x.own, &x.other, &x.point, theirs
	if !x.initiator {
		za, zb, ra, rb = zb, za, rb, ra
	}
	copy(secret[64:], za[:])
	copy(secret[96:], zb[:])
	sm3.KDF(key, secret[:])

	// Hash(xU || ZA || ZB || x1 || y1 || x2 || y2), then the hash of this after a tag and yU.
	inner := make([]byte, 0, 32+64+128)
	inner = append(append(inner, coordinates[:32]...), secret[64:]...)
	a, b := ra.coordinates(), rb.coordinates()
	inner = append(append(inner, a[:]...), b[:]...)
	hash := sm3.Sum(inner)
	var outer [1 + 32 + 32]byte
	copy(outer[1:], coordinates[32:])
	copy(outer[33:], hash[:])
	outer[0] = 2
	sb := sm3.Sum(outer[:])
	outer[0] = 3
	sa := sm3.Sum(outer[:])
	if x.initiator {
		x.send, x.expect = sa, sb
	} else {
		x.send, x.expect = sb, sa
	}

	p.wipe()
	u = affine{}
	clear(t[:])
	clear(secret[:])
	clear(coordinates[:])
	clear(inner)
	clear(outer[:])
	runtime.KeepAlive(&secret)
	runtime.KeepAlive(inner)
	return ok
}

// reducedX returns 2^127 + (x mod 2^127), section 6.1.
func reducedX(p *affine) scalar {
	v := p.x.integer()
	return scalar{v[0], v[1] | 1<<63}
}

// Confirmation returns the 32-byte value, SA or SB, that proves to the other side
// that this side has the key.
func (x *Exchange) Confirmation() ([]byte, error) {
	if x.state != exchangeAgreed {
		return nil, errOrder
	}
	s := x.send
	return s[:], nil
}

// Confirm checks the confirmation of the other side. If it returns an error, the
// key must not be used.
func (x *Exchange) Confirm(confirmation []byte) error {
	if x.state != exchangeAgreed {
		return errOrder
	}
	if subtle.ConstantTimeCompare(x.expect[:], confirmation) == 0 {
		x.state = exchangeOver
		return errExchange
	}
	return nil
}
