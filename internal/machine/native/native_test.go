package native

import (
	"errors"
	"os"
	"slices"
	"testing"
)

// build skips where programs cannot be run, but not in CI.
func build(t *testing.T, arch string, programs []string) *Runner {
	t.Helper()
	r, err := Build(arch, programs)
	if errors.Is(err, ErrMissing) && (os.Getenv("CIPHERLANE_REQUIRE") == "" || arch == "amd64") {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// Every register, the flags and memory arrive, and come back.
func TestARM64(t *testing.T) {
	r := build(t, "arm64", []string{"", `
	ADDS R1, R2, R3
	VADD V1.D2, V2.D2, V31.D2
	MOVD.P R26, 8(R25)
`})
	before := State{Flags: 0xa << 28, Memory: []byte("0123456789abcdef0123456789abcdef"), Addresses: 1 << 25}
	for _, i := range r.cpu.General {
		before.General[i] = uint64(i+1) * 0x0102030405060708
	}
	for i := range before.Vectors {
		for j := range 16 {
			before.Vectors[i][j] = byte(16*i + j)
		}
	}
	before.General[25] = 8
	after, err := r.Run([]Job{{0, &before}, {1, &before}, {0, &before}})
	if err != nil {
		t.Fatal(err)
	}
	equal := func(a, b *State) bool {
		return a.General == b.General && a.Vectors == b.Vectors && a.Flags == b.Flags && slices.Equal(a.Memory, b.Memory)
	}
	if !equal(&after[0], &before) || !equal(&after[2], &before) {
		t.Error("a program of no instructions changes something")
	}
	want := before
	want.Memory = slices.Clone(before.Memory)
	want.General[3] = before.General[1] + before.General[2]
	want.General[25] = 16
	for i := range 8 {
		want.Memory[8+i] = byte(before.General[26] >> (8 * i))
	}
	want.Flags = 0
	for i := range 2 {
		sum := uint64(0)
		for j := range 8 {
			sum += (uint64(before.Vectors[1][8*i+j]) + uint64(before.Vectors[2][8*i+j])) << (8 * j)
		}
		for j := range 8 {
			want.Vectors[31][8*i+j] = byte(sum >> (8 * j))
		}
	}
	if !equal(&after[1], &want) {
		t.Errorf("got %+v, want %+v", after[1], want)
	}
}

// What a program writes behind its memory is gone when the next one runs.
func TestBehind(t *testing.T) {
	r := build(t, "amd64", []string{"\tADDQ $1, 4096(AX)\n\tMOVQ 4096(AX), BX"})
	before := State{Memory: make([]byte, 16), Addresses: 1 << r.cpu.General[0]}
	after, err := r.Run([]Job{{0, &before}, {0, &before}})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range after {
		if s.Fault || s.General[r.cpu.General[1]] != 1 {
			t.Errorf("run %d: fault %v, %d", i, s.Fault, s.General[r.cpu.General[1]])
		}
	}
}

// The same for the others, with a load and a fault. Programs read the first register of their
// list as an address.
func TestOthers(t *testing.T) {
	for arch, programs := range map[string][]string{
		"amd64":   {"", "\tMOVQ 8(AX), BX", "\tMOVQ (BX), CX"},
		"riscv64": {"", "\tMOV 8(X5), X6", "\tWORD $0"},
		"arm":     {"", "\tMOVW 8(R0), R1", "\tMOVW (R1), R2"},
		"mipsle":  {"", "\tMOVW 8(R1), R2", "\tMOVW (R2), R3"},
	} {
		t.Run(arch, func(t *testing.T) {
			if CPUs[arch] == nil {
				t.Skip("this version of Go has no assembler for it")
			}
			r := build(t, arch, programs)
			c := r.cpu
			mask := ^uint64(0) >> (64 - 8*c.Pointer)
			before := State{Flags: 0xaaaaaaaa & c.Flags, Memory: []byte("0123456789abcdef"), Addresses: 1 << c.General[0]}
			for _, i := range c.General {
				before.General[i] = uint64(i+1) * 0x0102030405060708 & mask
			}
			for i := range c.Vectors {
				for j := range c.VectorBytes {
					before.Vectors[i][j] = byte(16*i + j)
				}
			}
			for i := range c.Masks {
				before.Masks[i] = uint64(i+1) * 0x0102030405060708
			}
			before.General[c.General[0]] = 0
			list, err := r.Run([]Job{{0, &before}, {1, &before}, {2, &before}, {0, &before}})
			if err != nil {
				t.Fatal(err)
			}
			for i := range list {
				list[i].Flags &= c.Flags
				want := before
				switch i {
				case 1:
					want.General[c.General[1]] = 0x6665646362613938 & mask
				case 2:
					want.Fault = true
				}
				if got := list[i]; got.General != want.General || got.Vectors != want.Vectors || got.Masks != want.Masks || got.Flags != want.Flags || got.Fault != want.Fault || string(got.Memory) != string(want.Memory) {
					t.Errorf("%d: got %+v, want %+v", i, got, want)
				}
			}
		})
	}
}

// TestCPUs has the names that tests of internal/machine use.
func TestCPUs(t *testing.T) {
	for _, name := range []string{"amd64", "arm64", "riscv64", "riscv64 vlen=128", "riscv64 vlen=512"} {
		if CPUs[name] == nil {
			t.Errorf("there is no %s", name)
		}
	}
}
