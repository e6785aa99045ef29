//go:build (arm || riscv64) && !purego

package sm4

// What drivers call with kernels that are for many blocks only, if there are few: narrow passes of
// the portable driver.

func encryptBlocksNarrow(k *keys, dst, src []byte) { k.generic.encryptBlocks(dst, src) }
func decryptBlocksNarrow(k *keys, dst, src []byte) { k.generic.decryptBlocks(dst, src) }

func cbcEncryptNarrow(k *keys, iv *[BlockSize]byte, dst, src []byte) {
	k.generic.cbcEncrypt(iv, dst, src)
}

func cbcDecryptNarrow(k *keys, iv *[BlockSize]byte, dst, src []byte) {
	k.generic.cbcDecrypt(iv, dst, src)
}

func ctrNarrow(k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	k.generic.ctr(counter, dst, src, rest)
}

func ctr32Narrow(k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	k.generic.ctr32(counter, dst, src, rest)
}
