package frodokem

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/keccak"
)

// An operationBench is a public operation, performed several times.
type operationBench struct {
	name  string
	times int
	f     func() error
}

// operations returns all public operations with keys of a set.
func operations(b *testing.B, d Driver, s Set) []operationBench {
	dk, err := d.GenerateKey(s)
	if err != nil {
		b.Fatal(err)
	}
	public := dk.ek.Bytes()
	ss, ct := dk.ek.Encapsulate()
	var enc, eightKeys [lanes]Encapsulation
	var dec [lanes]Decapsulation
	for i := range enc {
		enc[i] = Encapsulation{&dk.ek, make([]byte, len(ss)), make([]byte, len(ct))}
		k, err := d.GenerateKey(s)
		if err != nil {
			b.Fatal(err)
		}
		eightKeys[i] = Encapsulation{&k.ek, enc[i].SharedKey, make([]byte, len(ct))}
		dec[i] = Decapsulation{dk, ct, enc[i].SharedKey}
	}
	return []operationBench{
		{"generate", 1, func() error { _, err := d.GenerateKey(s); return err }},
		{"encapsulate/parse", 1, func() error {
			ek, err := d.NewEncapsulationKey(s, public)
			if err != nil {
				return err
			}
			return ek.EncapsulateTo(ss, enc[0].Ciphertext)
		}},
		{"encapsulate", 1, func() error { return dk.ek.EncapsulateTo(ss, enc[0].Ciphertext) }},
		{"decapsulate", 1, func() error { return dk.DecapsulateTo(ss, ct) }},
		{"encapsulate/8keys", lanes, func() error { return EncapsulateMany(eightKeys[:]) }},
		{"encapsulate/8", lanes, func() error { return EncapsulateMany(enc[:]) }},
		{"decapsulate/8", lanes, func() error { return DecapsulateMany(dec[:]) }},
	}
}

// BenchmarkSets measures all public operations, with every driver and every set that is
// not ephemeral; ephemeral sets take the same time. Times are per operation of a batch.
func BenchmarkSets(b *testing.B) {
	eachBench(b, func(b *testing.B, d Driver, s Set) {
		for _, x := range operations(b, d, s) {
			b.Run(x.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := x.f(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N*x.times)/b.Elapsed().Seconds(), "op/s")
			})
		}
	})
}

func eachBench(b *testing.B, f func(b *testing.B, d Driver, s Set)) {
	for _, info := range Drivers() {
		d, err := On(info.Name)
		if err != nil {
			continue
		}
		for _, s := range Sets() {
			if !s.Ephemeral() {
				b.Run(info.Name+"/"+s.String(), func(b *testing.B) { f(b, d, s) })
			}
		}
	}
}

// BenchmarkParts measures the parts of operations, in the same way as BenchmarkFigures.
func BenchmarkParts(b *testing.B) {
	eachBench(b, func(b *testing.B, d Driver, s Set) {
		p, row := s.params(), d.row
		batch := newBatch(p, row, false, make([]*operation, 1))
		o := batch.ops[0]
		in, packed := o.received[:len(o.b)], make([]byte, p.ciphertext())
		noise := o.matrices[:2*len(o.s)+nbar*nbar]
		message := []keccak.Lane{{In: [3][]byte{o.seedSE}, Out: bytesOf(noise)}}
		for _, x := range []struct {
			name string
			f    func()
		}{
			{"S'A", func() { batch.mulSA(batch.ops) }},
			{"A S", func() { batch.mulAS(o) }},
			{"S'B", func() { mulSB(row, o.c, &o.kernel, o.s, in) }},
			{"B'S", func() { dots(row, o.c[:], in, o.s) }},
			{"sample", func() { sample(row, noise, p.cdf) }},
			{"pack", func() { pack(row, p.d, packed, in) }},
			{"unpack", func() { unpack(row, p.d, in, packed) }},
			{"hash", func() { batch.hash(message) }},
			{"wipe", func() { b := newBatch(p, row, false, make([]*operation, 1)); b.end() }},
		} {
			b.Run(x.name, func(b *testing.B) {
				w := shortest(x.f)[0]
				b.ReportMetric(w.ns, "ns/op")
				b.ReportMetric(w.cycles()/1e3, "kcycles")
			})
		}
	})
}
