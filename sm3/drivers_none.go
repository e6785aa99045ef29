//go:build purego || !amd64

package sm3

import "github.com/cipherlane/cipherlane/driver"

const generic uint8 = 0

var table = driver.Register("sm3", []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: "length only"},
})

func blocks(_ uint8, v *[8]uint32, p []byte) { blocksGeneric(v, p) }
