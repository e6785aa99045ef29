package chunked

import (
	"errors"
	"fmt"
)

var (
	// ErrKeySize is wrapped by the error for a key of the wrong size.
	ErrKeySize = errors.New("chunked: invalid key size")

	// ErrHeader is returned for a message that ends within its 56-byte header.
	ErrHeader = errors.New("chunked: message is shorter than its header of 56 bytes")

	// ErrCommitment is returned for a message whose key commitment does not
	// match. The possible causes cannot be told apart.
	ErrCommitment = errors.New("chunked: wrong key, context or algorithm, or damaged header")

	// ErrTruncated is returned for a message without its last chunk: it ends
	// after a full chunk, or with too few bytes for a tag. If it ends within
	// a chunk, the error is a [ChunkError] for which errors.Is(err,
	// ErrTruncated) is also true.
	ErrTruncated = errors.New("chunked: message is truncated: its last chunk is missing")

	// ErrTooLong is returned for a message of more than 2^38 chunks.
	ErrTooLong = errors.New("chunked: message is longer than 2^38 chunks")

	// ErrClosed is returned when a reader or writer is used after its Close.
	ErrClosed = errors.New("chunked: use after Close")

	errFIPS     = errors.New("chunked: not available in FIPS 140-only mode")
	errNegative = errors.New("chunked: negative size or offset")
	errAccept   = errors.New("chunked: Accept is an option for readers")
	errRead     = errors.New("chunked: source returned an impossible count")
	errWritten  = errors.New("chunked: source had ended, and what came behind its end has been written")
	errWrite    = errors.New("chunked: destination returned an impossible count")
)

// A ChunkError reports a chunk that is not authentic.
type ChunkError struct {
	Chunk int64 // counted from 0
	Last  bool  // the message ends with this chunk
}

func (e *ChunkError) Error() string {
	if e.Last {
		return fmt.Sprintf("chunked: chunk %d, the last, is damaged, misplaced, cut short or extended", e.Chunk)
	}
	return fmt.Sprintf("chunked: chunk %d is damaged or misplaced", e.Chunk)
}

// Is reports whether target is [ErrTruncated] and e is about the last chunk: a message
// truncated within a chunk cannot be distinguished from one with a modified last chunk.
func (e *ChunkError) Is(target error) bool { return e.Last && target == ErrTruncated }
