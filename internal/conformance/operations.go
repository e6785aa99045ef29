package conformance

import (
	"fmt"
	"testing"

	"github.com/cipherlane/cipherlane/internal/drivers"
)

// Operations are the operations of a package's dispatch.go, by name, each with a small
// input.
type Operations map[string]func(row uint8)

// Test calls every operation with every driver of the table that this machine can run:
// a driver without a kernel for it panics. With the row of a wiped key, every operation
// must panic. Of the drivers that this machine cannot run, the source is checked by
// package repotest.
func (o Operations) Test(t *testing.T, rows []drivers.Info) {
	t.Helper()
	for row, d := range rows {
		if !d.Available() {
			continue
		}
		for name, f := range o {
			if r := recovered(f, uint8(row)); r != nil {
				t.Errorf("%s with driver %s: %v", name, d.Name, r)
			}
		}
	}
	for name, f := range o {
		if recovered(f, 0xff) == nil {
			t.Errorf("%s with a wiped key does not panic", name)
		}
	}
}

func recovered(f func(row uint8), row uint8) (message error) {
	defer func() {
		if r := recover(); r != nil {
			message = fmt.Errorf("%v", r)
		}
	}()
	f(row)
	return nil
}
