package driver

import (
	"io"

	"github.com/cipherlane/cipherlane/internal/drivers"
)

// LoadProfile activates the profile in a file and replaces any other profile. Objects
// made from now on use the drivers that it names, except where CIPHERLANE names others.
// If the file is not a valid profile for this machine and this program, LoadProfile
// returns an error and changes nothing. The error wraps ErrUnavailable if the profile was
// made on another machine or by another version. LoadProfile may be called at any time.
func LoadProfile(path string) error { return drivers.LoadProfile(path) }

// UseProfile is like [LoadProfile], for a profile that is not in a file, such as an
// embedded one. The name is used in messages.
func UseProfile(r io.Reader, name string) error { return drivers.UseProfile(r, name) }

// Warnings returns lines for people about:
//   - CIPHERLANE, if it is ignored because the program is privileged;
//   - terms of CIPHERLANE that have no effect: unknown terms, drivers that a linked
//     package does not have or that cannot run on this machine, and linux=engine or
//     linux=any in a program without package linux;
//   - the reason why the profile in CIPHERLANE_PROFILE is not active;
//   - drivers inside Linux that are no longer used because they failed;
//   - the state of all drivers inside Linux that were tried: which requests they get
//     and how many they have handled, or why they get none.
func Warnings() []string { return drivers.Warnings() }
