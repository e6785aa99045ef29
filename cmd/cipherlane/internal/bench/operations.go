package bench

import (
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/selftest"
	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/speed"
)

// operationsSigner returns the operations of a signer to measure.
func operationsSigner(a catalog.Algorithm, driver string) ([]speed.Case, error) {
	s, err := a.Signer(driver)
	if err != nil {
		return nil, err
	}
	key, err := s.GenerateKey()
	if err != nil {
		return nil, err
	}
	other, err := s.GenerateKey()
	if err != nil {
		return nil, err
	}
	public, peer, message := key.PublicKey(), other.PublicKey(), inventory.Random(32)
	digest, err := public.Digest(message, nil)
	if err != nil {
		return nil, err
	}
	signature, err := key.SignRaw(rand.Reader, digest[:])
	if err != nil {
		return nil, err
	}
	ciphertext, err := public.Encrypt(message)
	if err != nil {
		return nil, err
	}
	digests := slices.Repeat([][]byte{digest[:]}, selftest.SignerMany)
	signatures := slices.Repeat([][64]byte{signature}, selftest.SignerMany)
	var cases []speed.Case
	addMany := func(operation string, count int, run func() bool) {
		cases = append(cases, speed.Case{Algorithm: a.Name, Driver: driver, Operation: operation, Bytes: count * len(message), Run: func(n int) {
			for range n {
				if !run() {
					panic(operation + " fails") // it passed the known answer
				}
			}
		}})
	}
	add := func(operation string, run func() bool) { addMany(operation, 1, run) }
	add("sign", func() bool { _, err := key.SignRaw(rand.Reader, digest[:]); return err == nil })
	add("verify", func() bool { return public.VerifyRaw(digest[:], signature[:]) })
	add("generate", func() bool { _, err := s.GenerateKey(); return err == nil })
	add("ecdh", func() bool { _, err := key.ECDH(peer); return err == nil })
	add("encrypt", func() bool { _, err := public.Encrypt(message); return err == nil })
	add("decrypt", func() bool { _, err := key.Decrypt(ciphertext); return err == nil })
	addMany("sign-many", selftest.SignerMany, func() bool { _, err := key.SignMany(rand.Reader, digests); return err == nil })
	addMany("verify-many", selftest.SignerMany, func() bool { return !slices.Contains(public.VerifyMany(digests, signatures), false) })
	return cases, nil
}

// speedTableOperations prints operations per second and, with sizes, the bytes per
// second that they produce or consume.
func speedTableOperations(p *cli.Program, results []speed.Result, sizes bool) {
	rows := cli.Table{Header: []string{"", "driver", "operation", "operations/s", "µs", "×generic"}, Right: []int{3, 4, 5}, Tight: true}
	if sizes {
		rows.Header = slices.Insert(rows.Header, 4, "KB/s")
		rows.Right = append(rows.Right, 6)
	}
	generic := map[string]speed.Result{}
	for _, r := range results {
		if r.Driver == "generic" {
			generic[r.Operation] = r
		}
	}
	for _, r := range results {
		auto, ratio := "", ""
		if r.Auto {
			auto = "*"
		}
		if g, ok := generic[r.Operation]; ok && (g.Varies() || r.Varies()) {
			ratio = "~"
		} else if ok {
			ratio = fmt.Sprintf("×%.1f", g.NS()/r.NS())
		}
		ns := r.NS()
		if !sizes {
			ns /= float64(r.Bytes / 32) // of one message
		}
		row := []string{auto, r.Driver, r.Operation, digits(1e9/ns) + mark(r), digits(ns / 1e3), ratio}
		if sizes {
			row = slices.Insert(row, 4, digits(float64(r.Bytes)*1e6/r.NS()))
		}
		rows.Add(row...)
	}
	p.Table(rows)
}

// operationsKEM returns the operations of a KEM to measure.
func operationsKEM(a catalog.Algorithm, driver string) ([]speed.Case, error) {
	k, err := a.KEM(driver)
	if err != nil {
		return nil, err
	}
	key, err := k.GenerateKey()
	if err != nil {
		return nil, err
	}
	public, sizes := key.PublicKey(), k.Sizes()
	sharedKey, ciphertext := public.Encapsulate()
	made := make([]byte, sizes.Ciphertext)
	add := func(operation string, bytes int, run func()) speed.Case {
		return speed.Case{Algorithm: a.Name, Driver: driver, Operation: operation, Bytes: bytes, Run: func(n int) {
			for range n {
				run()
			}
		}}
	}
	return []speed.Case{
		add("generate", sizes.Public, func() {
			if _, err := k.GenerateKey(); err != nil {
				panic(err) // it has just made one
			}
		}),
		add("encapsulate", sizes.Ciphertext, func() { public.EncapsulateTo(sharedKey, made) }),
		add("decapsulate", sizes.Ciphertext, func() { key.DecapsulateTo(sharedKey, ciphertext) }),
	}, nil
}
