//go:build amd64 && !purego

package amd64

// LaneCount is the number of lanes in [Lanes].
const LaneCount = 64

// Lanes are streams under different keys. The family GFNI512 encrypts their blocks side
// by side, SM4NIAVX2 eight at a time. The kernels depend on the offsets of the fields.
// All lanes need keys and memory: an unused one may have those of the first lane.
type Lanes struct {
	Keys  [LaneCount]*Keys
	Src   [LaneCount]*byte
	Dst   [LaneCount]*byte
	Chain [LaneCount][16]byte // IVs, or the last ciphertext blocks

	// A plane of 64 bytes for each byte of the round keys, then for each byte of the
	// chaining values, and four blocks of each lane, all aligned to 64. Lanes must
	// not move in memory.
	//
	//lint:ignore U1000 The kernels use it.
	planes [(32*4+16+4*16)*LaneCount + 63]byte

	// Only for Set and the methods after it.
	used, changed bool // since Wipe; keys since SetKeysGFNI512
}

// Set assigns the next blocks to lane i: at least one. dst is nil if only the last
// ciphertext block is wanted.
func (l *Lanes) Set(i int, k *Keys, iv *[16]byte, dst, src []byte) {
	if l.Keys[i] != k {
		l.Keys[i], l.changed = k, true
	}
	l.Chain[i], l.Src[i] = *iv, &src[0]
	if dst != nil {
		l.Dst[i] = &dst[0]
	}
}

// fill gives the unused lanes of a kernel the memory of the first one, and a key if they
// have none.
func (l *Lanes) fill(from, to int) {
	l.used = true
	for i := from; i < to; i++ {
		if l.Keys[i] == nil {
			l.Keys[i], l.changed = l.Keys[0], true
		}
		l.Chain[i], l.Src[i], l.Dst[i] = l.Chain[0], l.Src[0], l.Dst[0]
	}
}

// WorthLanesGFNI512 reports whether [EncryptLanesGFNI512] is faster than one lane
// after the other. Interleaving the keys takes as long as one and a half blocks of a
// single lane, and so does one block of all lanes side by side.
func WorthLanesGFNI512(lanes, blocks int) bool { return 2*lanes*blocks > 3*(blocks+1) }

// EncryptLanesGFNI512 encrypts a number of blocks, at least one, of the first lanes, as they have been
// set. Src and Dst do not change. Unused lanes may have other keys than the first one,
// which overwrites what they write.
func EncryptLanesGFNI512(l *Lanes, lanes, blocks int, store bool) {
	l.fill(lanes, LaneCount)
	if l.changed {
		l.SetKeysGFNI512()
		l.changed = false
	}
	l.CBCEncryptGFNI512(blocks, store)
}

// EncryptLanesSM4NIAVX2 is EncryptLanesGFNI512 for at most eight lanes. Its kernel writes the first
// lane first, so that unused lanes must write the same.
func EncryptLanesSM4NIAVX2(l *Lanes, lanes, blocks int, store bool) {
	l.fill(lanes, 8)
	for i := lanes; i < 8; i++ {
		l.Keys[i] = l.Keys[0]
	}
	l.CBCEncryptSM4NIAVX2(blocks, store)
}

// SetKeysGFNI512 interleaves the round keys of the lanes. This takes as long as
// encrypting one block of each.
func (l *Lanes) SetKeysGFNI512() { laneKeysGFNI512(l) }

// CBCEncryptGFNI512 encrypts n blocks, at least one, of each lane, after
// [Lanes.SetKeysGFNI512]. Src and Dst do not change. If store is not set, the lanes
// need no Dst: only the last ciphertext blocks, in Chain, are stored.
func (l *Lanes) CBCEncryptGFNI512(n int, store bool) { cbcLanesGFNI512(l, 16*n, store) }

// Wipe clears everything that Set and the kernels have stored.
func (l *Lanes) Wipe() {
	if l.used {
		*l = Lanes{}
	}
}

// KeyedBlocksGFNI512 encrypts or decrypts 1 to 64 blocks, each under the key at the
// same offset in keys.
func KeyedBlocksGFNI512(keys, dst, src []byte, decrypt bool) {
	keyedBlocksGFNI512(&keys[0], &dst[0], &src[0], len(src), decrypt)
}

//go:noescape
//ct:secret keys dst src
//prove:ecb.keyed stack=8 decrypt=0 n=16,96,192,240,272,352,448,496,528,608,704,752,784,864,960,1008
//prove:ecb.keyed stack=16 decrypt=1 n=1024
func keyedBlocksGFNI512(keys, dst, src *byte, n int, decrypt bool)

//go:noescape
//ct:secret l
//prove:lanes.keys at=0,8,56
func laneKeysGFNI512(l *Lanes)

//go:noescape
//ct:secret l
//prove:cbc.lanes lanes=64 at=8 store=0,1 blocks=5
func cbcLanesGFNI512(l *Lanes, n int, store bool)
