// Package arm64 holds the SM4 kernels for AArch64.
//
// The family AES needs the AES instructions (FEAT_AES), not those of SM4. It takes the
// inversion of SM4's S-box from that of AES. Its functions are Expand, EncryptBlocks,
// DecryptBlocks, CBCEncrypt, CBCDecrypt, CFBDecrypt, CTR and CTR32. The family AESSHA3 also
// needs EOR3 (FEAT_SHA3). It uses the round keys and CBCEncrypt of AES.
//
// The callers check the features of the CPU and the lengths, and split the data so that
// one call gets at most 64 KiB, because assembly cannot be preempted.
//
// No kernel has branches or memory addresses that depend on keys or data. This includes
// GCM's counters, which depend on the hash key unless the nonce has 12 bytes. The counter
// of counter mode is public.
package arm64
