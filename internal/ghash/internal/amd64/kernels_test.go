//go:build amd64 && !purego

package amd64

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
)

type kernel struct {
	name   string
	needs  cpu.Set
	init   func(t *[64][16]byte, h *[16]byte)
	update func(t *[64][16]byte, y *[16]byte, p []byte, order *Order)
	powers int
	sums   bool // in front of the powers
}

var kernels = []kernel{
	{"PCLMUL", cpu.PCLMULQDQ | cpu.SSSE3, InitPCLMUL, UpdatePCLMUL, 8, true},
	{"VPCLMUL256", cpu.PCLMULQDQ | cpu.VPCLMULQDQ | cpu.AVX2, InitVPCLMUL256, UpdateVPCLMUL256, 16, true},
	{"VPCLMUL512", cpu.PCLMULQDQ | cpu.VPCLMULQDQ | cpu.AVX512, initAll512, UpdateVPCLMUL512, 64, false},
}

func initAll512(t *[64][16]byte, h *[16]byte) {
	InitVPCLMUL512(t, h)
	ExtendVPCLMUL512(t)
}

// unused returns how many entries of the table, from the first on, have no
// meaning.
func (k kernel) unused() int {
	if k.sums {
		return 64 - 2*k.powers
	}
	return 64 - k.powers
}

// product multiplies as NIST SP 800-38D, algorithm 1 does: bit 0 of a block is
// the highest bit of its first byte.
func product(x, y [16]byte) [16]byte {
	zh, zl := uint64(0), uint64(0)
	vh, vl := binary.BigEndian.Uint64(y[:]), binary.BigEndian.Uint64(y[8:])
	for i := range 128 {
		if x[i/8]>>(7-i%8)&1 != 0 {
			zh, zl = zh^vh, zl^vl
		}
		odd := vl & 1
		vh, vl = vh>>1, vl>>1|vh<<63
		vh ^= odd * (0xe1 << 56)
	}
	var z [16]byte
	binary.BigEndian.PutUint64(z[:], zh)
	binary.BigEndian.PutUint64(z[8:], zl)
	return z
}

func update(y, h [16]byte, p []byte) [16]byte {
	for len(p) > 0 {
		for i, b := range p[:min(16, len(p))] {
			y[i] ^= b
		}
		y = product(y, h)
		p = p[min(16, len(p)):]
	}
	return y
}

// run calls f for every kernel that this machine can run.
func run(t *testing.T, f func(t *testing.T, k int)) {
	for i, k := range kernels {
		t.Run(k.name, func(t *testing.T) {
			if missing := k.needs &^ cpu.Features(); missing != 0 {
				t.Skipf("this CPU lacks %v", missing)
			}
			f(t, i)
		})
	}
}

// Keys with few bits at both ends make the carries of MulX and Reduce visible.
func keys() [][16]byte {
	list := [][16]byte{{}, {0: 0x80}, {15: 1}, {0: 0x40}, {7: 1}, {8: 0x80}}
	list = append(list, [16]byte(bytes.Repeat([]byte{0xff}, 16)))
	r := rand.NewChaCha8([32]byte{1})
	for range 5 {
		var h [16]byte
		r.Read(h[:])
		list = append(list, h)
	}
	return list
}

func TestInit(t *testing.T) {
	run(t, func(t *testing.T, i int) {
		k := kernels[i]
		for _, h := range keys() {
			var table, untouched [64][16]byte
			for i := range table {
				for j := range table[i] {
					table[i][j] = 0xa5
				}
			}
			untouched = table
			k.init(&table, &h)
			power := [16]byte{0: 0x80}
			for n := 1; n <= k.powers; n++ {
				power = product(power, h)
				// Multiplied by x and byte-reversed: one bit further, towards
				// the high end of an integer, around through the polynomial.
				hi, lo := binary.BigEndian.Uint64(power[:]), binary.BigEndian.Uint64(power[8:])
				top := hi >> 63
				hi, lo = hi<<1|lo>>63, lo<<1
				lo ^= top
				hi ^= top * (0xc2 << 56)
				var want [16]byte
				binary.LittleEndian.PutUint64(want[:], lo)
				binary.LittleEndian.PutUint64(want[8:], hi)
				if table[64-n] != want {
					t.Fatalf("h = %x: H^%d = %x, want %x", h, n, table[64-n], want)
				}
				if !k.sums {
					continue
				}
				binary.LittleEndian.PutUint64(want[:], hi^lo)
				binary.LittleEndian.PutUint64(want[8:], hi^lo)
				if got := table[64-k.powers-n]; got != want {
					t.Fatalf("h = %x: sum of H^%d = %x, want %x", h, n, got, want)
				}
			}
			rest := k.unused()
			if !bytes.Equal(flat(&table)[:16*rest], flat(&untouched)[:16*rest]) {
				t.Errorf("writes to the first %d entries", rest)
			}
		}
	})
}

func flat(t *[64][16]byte) []byte {
	var b []byte
	for i := range t {
		b = append(b, t[i][:]...)
	}
	return b
}

