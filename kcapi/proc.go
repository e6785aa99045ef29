package kcapi

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"
)

// A Record is Linux's entry for a driver. Sizes are in bytes, and 0 if they do not
// apply to the type.
type Record struct {
	Name     string // of the algorithm: "cbc(aes)"
	Driver   string // "cbc-aes-aesni"
	Module   string // "kernel" if it is compiled in
	Priority int
	RefCount int
	SelfTest string // "passed" or, before and during the test, "unknown"
	Internal bool   // for other drivers only
	FIPS     string // "yes" or "no" in FIPS mode, else empty
	Type     string // "shash", "ahash", "skcipher", "lskcipher", "aead", "rng", "cipher", …
	Async    bool   // asynchronous: an engine, or CPU instructions behind a queue; see [Engines]

	BlockSize   int
	MinKeySize  int
	MaxKeySize  int
	IVSize      int
	ChunkSize   int
	WalkSize    int
	StateSize   int
	DigestSize  int
	MaxAuthSize int
	SeedSize    int
	GenIV       string

	// Flags is cra_flags, which only [AlgorithmsNetlink] provides.
	Flags uint32
	// Other contains the fields that this package does not know, in Linux's order.
	Other []Field
}

// A Field is a line of /proc/crypto.
type Field struct{ Name, Value string }

// number returns a pointer to the record's variable for a numeric field, or nil.
func (r *Record) number(field string) *int {
	switch field {
	case "priority":
		return &r.Priority
	case "refcnt":
		return &r.RefCount
	case "blocksize":
		return &r.BlockSize
	case "min keysize":
		return &r.MinKeySize
	case "max keysize":
		return &r.MaxKeySize
	case "ivsize":
		return &r.IVSize
	case "chunksize":
		return &r.ChunkSize
	case "walksize":
		return &r.WalkSize
	case "statesize":
		return &r.StateSize
	case "digestsize":
		return &r.DigestSize
	case "maxauthsize":
		return &r.MaxAuthSize
	case "seedsize":
		return &r.SeedSize
	}
	return nil
}

// text returns a pointer to the record's variable for a text field, or nil.
func (r *Record) text(field string) *string {
	switch field {
	case "name":
		return &r.Name
	case "driver":
		return &r.Driver
	case "module":
		return &r.Module
	case "selftest":
		return &r.SelfTest
	case "fips":
		return &r.FIPS
	case "type":
		return &r.Type
	case "geniv":
		return &r.GenIV
	}
	return nil
}

// flag returns a pointer to the record's variable for a yes-or-no field, or nil.
func (r *Record) flag(field string) *bool {
	switch field {
	case "internal":
		return &r.Internal
	case "async":
		return &r.Async
	}
	return nil
}

// set stores the value of a field. Unknown fields, and values that cannot be parsed,
// go to Other.
func (r *Record) set(field, value string) {
	if p := r.text(field); p != nil {
		*p = value
		return
	}
	if p := r.number(field); p != nil {
		if n, err := strconv.ParseInt(value, 10, 32); err == nil { // a priority can be negative
			*p = int(n)
			return
		}
	}
	if p := r.flag(field); p != nil && (value == "yes" || value == "no") {
		*p = value == "yes"
		return
	}
	r.Other = append(r.Other, Field{field, value})
}

// ParseAlgorithms parses text in the format of /proc/crypto. It skips lines that are
// not fields.
func ParseAlgorithms(r io.Reader) ([]Record, error) {
	var list []Record
	var current Record
	some := false
	end := func() {
		if some {
			list = append(list, current)
		}
		current, some = Record{}, false
	}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if strings.TrimSpace(line) == "" {
			end()
		} else if field, value, ok := strings.Cut(line, ":"); ok {
			if field = strings.TrimSpace(field); field != "" {
				if field == "name" { // always begins a new entry
					end()
				}
				current.set(field, strings.TrimSpace(value))
				some = true
			}
		}
		if err == io.EOF {
			end()
			return list, nil
		}
		if err != nil {
			return list, err
		}
	}
}

// Algorithms returns the drivers that are registered in Linux, in Linux's order. An
// algorithm that is not listed may still be available: opening it can load its module
// or instantiate its template. Algorithms reads /proc/crypto, which does neither.
func Algorithms() ([]Record, error) {
	if !supported {
		return nil, &Error{Op: "list", Algorithm: "/proc/crypto", Reason: ErrUnsupported}
	}
	f, err := os.Open("/proc/crypto")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ParseAlgorithms(f)
}

