//go:build !purego

package catalog

import (
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/sm4"
)

// TestLinuxDrivers: for every driver of SM3 and SM4 that Linux has on arm64 there is one here
// that needs the same instructions. The conformance suites test all drivers.
func TestLinuxDrivers(t *testing.T) {
	for _, c := range []struct{ linux, algorithm, driver string }{
		{"sm3-neon", "sm3", "neon"},
		{"sm3-ce", "sm3", "sm3"},
		{"ecb-sm4-neon", "ecb(sm4)", "neon"},
		{"cbc-sm4-neon", "cbc(sm4)", "neon"},
		{"cfb-sm4-neon", "cfb(sm4)", "neon"},
		{"ctr-sm4-neon", "ctr(sm4)", "neon"},
		{"sm4-ce", "ecb(sm4)", "sm4"}, // one block
		{"ecb-sm4-ce", "ecb(sm4)", "sm4"},
		{"cbc-sm4-ce", "cbc(sm4)", "sm4"},
		{"cfb-sm4-ce", "cfb(sm4)", "sm4"},
		{"ctr-sm4-ce", "ctr(sm4)", "sm4"},
		{"cts-cbc-sm4-ce", "cts(cbc(sm4))", "sm4"},
		{"xts-sm4-ce", "xts(sm4)", "sm4"},
		{"cmac-sm4-ce", "cmac(sm4)", "sm4"},
		{"xcbc-sm4-ce", "xcbc(sm4)", "sm4"},
		{"ccm-sm4-ce", "ccm(sm4)", "sm4"},
		{"gcm-sm4-ce", "gcm(sm4)", "sm4"},
	} {
		a, ok := Find(c.algorithm)
		if !ok || !slices.ContainsFunc(a.Table().Drivers(), func(d drivers.Info) bool { return d.Name == c.driver }) {
			t.Errorf("%s: no driver %s of %s", c.linux, c.driver, c.algorithm)
		}
	}
	// cbcmac-sm4-ce: CBC-MAC is no algorithm of the catalog, because by itself it is not secure.
	d, err := sm4.On("sm4")
	if err != nil {
		t.Skip(err)
	}
	key := make([]byte, sm4.KeySize)
	c, err := d.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	generic, _ := sm4.On("generic")
	g, _ := generic.NewCipher(key)
	mac, want := c.(*sm4.Cipher).NewCBCMAC(), g.(*sm4.Cipher).NewCBCMAC()
	message := make([]byte, 100)
	mac.Write(message)
	want.Write(message)
	if string(mac.Sum(nil)) != string(want.Sum(nil)) {
		t.Error("cbcmac-sm4-ce: another result than that of driver generic")
	}
}
