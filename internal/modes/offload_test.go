package modes_test

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// sectors adds what packages do to the type of this one.
type sectors struct {
	*modes.XTS
	wipe func()
}

func (s sectors) Wipe() { s.wipe() }

func TestOffloadXTS(t *testing.T) {
	data, tweak := newPlain(make([]byte, 16)), newPlain([]byte("0123456789abcdef"))
	x := modes.NewXTS(data, tweak)
	e := conformance.NewEngine(t)
	x.Offload(e.Key)
	conformance.OffloadSectors(t, e, sectors{x, e.Key.Wipe}, sectors{XTS: modes.NewXTS(data, tweak)})
}
