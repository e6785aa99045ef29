package conformance

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/cipherlane/cipherlane/internal/alias"
)

// A call is an object under sabotage.
type call struct {
	run   func(dst, src []byte) // the genuine implementation
	count atomic.Int64          // of earlier calls
}

var lastCall *call

// A sabotage is a way to break a call.
type sabotage struct {
	name, check string
	f           func(c *call, dst, src []byte)
}

var sabotages = []sabotage{
	{"wrong", "Vectors", func(c *call, dst, src []byte) {
		c.run(dst, src)
		flip(dst, src, true)
	}},
	{"wrong in place", "InPlace", func(c *call, dst, src []byte) {
		inPlace := same(dst, src)
		c.run(dst, src)
		flip(dst, src, inPlace)
	}},
	{"changes its source", "Inputs", func(c *call, dst, src []byte) {
		c.run(dst, src)
		flip(src, src, !same(dst, src))
	}},
	{"writes beyond the length of the source", "Bounds", func(c *call, dst, src []byte) {
		c.run(dst, src)
		if len(dst) > len(src) {
			dst[len(src)] = 0
		}
	}},
	{"looks for overlap beyond the length of the source", "Bounds", func(c *call, dst, src []byte) {
		if alias.InexactOverlap(dst, src) {
			panic("invalid buffer overlap")
		}
		c.run(dst, src)
	}},
	{"wrong for some destinations", "Misaligned", func(c *call, dst, src []byte) {
		c.run(dst, src)
		flip(dst, src, offset(dst) == 13)
	}},
	{"wrong for some sources", "Misaligned", func(c *call, dst, src []byte) {
		c.run(dst, src)
		flip(dst, src, offset(src) == 61)
	}},
	{"reads behind the source", "Guards", func(c *call, dst, src []byte) { c.run(dst, src); peek(src, len(src)) }},
	{"reads in front of the source", "Guards", func(c *call, dst, src []byte) { c.run(dst, src); peek(src, -1) }},
	{"writes behind the destination", "Guards", func(c *call, dst, src []byte) { c.run(dst, src); touch(dst, len(src)) }},
	{"writes in front of the destination", "Guards", func(c *call, dst, src []byte) { c.run(dst, src); touch(dst, -1) }},
	{"shares its state with other objects", "Independent", func(c *call, dst, src []byte) {
		c.run(dst, src)
		flip(dst, src, lastCall != c && c.count.Load() > 0)
		lastCall = c
	}},
	{"shares its scratch with other goroutines", "Concurrent", func(c *call, dst, src []byte) {
		c.run(dst, src)
		flip(dst, src, crowded())
	}},
	{"allocates", "Allocations", func(c *call, dst, src []byte) { c.run(dst, src); allocate() }},
	{"allows any overlap", "Misuse", func(c *call, dst, src []byte) {
		if same(dst, src) {
			c.run(dst, src)
		} else {
			c.run(dst, bytes.Clone(src))
		}
	}},
	{"ignores calls with too short a destination", "Misuse", func(c *call, dst, src []byte) {
		if len(dst) >= len(src) {
			c.run(dst, src)
		}
	}},
	{"lets the runtime panic", "Misuse", func(c *call, dst, src []byte) {
		if len(src) > 0 {
			_ = dst[len(src)-1]
		}
		c.run(dst, src)
	}},
	{"writes and then panics", "Misuse", func(c *call, dst, src []byte) {
		if len(dst) > 0 && len(dst) < len(src) {
			dst[0]++
		}
		c.run(dst, src)
	}},
}

// bulkSabotages are for calls that take any number of units.
var bulkSabotages = []sabotage{
	{"wrong at one length", "Lengths", func(c *call, dst, src []byte) {
		c.run(dst, src)
		flip(dst, src, len(src) == 4080)
	}},
	{"wrong in its second call", "Splits", func(c *call, dst, src []byte) {
		c.run(dst, src)
		flip(dst, src, c.count.Load() == 1)
	}},
	{"reads before it looks at the length", "Guards", func(c *call, dst, src []byte) {
		peek(src, 0)
		c.run(dst, src)
	}},
	{"wrong beyond 64 KiB", "Long", func(c *call, dst, src []byte) {
		c.run(dst, src)
		flip(dst, src, len(src) > 64<<10)
	}},
}

// flip changes a bit in the last byte of what a call wrote.
func flip(dst, src []byte, do bool) {
	if n := len(src); do && n > 0 {
		dst[n-1] ^= 0x10
	}
}

