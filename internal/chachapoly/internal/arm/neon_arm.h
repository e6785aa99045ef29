// Macro mnemonics for the ARMv7 NEON (and a few ARMv6) instructions that the Go
// assembler lacks. Operands are plain register numbers in Go order (sources
// first, destination last); q 0..15, d 0..31, r 0..15. TestEncodings compares
// every macro with what GNU as makes.

#define DD(d) (((d)&15)<<12 | ((d)>>4)<<22)
#define DN(d) (((d)&15)<<16 | ((d)>>4)<<7)
#define DM(d) (((d)&15) | ((d)>>4)<<5)
#define QD(q) (((q)&7)<<13 | ((q)>>3)<<22)
#define QN(q) (((q)&7)<<17 | ((q)>>3)<<7)
#define QM(q) (((q)&7)<<1 | ((q)>>3)<<5)

// Integer and logic, three registers: op(m, n, d) is d = n op m.
#define VADDQ_I32(m, n, d)  WORD $(0xf2200840 | QM(m) | QN(n) | QD(d))
#define VADDD_I32(m, n, d)  WORD $(0xf2200800 | DM(m) | DN(n) | DD(d))
#define VADDD_I64(m, n, d)  WORD $(0xf2300800 | DM(m) | DN(n) | DD(d))
#define VEORQ(m, n, d)      WORD $(0xf3000150 | QM(m) | QN(n) | QD(d))
#define VANDQ(m, n, d)      WORD $(0xf2000150 | QM(m) | QN(n) | QD(d))
#define VANDD(m, n, d)      WORD $(0xf2000110 | DM(m) | DN(n) | DD(d))
#define VBICQ(m, n, d)      WORD $(0xf2100150 | QM(m) | QN(n) | QD(d))
#define VMOVD(m, d)         WORD $(0xf2200110 | DM(m) | DN(m) | DD(d))

// Shifts by immediate.
#define VSHLQ_I32(i, m, d)  WORD $(0xf2a00550 | (i)<<16 | QM(m) | QD(d))
#define VSHLD_I32(i, m, d)  WORD $(0xf2a00510 | (i)<<16 | DM(m) | DD(d))
#define VSHRQ_U32(i, m, d)  WORD $(0xf3a00050 | (32-(i))<<16 | QM(m) | QD(d))
#define VSHRD_U32(i, m, d)  WORD $(0xf3a00010 | (32-(i))<<16 | DM(m) | DD(d))
#define VSHRQ_U64(i, m, d)  WORD $(0xf38000d0 | (64-(i))<<16 | QM(m) | QD(d))
#define VSRIQ_32(i, m, d)   WORD $(0xf3a00450 | (32-(i))<<16 | QM(m) | QD(d))
#define VSRID_32(i, m, d)   WORD $(0xf3a00410 | (32-(i))<<16 | DM(m) | DD(d))
#define VSRID_64(i, m, d)   WORD $(0xf3800490 | (64-(i))<<16 | DM(m) | DD(d))
#define VSRAQ_U64(i, m, d)  WORD $(0xf38001d0 | (64-(i))<<16 | QM(m) | QD(d))

// Permutations.
#define VREV32Q_16(m, d)    WORD $(0xf3b400c0 | QM(m) | QD(d))
#define VTRNQ_32(m, d)      WORD $(0xf3ba00c0 | QM(m) | QD(d))
#define VSWPD(m, d)         WORD $(0xf3b20000 | DM(m) | DD(d))
#define VEXTQ_32(i, m, n, d) WORD $(0xf2b00040 | (i)<<10 | QM(m) | QN(n) | QD(d))
#define VTBLD(x, n, d)      WORD $(0xf3b00800 | DM(x) | DN(n) | DD(d))

// Widening and narrowing. VMULLX/VMLALX multiply by lane x of D0..D15.
#define VMULL_U32(m, n, d)  WORD $(0xf3a00c00 | DM(m) | DN(n) | QD(d))
#define VMLAL_U32(m, n, d)  WORD $(0xf3a00800 | DM(m) | DN(n) | QD(d))
#define VMULLX_U32(x, m, n, d) WORD $(0xf3a00a40 | (m) | (x)<<5 | DN(n) | QD(d))
#define VMLALX_U32(x, m, n, d) WORD $(0xf3a00240 | (m) | (x)<<5 | DN(n) | QD(d))
#define VMOVND_I64(m, d)    WORD $(0xf3ba0200 | QM(m) | DD(d))
#define VMOVLQ_U32(m, d)    WORD $(0xf3a00a10 | DM(m) | QD(d))

