package modes_test

import (
	"crypto/cipher"
	"testing"

	"github.com/cipherlane/cipherlane/internal/modes"
)

func TestOFB(t *testing.T) {
	newOFB := cipher.NewOFB  //lint:ignore SA1019 it is the reference
	streamCases(t, []string{ // SP 800-38A, F.4.1, F.4.3, F.4.5
		"3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed8259740051e9c5fecf64344f7a82260edcc304c6528f659c77866a510d9c1d6ae5e",
		"cdc80d6fddf18cab34c25909c99a4174fcc28b8d4c63837c09e81700c11004018d9a9aeac0f6596f559c6d4daf59a5f26d9f200857ca6c3e9cac524bd9acc92a",
		"dc7e84bfda79164b7ecd8486985d38604febdc6740d20b3ac88f6ad82a4fb08d71ab47a086e86eedf39d1c5bba97c4080126141d67f37be8538f5a8be740e484",
	}, false, modes.NewOFB, newOFB)
}
