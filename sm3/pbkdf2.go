package sm3

import (
	"encoding/binary"
	"runtime"
	"sync"

	"github.com/cipherlane/cipherlane/internal/drivers"
)

// PBKDF2 fills key with the output of PBKDF2 with HMAC-SM3 (RFC 8018, section 5.2;
// GM/T 0091-2020) for a password and a salt. Iterations make guessing passwords
// slower: use as many as you can afford. A key of 32 bytes is long enough; the blocks
// of a longer one are computed side by side. It panics if iterations is less than 1
// or key is longer than 2^32-1 blocks of 32 bytes, and in FIPS 140-only mode, where
// SM3 is not allowed. key must not overlap password or salt.
func PBKDF2(key, password, salt []byte, iterations int) {
	automatic().PBKDF2(key, password, salt, iterations)
}

// PBKDF2 is like the package's [PBKDF2], with this driver.
func (d Driver) PBKDF2(key, password, salt []byte, iterations int) {
	d.PBKDF2Many([]PBKDF2Key{{key, password, salt, iterations}})
}

// A PBKDF2Key is one key of [PBKDF2Many].
type PBKDF2Key struct {
	Key            []byte // to fill
	Password, Salt []byte
	Iterations     int
}

// PBKDF2Many fills each Key like [PBKDF2], but several side by side: with AVX-512, 32
// keys of 32 bytes take as long as three; with AVX2, eight keys do. All fields may
// differ from key to key. It is fastest if the keys with the most iterations come
// first. It panics where PBKDF2 does, before it writes anything. A Key must not
// overlap any other memory of the call.
func PBKDF2Many(keys []PBKDF2Key) { automatic().PBKDF2Many(keys) }

// PBKDF2Many is like the package's [PBKDF2Many], with this driver.
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
	c := pbkdf2Cursor{plan: d.plan, keys: keys}
	w := pbkdf2Pool.Get().(*pbkdf2Work)
	w.run(&c)
	w.free()
	c.key.wipe()
}

// A pbkdf2Cursor iterates over the blocks of all keys.
type pbkdf2Cursor struct {
	plan  drivers.Plan
	keys  []PBKDF2Key // those not yet finished
	block uint32      // number of the last block of keys[0] that next returned
	key   hmacKey     // of the password of keys[0], if block is not 0
}

// next returns the place for the next block and the number of iterations left, and
// sets u to the result of the first one (U_1 of RFC 8018). dst is nil if there are no
// more blocks.
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

// pbkdf2Memory is the memory of kernels: word i of lane l is in row i, column l.
type pbkdf2Memory struct {
	keys [2][8][maxLanes]uint32 // the chaining values of hmacKey, inner and outer
	t    [8][maxLanes]uint32    // T, the sum of all U
	w    [32][maxLanes]uint32   // U, followed by scratch space for the kernels
}

// pbkdf2Work is the state of a call. It is too large for the stack. The first lanes
// are the ones in use.
type pbkdf2Work struct {
	*pbkdf2Memory
	dst  [maxLanes][]byte // of a lane: the place for its block
	left [maxLanes]int    // of a lane: the remaining iterations
	used int              // lanes that were in use
}

var pbkdf2Pool = sync.Pool{New: func() any { return &pbkdf2Work{pbkdf2Memory: new(pbkdf2Memory)} }}

func (w *pbkdf2Work) free() {
	*w.pbkdf2Memory = pbkdf2Memory{}
	clear(w.dst[:w.used])
	pbkdf2Pool.Put(w)
}

func (w *pbkdf2Work) run(c *pbkdf2Cursor) {
	most, count := iterateLanes(c.plan, maxLanes), 0
	for count < most && w.begin(count, c) {
		count++
	}
	w.used = count
	for count > 0 {
		width := iterateLanes(c.plan, count)
		n := maxPass / (2 * BlockSize) / width
		for l := range count {
			n = min(n, w.left[l])
		}
		if width == 1 {
			for l := range count {
				w.oneByOne(c.plan.Pick(BlockSize), l)
			}
		} else if n > 0 {
			iterate(c.plan.Many(), width, w.pbkdf2Memory, n)
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

// begin assigns the next block to a lane, and reports whether there is one.
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

// replace moves the last lane to the place of lane l, which has nothing more to do
// and may be the last one itself.
func (w *pbkdf2Work) replace(l, last int) {
	w.dst[l], w.left[l] = w.dst[last], w.left[last]
	for i := range w.t {
		w.keys[0][i][l], w.keys[1][i][l] = w.keys[0][i][last], w.keys[1][i][last]
		w.w[i][l], w.t[i][l] = w.w[i][last], w.t[i][last]
	}
}

// oneByOne does the remaining iterations of a single lane.
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
		blocksKernel(row, &u, block[:])
		putSum((*[Size]byte)(block[:]), &u)
		u = outer
		blocksKernel(row, &u, block[:])
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