func sabotaged(run func(dst, src []byte), f func(c *call, dst, src []byte)) func(dst, src []byte) {
	c := &call{run: run}
	return func(dst, src []byte) {
		f(c, dst, src)
		c.count.Add(1)
	}
}

type streamFunc func(dst, src []byte)

func (f streamFunc) XORKeyStream(dst, src []byte) { f(dst, src) }

func TestStreamMutants(t *testing.T) {
	var list []mutant
	add := func(name, check string, stream func(key, iv []byte) cipher.Stream) {
		c := ctrCase
		c.New = stream
		list = append(list, mutant{name, check, c.checks()})
	}
	for _, s := range slices.Concat(sabotages, bulkSabotages) {
		add(s.name, s.check, func(key, iv []byte) cipher.Stream {
			return streamFunc(sabotaged(ctrCase.New(key, iv).XORKeyStream, s.f))
		})
	}
	add("wrong at 4095 bytes", "Lengths", func(key, iv []byte) cipher.Stream {
		return streamFunc(sabotaged(ctrCase.New(key, iv).XORKeyStream, func(c *call, dst, src []byte) {
			c.run(dst, src)
			flip(dst, src, len(src) == 4095)
		}))
	})
	add("reads a whole block for a tail of one byte", "Guards", func(key, iv []byte) cipher.Stream {
		return streamFunc(sabotaged(ctrCase.New(key, iv).XORKeyStream, func(c *call, dst, src []byte) {
			if len(src)%16 == 1 {
				peek(src, len(src)+14)
			}
			c.run(dst, src)
		}))
	})
	add("drops the rest of a block of key stream", "Splits", func(key, iv []byte) cipher.Stream {
		s := ctrCase.New(key, iv)
		return streamFunc(func(dst, src []byte) {
			s.XORKeyStream(dst, src)
			rest := make([]byte, -len(src)&15)
			s.XORKeyStream(rest, rest)
		})
	})
	add("keeps the caller's IV", "Inputs", func(key, iv []byte) cipher.Stream {
		return streamFunc(func(dst, src []byte) { ctrCase.New(key, iv).XORKeyStream(dst, src) })
	})
	add("counts in the caller's IV", "Inputs", func(key, iv []byte) cipher.Stream {
		s := ctrCase.New(key, iv)
		iv[15]++
		return s
	})
	add("takes any IV", "IVs", func(key, iv []byte) cipher.Stream {
		return ctrCase.New(key, append(bytes.Clone(iv), make([]byte, 16)...)[:16])
	})
	for width := 1; width < 16; width++ {
		if slices.Contains([]int{1, 2, 4, 8, 12}, width) {
			add(fmt.Sprintf("no carry out of bit %d", 8*width-1), "Carries", func(key, iv []byte) cipher.Stream {
				return newShortCTR(key, iv, width, 1)
			})
		}
	}
	add("carries into the high half between batches of 8 only", "Carries", func(key, iv []byte) cipher.Stream {
		return newShortCTR(key, iv, 8, 8)
	})
	c := ctrCase
	c.Keyed = Of(newMortal, cipherMode(cipher.NewCTR)) // which has 512 bytes of keystream
	list = append(list, mutant{"goes on with keystream made before Wipe", "Wiped", c.checks()})
	c.Keyed = nil
	list = append(list, mutant{"cannot be wiped", "Wiped", c.checks()})
	list = append(list, mutant{"no vectors", "Vectors", StreamCase{KeySize: 16, IVSize: 16, New: ctrCase.New, Reference: ctrCase.Reference}.checks()})
	kill(t, ctrCase.checks(), list)
}

// shortCTR is CTR whose counter has a carry out of the low width bytes only
// after every batch blocks; with a batch of 1, never.
type shortCTR struct {
	block        cipher.Block
	ctr          [16]byte
	width, batch int
	blocks       int
	owed         bool
	rest         []byte
}

func newShortCTR(key, iv []byte, width, batch int) cipher.Stream {
	s := &shortCTR{block: must(aes.NewCipher(key)), width: width, batch: batch}
	copy(s.ctr[:], iv)
	return s
}

