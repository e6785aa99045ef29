package encoding

import (
	"regexp"
	"testing"
)

func TestMIPS(t *testing.T) {
	compare(t, "mips", regexp.MustCompile(`\$(\d+)`), map[string]func(n []int) uint32{
		"maddu $_,$_": func(n []int) uint32 { return MADDU(n[0], n[1]) },
	})
}
