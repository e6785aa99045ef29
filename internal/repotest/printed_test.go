package repotest

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/chacha20"
	"github.com/cipherlane/cipherlane/chacha20poly1305"
	"github.com/cipherlane/cipherlane/chunked"
	"github.com/cipherlane/cipherlane/frodokem"
	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/hidden"
	"github.com/cipherlane/cipherlane/sm2"
	"github.com/cipherlane/cipherlane/sm3"
	"github.com/cipherlane/cipherlane/sm4"
)

// withKeys are the packages whose types may contain keys.
var withKeys = []string{"aes", "sm4", "sm3", "sm2", "chacha20", "chacha20poly1305", "frodokem", "chunked", "internal/modes"}

// notSecret are types with unexported fields that contain no secrets.
var notSecret = map[string]string{
	"aes.Driver": "a number", "sm4.Driver": "a number", "sm3.Driver": "a number", "sm2.Driver": "a number",
	"chacha20.Driver": "a number", "chacha20poly1305.Driver": "a number", "frodokem.Driver": "a number",
	"sm2.PublicKey": "public", "frodokem.EncapsulationKey": "public",
	"modes.GCMSIVPool": "functions",
	"modes.CCMLane":    "for packages aes and sm4, which do not show it",
	"modes.Many":       "functions and pools",
	"modes.ManyWork":   "for packages aes and sm4, which do not show it",
	"modes.CCMWork":    "for packages aes and sm4, which do not show it",
	"modes.Schedule":   "numbers of blocks",
	"modes.CCM":        "behind a pointer of the type CCM of packages aes and sm4",
	"modes.XTS":        "behind a pointer of the type XTS of packages aes and sm4",
	"modes.SIV":        "the type SIV of packages aes and sm4",
	"modes.GCMSIV":     "the type GCMSIV of packages aes and sm4",
	"modes.MAC":        "the type MAC of packages aes and sm4",

	"modes.RandomNonce": "the type GCMWithRandomNonce of packages aes and sm4",

	"aes.bulk":       "a Cipher",
	"aes.laneKernel": "zero between calls",
	"sm4.lanes":      "memory of a call, behind modes.ManyWork",
	"sm4.laneKernel": "memory of a call, behind modes.ManyWork",
	"sm4.bulk":       "a Cipher",
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// secrets returns an object of every type that contains secrets, after some use. Round keys have
// other forms with other drivers.
func secrets(t *testing.T) []any {
	key := make([]byte, 64)
	for i := range key {
		key[i] = byte(151*i + 113)
	}
	k16, k32, iv := key[:16], key[:32], key[30:46]
	text := bytes.Repeat([]byte("a plaintext that nobody is to see "), 100)
	list := []any{
		sm3.New(), sm3.NewHMAC(k32), must(chacha20.NewUnauthenticatedCipher(k32, iv[:12])), must(chacha20poly1305.New(k32)),
		must(chacha20poly1305.NewX(k32)), must(frodokem.FrodoKEM640SHAKE.GenerateKey()),
	}
	add := func(driver any) {
		for _, x := range conformance.Objects(t, driver, key) {
			list = append(list, x)
		}
	}
	for _, i := range aes.Drivers() {
		if d, err := aes.On(i.Name); err == nil {
			add(d)
		}
	}
	for _, i := range sm4.Drivers() {
		if d, err := sm4.On(i.Name); err == nil {
			add(d)
		}
	}
	d := must(sm2.NewPrivateKey(k32))
	must(d.Sign(nil, k32, nil))
	x := must(sm2.NewExchange(d, nil, d.PublicKey(), nil, true))
	must(x.Agree(d.PublicKey().Bytes(), 32))
	list = append(list, d, x, must(sm2.NewExchange(d, nil, d.PublicKey(), nil, false)))

	var sealed bytes.Buffer
	w := must(chunked.NewWriter(&sealed, chunked.SM4GCM(), k16, nil))
	w.Write(text)
	w.Close()
	w = must(chunked.NewWriter(new(bytes.Buffer), chunked.SM4GCM(), k16, nil))
	r := must(chunked.NewReader(bytes.NewReader(sealed.Bytes()), chunked.SM4GCM(), k16, nil))
	ra := must(chunked.NewReaderAt(bytes.NewReader(sealed.Bytes()), int64(sealed.Len()), chunked.SM4GCM(), k16, nil))
	must(w.Write(text))
	must(r.Read(make([]byte, 10)))
	must(ra.ReadAt(make([]byte, 10), 3))
	list = append(list, w, r, ra)

	for _, o := range list {
		switch o := o.(type) {
		case interface{ Write([]byte) (int, error) }:
			o.Write(text[:45])
		case cipher.Stream:
			o.XORKeyStream(make([]byte, 37), text[:37])
		case cipher.BlockMode:
			o.CryptBlocks(make([]byte, 64), text[:64])
		}
	}
	return list
}

// Printing or encoding a value must not show the contents of a key, or of an object
// derived from one.
func TestKeysAreNotPrinted(t *testing.T) {
	tested := map[string]bool{}
	for _, o := range secrets(t) {
		tested[reflect.Indirect(reflect.ValueOf(o)).Type().String()] = true
		for _, said := range shown(o) {
			t.Errorf("%T: %s", o, said)
		}
	}
	all := candidates(t)
	for name := range notSecret {
		if !slices.Contains(all, name) {
			t.Errorf("%s is in the list of those with nothing to hide, and need not be", name)
		}
	}
	for _, name := range all {
		if !tested[name] && notSecret[name] == "" {
			t.Errorf("%s is not among those that are tested, nor in the list of those with nothing to hide", name)
		}
		if tested[name] && notSecret[name] != "" {
			t.Errorf("%s is tested, although it is said to have nothing to hide", name)
		}
	}
}

// Types without protection are detected.
func TestPrintedMutant(t *testing.T) {
	type Encoded struct {
		hidden.Secret
		Key []byte
	}
	for _, o := range []any{&struct{ key [16]byte }{}, &Encoded{}, &marshaler{}} {
		if len(shown(o)) == 0 {
			t.Errorf("%T has no protection, and nobody notices", o)
		}
	}
}

type marshaler struct{ hidden.Secret }

func (*marshaler) MarshalJSON() ([]byte, error) { return nil, nil }

var verbs = []string{"%v", "%+v", "%#v", "%x", "%X", "%d", "%s", "%q", "%b", "%o", "%O", "%c", "%U", "%e", "%g", "%t", "%20v", "%-5.3d"}

// shown says how an object, which is a pointer, would be shown: by package fmt, and thereby by log,
// slog and testing, or by encoders, which use methods and exported fields. A hash is marshaled with its state
// on purpose.
func shown(o any) (list []string) {
	v := reflect.ValueOf(o).Elem()
	for _, verb := range verbs {
		for _, x := range []any{o, v.Interface()} {
			if got := fmt.Sprintf(verb, x); got != hidden.Text {
				list = append(list, fmt.Sprintf("%s of a %T prints %.100s", verb, x, got))
			}
		}
	}
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.IsExported() && f.Type != reflect.TypeFor[hidden.Secret]() {
			list = append(list, "the field "+f.Name+" is exported")
		}
	}
	_, isHash := o.(hash.Hash)
	for _, m := range []string{"MarshalJSON", "MarshalText", "MarshalXML", "GobEncode", "LogValue", "MarshalBinary"} {
		if _, ok := reflect.TypeOf(o).MethodByName(m); ok && !(isHash && m == "MarshalBinary") {
			list = append(list, "it has the method "+m)
		}
	}
	return list
}

