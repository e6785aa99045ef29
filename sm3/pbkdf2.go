package sm3

import (
	"encoding/binary"
	"math"
	"runtime"
	"sync"

	"github.com/cipherlane/cipherlane/driver"
)

// PBKDF2 fills key with what the key derivation function PBKDF2 with HMAC-SM3 (RFC
// 8018, section 5.2; GM/T 0091-2020) makes of a password and a salt. The more
// iterations, the more work for whoever tries passwords: take as many as you have
// time for. The blocks of 32 bytes of a longer key are computed side by side, but
// 32 bytes are enough of one. It panics if there is no iteration
// or key is longer than 2^32-1 blocks, and in FIPS 140-only mode, where SM3 is not
// allowed. key must not overlap password or salt.
func PBKDF2(key, password, salt []byte, iterations int) {
	automatic().PBKDF2(key, password, salt, iterations)
}

// PBKDF2 is the package's [PBKDF2] with this driver.
func (d Driver) PBKDF2(key, password, salt []byte, iterations int) {
	d.PBKDF2Many([]PBKDF2Key{{key, password, salt, iterations}})
}

// A PBKDF2Key is one key of [PBKDF2Many].
type PBKDF2Key struct {
	Key            []byte // to fill
	Password, Salt []byte
	Iterations     int
}

// PBKDF2Many fills every Key as [PBKDF2] does, but side by side: with AVX-512, 32
// keys of 32 bytes take as long as three, with AVX2 eight do. Everything may differ
// from key to key; those with the most iterations first are the fastest. It panics
// where [PBKDF2] does, before it has written anything. No Key may overlap anything
// else.
func PBKDF2Many(keys []PBKDF2Key) { automatic().PBKDF2Many(keys) }

// PBKDF2Many is the package's [PBKDF2Many] with this driver.
func (d Driver) PBKDF2Many(keys []PBKDF2Key) {
	refuseFIPS()
	for i := range keys {
		switch k := &keys[i]; {
		case k.Iterations < 1:
			panic("sm3: PBKDF2 without iterations")
		case uint64(len(k.Key)) > Size*(1<<32-1):
			panic("sm3: PBKDF2 of too many bytes")
		}
	}
	row := d.plan.Pick(math.MaxInt)
	c := pbkdf2Cursor{plan: d.plan, keys: keys}
	w := pbkdf2Pool.Get().(*pbkdf2Work)
	w.run(row, &c)
	w.free()
	c.key.wipe()
}

// A pbkdf2Cursor goes through the blocks of all keys.
type pbkdf2Cursor struct {
	plan  driver.Plan
	keys  []PBKDF2Key // the first one is the next
	block uint32      // the last one of it that is done
	key   hmacKey     // of the password, if block is not 0
}

// next returns where the next block goes and how many iterations are left, and sets u
// to what the first one makes of it, T and U of RFC 8018. Without another block, dst
// is nil.
func (c *pbkdf2Cursor) next(u *[8]uint32) (dst []byte, left int) {
	for {
		if len(c.keys) == 0 {
			return nil, 0
		}
		k := &c.keys[0]
		if at := int(c.block) * Size; at < len(k.Key) {
			dst = k.Key[at:min(at+Size, len(k.Key))]
			break
		}
		c.keys, c.block = c.keys[1:], 0
	}
	k := &c.keys[0]
	if c.block == 0 {
		c.key.init(c.plan, k.Password)
	}
	c.block++
	message := digest{plan: c.plan}
	c.key.begin(&message)
	message.Write(k.Salt)
	var number [4]byte
	binary.BigEndian.PutUint32(number[:], c.block)
	message.Write(number[:])
	var tag [Size]byte
	c.key.sum(&tag, &message)
	for i := range u {
		u[i] = binary.BigEndian.Uint32(tag[4*i:])
	}
	clear(tag[:])
	message = digest{} // its chaining value is the password's if the salt is short
	runtime.KeepAlive(&tag)
	runtime.KeepAlive(&message)
	return dst, k.Iterations - 1
}

// pbkdf2Memory is what kernels work on: word i of lane l is in row i, place l.
type pbkdf2Memory struct {
	keys [2][8][maxLanes]uint32 // the chaining values of hmacKey, inner and outer
	t    [8][maxLanes]uint32    // T, the sum of all U
	w    [32][maxLanes]uint32   // first U, then room for the kernels
}