func (s *shortCTR) XORKeyStream(dst, src []byte) {
	for i, x := range src {
		if len(s.rest) == 0 {
			s.rest = make([]byte, 16)
			s.block.Encrypt(s.rest, s.ctr[:])
			s.blocks++
			s.owed = increment(s.ctr[16-s.width:]) || s.owed
			if s.batch > 1 && s.blocks%s.batch == 0 && s.owed {
				increment(s.ctr[:16-s.width])
				s.owed = false
			}
		}
		dst[i] = x ^ s.rest[0]
		s.rest = s.rest[1:]
	}
}

// increment adds 1 and reports the carry.
func increment(ctr []byte) bool {
	for i := len(ctr) - 1; i >= 0; i-- {
		ctr[i]++
		if ctr[i] != 0 {
			return false
		}
	}
	return true
}

type modeFunc struct {
	size  int
	crypt func(dst, src []byte)
}

func (m modeFunc) BlockSize() int              { return m.size }
func (m modeFunc) CryptBlocks(dst, src []byte) { m.crypt(dst, src) }

// An oldIV has a SetIV that does nothing.
type oldIV struct{ cipher.BlockMode }

func (oldIV) SetIV([]byte) {}

func TestBlockModeMutants(t *testing.T) {
	var list []mutant
	for _, direction := range []string{"Encrypt/", "Decrypt/"} {
		genuine := cbcCase.Encrypter
		if direction == "Decrypt/" {
			genuine = cbcCase.Decrypter
		}
		add := func(name, check string, mode func(key, iv []byte) cipher.BlockMode) {
			c := cbcCase
			if direction == "Encrypt/" {
				c.Encrypter = mode
			} else {
				c.Decrypter = mode
			}
			list = append(list, mutant{name, direction + check, c.checks()})
		}
		for _, s := range slices.Concat(sabotages, bulkSabotages) {
			add(s.name, s.check, func(key, iv []byte) cipher.BlockMode {
				return modeFunc{16, sabotaged(genuine(key, iv).CryptBlocks, s.f)}
			})
		}
		add("starts every call from the IV", "Splits", func(key, iv []byte) cipher.BlockMode {
			iv = bytes.Clone(iv)
			return modeFunc{16, func(dst, src []byte) { genuine(key, iv).CryptBlocks(dst, src) }}
		})
		add("keeps the caller's IV", "Inputs", func(key, iv []byte) cipher.BlockMode {
			return modeFunc{16, func(dst, src []byte) { genuine(key, iv).CryptBlocks(dst, src) }}
		})
		add("chains in the caller's IV", "Inputs", func(key, iv []byte) cipher.BlockMode {
			m := genuine(key, iv)
			return modeFunc{16, func(dst, src []byte) {
				m.CryptBlocks(dst, src)
				copy(iv, dst)
			}}
		})
		add("drops a partial block", "Misuse", func(key, iv []byte) cipher.BlockMode {
			m := genuine(key, iv)
			return modeFunc{16, func(dst, src []byte) { m.CryptBlocks(dst, src[:len(src)&^15]) }}
		})
		add("takes any IV", "IVs", func(key, iv []byte) cipher.BlockMode {
			return genuine(key, append(bytes.Clone(iv), make([]byte, 16)...)[:16])
		})
		add("goes on with the old IV", "SetIV", func(key, iv []byte) cipher.BlockMode {
			return oldIV{genuine(key, iv)}
		})
	}
	c := cbcCase
	c.Decrypter = func(key, iv []byte) cipher.BlockMode { return modeFunc{8, cbcCase.Decrypter(key, iv).CryptBlocks} }
	list = append(list, mutant{"another block size", "Sizes", c.checks()})
	c = cbcCase
	c.KeyedDecrypter = Of(newImmortal, cipherMode(cipher.NewCBCDecrypter))
	list = append(list, mutant{"goes on after Wipe", "Decrypt/Wiped", c.checks()})
	c = cbcCase
	c.KeyedEncrypter = Of(newImmortal, cipherMode(cipher.NewCBCEncrypter))
	list = append(list, mutant{"goes on after Wipe", "Encrypt/Wiped", c.checks()})
	c = cbcCase
	c.Vectors = nil
	list = append(list, mutant{"no vectors", "Decrypt/Vectors", c.checks()})
	kill(t, cbcCase.checks(), list)
}

// blockFuncs is a block cipher with its methods in variables.
type blockFuncs struct {
	size                                           int
	encrypt, decrypt, encryptBlocks, decryptBlocks func(dst, src []byte)
	Wiper
}