// Winner returns the driver, of those registered now, that Linux selects for a socket
// of a type ("hash", "skcipher", "aead", "rng") that is bound to a name. It does not
// check whether this process is allowed to use it: see [Environment.Allowed].
func Winner(typ, name string) (Record, bool) {
	list, err := Algorithms()
	if err != nil {
		return Record{}, false
	}
	return winner(list, typ, name, hidesEngines(system{os.DirFS("/")}.line("proc/sys/kernel/osrelease")))
}

// winner selects a driver as Linux does: the driver of that name, or else the first
// one with the highest priority among those for the algorithm. Since 7.2 Linux masks
// drivers with any of three flags. /proc/crypto shows only one of the flags, but
// drivers of hardware have that one.
func winner(list []Record, typ, name string, masks bool) (Record, bool) {
	best := -1
	for i, r := range list {
		if !r.offered(typ, masks) {
			continue
		}
		if r.Driver == name {
			return r, true
		}
		if r.Name == name && (best < 0 || r.Priority > list[best].Priority) {
			best = i
		}
	}
	if best < 0 {
		return Record{}, false
	}
	return list[best], true
}

// Flags of cra_flags.
const (
	flagAsync     = 0x80
	flagTested    = 0x400
	flagHardware  = 0x1000 // KERN_DRIVER_ONLY
	flagInternal  = 0x2000
	flagAllocates = 0x10000 // ALLOCATES_MEMORY
)

// masked reports whether Linux 7.2 and later hide the driver from sockets.
func (r *Record) masked() bool {
	return r.Async || r.Flags&(flagAsync|flagHardware|flagAllocates) != 0
}

// offered reports whether sockets of a type can use the driver. The one exception to
// the mask is for keys that the hardware protects.
func (r *Record) offered(typ string, masks bool) bool {
	return sockets(typ, r.Type) && r.SelfTest == "passed" && !r.Internal && r.FIPS != "no" &&
		(!masks || !r.masked() || r.Name == "cbc(paes)")
}

// sockets reports whether sockets of type typ offer drivers that /proc/crypto lists
// with type listed.
func sockets(typ, listed string) bool {
	switch typ {
	case "hash":
		return listed == "shash" || listed == "ahash"
	case "skcipher":
		return listed == "skcipher" || listed == "lskcipher" || listed == "ablkcipher" || listed == "blkcipher"
	case "aead", "rng":
		return listed == typ
	}
	return false
}

// socketType returns the type of sockets for a type in /proc/crypto, or "".
func socketType(listed string) string {
	for _, typ := range SocketTypes {
		if sockets(typ, listed) {
			return typ
		}
	}
	return ""
}

// Engines returns the records that look like drivers of hardware beside the CPU.
// Linux does not mark them. Such drivers are asynchronous, but up to version 7.1 so
// are many that use CPU instructions. Engines identifies the latter by an internal
// twin ("__cbc-aes-aesni"), by internal drivers in the same module, or by their names.
func Engines(list []Record) []Record {
	twins := map[string]bool{}
	for _, r := range list {
		if r.Internal {
			twins["driver "+r.Driver] = true
			if r.Module != "kernel" && r.Module != "cryptd" {
				twins["module "+r.Module] = true
			}
		}
	}
	var engines []Record
	for _, r := range list {
		if r.Async && !r.Internal && socketType(r.Type) != "" &&
			!strings.Contains(r.Driver, "(") && // a template around another driver
			!twins["driver __"+r.Driver] && !twins["module "+r.Module] && !instructions(r.Driver) {
			engines = append(engines, r)
		}
	}
	return engines
}

// instructions reports whether the name of a driver contains the name of an
// instruction set extension, or of software. Arm's "ce" is not in the list, because
// names of engines end in it, too.
func instructions(driver string) bool {
	for part := range strings.FieldsFuncSeq(driver, func(c rune) bool { return c == '-' || c == '_' }) {
		switch part {
		case "aesni", "clmulni", "avx", "avx2", "avx512", "avx10", "vaes", "sse2", "ssse3", "ni", "simd",
			"neon", "neonbs", "armv8", "arm64", "p8", "vx", "s390", "zvkb", "zvkg", "zvkned", "lib", "generic":
			return true
		}
	}
	return false
}
