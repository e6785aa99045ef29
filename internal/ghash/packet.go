package ghash

import "unsafe"

// MaxPacket is the number of bytes of text, and of data, that a [Packet] has at most.
const MaxPacket = 256

// A Packet is a whole message for kernels that process one in a single call. The nonce has 12 bytes.
// Kernels get it without its first field. Its user sets the fields of a variable one by one: a copy of
// words that have just been written would have to wait for them, and by a method they would escape.
type Packet struct {
	Hash                  *Key // the prepared hash key
	Dst, Src, Nonce, Data *byte
	Size, DataSize        int    // of the text and of Data, at most MaxPacket
	TagBits               uint16 // one for each byte of the tag, which is behind the text: at Dst, or at Src
}

// First returns the address of the first byte of b, which may be empty.
func First(b []byte) *byte { return unsafe.SliceData(b) }

// Provide computes the powers of the hash key that the packet needs, if they are not there yet.
func (m *Packet) Provide() {
	// So many blocks, two incomplete ones and the lengths.
	if m.Size+m.DataSize > (firstPowers-3)*blockSize && hasExtend(m.Hash.row) {
		m.Hash.extend()
	}
}
