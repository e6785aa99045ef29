package bench

import (
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest/verbtest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/doctor"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
)

func TestMain(m *testing.M) {
	verbtest.Main(m, new(struct {
		Speed  SpeedCmd          `cmd:""`
		Tune   TuneCmd           `cmd:""`
		Doctor doctor.Cmd        `cmd:""`
		List   inventory.ListCmd `cmd:""`
	}), Variables(), inventory.CheckEnvironment)
}
