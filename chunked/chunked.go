// Package chunked encrypts messages of any length as independent chunks. It
// implements c2sp.org/chunked-encryption, version 1.
//
//	w, err := chunked.NewWriter(os.Stdout, chunked.Cobblestone128(), key, []byte("backup v1"))
//	if err != nil {
//		return err
//	}
//	defer w.Abort() // if something fails before Close
//	w.Write(message)
//	err = w.Close()
//
// A message can be written and read as a stream, read at random offsets, and
// processed by several cores at once. Only authenticated plaintext is returned,
// and a message that was truncated, extended or reordered is rejected.
//
// # Format
//
//	salt (24) || key commitment (32) || chunk 0 || tag (16) || chunk 1 || tag (16) || …
//
// Every chunk holds 16 KiB of the message, except for the last one, which is
// shorter and may be empty: a message that ends with a full chunk is truncated.
// The salt is random. The AEAD key, the base nonce and the commitment are
//
//	HKDF-Expand(input key, "c2sp.org/chunked-encryption@v1+" || AEAD || 0x00 || salt || context)
//
// where AEAD is the IANA name of the algorithm. Chunk i is sealed with the base
// nonce XOR i and without additional data. A message is at most 2^38 chunks,
// just short of 4 PiB, and 56 bytes and about 0.1 % longer than its plaintext.
//
// # Suites
//
// The format fixes neither the hash nor the AEAD: a [Suite] does, and both
// sides have to agree on it. The encrypted message does not name its suite, but
// its commitment matches only that suite, so a reader can also pick the right
// one out of several ([Accept]).
//
// # Keys
//
// The input key must be uniformly random and as long as the AEAD's key. It goes
// into HKDF-Expand directly, so a password has to be run through a password
// hash first. One key can be used for many messages, since every message has its
// own salt. The context describes what a message is for (a protocol, a file
// name, a version); a message can be opened only with the context it was made
// with. It is not secret and may be empty.
//
// The time to process a message depends on its length but not on its contents,
// provided that the same is true of the AEAD and the hash.
package chunked

import (
	"runtime"

	"github.com/cipherlane/cipherlane/internal/hidden"
)

const (
	// ChunkSize is the number of plaintext bytes in every chunk but the last.
	ChunkSize = 16 << 10
	// Overhead is the number of bytes that encrypting adds to a chunk.
	Overhead = 16
	// HeaderSize is the number of bytes in front of the first chunk.
	HeaderSize = saltSize + commitmentSize

	saltSize       = 24
	commitmentSize = 32
	sealedSize     = ChunkSize + Overhead
	maxChunks      = 1 << 38
	maxPlaintext   = maxChunks*ChunkSize - 1 // the last chunk is never whole

	maxConcurrency = 256 // a larger number is probably a typing error
)

// EncryptedSize returns the length of an encrypted message whose plaintext has
// the given length. It returns [ErrTooLong] for more than 2^52-1 bytes, and
// another error for a negative length.
func EncryptedSize(plaintext int64) (int64, error) {
	if plaintext < 0 {
		return 0, errNegative
	}
	if plaintext > maxPlaintext {
		return 0, ErrTooLong
	}
	return HeaderSize + plaintext + (plaintext/ChunkSize+1)*Overhead, nil
}

// PlaintextSize returns the plaintext length of an encrypted message of the given
// length. That length is not authenticated: anyone can truncate or extend a
// message. [ReaderAt.Size] returns the authenticated length. For lengths that no
// message has, PlaintextSize returns [ErrHeader], [ErrTruncated] or [ErrTooLong].
func PlaintextSize(encrypted int64) (int64, error) {
	if encrypted < HeaderSize {
		return 0, ErrHeader
	}
	whole := (encrypted - HeaderSize) / sealedSize
	rest := (encrypted - HeaderSize) % sealedSize
	if whole >= maxChunks {
		return 0, ErrTooLong
	}
	if rest < Overhead {
		return 0, ErrTruncated
	}
	return whole*ChunkSize + rest - Overhead, nil
}

// An Option changes how a message is read or written.
type Option func(*options)

type options struct {
	concurrency int
	accept      []Suite
}

func collect(opts []Option) options {
	o := options{concurrency: 1}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// WithConcurrency lets a call use n goroutines, including its own, on up to n+2
// batches of 32 chunks at once; 0 means GOMAXPROCS, and the limit is 256. The
// message and its order are the same as without, and the error reported is that
// of the first chunk that is not authentic. All goroutines have ended when the
// call returns, so a call that fails waits for any pending Read or Write of its
// source or destination. A call with a single batch starts no goroutines.
//
// The default is 1, which never starts any.
func WithConcurrency(n int) Option {
	return func(o *options) {
		if n <= 0 {
			n = runtime.GOMAXPROCS(0)
		}
		o.concurrency = min(n, maxConcurrency)
	}
}

// Accept makes a reader also accept messages of these suites. The commitment
// identifies the right one; suites with a different key size are skipped.
// Writers return an error for this option.
func Accept(suites ...Suite) Option {
	return func(o *options) { o.accept = append(o.accept, suites...) }
}

// private, when embedded, keeps a struct from being printed.
type private = hidden.Secret
