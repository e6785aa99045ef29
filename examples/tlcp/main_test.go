package main

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

func TestTransfer(t *testing.T) {
	certs, folder := t.TempDir(), t.TempDir()
	if err := makeCertificates(certs, "localhost", net.IPv4(127, 0, 0, 1)); err != nil {
		t.Fatal(err)
	}
	file := bytes.Repeat([]byte("cipherlane\n"), 1<<18)
	if err := os.WriteFile(filepath.Join(folder, "file"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go serve(l, certs, http.FileServer(http.Dir(folder)))
	client, err := newClient(certs)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var got bytes.Buffer
		if err := get(client, "https://"+l.Addr().String()+"/file", &got); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), file) {
			t.Errorf("%d bytes, want %d", got.Len(), len(file))
		}
	}
	if err := get(client, "https://"+l.Addr().String()+"/missing", new(bytes.Buffer)); err == nil {
		t.Error("a missing file is no error")
	}

	// A client that trusts another CA.
	other := t.TempDir()
	if err := makeCertificates(other, "localhost", net.IPv4(127, 0, 0, 1)); err != nil {
		t.Fatal(err)
	}
	if client, err = newClient(other); err != nil {
		t.Fatal(err)
	}
	if err := get(client, "https://"+l.Addr().String()+"/file", new(bytes.Buffer)); err == nil {
		t.Error("the certificate of another CA is accepted")
	}
	t.Log(provider())
}
