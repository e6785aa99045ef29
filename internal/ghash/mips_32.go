//go:build (mips || mipsle) && !purego

package ghash

import "github.com/cipherlane/cipherlane/internal/ghash/internal/mips"

// firstPowers is the number of blocks for which initKernel provides the powers.
const firstPowers = mips.First

func hasExtend(row uint8) bool { return row == MIPSR2 }

func initMIPSR2(t *Powers, h *[16]byte) { mips.Init(t, h) }

func extendMIPSR2(t *Powers) { mips.Extend(t) }
