package aes_test

import (
	"hash"
	"testing"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/internal/conformance"
)

var sideBySide = conformance.ManyCase[*aes.Cipher, *aes.CCM, aes.CBCMessage, aes.CMACMessage, aes.CCMMessage]{
	KeySizes: []int{16, 24, 32},
	EachDriver: func(t *testing.T, f func(t *testing.T, new func(key []byte) (*aes.Cipher, error))) {
		eachDriver(t, func(t *testing.T, d aes.Driver) { f(t, d.New) })
	},
	NewCMAC:    func(c *aes.Cipher) hash.Hash { return c.NewCMAC() },
	EncryptCBC: aes.EncryptCBCMany,
	CMAC:       aes.CMACMany,
	SealCCM:    aes.SealCCMMany,
	OpenCCM:    aes.OpenCCMMany,
}

func TestEncryptCBCMany(t *testing.T) { sideBySide.TestCBC(t) }
func TestCMACMany(t *testing.T)       { sideBySide.TestCMAC(t) }
func TestCCMMany(t *testing.T)        { sideBySide.TestCCM(t) }
func TestManyWiped(t *testing.T)      { sideBySide.TestWiped(t) }
func TestManyMisuse(t *testing.T)     { sideBySide.TestMisuse(t) }

func TestManyAllocations(t *testing.T) {
	c := sideBySide
	c.EachDriver = func(t *testing.T, f func(t *testing.T, new func(key []byte) (*aes.Cipher, error))) {
		eachDriver(t, func(t *testing.T, d aes.Driver) {
			if !stdAllocates(d) {
				f(t, d.New)
			}
		})
	}
	c.TestAllocations(t)
}
