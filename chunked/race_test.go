//go:build race

package chunked

// The race detector makes sync.Pool lose buffers at random.
const raceEnabled = true
