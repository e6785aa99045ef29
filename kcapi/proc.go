package kcapi

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"
)

// A Record is what Linux lists of a driver. Sizes are in bytes, and 0 if the
// type has none of that kind.
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
	Async    bool   // an engine, or a CPU's instructions behind a queue: see [Engines]

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

	// Flags is cra_flags, which only [AlgorithmsNetlink] tells.
	Flags uint32
	// Other is what this package does not know, in Linux's order.
	Other []Field
}

// A Field is a line of /proc/crypto.
type Field struct{ Name, Value string }

// number returns where the record keeps a field that is a number.
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

// text returns where the record keeps a field that is a word.
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

// flag returns where the record keeps a field that is yes or no.
func (r *Record) flag(field string) *bool {
	switch field {
	case "internal":
		return &r.Internal
	case "async":
		return &r.Async
	}
	return nil
}

// set takes a line. What does not have the form that it has in all versions
// known is kept as it is.
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

// ParseAlgorithms reads text of the form of /proc/crypto. Lines that are not
// fields are passed over.
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
				if field == "name" { // begins an entry in any case
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

// Algorithms returns what is registered with Linux, in its order. An algorithm that
// is not there may still be had: opening it can load its module or build it
// of others. This reads /proc/crypto, which loads and builds nothing.
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

// Winner returns the driver that Linux gives to a socket of a type ("hash", "skcipher",
// "aead", "rng") that is bound to a name, of those that are registered now. It
// does not say whether this process can have it: see [Environment.Allowed].
func Winner(typ, name string) (Record, bool) {
	list, err := Algorithms()
	if err != nil {
		return Record{}, false
	}
	return winner(list, typ, name, hidesEngines(system{os.DirFS("/")}.line("proc/sys/kernel/osrelease")))
}

// winner is what Linux's look-up does: the driver of that name, or else the
// first of the highest priority among those for the algorithm. From 7.2 on
// drivers with three flags are masked; of these /proc/crypto shows one, and
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

// masked tells whether Linux keeps the driver from sockets from 7.2 on.
func (r *Record) masked() bool {
	return r.Async || r.Flags&(flagAsync|flagHardware|flagAllocates) != 0
}

// offered tells whether sockets of a type can have the driver. The one exception
// from the mask is for keys that the hardware protects.
func (r *Record) offered(typ string, masks bool) bool {
	return sockets(typ, r.Type) && r.SelfTest == "passed" && !r.Internal && r.FIPS != "no" &&
		(!masks || !r.masked() || r.Name == "cbc(paes)")
}

// sockets tells whether sockets of a type give what /proc/crypto lists under
// another name.
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

// socketType is the type of the sockets that give what /proc/crypto lists.
func socketType(listed string) string {
	for _, typ := range SocketTypes {
		if sockets(typ, listed) {
			return typ
		}
	}
	return ""
}

// Engines returns those of a list that look like drivers of hardware beside
// the CPU. Linux does not say so. Such drivers are asynchronous, but so are, up
// to version 7.1, many that use instructions of the CPU: these are known by a
// twin for other drivers ("__cbc-aes-aesni"), by such twins elsewhere in their
// module, or by their names.
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

// instructions tells whether the name of a driver has that of an extension of
// a CPU. Arm's "ce" is not among them: it also ends names of engines.
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
