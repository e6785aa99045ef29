package main

import (
	"bytes"
	"compress/flate"
	"crypto"
	"crypto/ecdsa"
	"crypto/sha512"
	"encoding/binary"
	"fmt"
	"math"
)

// The container of apk-tools 3 (doc/apk-v3.5.scd and src/adb.h there), little-endian. A value
// is a word: 4 bits of type and 28 bits, which are a small number, or the offset of the rest
// in the container.
const (
	adbInt    = 0x1 << 28
	adbInt32  = 0x2 << 28
	adbBlob8  = 0x8 << 28
	adbBlob16 = 0x9 << 28
	adbBlob32 = 0xa << 28
	adbArray  = 0xd << 28
	adbObject = 0xe << 28
)

// Blocks of a file, and the schemas of their containers.
const (
	blockADB       = 0
	blockSignature = 1
	blockData      = 2

	schemaPackage = "pckg"
	schemaIndex   = "indx"
)

// container is an ADB in the making. Its header has 8 bytes: versions, and the root.
type container struct{ data []byte }

func newContainer() *container { return &container{make([]byte, 8)} }

// add appends parts at a multiple of align and returns the offset.
func (c *container) add(align int, parts ...[]byte) uint32 {
	for len(c.data)%align != 0 {
		c.data = append(c.data, 0)
	}
	offset := len(c.data)
	for _, part := range parts {
		c.data = append(c.data, part...)
	}
	return uint32(offset)
}

func (c *container) blob(b []byte) uint32 {
	switch n := len(b); {
	case n == 0:
		return 0
	case n <= math.MaxUint8:
		return adbBlob8 | c.add(1, []byte{byte(n)}, b)
	case n <= math.MaxUint16:
		return adbBlob16 | c.add(2, binary.LittleEndian.AppendUint16(nil, uint16(n)), b)
	default:
		return adbBlob32 | c.add(4, binary.LittleEndian.AppendUint32(nil, uint32(n)), b)
	}
}

func (c *container) text(s string) uint32 { return c.blob([]byte(s)) }

// number is for values below 2^32.
func (c *container) number(n int64) uint32 {
	if n < 1<<28 {
		return adbInt | uint32(n)
	}
	return adbInt32 | c.add(4, binary.LittleEndian.AppendUint32(nil, uint32(n)))
}

// slots writes an object or array: how many words it has, and the words. Null at the end is
// left out.
func (c *container) slots(kind uint32, values ...uint32) uint32 {
	for len(values) > 0 && values[len(values)-1] == 0 {
		values = values[:len(values)-1]
	}
	if len(values) == 0 {
		return 0
	}
	words := binary.LittleEndian.AppendUint32(nil, uint32(len(values)+1))
	for _, v := range values {
		words = binary.LittleEndian.AppendUint32(words, v)
	}
	return kind | c.add(4, words)
}

func (c *container) object(values ...uint32) uint32 { return c.slots(adbObject, values...) }
func (c *container) array(values ...uint32) uint32  { return c.slots(adbArray, values...) }

func (c *container) setRoot(v uint32) { binary.LittleEndian.PutUint32(c.data[4:], v) }

// block appends a block, up to a multiple of 8 bytes.
func block(file []byte, kind uint32, parts ...[]byte) ([]byte, error) {
	size := 4
	for _, part := range parts {
		size += len(part)
	}
	if size >= 1<<30 {
		return nil, fmt.Errorf("a block of %d bytes is too large for this format", size)
	}
	file = binary.LittleEndian.AppendUint32(file, kind<<30|uint32(size))
	for _, part := range parts {
		file = append(file, part...)
	}
	return append(file, make([]byte, -size&7)...), nil
}

// sign returns the signature block's contents: the version, the hash (SHA-512), the name of
// the key, and an ECDSA signature of the schema, these, and the container's hash. The key's
// name is the beginning of a hash of the point. The signature is that of RFC 6979, so that the
// same input makes the same file.
func (c *container) sign(schema string, key *ecdsa.PrivateKey) ([]byte, error) {
	point, err := key.PublicKey.ECDH()
	if err != nil {
		return nil, err
	}
	name := sha512.Sum512(point.Bytes())
	header := append([]byte{0, 4}, name[:16]...)
	inner := sha512.Sum512(c.data)
	digest := sha512.Sum512(append(append([]byte(schema), header...), inner[:]...))
	signature, err := key.Sign(nil, digest[:], crypto.SHA512)
	if err != nil {
		return nil, err
	}
	return append(header, signature...), nil
}

// file returns a compressed file: the container, its signature, and what data appends.
func (c *container) file(schema string, key *ecdsa.PrivateKey, data func([]byte) ([]byte, error)) ([]byte, error) {
	signature, err := c.sign(schema, key)
	if err != nil {
		return nil, err
	}
	file, err := block([]byte("ADB."+schema), blockADB, c.data)
	if err != nil {
		return nil, err
	}
	if file, err = block(file, blockSignature, signature); err != nil {
		return nil, err
	}
	if data != nil {
		if file, err = data(file); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	b.WriteString("ADBd")
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	w.Write(file)
	w.Close() // neither fails: b is memory
	return b.Bytes(), nil
}
