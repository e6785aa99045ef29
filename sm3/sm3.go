// Package sm3 implements the hash function SM3 of GB/T 32905-2016, which is
// also in ISO/IEC 10118-3:2018. A digest has 32 bytes; messages may have any
// length below 2^61 bytes.
//
//	digest := sm3.Sum(message)
//	h := sm3.New() // a hash.Hash
//
// [Sum] hashes data in memory; [New] returns a [hash.Hash] for data that arrives in
// pieces and for packages that need one. [NewHMAC] computes HMAC, [HKDF] derives
// keys from secrets, and [PBKDF2] from passwords. Their results are those of
// crypto/hmac, crypto/hkdf and crypto/pbkdf2 with New, and they are no slower. [KDF]
// is the key derivation function of SM2. [SumMany], [HMACMany] and [PBKDF2Many]
// process several inputs side by side.
//
// # Drivers
//
// The package has several implementations and selects the best one for this
// machine. [Drivers] lists them, [On] selects one by name, and the command
// "cipherlane list sm3" shows which one is selected and why.
//
// # Timing
//
// The running time of every driver depends only on the length of the data, not on
// its content.
package sm3

import (
	"encoding"
	"encoding/binary"
	"errors"
	"hash"
	"runtime"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/clone"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/fips"
	"github.com/cipherlane/cipherlane/internal/hidden"
)

const (
	Size      = 32 // bytes in a digest
	BlockSize = 64 // bytes in a block, which HMAC needs
)

// New returns a hash that computes SM3. It also implements [hash.Cloner],
// [encoding.BinaryMarshaler], [encoding.BinaryAppender] and
// [encoding.BinaryUnmarshaler]. A marshaled state contains the last bytes hashed
// and is as secret as they are. A hash is not safe for concurrent use. New panics
// in FIPS 140-only mode, where SM3 is not allowed.
func New() hash.Hash { return automatic().New() }

// Sum returns the SM3 digest of data. It allocates nothing. It panics in FIPS
// 140-only mode, where SM3 is not allowed.
func Sum(data []byte) [Size]byte { return automatic().Sum(data) }

// A Driver is one implementation of SM3, with the same functions as the package.
// Any driver can continue from the marshaled state of another.
type Driver struct{ plan drivers.Plan }

// On returns the driver with the given name. The error is [driver.ErrUnknown] if
// there is none, or [driver.ErrUnavailable] if this machine cannot run it.
func On(name string) (Driver, error) {
	plan, err := table.On(name)
	return Driver{plan}, err
}

// Drivers returns the drivers for this architecture.
func Drivers() []driver.Info {
	t, _ := driver.Find(table.Package())
	return t.Drivers()
}

// automatic returns the driver selected for this machine.
func automatic() Driver { return Driver{table.Auto()} }

// New is like the package's [New], with this driver.
func (d Driver) New() hash.Hash {
	refuseFIPS()
	h := &digest{plan: d.plan}
	h.Reset()
	return h
}

// Sum is like the package's [Sum], with this driver.
func (d Driver) Sum(data []byte) [Size]byte {
	refuseFIPS()
	v := initial
	n := len(data) &^ (BlockSize - 1)
	var end ending
	last := end.pad(data[n:], uint64(len(data)))
	if n > 0 {
		blocks(d.plan.Pick(n), &v, data[:n])
	}
	blocksKernel(d.plan.Pick(len(last)), &v, last)
	end.wipe()
	return encode(&v)
}

func refuseFIPS() {
	if fips.Enforced() {
		panic("sm3: not available in FIPS 140-only mode")
	}
}

// initial is IV of GB/T 32905-2016, section 4.1.
var initial = [8]uint32{
	0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600,
	0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e,
}

// digest is the state of a hash. The first length%BlockSize bytes of buffer are in
// use.
type digest struct {
	private
	plan   drivers.Plan
	v      [8]uint32 // chaining value
	buffer [BlockSize]byte
	length uint64 // bytes written
}