// candidates returns the types of the packages that may contain secrets: those with
// Wipe, those that encrypt or authenticate, and exported ones with unexported fields.
func candidates(t *testing.T) []string {
	working := []string{"Wipe", "XORKeyStream", "CryptBlocks", "Seal", "Sum"}
	found := map[string]bool{}
	for _, name := range files(t, ".go") {
		dir := path.Dir(name)
		if strings.HasSuffix(name, "_test.go") || !slices.Contains(withKeys, dir) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), "../../"+name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil || !slices.Contains(working, d.Name.Name) {
					continue
				}
				receiver := d.Recv.List[0].Type
				if p, ok := receiver.(*ast.StarExpr); ok {
					receiver = p.X
				}
				found[f.Name.Name+"."+receiver.(*ast.Ident).Name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					s, ok := spec.(*ast.TypeSpec)
					if !ok || !s.Name.IsExported() {
						continue
					}
					fields, ok := s.Type.(*ast.StructType)
					if ok && slices.ContainsFunc(fields.Fields.List, func(f *ast.Field) bool {
						return len(f.Names) == 0 || slices.ContainsFunc(f.Names, func(n *ast.Ident) bool { return !n.IsExported() })
					}) {
						found[f.Name.Name+"."+s.Name.Name] = true
					}
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}
