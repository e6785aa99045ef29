//go:build (mips64 || mips64le) && !purego

package ghash

import "unsafe"

const firstPowers = 0

func hasExtend(uint8) bool { return false }

const _ = -(unsafe.Sizeof(Powers{}) ^ unsafe.Sizeof(genericKey{})) // does not compile unless they are the same

// initMIPS prepares the key as the portable driver does.
func initMIPS(t *Powers, h *[16]byte) { (*genericKey)(unsafe.Pointer(t)).init(h) }

func extendMIPS(*Powers) { panic(noKernel) }
