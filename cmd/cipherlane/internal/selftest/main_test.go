package selftest

import (
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest/verbtest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
)

func TestMain(m *testing.M) {
	verbtest.Main(m, new(struct {
		Selftest Cmd               `cmd:""`
		List     inventory.ListCmd `cmd:""`
	}), nil, inventory.CheckEnvironment)
}
