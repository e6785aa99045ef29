package chachapoly

import (
	"bytes"
	"testing"
)

// RFC 8439, section 2.3: the constants, and little-endian words of the key.
func TestWords(t *testing.T) {
	var state [16]uint32
	key := Begin(&state)
	if state != [16]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574} {
		t.Errorf("the first row: %x", state)
	}
	b := newRandom(30).bytes(32)
	ReadKey(key, b)
	for i := range key {
		want := uint32(b[4*i]) | uint32(b[4*i+1])<<8 | uint32(b[4*i+2])<<16 | uint32(b[4*i+3])<<24
		if key[i] != want || state[4+i] != want {
			t.Errorf("word %d is %#x, want %#x", i, key[i], want)
		}
	}
	back := make([]byte, 33)
	WriteKey(back, key)
	if !bytes.Equal(back[:32], b) || back[32] != 0 {
		t.Errorf("%x, want %x", back, b)
	}
	if MaxSize != 1<<38-64 { // RFC 8439, section 2.8: P_MAX
		t.Errorf("MaxSize is %d", uint64(MaxSize))
	}
}