func TestUpdate(t *testing.T) {
	run(t, func(t *testing.T, i int) {
		k := kernels[i]
		for n, h := range keys() {
			var table [64][16]byte
			k.init(&table, &h)
			for i := range k.unused() { // must not matter
				table[i] = [16]byte{0xff}
			}
			r := rand.NewChaCha8([32]byte{2, byte(n)})
			p := guard.After(t, 2300)
			r.Read(p)
			var lengths []int
			for l := range 600 {
				lengths = append(lengths, l)
			}
			lengths = append(lengths, 1008, 1009, 1023, 1024, 1025, 1039, 1040, 1041, 1087, 1088, 1089, 2047, 2048, 2049, 2111, 2112, 2300)
			for _, l := range lengths {
				var y [16]byte
				r.Read(y[:])
				want := update(y, h, guard.Tail(p, l))
				got := y
				k.update(&table, &got, guard.Tail(p, l), GHASH)
				if got != want {
					t.Fatalf("h = %x, %d bytes: %x, want %x", h, l, got, want)
				}
			}
		}
	})
}

// There are bytes after p, which must not be hashed.
func TestUpdateIgnoresTheRest(t *testing.T) {
	run(t, func(t *testing.T, i int) {
		k := kernels[i]
		h := keys()[8]
		var table [64][16]byte
		k.init(&table, &h)
		p := guard.Before(t, 4096)
		for i := range p {
			p[i] = byte(i*7 + 1)
		}
		for l := range 1200 {
			var got [16]byte
			k.update(&table, &got, p[:l], GHASH)
			if want := update([16]byte{}, h, p[:l]); got != want {
				t.Fatalf("%d bytes: %x, want %x", l, got, want)
			}
		}
	})
}

// The table ends right before inaccessible memory: a masked load must be masked.
func TestTableEnd(t *testing.T) {
	run(t, func(t *testing.T, i int) {
		k := kernels[i]
		h := keys()[9]
		table := (*[64][16]byte)(unsafe.Pointer(unsafe.SliceData(guard.After(t, 1024))))
		k.init(table, &h)
		p := make([]byte, 1100)
		for l := range p {
			var got [16]byte
			k.update(table, &got, p[:l], GHASH)
		}
	})
}

// TestInstructions looks for instructions that the CPUs some of the kernels are
// for do not have: a machine with more does not notice. Every instruction
// listed for AVX2 has a VEX form, and Go's assembler takes that for the registers 0
// to 15 without mask.
func TestInstructions(t *testing.T) {
	const general = `ADDQ ANDQ CMPQ JAE JB JMP JZ LEAQ MOVBLZX MOVL MOVQ NEGQ ORQ RET SHLQ SHRQ SUBQ TESTQ XORL `
	for _, x := range []struct{ file, allowed, foreign string }{
		{"ghash_pclmulqdq_amd64.s", general + `MOVO MOVOU PAND PCLMULQDQ PSHUFB PSHUFD PSLLDQ PSLLQ PSRAL PSRLDQ
			PSRLQ PUNPCKLQDQ PXOR`, `\b([YZ]\d+|K[0-7]|X(1[6-9]|[23]\d))\b`},
		{"ghash_vpclmulqdq256_amd64.s", general + `VEXTRACTI128 VINSERTI128 VMOVDQU VMOVQ VPAND VPCLMULQDQ VPINSRQ VPSHUFB
			VPSHUFD VPSLLDQ VPSLLQ VPSRAD VPSRLDQ VPSRLQ VPUNPCKHQDQ VPUNPCKLQDQ VPXOR VZEROUPPER`,
			`\b(Z\d+|K[0-7]|[XY](1[6-9]|[23]\d))\b`},
	} {
		for _, instruction := range guard.Instructions(t, x.file) {
			name, _, _ := strings.Cut(instruction, " ")
			if !slices.Contains(strings.Fields(x.allowed), name) || regexp.MustCompile(x.foreign).MatchString(instruction) {
				t.Errorf("%s: %q", x.file, instruction)
			}
		}
	}
}

func BenchmarkInit(b *testing.B) {
	for _, k := range kernels {
		b.Run(k.name, func(b *testing.B) {
			if !cpu.Features().Has(k.needs) {
				b.Skip()
			}
			var table [64][16]byte
			h := keys()[9]
			for b.Loop() {
				k.init(&table, &h)
			}
		})
	}
}

func BenchmarkUpdate(b *testing.B) {
	for _, k := range kernels {
		for _, n := range []int{16, 64, 256, 1024, 1420, 8192, 65536} {
			b.Run(k.name+"/"+strconv.Itoa(n), func(b *testing.B) {
				if !cpu.Features().Has(k.needs) {
					b.Skip()
				}
				var table [64][16]byte
				var y [16]byte
				h := keys()[9]
				k.init(&table, &h)
				p := make([]byte, n)
				b.SetBytes(int64(n))
				for b.Loop() {
					k.update(&table, &y, p, GHASH)
				}
			})
		}
	}
}
