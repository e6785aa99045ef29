package catalog

import (
	"hash"

	"github.com/cipherlane/cipherlane/sm3"
)

var sm3Algorithms = []Algorithm{{
	Name:     "sm3",
	Package:  "sm3",
	Standard: "GB/T 32905-2016",
	Hash: func(name string) (func() hash.Hash, error) {
		if name == "" {
			return sm3.New, nil
		}
		d, err := sm3.On(name)
		return d.New, err
	},
	Many: func(name string, messages []Message) error {
		sum := sm3.SumMany
		if name != "" {
			d, err := sm3.On(name)
			if err != nil {
				return err
			}
			sum = d.SumMany
		}
		list := make([]sm3.Message, len(messages))
		for i, m := range messages {
			list[i].Data = m.Text
		}
		sum(list)
		for i := range list {
			messages[i].Out = list[i].Sum[:]
		}
		return nil
	},
	Others: []Operation{
		{"hash-x32", sm3Messages, func(name string, n int) (func(), error) {
			d, err := sm3.On(name)
			messages := make([]sm3.Message, sm3Messages)
			for i, data := range sm3Data(n) {
				messages[i].Data = data
			}
			return func() { d.SumMany(messages) }, err
		}},
		{"kdf", 0, func(name string, n int) (func(), error) {
			d, err := sm3.On(name)
			key, z := make([]byte, n), make([]byte, 64) // a point of SM2
			return func() { d.KDF(key, z) }, err
		}},
	},
	Answer: Answer{
		Source: "GB/T 32905-2016, A.1",
		Input:  []byte("abc"),
		Output: unhex("66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"),
	},
}, {
	Name:     "hmac(sm3)",
	Package:  "sm3",
	Standard: "RFC 2104",
	KeySizes: []int{32, 16, 64, 65},
	MAC:      func(name string, key []byte) (hash.Hash, error) { return newHMAC(name, key) },
	Many: func(name string, messages []Message) error {
		sum := sm3.HMACMany
		if name != "" {
			d, err := sm3.On(name)
			if err != nil {
				return err
			}
			sum = d.HMACMany
		}
		macs, err := keyed(name, messages, newHMAC)
		list := make([]sm3.HMACMessage, len(macs))
		for i, mac := range macs {
			list[i].MAC, list[i].Data = mac, messages[i].Text
		}
		sum(list)
		for i := range list {
			messages[i].Out = list[i].Sum[:]
		}
		return err
	},
	Others: []Operation{
		{"authenticate-x32", sm3Messages, func(name string, n int) (func(), error) {
			d, err := sm3.On(name)
			if err != nil {
				return nil, err
			}
			mac, messages := d.NewHMAC(make([]byte, 32)), make([]sm3.HMACMessage, sm3Messages)
			for i, data := range sm3Data(n) {
				messages[i].MAC, messages[i].Data = mac, data
			}
			return func() { d.HMACMany(messages) }, nil
		}},
	},
	Answer: Answer{
		Source: "GM/T 0042-2015, D.3",
		Key:    unhex("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"),
		Input:  []byte("Hi There"),
		Output: unhex("c0ba18c68b90c88bc07de794bfc7d2c8d19ec31ed8773bc2b390c9604e0be11e"),
	},
}}

func newHMAC(name string, key []byte) (*sm3.HMAC, error) {
	if name == "" {
		return sm3.NewHMAC(key), nil
	}
	d, err := sm3.On(name)
	if err != nil {
		return nil, err
	}
	return d.NewHMAC(key), nil
}

// sm3Messages is how many messages the widest kernel works on.
const sm3Messages = 32

// sm3Data returns the given number of messages. Long ones share memory.
func sm3Data(n int) (list [sm3Messages][]byte) {
	for i := range list {
		if i > 0 && i*n >= 64<<20 {
			list[i] = list[0]
		} else {
			list[i] = make([]byte, n)
		}
	}
	return list
}
