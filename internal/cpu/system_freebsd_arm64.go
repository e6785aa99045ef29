//go:build !purego

package cpu

// systemFeatures returns what golang.org/x/sys/cpu does not detect: its comparisons are for
// equality with the fields that were known then.
func systemFeatures() Set { return parseISAR0(isar0()) }
