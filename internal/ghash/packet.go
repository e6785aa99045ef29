package ghash

import "unsafe"

// MaxPacket is the number of bytes of text, and of data, that a [Packet] has at most.
const MaxPacket = 256

// A Packet is a whole message for kernels that process one in a single call. The nonce has 12 bytes.
// Kernels get it without its first field. Its fields are set one by one: a copy of words that have
// just been written would have to wait for them.
type Packet struct {
	Hash                  *Key // the prepared hash key
	Dst, Src, Nonce, Data *byte
	Size, DataSize        int    // of the text and of Data, at most MaxPacket
	TagBits               uint16 // one for each byte of the tag
}

// Set sets the key, the nonce and the data.
func (m *Packet) Set(k *Key, nonce, data []byte) {
	m.Hash = k
	m.Nonce = unsafe.SliceData(nonce)
	m.Data, m.DataSize = unsafe.SliceData(data), len(data)
}

// SetText sets the rest. Behind the n bytes of text is the tag: at dst, or at src.
func (m *Packet) SetText(dst, src []byte, n int, tag uint16) {
	m.Dst, m.Src, m.Size, m.TagBits = unsafe.SliceData(dst), unsafe.SliceData(src), n, tag
}

// Provide computes the powers of the hash key that the packet needs, if they are not there yet.
func (m *Packet) Provide() {
	if m.Size+m.DataSize > (firstPowers-3)*blockSize { // so many blocks, two incomplete ones and the lengths
		m.Hash.extend()
	}
}
