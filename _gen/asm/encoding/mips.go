package encoding

// Source: MIPS32 Architecture for Programmers, volume II, "MADDU".

// MADDU adds the product of a and b to HI and LO.
func MADDU(a, b int) uint32 { return 0x1c<<26 | uint32(a)<<21 | uint32(b)<<16 | 1 }
