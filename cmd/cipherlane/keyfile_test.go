package main

import (
	"encoding/asn1"
	"testing"
)

func TestDotted(t *testing.T) {
	for _, oid := range []asn1.ObjectIdentifier{{0, 0}, {0, 39}, {1, 0}, {1, 39}, {2, 0}, {2, 48}, {2, 999, 3}, {1, 2, 840, 113549, 1, 1, 1}, {1, 2, 156, 10197, 1, 301}, {1, 3, 1<<31 - 1, 128, 127}} {
		der, err := asn1.Marshal(oid)
		if err != nil {
			t.Fatal(err)
		}
		if got := dotted(der[2:]); got != oid.String() {
			t.Errorf("%s, want %v", got, oid)
		}
	}
	for _, bad := range [][]byte{nil, {0x80}, {0x2a, 0x86}, {0x2a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}} {
		if got := dotted(bad); got != "" {
			t.Errorf("%x: %s", bad, got)
		}
	}
}
