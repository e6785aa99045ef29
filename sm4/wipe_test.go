package sm4

import (
	"reflect"
	"testing"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// Objects returned to the pools must not contain traces of keys or messages.
func TestManyWipes(t *testing.T) {
	for name, d := range eachPlan(t) {
		t.Run(name, func(t *testing.T) {
			c, err := d.New(random(KeySize))
			if err != nil {
				t.Fatal(err)
			}
			a, err := c.NewCCM(12, 16)
			if err != nil {
				t.Fatal(err)
			}
			const count = 9
			cbc, mac, ccm := make([]CBCMessage, count), make([]CMACMessage, count), make([]CCMMessage, count)
			for i := range count {
				p := random(800)
				cbc[i] = CBCMessage{Cipher: c, IV: random(BlockSize), Dst: p, Src: p}
				mac[i] = CMACMessage{Cipher: c, Data: p[:100*i]}
				ccm[i] = CCMMessage{AEAD: a, Nonce: p[:12], Text: p[:80*i]}
			}
			fresh := modes.Many[*Cipher, *CCM]{Lanes: many.Lanes, Kernel: many.Kernel}
			check := func() {
				t.Helper()
				if !reflect.DeepEqual(many.Work(0), fresh.Work(0)) {
					t.Error("something is left")
				}
			}
			EncryptCBCMany(cbc)
			check()
			CMACMany(mac)
			check()
			SealCCMMany(ccm)
			if !reflect.DeepEqual(many.CCMWork(0), fresh.CCMWork(0)) {
				t.Error("CCM: something is left")
			}
		})
	}
}

// Between calls, nothing is left of the keys of blocks.
func TestOFBNLFWipes(t *testing.T) {
	for name, d := range eachPlan(t) {
		c, err := d.New(random(KeySize))
		if err != nil {
			t.Fatal(err)
		}
		m := c.NewOFBNLFEncrypter(random(BlockSize)).(*ofbnlf)
		var one keys
		for _, blocks := range []int{1, 2, 3, 5, 64, 100} {
			p := random(blocks * BlockSize)
			m.CryptBlocks(p, p)
			if m.keys != [len(m.keys)]byte{} {
				t.Errorf("%s: %d blocks leave keys", name, blocks)
			}
			one.roundKeys.expand(d.plan.Pick(len(p))&^ownKeys, new([KeySize]byte))
			one.wipe()
			if !reflect.DeepEqual(&m.one, &one) {
				t.Errorf("%s: %d blocks leave round keys", name, blocks)
			}
		}
	}
}
