//go:build !race

package chunked

const raceEnabled = false
