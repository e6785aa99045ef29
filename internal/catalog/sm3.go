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
	Answer: Answer{
		Source: "GB/T 32905-2016, A.1",
		Input:  []byte("abc"),
		Output: unhex("66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"),
	},
}}
