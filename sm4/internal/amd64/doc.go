// Package amd64 holds the SM4 kernels for x86-64.
//
// A family of kernels is named after the CPU features it needs: SM4NIAVX2 (the SM4 instructions,
// VPCLMULQDQ and AVX2), GFNI512 (GFNI, VPCLMULQDQ and AVX-512), GFNIAVX2 (GFNI,
// VPCLMULQDQ and AVX2), AESNIAVX2 (AES-NI, PCLMULQDQ and AVX2), AESNI (AES-NI, PCLMULQDQ
// and SSSE3). All families have the same functions: Expand, EncryptBlocks, DecryptBlocks, CBCEncrypt, CBCDecrypt,
// CTR, Seal and Open. GFNI512 also has CFBDecrypt, XTS, Counters and KeyedBlocks.
// GFNI512 and SM4NIAVX2 have CBC encryption of streams side by side: see [Lanes].
// The callers check the features of the CPU and the lengths, and split the data so
// that one call gets at most 64 KiB, because assembly cannot be preempted.
//
// No kernel has branches or memory addresses that depend on keys or data. This
// includes GCM's counters, which depend on the hash key unless the nonce has 12
// bytes. The counter of counter mode is public.
package amd64
