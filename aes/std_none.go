//go:build purego || !ppc64le

package aes

import (
	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

// There is no driver std, so these are stubs.

func rows() []drivers.Info { return aescore.Rows() }

func isStd(uint8) bool { return false }

func traitsOf(row uint8) *aescore.Traits { return aescore.TraitsOf(row) }

// sivRow returns the driver for the message keys of GCM-SIV.
func sivRow(row uint8) uint8 { return row }

// keys are the round keys.
type keys struct{ all aescore.Keys }

func (k *keys) core() *aescore.Keys                  { return &k.all }
func (k *keys) expand(plan drivers.Plan, key []byte) { k.all.Expand(plan, key) }
func (k *keys) wipe()                                { k.all.Wipe() }
func (k *keys) rounds() int                          { return k.all.Rounds() }

func (*Cipher) encryptOne([]byte, []byte) bool { return false }
func (*Cipher) decryptOne([]byte, []byte) bool { return false }

func (*keys) stdEncrypt(uint8, []byte, []byte) bool                                 { return false }
func (*keys) stdDecrypt(uint8, []byte, []byte) bool                                 { return false }
func (*keys) stdCBCEncrypt(uint8, *[BlockSize]byte, []byte, []byte) bool            { return false }
func (*keys) stdCBCDecrypt(uint8, *[BlockSize]byte, []byte, []byte) bool            { return false }
func (*keys) stdCTR(uint8, *[BlockSize]byte, []byte, []byte, *[BlockSize]byte) bool { return false }
func (*keys) stdGCM(uint8, *ghash.Message, []byte, []byte, bool) bool               { return false }

type (
	stdCBC struct{}
	stdCTR struct{}
	stdGCM struct{}
)

func (*stdCBC) encrypt(*Cipher, *[BlockSize]byte, []byte, []byte) bool { return false }
func (*stdCBC) decrypt(*Cipher, *[BlockSize]byte, []byte, []byte) bool { return false }

func (*stdCTR) xor(uint8, *ctr, []byte, []byte, *[BlockSize]byte) bool { return false }

func (*stdGCM) init(drivers.Plan, *keys, int, int) bool  { return false }
func (*stdGCM) serves(uint8) bool                        { return false }
func (*stdGCM) seal(dst, _, _, _ []byte) []byte          { return dst }
func (*stdGCM) open(dst, _, _, _ []byte) ([]byte, error) { return dst, nil }
func (*stdGCM) wipe()                                    {}
