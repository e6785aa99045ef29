// Package chunked encrypts messages of any length as independent chunks:
// c2sp.org/chunked-encryption, version 1.
//
// A message may be written and read as a stream, read at random, and worked on
// by several cores at once. Nothing is returned that was not authenticated
// before, and a message that was cut short, extended or reordered is refused.
//
// # Format
//
//	salt (24) || key commitment (32) || chunk 0 || tag (16) || chunk 1 || tag (16) || …
//
// Every chunk holds 16 KiB of the message, except for the last one, which is
// shorter and may be empty: a message that ends with a whole chunk lacks its
// end. The salt is random. The key and the base nonce of the AEAD and the
// commitment are
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
// sides have to agree on it. The encrypted message does not name it, but the
// commitment fits one suite only, so that a reader can also find it among
// several ([Accept]).
//
// # Keys
//
// The input key must be uniformly random and as long as a key of the AEAD: it
// is used for HKDF-Expand as it is, so a password has to go through a password
// hash first. One key may serve for many messages, since every message has its
// own salt. The context says what a message is for (a protocol, a file name,
// a version); a message opens only under the context it was made with. It is
// not secret and may be empty.
//
// How long it takes to work on a message depends on its length, not on what it
// says, provided that the AEAD and the hash keep that promise.
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

	maxConcurrency = 256 // more is a typing mistake
)

// EncryptedSize returns the length of the message that plaintext bytes make.
// It fails with [ErrTooLong] for more than 2^52-1 bytes, and for less than none.
func EncryptedSize(plaintext int64) (int64, error) {
	if plaintext < 0 {
		return 0, errNegative
	}
	if plaintext > maxPlaintext {
		return 0, ErrTooLong
	}
	return HeaderSize + plaintext + (plaintext/ChunkSize+1)*Overhead, nil
}

// PlaintextSize returns how many bytes a message of encrypted bytes says. It
// looks at the length alone, which anybody can change: [ReaderAt.Size] returns
// the authenticated length. A message cannot have every length; the errors are
// [ErrHeader], [ErrTruncated] and [ErrTooLong].
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

// WithConcurrency lets a call work with n goroutines, itself included, on up to
// n+2 batches of 32 chunks at once; 0 stands for GOMAXPROCS, and 256 is the
// limit. The message is the same and arrives in the same order, and the error is
// that of the first chunk which is not authentic. All goroutines have ended when
// the call returns, so a call that fails waits for a Read or Write of its source
// or destination that is under way. Calls with one batch to do start none.
//
// The default is 1, which starts no goroutines at all.
func WithConcurrency(n int) Option {
	return func(o *options) {
		if n <= 0 {
			n = runtime.GOMAXPROCS(0)
		}
		o.concurrency = min(n, maxConcurrency)
	}
}

// Accept lets a reader take messages of these suites, too. The commitment
// tells which one it is; suites whose key size does not fit are passed over.
// Writers refuse this option.
func Accept(suites ...Suite) Option {
	return func(o *options) { o.accept = append(o.accept, suites...) }
}

// private keeps what embeds it from being printed.
type private = hidden.Secret
