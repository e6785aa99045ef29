package sm3

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"sync"

	"github.com/cipherlane/cipherlane/internal/drivers"
)

// KDF fills key with the output of SM2's key derivation function (GB/T 32918.4-2016,
// section 5.4.3) for z: the digests of z followed by a counter. It computes digests
// side by side, as [SumMany] does. It allocates only one or two tables of 32 kB for
// each length of z modulo 64, once. key may overlap z. It panics if key is longer
// than 2^32-2 digests, and in FIPS 140-only mode, where SM3 is not allowed.
func KDF(key, z []byte) { automatic().KDF(key, z) }

// KDF is like the package's [KDF], with this driver.
func (d Driver) KDF(key, z []byte) {
	refuseFIPS()
	if uint64(len(key)) > Size*(1<<32-2) {
		panic("sm3: KDF of too many bytes")
	}
	v := initial
	whole := len(z) &^ (BlockSize - 1)
	if whole > 0 {
		blocks(d.plan.Pick(whole), &v, z[:whole])
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

	counter := uint32(1)
	// The preparation takes too long for kernels with four lanes.
	if n := len(key) / Size; kdfSideBySide && (n > 4 || kdfLanes(d.plan, n) > 1) && sideBySide(d.plan, maxLanes) > 4 {
		w := workPool.Get().(*work)
		if size == BlockSize {
			key, counter = w.kdfLinear(d.plan, key, &v, (*[BlockSize]byte)(end[:]), at)
		}
		key, counter = w.kdf(d.plan, key, counter, &v, end[:size], at)
		w.free()
	}
	for ; len(key) > 0; counter++ {
		binary.BigEndian.PutUint32(end[at:], counter)
		a := v
		blocksKernel(d.plan.Pick(size), &a, end[:size])
		var sum [Size]byte
		putSum(&sum, &a)
		n := copy(key, sum[:])
		key = key[n:]
		clear(sum[:])
		runtime.KeepAlive(&sum)
		clear(a[:])
		runtime.KeepAlive(&a)
	}
	clear(v[:])
	runtime.KeepAlive(&v)
	end.wipe()
}

// kdf writes whole digests to key, from the given counter on, as long as there are
// enough for a kernel. It returns the rest of key and the next counter. The counter
// is at end[at:].
func (w *work) kdf(plan drivers.Plan, key []byte, counter uint32, v *[8]uint32, end []byte, at int) ([]byte, uint32) {
	if len(key) < 5*Size || sideBySide(plan, maxLanes) == 1 { // not worth the preparation
		return key, counter
	}
	for i := range v {
		for l := range w.from[i] {
			w.from[i][l] = v[i]
		}
	}
	w.used = min(sideBySide(plan, maxLanes), len(key)/Size)
	for l := range w.used {
		copy(w.ends[l][:], end)
		w.src[l] = w.ends[l][:len(end)]
	}
	for {
		count := min(w.used, len(key)/Size)
		width := sideBySide(plan, count)
		if width == 1 {
			break
		}
		for l := range count {
			binary.BigEndian.PutUint32(w.ends[l][at:], counter)
			counter++
		}
		for l := count; l < width; l++ {
			w.src[l] = w.src[0]
		}
		w.v = w.from
		compress(plan.Many(), width, &w.v, &w.w, &w.src, len(end)/BlockSize)
		digests(plan.Many(), count, key, &w.v)
		key = key[Size*count:]
	}
	clear(w.from[:])
	return key, counter
}

// blockWords holds the words of an expanded block (section 5.3.2): W_j at index 0,
// W'_j at index 1.
type blockWords [2][64]uint32

// expand sets w to the words of a block.
func (w *blockWords) expand(block *[BlockSize]byte) {
	var W [68]uint32
	for j := range 16 {
		W[j] = binary.BigEndian.Uint32(block[4*j:])
	}
	for j := range 52 {
		w := (*[17]uint32)(W[j:])
		w[16] = expand(w[0], w[3], w[7], w[10], w[13])
	}
	for j := range w[0] {
		w[0][j], w[1][j] = W[j], W[j]^W[j+4]
	}
	clear(W[:])
	runtime.KeepAlive(&W)
}

// A kdfTable holds the words of blocks that are zero except for a counter. Expansion
// is linear over GF(2): adding them to the words of a block with a counter of zero
// gives the words of the block with that counter. So one expansion serves all blocks.
type kdfTable struct {
	lanes  [2][64][maxLanes]uint32 // the counter is the number of the lane
	deltas [32]blockWords          // [i]: the counter has ones in bits log2(lanes) to i
}

// kdfTables holds a table for 8 lanes and one for 32, for every position of the counter
// in a last block. They are computed when first needed.
var kdfTables [2][BlockSize - 12]struct {
	once  sync.Once
	table *kdfTable
}

func newKDFTable(lanes, at int) *kdfTable {
	t := new(kdfTable)
	words := func(counter uint32) (w blockWords) {
		var block [BlockSize]byte
		binary.BigEndian.PutUint32(block[at:], counter)
		w.expand(&block)
		return w
	}
	for l := range lanes {
		w := words(uint32(l))
		for k := range w {
			for j := range w[k] {
				t.lanes[k][j][l] = w[k][j]
			}
		}
	}
	for i := range t.deltas {
		t.deltas[i] = words((2<<i - 1) &^ uint32(lanes-1))
	}
	return t
}

// kdfLinear writes digests to key as long as there are enough for a kernel that derives
// all blocks from the words of one. It returns the rest of key and the next counter.
// The counter is at end[at:], and end is the only block.
func (w *work) kdfLinear(plan drivers.Plan, key []byte, v *[8]uint32, end *[BlockSize]byte, at int) ([]byte, uint32) {
	binary.BigEndian.PutUint32(end[at:], 0)
	w.base.expand(end)
	counter := uint32(0) // of lane 0; KDF does not use counter 0
	for {
		lanes := kdfLanes(plan, len(key)/Size)
		if lanes == 1 {
			break
		}
		entry := &kdfTables[lanes/maxLanes][at]
		entry.once.Do(func() { entry.table = newKDFTable(lanes, at) })
		delta := &entry.table.deltas[min(bits.TrailingZeros32(counter+uint32(lanes)), 31)]
		if counter > 0 && len(key) >= lanes*Size {
			kdfDigests(plan.Many(), lanes, key, v, &w.base, delta, entry.table)
			key = key[lanes*Size:]
			counter += uint32(lanes)
			continue
		}
		first := uint32(0)
		if counter == 0 {
			first = 1
		}
		kdfDigests(plan.Many(), lanes, w.digests[:], v, &w.base, delta, entry.table)
		count := min(len(key)/Size, lanes-int(first))
		copy(key[:Size*count], w.digests[Size*first:])
		key = key[Size*count:]
		counter += first + uint32(count)
	}
	w.base = blockWords{}
	clear(w.digests[:])
	return key, max(counter, 1)
}
