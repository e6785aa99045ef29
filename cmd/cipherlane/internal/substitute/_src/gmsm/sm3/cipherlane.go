package sm3

import "github.com/cipherlane/cipherlane/sm3"

func Sum(data []byte) [Size]byte { return sm3.Sum(data) }
