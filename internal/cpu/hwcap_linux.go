//go:build (loong64 || riscv64) && !purego

package cpu

import "golang.org/x/sys/unix"

// hwcap returns the bits with which Linux tells a process what the CPU has, or 0.
func hwcap() uintptr {
	vector, err := unix.Auxv()
	if err != nil {
		return 0
	}
	const atHWCAP = 16
	for _, entry := range vector {
		if entry[0] == atHWCAP {
			return entry[1]
		}
	}
	return 0
}
