package modes_test

import (
	"bytes"
	"crypto/cipher"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// A plainCCM is CCM with its cipher.
type plainCCM struct {
	c   *plain
	ccm *modes.CCM
}

// plainKernel encrypts lanes one after the other.
type plainKernel struct {
	t       *testing.T
	group   map[*plain]int
	scratch [modes.AloneScratch]byte
	dirty   bool // not yet wiped
}

func (k *plainKernel) Encrypt(group int, lanes []modes.Lane[*plain], blocks int) {
	k.dirty = true
	for i := range lanes {
		if k.group[lanes[i].Cipher] != group {
			k.t.Error("a lane of another group")
		}
		lanes[i].EncryptAlone(lanes[i].Cipher, blocks, k.scratch[:])
		if k.scratch != [len(k.scratch)]byte{} {
			k.t.Error("ciphertext is left in the memory for it")
		}
	}
}

func (k *plainKernel) Wipe() { k.dirty = false }

// Messages of all lengths and several groups, with all numbers of lanes, against the
// same messages one at a time.
func TestMany(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	random := func(n int) []byte {
		p := make([]byte, n)
		for i := range p {
			p[i] = byte(rnd.Uint32())
		}
		return p
	}
	var keys [][]byte
	var ciphers []*plain
	group := map[*plain]int{}
	for i := range 4 {
		keys = append(keys, random(16))
		ciphers = append(ciphers, newPlain(keys[i]))
		group[ciphers[i]] = i / 2
	}
	for _, lanes := range []int{1, 2, 3, 8, modes.MaxLanes} {
		many := func() *modes.Many[*plain, *plainCCM] {
			return &modes.Many[*plain, *plainCCM]{
				Lanes: lanes, Step: 5, Width: func(int) int { return lanes },
				Group:   func(c *plain) int { return group[c] },
				Encrypt: func(c *plain, b *[16]byte) { c.Encrypt(b[:], b[:]) },
				CCM:     func(a *plainCCM) (*plain, *modes.CCM) { return a.c, a.ccm },
				Kernel:  func() modes.LaneKernel[*plain] { return &plainKernel{t: t, group: group} },
			}
		}
		m, fresh := many(), many()
		for round := range 6 {
			n := lanes + rnd.IntN(2*lanes+1)
			oneGroup := round%2 == 0
			count := [2]int{}
			used := make([]int, n)
			for i := range used {
				if used[i] = rnd.IntN(4); oneGroup {
					used[i] /= 2
				}
				count[used[i]/2]++
			}
			cbc, cbcWant := make([]modes.CBCMessage[*plain], n), make([][]byte, n)
			mac, macWant := make([]modes.CMACMessage[*plain], n), make([][]byte, n)
			seal, open := make([]modes.CCMMessage[*plainCCM], n), make([]modes.CCMMessage[*plainCCM], n)
			sealWant, openWant := make([][]byte, n), make([][]byte, n)
			size := 16 * rnd.IntN(20)
			for i, k := range used {
				if round > 2 { // not equally long
					size = 16 * rnd.IntN(1<<rnd.IntN(6))
				}
				p, iv := random(size), random(16)
				cbcWant[i] = make([]byte, size)
				cipher.NewCBCEncrypter(newPlain(keys[k]).Block, iv).CryptBlocks(cbcWant[i], p)
				cbc[i] = modes.CBCMessage[*plain]{Cipher: ciphers[k], IV: iv, Dst: make([]byte, size), Src: p}

				h := newSpecCMAC(keys[k])
				message := random(rnd.IntN(1 << rnd.IntN(10)))
				h.Write(message)
				macWant[i] = h.Sum(nil)
				mac[i] = modes.CMACMessage[*plain]{Cipher: ciphers[k], Data: message}

				c, err := modes.NewCCM(ciphers[k], 12, 16)
				if err != nil {
					t.Fatal(err)
				}
				a, nonce, data := &plainCCM{ciphers[k], c}, random(12), random(rnd.IntN(1<<rnd.IntN(8)))
				text := random(rnd.IntN(1 << rnd.IntN(12)))
				sealWant[i] = specCCM{newPlain(keys[k]).Block, 12, 16}.Seal(nil, nonce, text, data)
				seal[i] = modes.CCMMessage[*plainCCM]{AEAD: a, Nonce: nonce, Text: text, AdditionalData: data}
				sealed := bytes.Clone(sealWant[i])
				openWant[i] = text
				if rnd.IntN(5) == 0 {
					sealed[rnd.IntN(len(sealed))]++
					openWant[i] = nil
				}
				open[i] = modes.CCMMessage[*plainCCM]{AEAD: a, Nonce: nonce, Text: sealed, AdditionalData: data}
			}
			sealed, opened := true, true
			for g, n := range count {
				if n > 0 {
					m.EncryptCBC(cbc, g, n)
					m.CMAC(mac, g, n)
					sealed = m.CryptCCM(seal, g, n, false) && sealed
					opened = m.CryptCCM(open, g, n, true) && opened
				}
				if !reflect.DeepEqual(m.Work(0), fresh.Work(0)) || !reflect.DeepEqual(m.CCMWork(0), fresh.CCMWork(0)) {
					t.Fatalf("%d lanes: something is left", lanes)
				}
			}
			all := true
			for i := range used {
				if !bytes.Equal(cbc[i].Dst, cbcWant[i]) {
					t.Errorf("%d lanes: CBC of message %d of %d is wrong", lanes, i, n)
				}
				if !bytes.Equal(mac[i].Sum[:], macWant[i]) {
					t.Errorf("%d lanes: CMAC of message %d of %d is wrong", lanes, i, n)
				}
				if !bytes.Equal(seal[i].Out, sealWant[i]) || seal[i].Err != nil {
					t.Errorf("%d lanes: CCM of message %d of %d is wrong: %v", lanes, i, n, seal[i].Err)
				}
				if !bytes.Equal(open[i].Out, openWant[i]) || (open[i].Err == nil) != (openWant[i] != nil) {
					t.Errorf("%d lanes: CCM of message %d of %d is wrong, opened: %v", lanes, i, n, open[i].Err)
				}
				all = all && openWant[i] != nil
			}
			if !sealed || opened != all {
				t.Errorf("%d lanes: authentic: %v, want %v", lanes, opened, all)
			}
		}
	}
}
