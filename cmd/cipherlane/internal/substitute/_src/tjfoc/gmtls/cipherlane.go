package gmtls

import (
	"crypto/cipher"
	"io"
	"sync"

	"github.com/cipherlane/cipherlane/sm3"
	"github.com/cipherlane/cipherlane/sm4"
)

// CBC encryption and HMAC are serial, so that records of one Write are made side by side.

func cipherSM4(key, iv []byte, isRead bool) interface{} {
	c, err := sm4.New(key)
	if err != nil || isRead {
		return original_cipherSM4(key, iv, isRead)
	}
	return &cbcWriter{c.NewCBCEncrypter(iv), c}
}

type cbcWriter struct {
	cipher.BlockMode
	cipher *sm4.Cipher
}

func (w *cbcWriter) SetIV(iv []byte) { w.BlockMode.(cbcMode).SetIV(iv) }

func macSM3(version uint16, key []byte) macFunction { return sm3MAC{sm3.NewHMAC(key)} }

type sm3MAC struct{ *sm3.HMAC }

// MAC hashes extra after the tag is made, as the original method does, so that the time
// does not depend on the length of the padding.
func (m sm3MAC) MAC(digestBuf, seq, header, data, extra []byte) []byte {
	m.Reset()
	m.Write(seq)
	m.Write(header)
	m.Write(data)
	sum := m.Sum(digestBuf[:0])
	if extra != nil {
		m.Write(extra)
	}
	return sum
}

const (
	minRecords = 4 // fewer are not faster side by side
	maxRecords = 16

	macHeader    = 8 + recordHeaderLen // sequence number, type, version, length
	recordPrefix = recordHeaderLen + sm4.BlockSize
	maxRecord    = recordPrefix + maxPlaintext + sm3.Size + sm4.BlockSize
)

func (c *Conn) writeRecordLocked(typ recordType, data []byte) (done int, err error) {
	w, isSM4 := c.out.cipher.(*cbcWriter)
	mac, isSM3 := c.out.mac.(sm3MAC)
	large := c.config.DynamicRecordSizingDisabled || c.bytesSent >= recordSizeBoostThreshold
	if isSM4 && isSM3 && large && typ == recordTypeApplicationData && c.out.version == VersionGMSSL {
		for len(data) > maxPlaintext { // else it is one record
			n, piece := len(data), maxPlaintext
			if n > maxRecords*maxPlaintext {
				n = maxRecords * maxPlaintext
			} else if n < minRecords*maxPlaintext {
				piece = (n + minRecords - 1) / minRecords
			}
			if err := c.writeRecords(w, mac, data[:n], piece); err != nil {
				return done, err
			}
			data = data[n:]
			done += n
		}
		if len(data) == 0 {
			return done, nil
		}
	}
	n, err := c.original_writeRecordLocked(typ, data)
	return done + n, err
}

type records struct {
	room     [maxRecords * maxRecord]byte
	tags     [maxRecords]sm3.HMACMessage
	messages [maxRecords]sm4.CBCMessage
}

var recordPool = sync.Pool{New: func() interface{} { return new(records) }}

// writeRecords writes data as records for pieces of it.
func (c *Conn) writeRecords(w *cbcWriter, mac sm3MAC, data []byte, piece int) error {
	r := recordPool.Get().(*records)
	defer recordPool.Put(r)
	k, end := 0, 0
	for ; len(data) > 0; k++ {
		n := len(data)
		if n > piece {
			n = piece
		}
		size := (n + sm3.Size + sm4.BlockSize) / sm4.BlockSize * sm4.BlockSize
		record := r.room[end : end+recordPrefix+size]
		end += len(record)

		// The MAC covers a header in front of the data, where the initialization vector will be.
		h := record[recordPrefix-macHeader : recordPrefix]
		copy(h, c.out.seq[:])
		h[8], h[9], h[10], h[11], h[12] = byte(recordTypeApplicationData), byte(c.vers>>8), byte(c.vers&0xff), byte(n>>8), byte(n&0xff)
		c.out.incSeq()
		body := record[recordPrefix:]
		copy(body, data[:n])
		r.tags[k] = sm3.HMACMessage{MAC: mac.HMAC, Data: record[recordPrefix-macHeader : recordPrefix+n]}

		padding := size - n - sm3.Size
		for i := n + sm3.Size; i < size; i++ {
			body[i] = byte(padding - 1)
		}
		r.messages[k] = sm4.CBCMessage{Cipher: w.cipher, IV: record[recordHeaderLen:recordPrefix], Dst: body, Src: body}
		data = data[n:]
	}
	sm3.HMACMany(r.tags[:k])
	at := 0
	for i := range r.messages[:k] {
		size, n := len(r.messages[i].Dst), len(r.tags[i].Data)-macHeader
		copy(r.messages[i].Dst[n:], r.tags[i].Sum[:])
		h := r.room[at:]
		h[0], h[1], h[2] = byte(recordTypeApplicationData), byte(c.vers>>8), byte(c.vers&0xff)
		h[3], h[4] = byte((sm4.BlockSize+size)>>8), byte((sm4.BlockSize+size)&0xff)
		if _, err := io.ReadFull(c.config.rand(), r.messages[i].IV); err != nil {
			*r = records{} // it contains data in the clear
			return err
		}
		at += recordPrefix + size
	}
	sm4.EncryptCBCMany(r.messages[:k])
	_, err := c.write(r.room[:end])
	for i := range r.messages[:k] { // do not keep keys alive
		r.messages[i], r.tags[i] = sm4.CBCMessage{}, sm3.HMACMessage{}
	}
	return err
}