var _ interface {
	clone.Cloner
	encoding.BinaryAppender
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
} = (*digest)(nil)

func (d *digest) Size() int      { return Size }
func (d *digest) BlockSize() int { return BlockSize }

func (d *digest) Reset() {
	d.v = initial
	d.length = 0
}

func (d *digest) Write(p []byte) (int, error) {
	written := len(p)
	held := int(d.length % BlockSize)
	d.length += uint64(written)
	if held > 0 {
		n := copy(d.buffer[held:], p)
		p = p[n:]
		if held+n < BlockSize {
			return written, nil
		}
		blocksKernel(d.plan.Pick(BlockSize), &d.v, d.buffer[:])
	}
	if n := len(p) &^ (BlockSize - 1); n > 0 {
		blocks(d.plan.Pick(n), &d.v, p[:n])
		p = p[n:]
	}
	copy(d.buffer[:], p)
	return written, nil
}

// Sum does not change d: the padding is not written to its buffer.
func (d *digest) Sum(in []byte) []byte {
	v := d.v
	var end ending
	last := end.pad(d.buffer[:d.length%BlockSize], d.length)
	blocksKernel(d.plan.Pick(len(last)), &v, last)
	end.wipe()
	sum := encode(&v)
	return append(in, sum[:]...)
}

// ending is room for the end of a message with its padding.
type ending [2 * BlockSize]byte

// pad returns the one or two blocks that end a message of length bytes: its
// last bytes, a one bit, zeros, and the number of its bits (section 5.2).
func (e *ending) pad(last []byte, length uint64) []byte {
	n := copy(e[:BlockSize], last)
	e[n] = 0x80
	size := BlockSize
	if n >= BlockSize-8 {
		size = 2 * BlockSize
	}
	binary.BigEndian.PutUint64(e[size-8:], 8*length)
	return e[:size]
}

// wipe overwrites the message, which may be a key.
func (e *ending) wipe() {
	clear(e[:])
	runtime.KeepAlive(e)
}

// encode returns a chaining value as the bytes of a digest.
func encode(v *[8]uint32) (sum [Size]byte) {
	putSum(&sum, v)
	return sum
}

// putSum is like encode, for secrets, which must not stay on the stack.
func putSum(sum *[Size]byte, v *[8]uint32) {
	for i, w := range v {
		binary.BigEndian.PutUint32(sum[4*i:], w)
	}
}

func (d *digest) Clone() (clone.Cloner, error) {
	c := *d
	return &c, nil
}

// A marshaled state is magic, the chaining value, a block that begins with the
// bytes not yet hashed, and the number of bytes written, all big-endian.
const (
	magic         = "sm3\x01"
	marshaledSize = len(magic) + Size + BlockSize + 8
)

func (d *digest) MarshalBinary() ([]byte, error) {
	return d.AppendBinary(make([]byte, 0, marshaledSize))
}

func (d *digest) AppendBinary(b []byte) ([]byte, error) {
	v := encode(&d.v)
	var block [BlockSize]byte
	copy(block[:], d.buffer[:d.length%BlockSize])
	b = append(b, magic...)
	b = append(b, v[:]...)
	b = append(b, block[:]...)
	return binary.BigEndian.AppendUint64(b, d.length), nil
}

func (d *digest) UnmarshalBinary(b []byte) error {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return errors.New("sm3: invalid hash state identifier")
	}
	if len(b) != marshaledSize {
		return errors.New("sm3: invalid hash state size")
	}
	b = b[len(magic):]
	for i := range d.v {
		d.v[i] = binary.BigEndian.Uint32(b[4*i:])
	}
	copy(d.buffer[:], b[Size:])
	d.length = binary.BigEndian.Uint64(b[Size+BlockSize:])
	return nil
}

// private prevents structs that embed it from being printed.
type private = hidden.Secret