// pbkdf2Work is what a call works with. It is not on the stack because of its
// size. Lanes in use are the first ones.
type pbkdf2Work struct {
	*pbkdf2Memory
	dst  [maxLanes][]byte // of a lane: where its block goes
	left [maxLanes]int    // iterations
	used int              // lanes that were in use
}

var pbkdf2Pool = sync.Pool{New: func() any { return &pbkdf2Work{pbkdf2Memory: new(pbkdf2Memory)} }}

func (w *pbkdf2Work) free() {
	*w.pbkdf2Memory = pbkdf2Memory{}
	clear(w.dst[:w.used])
	pbkdf2Pool.Put(w)
}

func (w *pbkdf2Work) run(row uint8, c *pbkdf2Cursor) {
	most, count := iterateLanes(row, maxLanes), 0
	for count < most && w.begin(count, c) {
		count++
	}
	w.used = count
	for count > 0 {
		width := iterateLanes(row, count)
		n := maxKernelBytes / (2 * BlockSize) / width
		for l := range count {
			n = min(n, w.left[l])
		}
		if width == 1 {
			for l := range count {
				w.oneByOne(row, l)
			}
		} else if n > 0 {
			iterate(row, width, w.pbkdf2Memory, n)
			for l := range count {
				w.left[l] -= n
			}
		}
		for l := 0; l < count; {
			if w.left[l] > 0 {
				l++
				continue
			}
			w.end(l)
			if !w.begin(l, c) {
				count--
				w.replace(l, count)
			}
		}
	}
}

// begin gives a lane the next block, if there is one.
func (w *pbkdf2Work) begin(l int, c *pbkdf2Cursor) bool {
	var u [8]uint32
	dst, left := c.next(&u)
	if dst == nil {
		return false
	}
	w.dst[l], w.left[l] = dst, left
	for i := range u {
		w.keys[0][i][l], w.keys[1][i][l] = c.key.inner[i], c.key.outer[i]
		w.w[i][l], w.t[i][l] = u[i], u[i]
	}
	clear(u[:])
	runtime.KeepAlive(&u)
	return true
}

// end writes the block of a lane.
func (w *pbkdf2Work) end(l int) {
	var block [Size]byte
	for i := range w.t {
		binary.BigEndian.PutUint32(block[4*i:], w.t[i][l])
	}
	copy(w.dst[l], block[:])
	clear(block[:])
	runtime.KeepAlive(&block)
}

// replace puts the last lane into the place of another, or the same, which has
// nothing more to do.
func (w *pbkdf2Work) replace(l, last int) {
	w.dst[l], w.left[l] = w.dst[last], w.left[last]
	for i := range w.t {
		w.keys[0][i][l], w.keys[1][i][l] = w.keys[0][i][last], w.keys[1][i][last]
		w.w[i][l], w.t[i][l] = w.w[i][last], w.t[i][last]
	}
}

// oneByOne does the iterations of a lane alone.
func (w *pbkdf2Work) oneByOne(row uint8, l int) {
	var inner, outer, u, t [8]uint32
	for i := range t {
		inner[i], outer[i] = w.keys[0][i][l], w.keys[1][i][l]
		u[i], t[i] = w.w[i][l], w.t[i][l]
	}
	var block [BlockSize]byte
	outerBlock(&block, &u)
	for range w.left[l] {
		u = inner
		blocks(row, &u, block[:])
		putSum((*[Size]byte)(block[:]), &u)
		u = outer
		blocks(row, &u, block[:])
		putSum((*[Size]byte)(block[:]), &u)
		for i := range t {
			t[i] ^= u[i]
		}
	}
	w.left[l] = 0
	for i := range t {
		w.t[i][l] = t[i]
	}
	clear(block[:])
	inner, outer, u, t = [8]uint32{}, [8]uint32{}, [8]uint32{}, [8]uint32{}
	runtime.KeepAlive(&block)
	runtime.KeepAlive(&inner)
	runtime.KeepAlive(&outer)
	runtime.KeepAlive(&u)
	runtime.KeepAlive(&t)
}
