package keys

import (
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest/verbtest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
)

func TestMain(m *testing.M) {
	verbtest.Main(m, new(struct {
		SM2 SM2Cmd `cmd:"" name:"sm2"`
		KEM KEMCmd `cmd:"" name:"kem"`
	}), Variables(), inventory.CheckEnvironment)
}
