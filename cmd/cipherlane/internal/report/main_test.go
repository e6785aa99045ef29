package report

import (
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/bench"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest/verbtest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
)

func TestMain(m *testing.M) {
	verbtest.Main(m, new(struct {
		Report Cmd            `cmd:""`
		Speed  bench.SpeedCmd `cmd:""`
	}), bench.Variables(), inventory.CheckEnvironment)
}
