package machine

import (
	"fmt"
	"strings"
)

// vexNames are instructions that disassemblers learnt late: prefix, map and opcode
// (Intel, "Architecture Instruction Set Extensions Programming Reference", SM3 and SM4).
var vexNames = map[[3]byte]string{
	{2, 2, 0xda}: "vsm4key4", {3, 2, 0xda}: "vsm4rnds4",
	{0, 2, 0xda}: "vsm3msg1", {1, 2, 0xda}: "vsm3msg2", {1, 3, 0xde}: "vsm3rnds2",
}

// vexText is the AT&T syntax of one of them, or empty.
func vexText(b []byte) string {
	if len(b) < 5 || b[0] != 0xc4 {
		return ""
	}
	notR, notX, notB := int(b[1]>>7), int(b[1]>>6&1), int(b[1]>>5&1)
	w, source, length, prefix := b[2]>>7, int(^b[2]>>3&15), b[2]>>2&1, b[2]&3
	name := vexNames[[3]byte{prefix, b[1] & 31, b[3]}]
	if name == "" || w != 0 {
		return ""
	}
	c := 'x'
	if length == 1 {
		c = 'y'
	}
	register := func(n int) string { return fmt.Sprintf("%%%cmm%d", c, n) }
	mod, reg, rm := b[4]>>6, int(b[4]>>3&7)+8*(1-notR), int(b[4]&7)
	rest := b[5:]
	var operand string
	if mod == 3 {
		operand = register(rm + 8*(1-notB))
	} else {
		address := ""
		if rm == 4 {
			if len(rest) == 0 {
				return ""
			}
			sib := rest[0]
			rest = rest[1:]
			base, index := int(sib&7)+8*(1-notB), int(sib>>3&7)+8*(1-notX)
			address = x86Name(base)
			if index != 4 {
				address += "," + x86Name(index)
				if sib>>6 > 0 {
					address += fmt.Sprintf(",%d", 1<<(sib>>6))
				}
			}
		} else if rm == 5 && mod == 0 {
			return "" // relative to the instruction
		} else {
			address = x86Name(rm + 8*(1-notB))
		}
		displacement := 0
		size := map[byte]int{0: 0, 1: 1, 2: 4}[mod]
		if len(rest) < size {
			return ""
		}
		switch size {
		case 1:
			displacement = int(int8(rest[0]))
		case 4:
			displacement = int(int32(uint32(rest[0]) | uint32(rest[1])<<8 | uint32(rest[2])<<16 | uint32(rest[3])<<24))
		}
		rest = rest[size:]
		if displacement != 0 {
			operand = fmt.Sprint(displacement)
		}
		operand += "(" + address + ")"
	}
	list := []string{operand, register(source), register(reg)}
	if b[1]&31 == 3 {
		if len(rest) == 0 {
			return ""
		}
		list = append([]string{fmt.Sprintf("$%d", rest[0])}, list...)
		rest = rest[1:]
	}
	if len(rest) > 0 {
		return ""
	}
	return name + " " + strings.Join(list, ", ")
}
