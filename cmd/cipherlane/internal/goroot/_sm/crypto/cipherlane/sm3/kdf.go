package sm3

import (
	"encoding/binary"
	"runtime"
)

// This file is in place of the module's. It does without kernels that compute digests side by side, which only
// the encryption of SM2 would use: programs that find methods by name, and so have all methods of its
// keys, would be 0.15 MB larger.

// KDF fills key with the output of SM2's key derivation function (GB/T 32918.4-2016, section 5.4.3)
// for z: the digests of z followed by a counter. key may overlap z. It panics if key is longer than
// 2^32-2 digests, and in FIPS 140-only mode, where SM3 is not allowed.
func KDF(key, z []byte) {
	refuseFIPS()
	if uint64(len(key)) > Size*(1<<32-2) {
		panic("sm3: KDF of too many bytes")
	}
	plan := automatic().plan
	v := initial
	whole := len(z) &^ (BlockSize - 1)
	if whole > 0 {
		blocks(plan.Pick(whole), &v, z[:whole])
	}
	// The last one or two blocks of all messages differ only in the counter.
	var end ending
	at := copy(end[:BlockSize], z[whole:])
	size := BlockSize
	if at+4 >= BlockSize-8 {
		size = 2 * BlockSize
	}
	end[at+4] = 0x80
	binary.BigEndian.PutUint64(end[size-8:], 8*(uint64(len(z))+4))
	for counter := uint32(1); len(key) > 0; counter++ {
		binary.BigEndian.PutUint32(end[at:], counter)
		a := v
		blocksKernel(plan.Pick(size), &a, end[:size])
		var sum [Size]byte
		putSum(&sum, &a)
		key = key[copy(key, sum[:]):]
		clear(sum[:])
		runtime.KeepAlive(&sum)
		clear(a[:])
		runtime.KeepAlive(&a)
	}
	clear(v[:])
	runtime.KeepAlive(&v)
	end.wipe()
}

// The drivers name these types.
type (
	blockWords [2][64]uint32
	kdfTable   struct{ lanes [2][64][maxLanes]uint32 }
)
