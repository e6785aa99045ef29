package sm4_test

import (
	"hash"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/sm4"
)

var sideBySide = conformance.ManyCase[*sm4.Cipher, *sm4.CCM, sm4.CBCMessage, sm4.CMACMessage, sm4.CCMMessage]{
	KeySizes: []int{16},
	EachDriver: func(t *testing.T, f func(t *testing.T, new func(key []byte) (*sm4.Cipher, error))) {
		eachDriver(t, func(t *testing.T, d sm4.Driver) { f(t, d.New) })
	},
	NewCMAC:    func(c *sm4.Cipher) hash.Hash { return c.NewCMAC() },
	EncryptCBC: sm4.EncryptCBCMany,
	CMAC:       sm4.CMACMany,
	SealCCM:    sm4.SealCCMMany,
	OpenCCM:    sm4.OpenCCMMany,
}

func TestEncryptCBCMany(t *testing.T)  { sideBySide.TestCBC(t) }
func TestCMACMany(t *testing.T)        { sideBySide.TestCMAC(t) }
func TestCCMMany(t *testing.T)         { sideBySide.TestCCM(t) }
func TestManyWiped(t *testing.T)       { sideBySide.TestWiped(t) }
func TestManyMisuse(t *testing.T)      { sideBySide.TestMisuse(t) }
func TestManyAllocations(t *testing.T) { sideBySide.TestAllocations(t) }
