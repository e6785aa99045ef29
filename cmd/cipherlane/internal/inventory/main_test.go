package inventory

import (
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest/verbtest"
)

func TestMain(m *testing.M) {
	verbtest.Main(m, new(struct {
		List ListCmd `cmd:""`
	}), nil, CheckEnvironment)
}
