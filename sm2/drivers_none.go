package sm2

import "github.com/cipherlane/cipherlane/driver"

var table = driver.Register("sm2", []driver.Info{
	{Name: "generic", Priority: 100, Timing: "length only"},
})
