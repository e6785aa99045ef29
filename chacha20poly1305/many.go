package chacha20poly1305

import (
	"errors"

	"github.com/cipherlane/cipherlane/internal/chachapoly"
)

// A Packet is one message of [AEAD.SealMany] or [AEAD.OpenMany].
type Packet struct {
	Dst, Nonce, Text, AdditionalData []byte // the arguments of Seal or Open
	Out                              []byte // the result
	Err                              error
}

var (
	errManyNonce  = errors.New("chacha20poly1305: bad nonce length of a packet")
	errManyLength = errors.New("chacha20poly1305: text of a packet too large")
)

// SealMany seals each packet as [AEAD.Seal] does. Some drivers process several
// packets together, which is faster. If a nonce has the wrong size or a text is
// too long, SealMany writes no output, sets the Err of every packet and returns
// the same error. Invalid overlaps make it panic, as they do Seal, before it
// writes any output. No packet may overlap the output of another.
func (a *AEAD) SealMany(packets []Packet) error {
	if err := a.checkMany(packets, chachapoly.MaxSize); err != nil {
		return err
	}
	for i := range packets {
		p := &packets[i]
		var out []byte
		p.Out, out = extend(p.Dst, len(p.Text)+Overhead)
		p.Err = nil
		checkOverlap(out, p.Text, p.AdditionalData)
	}
	if a.nonceSize == NonceSizeX { // every packet has its own derived key
		for i := range packets {
			p := &packets[i]
			p.Out = a.Seal(p.Out[:len(p.Dst)], p.Nonce, p.Text, p.AdditionalData)
		}
		return nil
	}
	for len(packets) > 0 {
		var work [maxBatch]chachapoly.Packet
		n := min(len(packets), maxBatch)
		for i := range work[:n] {
			p := &packets[i]
			work[i] = chachapoly.Packet{Dst: p.Out[len(p.Dst):], Text: p.Text, Data: p.AdditionalData, Nonce: words(p.Nonce)}
		}
		chachapoly.SealMany(a.plan.Many(), &a.key, work[:n])
		packets = packets[n:]
	}
	return nil
}

// OpenMany opens packets sealed by [AEAD.SealMany] or [AEAD.Seal]. If a packet
// is not authentic, OpenMany sets its Out to nil and its Err to an error, opens
// the other packets and returns an error. If a nonce has the wrong size or a text
// is too long, OpenMany writes no output, sets the Err of every packet and
// returns the same error.
func (a *AEAD) OpenMany(packets []Packet) error {
	if err := a.checkMany(packets, chachapoly.MaxSize+Overhead); err != nil {
		return err
	}
	for i := range packets { // until they are opened; this stands if a check panics
		packets[i].Out, packets[i].Err = nil, errOpen
	}
	for i := range packets {
		p := &packets[i]
		if len(p.Text) < Overhead {
			continue
		}
		var out []byte
		p.Out, out = extend(p.Dst, len(p.Text)-Overhead)
		checkOverlap(out, p.Text, p.AdditionalData)
	}
	var failed error
	for len(packets) > 0 {
		var (
			work  [maxBatch]chachapoly.Packet
			index [maxBatch]uint8 // of a packet in packets
		)
		n := 0
		first := packets[:min(len(packets), maxBatch)]
		for i := range first {
			p := &first[i]
			switch {
			case len(p.Text) < Overhead:
				failed = errOpen
			case a.nonceSize == NonceSizeX: // every packet has its own derived key
				if p.Out, p.Err = a.Open(p.Out[:len(p.Dst)], p.Nonce, p.Text, p.AdditionalData); p.Err != nil {
					failed = p.Err
				}
			default:
				work[n] = chachapoly.Packet{Dst: p.Out[len(p.Dst):], Text: p.Text, Data: p.AdditionalData, Nonce: words(p.Nonce)}
				index[n] = uint8(i)
				n++
			}
		}
		if n > 0 {
			chachapoly.OpenMany(a.plan.Many(), &a.key, work[:n])
		}
		for i := range work[:n] {
			p := &first[index[i]]
			if work[i].OK {
				p.Err = nil
			} else {
				clear(work[i].Dst)
				p.Out, failed = nil, errOpen
			}
		}
		packets = packets[len(first):]
	}
	return failed
}

// maxBatch is the largest number of packets passed to a driver at once.
const maxBatch = 16

// checkMany returns an error if a packet is invalid or the key was wiped. It also
// sets the Err of all packets, for callers that look only there.
func (a *AEAD) checkMany(packets []Packet, longest uint64) (err error) {
	for i := range packets {
		p := &packets[i]
		if len(p.Nonce) != a.nonceSize {
			err = errManyNonce
		} else if uint64(len(p.Text)) > longest {
			err = errManyLength
		}
	}
	if a.wiped() {
		err = errWiped
	}
	if err != nil {
		for i := range packets {
			packets[i].Out, packets[i].Err = nil, err
		}
	}
	return err
}
