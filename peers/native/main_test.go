//go:build linux

package main

import (
	"testing"

	"github.com/cipherlane/cipherlane/ci/figures/data"
)

// A point's time is the best of all rounds; rows of other drivers and of many messages are left
// out.
func TestAdd(t *testing.T) {
	r := times{}
	order, versions, err := r.add(`version OpenSSL 3
case 2 10 64 cipherlane*:ce AES-128-CTR
mark 2 1000
mark 2 1500
mark 2 2700
mark 2 5000
mark 2 5400
mark 2 6400
case 3 10 64 cipherlane:generic AES-128-CTR
mark 3 0
mark 3 1
mark 3 2
case 4 10 64 cipherlane*:ce AES-128-CBC encrypt, 16 messages
mark 4 0
mark 4 1
mark 4 2
case 5 20 1420 OpenSSL AES-128-GCM seal
mark 5 0
mark 5 100
mark 5 400
`)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := point{"AES-128-CTR", "64"}, point{"AES-128-GCM seal", "1420"}
	if len(order) != 2 || order[0] != ours || order[1] != theirs || len(versions) != 1 || versions[0] != "OpenSSL 3" {
		t.Errorf("points %v, versions %q", order, versions)
	}
	if got := r[ours][own]; len(r) != 2 || len(r[ours]) != 1 || got != 40 {
		t.Errorf("%v, want 40 ns", r)
	}
	if got := r[theirs]["OpenSSL"]; got != 5 {
		t.Errorf("%v ns, want 5", got)
	}
	for _, bad := range []string{"case 2 x 64 OpenSSL A", "case 2 1 64 OpenSSL A\nmark 2 x"} {
		if _, _, err := (times{}).add(bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

// Times are written as a file of docs/machines, with what is known of the machine.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := (times{}).file(dir, "m", nil, nil); err == nil {
		t.Error("no error for an unknown machine")
	}
	known := &data.File{Name: "m", Title: "t", Date: "2026-01-02", Command: "c", Conditions: "quiet", Machine: data.Machine{Name: "M", CPU: "C"}, Rows: []data.Row{{Operation: "o", Unit: "ns"}}}
	if err := known.Write(dir); err != nil {
		t.Fatal(err)
	}
	a, b := point{"AES-128-CCM seal", "64"}, point{"AES-128-CCM open", "64"}
	r := times{a: {own: 21.44, "pion": 40}, b: {own: 3}}
	f, err := r.file(dir, "m", []point{a, b}, []string{"pion/dtls v3.1.15", "Go go1.26.8"})
	if err != nil {
		t.Fatal(err)
	}
	if f.Machine.Name != "M" || f.Conditions != "quiet" || len(f.Rows) != 1 || f.Rows[0].Value != 21.4 || f.Rows[0].Peers["pion/dtls"] != 40 {
		t.Errorf("%+v", f)
	}
	if err := f.Write(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := data.Read(dir + "/m-native.json"); err != nil {
		t.Error(err)
	}
}
