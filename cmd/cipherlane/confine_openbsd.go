package main

import (
	"errors"
	"fmt"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"golang.org/x/sys/unix"
)

// pledge hides all but some paths, and promises.
func pledge(promises string, paths []unveiling) error {
	for _, p := range paths {
		// The verb reports missing files itself.
		if err := unix.Unveil(p.path, p.permissions); err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENOTDIR) && !errors.Is(err, unix.EACCES) {
			return fmt.Errorf("unveil %s: %w", cli.Quote(p.path), err)
		}
	}
	// Without the promise unveil, this also locks unveil.
	if err := unix.PledgePromises(promises); err != nil {
		return fmt.Errorf("pledge: %w", err)
	}
	return nil
}
