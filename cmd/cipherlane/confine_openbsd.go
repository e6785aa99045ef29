package main

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// pledge hides all but some paths, and promises.
func pledge(promises string, paths []unveiling) error {
	for _, p := range paths {
		// What is not there, the verb will miss and say so.
		if err := unix.Unveil(p.path, p.permissions); err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENOTDIR) && !errors.Is(err, unix.EACCES) {
			return fmt.Errorf("unveil %s: %w", quote(p.path), err)
		}
	}
	// It also ends unveiling: the promise unveil is not among them.
	if err := unix.PledgePromises(promises); err != nil {
		return fmt.Errorf("pledge: %w", err)
	}
	return nil
}
