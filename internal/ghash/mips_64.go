//go:build (mips64 || mips64le) && !purego

package ghash

import "unsafe"

const firstPowers = 0

func hasExtend(uint8) bool { return false }

const _ = -(unsafe.Sizeof(Powers{}) ^ unsafe.Sizeof(genericKey{})) // does not compile unless they are the same

// initMIPSR2 prepares the key as the portable driver does.
func initMIPSR2(t *Powers, h *[16]byte) { (*genericKey)(unsafe.Pointer(t)).init(h) }

func extendMIPSR2(*Powers) { panic(noKernel) }
