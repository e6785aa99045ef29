//go:build !purego

package chachapoly

import (
	"runtime"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/chachapoly/internal/amd64"
)

// size512 is the largest number of packets per call of the kernel for many packets of the driver
// avx512, which clears its memory at the end of each call.
const size512 = 16

// From togetherMin to togetherMax bytes, 16 packets with driver bmi2-avx512 take less time all at
// once than one by one: docs/benchmarks.md, ChaCha20-Poly1305 on Sapphire Rapids.
const (
	togetherMin = 193
	togetherMax = 448
)

// fits512 reports whether that kernel can process a packet with n bytes of text, in less
// time than the driver needs one by one. Other packets are processed one by one, and so are up
// to three left over.
func fits512(row uint8, p *Packet, n int) bool {
	if row == bmi2AVX512 && (n < togetherMin || n > togetherMax) {
		return false
	}
	return n >= amd64.ManyMin && n <= amd64.ManyMax && len(p.Data) <= amd64.ManyDataMax
}

func sealManyAVX512(row uint8, key *[8]uint32, packets []Packet) {
	var (
		jobs  [size512]amd64.Job
		index [size512]int // in packets
	)
	for first := 0; first < len(packets); {
		n := 0
		for ; first < len(packets) && n < size512; first++ {
			p := &packets[first]
			size := len(p.Text)
			if !fits512(row, p, size) {
				Seal(row, p.Dst, p.Text, p.Data, key, &p.Nonce)
				continue
			}
			jobs[n] = amd64.Job{
				Dst: unsafe.SliceData(p.Dst), Src: unsafe.SliceData(p.Text), N: size,
				AD: unsafe.SliceData(p.Data), ADLen: len(p.Data),
				Tag: (*[TagSize]byte)(p.Dst[size:]), Nonce: p.Nonce,
			}
			index[n] = first
			n++
		}
		whole := n &^ 3
		if whole > 0 {
			amd64.SealManyAVX512(jobs[:whole], key)
		}
		for _, i := range index[whole:n] {
			p := &packets[i]
			Seal(row, p.Dst, p.Text, p.Data, key, &p.Nonce)
		}
	}
}

func openManyAVX512(row uint8, key *[8]uint32, packets []Packet) {
	var (
		jobs  [size512]amd64.Job
		index [size512]int
		tags  [size512][TagSize]byte
	)
	for first := 0; first < len(packets); {
		n := 0
		for ; first < len(packets) && n < size512; first++ {
			p := &packets[first]
			size := len(p.Dst)
			if !fits512(row, p, size) {
				p.OK = Open(row, p.Dst, p.Text, p.Data, key, &p.Nonce)
				continue
			}
			jobs[n] = amd64.Job{
				Dst: unsafe.SliceData(p.Dst), Src: unsafe.SliceData(p.Text), N: size,
				AD: unsafe.SliceData(p.Data), ADLen: len(p.Data),
				Tag: &tags[n], Nonce: p.Nonce,
			}
			index[n] = first
			n++
		}
		whole := n &^ 3
		if whole > 0 {
			amd64.OpenManyAVX512(jobs[:whole], key)
		}
		for j, i := range index[:n] {
			p := &packets[i]
			if j < whole {
				p.OK = EqualTag(&tags[j], p.Text[len(p.Dst):])
			} else {
				p.OK = Open(row, p.Dst, p.Text, p.Data, key, &p.Nonce)
			}
		}
	}
	clear(tags[:]) // the right tag of a rejected packet would allow a forgery
	runtime.KeepAlive(&tags)
}
