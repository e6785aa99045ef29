//go:build !unix

package cli

import (
	"errors"
	"os"
)

func newStopper(*os.File) (wait func() bool, stop, close func(), err error) {
	return nil, nil, nil, errors.ErrUnsupported
}