func (b *blockFuncs) BlockSize() int                { return b.size }
func (b *blockFuncs) Encrypt(dst, src []byte)       { b.encrypt(dst, src) }
func (b *blockFuncs) Decrypt(dst, src []byte)       { b.decrypt(dst, src) }
func (b *blockFuncs) EncryptBlocks(dst, src []byte) { b.encryptBlocks(dst, src) }
func (b *blockFuncs) DecryptBlocks(dst, src []byte) { b.decryptBlocks(dst, src) }

func newBlockFuncs(key []byte) (*blockFuncs, error) {
	b, err := newBlock(key)
	if err != nil {
		return nil, err
	}
	return &blockFuncs{b.BlockSize(), b.Encrypt, b.Decrypt, b.EncryptBlocks, b.DecryptBlocks, b.(Wiper)}, nil
}

func TestBlockMutants(t *testing.T) {
	var list []mutant
	add := func(name, check string, change func(key []byte, b *blockFuncs)) {
		c := aesCase
		c.New = func(key []byte) (BlockCipher, error) {
			b, err := newBlockFuncs(key)
			if err == nil {
				change(key, b)
			}
			return b, err
		}
		list = append(list, mutant{name, check, c.checks()})
	}
	someBlocks := sabotage{"wrong for some blocks", "Lengths", func(c *call, dst, src []byte) {
		seven := src[0] == 7
		c.run(dst, src)
		flip(dst, src, seven)
	}}
	for _, m := range []struct {
		name   string
		single bool
		method func(b *blockFuncs) *func(dst, src []byte)
	}{
		{"Encrypt", true, func(b *blockFuncs) *func(dst, src []byte) { return &b.encrypt }},
		{"Decrypt", true, func(b *blockFuncs) *func(dst, src []byte) { return &b.decrypt }},
		{"EncryptBlocks", false, func(b *blockFuncs) *func(dst, src []byte) { return &b.encryptBlocks }},
		{"DecryptBlocks", false, func(b *blockFuncs) *func(dst, src []byte) { return &b.decryptBlocks }},
	} {
		list := slices.Concat(sabotages, bulkSabotages)
		if m.single {
			list = append(slices.Clone(sabotages), someBlocks)
		}
		for _, s := range list {
			add(s.name, m.name+"/"+s.check, func(_ []byte, b *blockFuncs) {
				f := m.method(b)
				run := sabotaged(*f, s.f)
				*f = func(dst, src []byte) {
					if m.single { // which comes with all that follows it in the source
						src = src[:min(len(src), 16)]
					}
					run(dst, src)
				}
			})
		}
	}
	add("drops a partial block", "DecryptBlocks/Misuse", func(_ []byte, b *blockFuncs) {
		run := b.decryptBlocks
		b.decryptBlocks = func(dst, src []byte) { run(dst, src[:len(src)&^15]) }
	})
	add("keeps the caller's key", "Encrypt/Inputs", func(key []byte, b *blockFuncs) {
		b.encrypt = func(dst, src []byte) { must(newBlock(key)).Encrypt(dst, src) }
	})
	add("changes the caller's key", "EncryptBlocks/Inputs", func(key []byte, b *blockFuncs) { key[0]++ })
	add("another block size", "Sizes", func(_ []byte, b *blockFuncs) { b.size = 8 })
	add("wrong for some keys", "Keys", func(key []byte, b *blockFuncs) {
		if key[11] == 0x80 {
			b.decrypt = b.encrypt
		}
	})
	for name, method := range map[string]func(b *blockFuncs) *func(dst, src []byte){
		"Encrypt":       func(b *blockFuncs) *func(dst, src []byte) { return &b.encrypt },
		"DecryptBlocks": func(b *blockFuncs) *func(dst, src []byte) { return &b.decryptBlocks },
	} {
		add(name+" goes on after Wipe", "Wiped", func(_ []byte, b *blockFuncs) {
			other := must(newBlockFuncs(make([]byte, 16)))
			f := method(b)
			*f = *method(other)
		})
	}
	add("panics at a second Wipe", "Wiped", func(_ []byte, b *blockFuncs) { b.Wiper = &wipedOnce{Wiper: b.Wiper} })
	c := aesCase
	c.New = func(key []byte) (BlockCipher, error) {
		return newBlock(append(bytes.Clone(key), make([]byte, 16)...)[:16])
	}
	list = append(list, mutant{"takes any key", "Sizes", c.checks()})
	c = aesCase
	c.Vectors = nil
	list = append(list, mutant{"no vectors", "DecryptBlocks/Vectors", c.checks()})
	kill(t, aesCase.checks(), list)
}
