package doctor

import (
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest/verbtest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/selftest"
)

func TestMain(m *testing.M) {
	verbtest.Main(m, new(struct {
		Doctor   Cmd               `cmd:""`
		Selftest selftest.Cmd      `cmd:""`
		List     inventory.ListCmd `cmd:""`
	}), nil, inventory.CheckEnvironment)
}
