package bench

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/doctor"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/selftest"
	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/speed"
	"github.com/cipherlane/cipherlane/kcapi"
)

// Prefixes of the names of Linux's drivers in a table: a driver for a crypto engine, and
// the driver that Linux selects by itself.
const (
	ofEngine = "linux-engine:"
	ofLinux  = "linux-any:"
)

// linuxDrivers are drivers inside Linux, which stay open while they are measured.
type linuxDrivers struct {
	objects []*linuxObject
	absent  []speedUnavailable
}

// add adds drivers to the groups to measure: for each algorithm those for engines, and
// the one that Linux selects by itself, which may be the same. It fails if there are
// none at all.
func (l *linuxDrivers) add(list []catalog.Algorithm, sizes []int, groups [][]speed.Case) error {
	engines := kcapi.ReadEnvironment().Engines
	for i, a := range list {
		if a.PublicKey() || a.Wrap != nil {
			continue
		}
		for _, r := range engines {
			if r.Name == a.Name {
				if err := l.open(a, r.Driver, ofEngine, sizes, &groups[i]); err != nil {
					return err
				}
			}
		}
		if err := l.open(a, a.Name, ofLinux, sizes, &groups[i]); err != nil {
			return err
		}
	}
	if len(l.objects) == 0 {
		why := "Linux has none of these algorithms"
		if len(l.absent) > 0 {
			why = l.absent[0].Why
		}
		return cli.AsUnavailable(fmt.Errorf("speed --linux: %s; see cipherlane doctor", why))
	}
	return nil
}

// open adds one driver. It returns an error if the driver computes wrong results.
func (l *linuxDrivers) open(a catalog.Algorithm, name, prefix string, sizes []int, group *[]speed.Case) error {
	not := func(driver string, err error) {
		l.absent = append(l.absent, speedUnavailable{Algorithm: a.Name, Driver: prefix + driver, Missing: []string{}, Why: doctor.Probed(err).Reason})
	}
	key := inventory.Random(keySize(a))
	o, err := openLinux(a, name, key)
	if err != nil {
		not(name, err)
		return nil
	}
	l.objects = append(l.objects, o)
	in := selftest.Input{Key: key, IV: inventory.Random(a.IVSize), Data: nil, Text: inventory.Random(4096)}
	want, err := selftest.Apply(a, "", in)
	if err != nil {
		return err
	}
	if got, err := o.operations[0].run(make([]byte, len(want)), in.Text, in.IV); err != nil {
		not(o.driver, err)
		return nil
	} else if !bytes.Equal(got, want) {
		return cli.AsSelftest(fmt.Errorf("%s: the results of Linux's driver %s differ from those of this library: nothing was measured", a.Name, o.driver))
	}
	cases, err := o.cases(prefix+o.driver, sizes)
	if err != nil {
		not(o.driver, err)
	}
	*group = append(*group, cases...)
	return nil
}

// close closes the drivers and returns the first error of a measured call.
func (l *linuxDrivers) close() (err error) {
	for _, o := range l.objects {
		o.close()
		if o.failed != nil {
			err = cmp.Or(err, fmt.Errorf("speed: Linux's driver %s: %w", o.driver, o.failed))
		}
	}
	return err
}

// A linuxObject is an algorithm in Linux with a key.
type linuxObject struct {
	a      catalog.Algorithm
	driver string
	close  func() error
	failed error
	// The operations, in the order of the table. The input of an AEAD's open is the
	// result of seal.
	operations []linuxOperation
}

type linuxOperation struct {
	name string
	run  func(dst, src, iv []byte) ([]byte, error)
}

func openLinux(a catalog.Algorithm, name string, key []byte) (*linuxObject, error) {
	o := &linuxObject{a: a}
	switch doctor.SocketType(a) {
	case "hash":
		open, operation := func() (*kcapi.Hash, error) { return kcapi.OpenHash(name) }, "hash"
		if a.MAC != nil {
			open, operation = func() (*kcapi.Hash, error) { return kcapi.OpenMAC(name, kcapi.Bytes(key)) }, "authenticate"
		}
		h, err := open()
		if err != nil {
			return nil, err
		}
		o.driver, o.close = h.Driver(), h.Close
		o.operations = []linuxOperation{{operation, func(dst, src, _ []byte) ([]byte, error) { return h.Digest(dst[:0], src) }}}
	case "aead":
		c, err := kcapi.OpenAEAD(name, kcapi.Bytes(key), 16)
		if err != nil {
			return nil, err
		}
		o.driver, o.close = c.Driver(), c.Close
		o.operations = []linuxOperation{
			{"seal", func(dst, src, iv []byte) ([]byte, error) { return c.Seal(dst[:0], iv, src, nil) }},
			{"open", func(dst, src, iv []byte) ([]byte, error) { return c.Open(dst[:0], iv, src, nil) }},
		}
	default:
		c, err := kcapi.OpenCipher(name, kcapi.Bytes(key))
		if err != nil {
			return nil, err
		}
		o.driver, o.close = c.Driver(), c.Close
		o.operations = []linuxOperation{
			{"encrypt", func(dst, src, iv []byte) ([]byte, error) { return dst[:len(src)], c.Encrypt(dst[:len(src)], src, iv) }},
			{"decrypt", func(dst, src, iv []byte) ([]byte, error) { return dst[:len(src)], c.Decrypt(dst[:len(src)], src, iv) }},
		}
		if a.Stream != nil { // as for the other drivers
			o.operations = o.operations[:1]
		}
	}
	return o, nil
}

// cases returns the operations to measure, and an error if Linux rejects a length.
func (o *linuxObject) cases(name string, sizes []int) (cases []speed.Case, refused error) {
	iv := inventory.Random(o.a.IVSize)
	done := map[int]bool{}
	for _, n := range sizes {
		n = inventory.Fit(o.a, n)
		if inventory.WholeBlocks(o.a) {
			n = max(n, inventory.BlockSize)
		}
		if done[n] {
			continue
		}
		done[n] = true
		src, dst := inventory.Random(n), make([]byte, n+64)
		for _, op := range o.operations {
			from, run := src, op.run
			if op.name == "open" {
				from, _ = o.operations[0].run(make([]byte, n+64), src, iv)
			}
			if _, err := run(dst, from, iv); err != nil {
				refused = fmt.Errorf("%d bytes: %w", n, err)
				break
			}
			cases = append(cases, speed.Case{Algorithm: o.a.Name, Driver: name, Operation: op.name, Bytes: n, Waits: true, Run: func(count int) {
				for range count {
					if _, err := run(dst, from, iv); err != nil {
						o.failed = err
					}
				}
			}})
		}
	}
	return cases, refused
}
