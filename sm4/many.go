package sm4

import (
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// many has the engine for messages side by side. The structs of this file have the same
// fields as its own, or pointers to them could not be converted.
var many = modes.Many[*Cipher, *CCM]{
	Lanes:   maxLanes,
	Step:    maxStep,
	Width:   func(int) int { return maxLanes },
	Group:   groupOf,
	Encrypt: func(c *Cipher, b *[BlockSize]byte) { encryptBlock(c.plan.Short(), &c.keys, b[:], b[:]) },
	CCM:     func(a *CCM) (*Cipher, *modes.CCM) { return a.c, a.mode },
	Kernel:  func() modes.LaneKernel[*Cipher] { return new(lanes) },
}

// A CBCMessage is one message of [EncryptCBCMany].
type CBCMessage struct {
	Cipher   *Cipher // may be the same for several messages
	IV       []byte  // 16 bytes
	Dst, Src []byte  // whole blocks; the same memory or no overlap
}

// EncryptCBCMany encrypts each message like [Cipher.NewCBCEncrypter], but several
// side by side: with the AVX-512 driver, 64 messages take twice as long as one.
// Lengths, keys and drivers may differ, but only gfni-avx512 and sm4ni-avx2 are fast
// for messages with different Ciphers. It is fastest if all messages have the same
// length or the longest come first. It panics where CBC of a single message does,
// before it writes anything. A message must not overlap the Dst of another.
func EncryptCBCMany(messages []CBCMessage) {
	var groups groupSet
	for i := range messages {
		m := &messages[i]
		blockOf(m.IV)
		checkBlocks(m.Dst, m.Src)
		groups.add(m.Cipher)
	}
	for g := range groups {
		if groups[g] > 0 {
			many.EncryptCBC(unsafe.Slice((*modes.CBCMessage[*Cipher])(&messages[0]), len(messages)), g, groups[g])
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
	for g := range groups {
		if groups[g] > 0 {
			many.CMAC(unsafe.Slice((*modes.CMACMessage[*Cipher])(&messages[0]), len(messages)), g, groups[g])
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
	for g := range groups {
		if groups[g] > 0 && !many.CryptCCM(unsafe.Slice((*modes.CCMMessage[*CCM])(&messages[0]), len(messages)), g, groups[g], open) {
			ok = false
		}
	}
	return ok
}

// Messages whose ciphers have different drivers cannot share a kernel. They form
// groups, which are processed one after the other.

// groupSet holds the number of messages in each group. The index of a group is that of
// its driver.
type groupSet [len(traits)]int

func (s *groupSet) add(c *Cipher) {
	c.check()
	s[groupOf(c)]++
}

func groupOf(c *Cipher) int { return int(c.plan.Many() &^ ownKeys) }
