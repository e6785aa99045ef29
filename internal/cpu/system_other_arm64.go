//go:build !purego && !darwin && !freebsd

package cpu

func systemFeatures() Set { return 0 }
