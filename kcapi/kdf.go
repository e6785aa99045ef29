package kcapi

import (
	"encoding/binary"
	"math"
	"strconv"
)

// CounterKDF derives size bytes from the key of a MAC, in counter mode (NIST SP
// 800-108, 4.1). Block i is the MAC of i, as four bytes in big-endian order,
// followed by input, which is the label, a zero byte, and the context. A block
// costs two system calls.
func (h *Hash) CounterKDF(input []byte, size int) ([]byte, error) {
	return h.derive(size, 4+len(input), func(i uint32, b, _ []byte) ([]byte, error) {
		return append(binary.BigEndian.AppendUint32(b, i), input...), nil
	})
}

// FeedbackKDF derives size bytes from the key of a MAC, in feedback mode (NIST SP
// 800-108, 4.2). Block i is the MAC of the previous block (iv, which may be empty,
// for the first one), followed by i as in [Hash.CounterKDF] and by input.
func (h *Hash) FeedbackKDF(iv, input []byte, size int) ([]byte, error) {
	return h.derive(size, max(len(iv), h.size)+4+len(input), func(i uint32, b, last []byte) ([]byte, error) {
		if i == 1 {
			last = iv
		}
		b = append(b, last...)
		return append(binary.BigEndian.AppendUint32(b, i), input...), nil
	})
}

// PipelineKDF derives size bytes from the key of a MAC, in double-pipeline mode
// (NIST SP 800-108, 4.3). Block i is the MAC of A(i), followed by i as in
// [Hash.CounterKDF] and by input, where A(0) is input and A(i) is the MAC of
// A(i-1). A block costs four system calls.
func (h *Hash) PipelineKDF(input []byte, size int) ([]byte, error) {
	var space [maxDigest]byte
	defer clear(space[:])
	a := input
	return h.derive(size, h.size+4+len(input), func(i uint32, b, _ []byte) ([]byte, error) {
		next, err := h.Digest(space[:0], a)
		if err != nil {
			return nil, err
		}
		a = next
		b = append(b, a...)
		return append(binary.BigEndian.AppendUint32(b, i), input...), nil
	})
}

// derive concatenates MACs. next appends the input of block i, of at most most
// bytes, to b; last is the previous block.
func (h *Hash) derive(size, most int, next func(i uint32, b, last []byte) ([]byte, error)) ([]byte, error) {
	if size < 0 || h.size == 0 || uint64(size) > math.MaxUint32*uint64(h.size) {
		return nil, h.object.error(ErrSize, "a key of "+strconv.Itoa(size)+" bytes")
	}
	b := make([]byte, 0, most)
	defer func() { clear(b[:most]) }()
	key := make([]byte, 0, (size+h.size-1)/h.size*h.size)
	for i := uint32(1); len(key) < size; i++ {
		p, err := next(i, b, key[max(0, len(key)-h.size):])
		if err == nil {
			key, err = h.Digest(key, p)
		}
		if err != nil {
			clear(key[:cap(key)])
			return nil, err
		}
	}
	clear(key[size:])
	return key[:size:size], nil
}

// HKDF derives size bytes from a secret, with an HMAC such as "hmac(sha256)"
// (RFC 5869), as crypto/hkdf.Key does. salt and info may be empty.
func HKDF(hmac string, secret, salt, info []byte, size int, opts ...Option) ([]byte, error) {
	if len(salt) == 0 {
		salt = make([]byte, 1) // the same to HMAC, which pads keys with zeros; Linux requires a key
	}
	extract, err := OpenMAC(hmac, Bytes(salt), opts...)
	if err != nil {
		return nil, err
	}
	defer extract.Close()
	if size < 0 || size > 255*extract.size {
		return nil, extract.object.error(ErrSize, "a key of "+strconv.Itoa(size)+" bytes, want at most "+strconv.Itoa(255*extract.size))
	}
	var space [maxDigest]byte
	defer clear(space[:])
	prk, err := extract.Digest(space[:0], secret)
	if err != nil {
		return nil, err
	}
	if err := extract.SetKey(Bytes(prk)); err != nil {
		return nil, err
	}
	return extract.derive(size, extract.size+len(info)+1, func(i uint32, b, last []byte) ([]byte, error) {
		return append(append(append(b, last...), info...), byte(i)), nil
	})
}

// PBKDF2 derives size bytes from a password, with an HMAC such as "hmac(sha256)"
// (RFC 8018), as crypto/pbkdf2.Key does. Every iteration costs two system calls,
// which take longer than HMAC in the program itself: the only good reason to use it
// is an HMAC that only Linux has.
func PBKDF2(hmac string, password, salt []byte, iterations, size int, opts ...Option) ([]byte, error) {
	if iterations < 1 {
		return nil, &Error{Op: "open", Algorithm: hmac, Reason: ErrSize, Detail: strconv.Itoa(iterations) + " iterations"}
	}
	if len(password) == 0 {
		password = make([]byte, 1) // as in HKDF
	}
	h, err := OpenMAC(hmac, Bytes(password), opts...)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	var sum, u [maxDigest]byte
	defer clear(sum[:])
	defer clear(u[:])
	if size < 0 || uint64(size) > math.MaxUint32*uint64(h.size) {
		return nil, h.object.error(ErrSize, "a key of "+strconv.Itoa(size)+" bytes")
	}
	key := make([]byte, 0, (size+h.size-1)/h.size*h.size)
	for i := uint32(1); len(key) < size; i++ {
		last := binary.BigEndian.AppendUint32(append([]byte(nil), salt...), i)
		clear(sum[:])
		for range iterations {
			if last, err = h.Digest(u[:0], last); err != nil {
				clear(key[:cap(key)])
				return nil, err
			}
			for j := range last {
				sum[j] ^= last[j]
			}
		}
		key = append(key, sum[:h.size]...)
	}
	clear(key[size:cap(key)])
	return key[:size:size], nil
}
