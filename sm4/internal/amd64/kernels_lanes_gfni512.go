//go:build amd64 && !purego

package amd64

// LaneCount is how many lanes [Lanes] have.
const LaneCount = 64

// Lanes are streams under different keys whose blocks the families GFNI512 and, eight
// at a time, SM4NIAVX2 encrypt side by side. The offsets of the fields are known to the kernels.
// All lanes need keys and memory: one without work of its own may have those of
// the first, which is written last.
type Lanes struct {
	Keys  [LaneCount]*Keys
	Src   [LaneCount]*byte
	Dst   [LaneCount]*byte
	Chain [LaneCount][16]byte // IVs, or the last ciphertext blocks

	// The bytes of the round keys and then those of the chaining values, a plane of
	// 64 for each, and four blocks of each lane, all aligned to 64. Lanes must not
	// move in memory.
	//
	//lint:ignore U1000 The kernels use it.
	planes [(32*4+16+4*16)*LaneCount + 63]byte
}

// SetKeysGFNI512 brings the round keys of the lanes side by side. This takes as
// long as a block of each.
func (l *Lanes) SetKeysGFNI512() { laneKeysGFNI512(l) }

// CBCEncryptGFNI512 encrypts n blocks, at least one, of each lane, after
// [Lanes.SetKeysGFNI512]. Src and Dst stay as they are. Where store is not set,
// the lanes need no Dst: only the last blocks, in Chain, are wanted.
func (l *Lanes) CBCEncryptGFNI512(n int, store bool) { cbcLanesGFNI512(l, 16*n, store) }

// Wipe clears all.
func (l *Lanes) Wipe() { *l = Lanes{} }

// KeyedBlocksGFNI512 encrypts or decrypts blocks, 1 to 64, each under the key at the
// same place in keys.
func KeyedBlocksGFNI512(keys, dst, src []byte, decrypt bool) {
	keyedBlocksGFNI512(&keys[0], &dst[0], &src[0], len(src), decrypt)
}

//go:noescape
func keyedBlocksGFNI512(keys, dst, src *byte, n int, decrypt bool)

//go:noescape
func laneKeysGFNI512(l *Lanes)

//go:noescape
func cbcLanesGFNI512(l *Lanes, n int, store bool)