// Immediates: clear or set bits of the top byte of each 32-bit lane; low-word mask.
#define VBICQ_TOP(b, d)     WORD $(0xf2800770 | ((b)>>7)<<24 | (((b)>>4)&7)<<16 | ((b)&15) | QD(d))
#define VBICD_TOP(b, d)     WORD $(0xf2800730 | ((b)>>7)<<24 | (((b)>>4)&7)<<16 | ((b)&15) | DD(d))
#define VORRQ_TOP(b, d)     WORD $(0xf2800750 | ((b)>>7)<<24 | (((b)>>4)&7)<<16 | ((b)&15) | QD(d))
#define VORRD_TOP(b, d)     WORD $(0xf2800710 | ((b)>>7)<<24 | (((b)>>4)&7)<<16 | ((b)&15) | DD(d))
#define VMOVQ_LOW32(d)      WORD $(0xf2800e7f | QD(d))
#define VMOVD_LOW32(d)      WORD $(0xf2800e3f | DD(d))

// Loads and stores. P: post-increment by the size, X: post-increment by register.
#define VLD1Q(r, d)         WORD $(0xf4200a8f | (r)<<16 | QD(d))
#define VLD1QP(r, d)        WORD $(0xf4200a8d | (r)<<16 | QD(d))
#define VLD1QX(x, r, d)     WORD $(0xf4200a80 | (r)<<16 | (x) | QD(d))
#define VLD1Q_A(r, d)       WORD $(0xf4200aaf | (r)<<16 | QD(d))
#define VST1Q(d, r)         WORD $(0xf4000a8f | (r)<<16 | QD(d))
#define VST1QP(d, r)        WORD $(0xf4000a8d | (r)<<16 | QD(d))
#define VST1Q_A(d, r)       WORD $(0xf4000aaf | (r)<<16 | QD(d))
#define VLD1QQ(r, d)        WORD $(0xf420028f | (r)<<16 | QD(d))
#define VLD1QQP(r, d)       WORD $(0xf420028d | (r)<<16 | QD(d))
#define VLD1QQX(x, r, d)    WORD $(0xf4200280 | (r)<<16 | (x) | QD(d))
#define VST1QQP(d, r)       WORD $(0xf400028d | (r)<<16 | QD(d))
#define VST1QQX(d, x, r)    WORD $(0xf4000280 | (r)<<16 | (x) | QD(d))
#define VLD1D(r, d)         WORD $(0xf420078f | (r)<<16 | DD(d))
#define VST1D(d, r)         WORD $(0xf400078f | (r)<<16 | DD(d))
#define VST1D_LANE0(d, r)   WORD $(0xf480080f | (r)<<16 | DD(d))
#define VLD1Q_DUP32P(r, d)  WORD $(0xf4a00cad | (r)<<16 | QD(d))
#define VLD1D_DUP32(r, d)   WORD $(0xf4a00c8f | (r)<<16 | DD(d))
// Four-way de-interleave into d, d+2, d+4, d+6; DUP: one 16-byte block into both lanes.
#define VLD4D_32P(r, d)     WORD $(0xf420018d | (r)<<16 | DD(d))
#define VLD4D_DUP32(r, d)   WORD $(0xf4a00faf | (r)<<16 | DD(d))

// ARMv6: hi:lo = m*n + hi + lo, and double-word loads and stores (even t, o < 256).
#define UMAAL(m, n, lo, hi) WORD $(0xe0400090 | (hi)<<16 | (lo)<<12 | (m)<<8 | (n))
#define LDRD(o, r, t)       WORD $(0xe1c000d0 | (r)<<16 | (t)<<12 | ((o)>>4)<<8 | ((o)&15))
#define STRD(t, o, r)       WORD $(0xe1c000f0 | (r)<<16 | (t)<<12 | ((o)>>4)<<8 | ((o)&15))
