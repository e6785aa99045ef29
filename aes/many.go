package aes

import (
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// many has the engine for messages side by side. The structs of this file have the same
// fields as its own, or pointers to them could not be converted.
var many = modes.Many[*Cipher, *CCM]{
	Lanes:   aescore.MaxLanes,
	Step:    aescore.MaxPass / BlockSize,
	Width:   func(g int) int { return widthOf(rowOf(g)) },
	Narrow:  func(g, blocks int) int { return narrowOf(rowOf(g), blocks) },
	Group:   groupOf,
	Encrypt: func(c *Cipher, b *[BlockSize]byte) { (*bulk)(c).EncryptBlocks(b[:], b[:]) },
	CCM:     func(a *CCM) (*Cipher, *modes.CCM) { return a.c, a.mode },
	Kernel:  func() modes.LaneKernel[*Cipher] { return new(laneKernel) },
}

// A CBCMessage is one message of [EncryptCBCMany].
type CBCMessage struct {
	Cipher   *Cipher // may be the same for several messages
	IV       []byte  // 16 bytes
	Dst, Src []byte  // whole blocks; the same memory or no overlap
}

// EncryptCBCMany encrypts each message like [Cipher.NewCBCEncrypter], but several
// side by side: with the AVX-512 driver, 16 messages take hardly longer than one.
// Lengths, keys and drivers may differ. It is fastest if all messages have the same
// length or the longest come first. It panics where CBC of a single message does,
// before it writes anything. A message must not overlap the Dst of another.
func EncryptCBCMany(messages []CBCMessage) {
	var groups groupSet
	for i := range messages {
		m := &messages[i]
		if len(m.IV) != BlockSize || len(m.Src)%BlockSize != 0 || !alias.Fits(m.Dst, m.Src) {
			blockOf(m.IV)
			checkBlocks(m.Dst, m.Src) // one of them panics
		}
		groups.add(m.Cipher)
	}
	for g, n := range groups.sizes {
		if n > 0 {
			many.EncryptCBC(unsafe.Slice((*modes.CBCMessage[*Cipher])(&messages[0]), len(messages)), g, n)
		}
	}
}

// A CMACMessage is one message of [CMACMany].
type CMACMessage struct {
	Cipher *Cipher // may be the same for several messages
	Data   []byte
	Sum    [BlockSize]byte // the result
}

// CMACMany computes the CMAC of each message like [Cipher.NewCMAC], but several
// side by side, as [EncryptCBCMany] does.
func CMACMany(messages []CMACMessage) {
	var groups groupSet
	for i := range messages {
		groups.add(messages[i].Cipher)
	}
	for g, n := range groups.sizes {
		if n > 0 {
			many.CMAC(unsafe.Slice((*modes.CMACMessage[*Cipher])(&messages[0]), len(messages)), g, n)
		}
	}
}

// A CCMMessage is one message of [SealCCMMany] or [OpenCCMMany].
type CCMMessage struct {
	AEAD                             *CCM   // may be the same for several messages
	Dst, Nonce, Text, AdditionalData []byte // the arguments of Seal or Open
	Out                              []byte // its result
	Err                              error
}

// SealCCMMany seals each message like [CCM.Seal], but several side by side, as
// [EncryptCBCMany] does. It panics where CCM.Seal does; other messages may have been
// sealed by then. A message must not overlap the memory that the result of another
// is appended to.
func SealCCMMany(messages []CCMMessage) { ccmMany(messages, false) }

// OpenCCMMany opens messages side by side, as [SealCCMMany] seals them. If a message
// is not authentic, OpenCCMMany sets its Err, leaves its Out nil, and returns an
// error.
func OpenCCMMany(messages []CCMMessage) error {
	if !ccmMany(messages, true) {
		return errOpen
	}
	return nil
}

func ccmMany(messages []CCMMessage, open bool) bool {
	var groups groupSet
	ok := true
	for i := range messages {
		m := &messages[i]
		m.Out, m.Err = nil, nil
		if open && m.AEAD.c.plan.Short() == wiped {
			m.Err, ok = errWiped, false
			continue
		}
		groups.add(m.AEAD.c)
	}
	for g, n := range groups.sizes {
		if n > 0 && !many.CryptCCM(unsafe.Slice((*modes.CCMMessage[*CCM])(&messages[0]), len(messages)), g, n, open) {
			ok = false
		}
	}
	return ok
}

// Messages whose ciphers differ in driver or number of rounds cannot share a kernel.
// They form groups, which are processed one after the other.

// groupSet holds the number of messages in each group.
type groupSet struct {
	sizes [3 * 8]int
	last  *Cipher // often the next one, too
	group int     // of last
}

func (s *groupSet) add(c *Cipher) {
	if c != s.last || c == nil {
		s.begin(c)
	}
	s.sizes[s.group]++
}

// begin is apart, and not inlined, so that add is.
//
//go:noinline
func (s *groupSet) begin(c *Cipher) {
	c.check()
	s.last, s.group = c, groupOf(c)
}

func groupOf(c *Cipher) int { return 3*int(c.plan.Many()) + (c.keys.Rounds()-10)/2 }

func rowOf(g int) uint8 { return uint8(g / 3) }
