package ctgrind

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Valgrind sees one architecture and the paths that a test takes. The code that
// does the work on secrets is straight: it has no branch at all, which can be
// read off what the compiler made of it, for any architecture. A later compiler
// could change that.

// straight lists the functions of straight code by package.
var straight = map[string][]string{
	"aes": {"substituteWord", "(*planes).substitute", "(*planes).unsubstitute", "(*planes).transpose", "(*planes).add", "(*wideState).mix", "(*wideState).unmix",
		"(*planes).round0", "(*planes).round1", "(*planes).round2", "(*planes).round3",
		"(*planes).unround0", "(*planes).unround1", "(*planes).unround2", "(*planes).unround3"},
	"sm4":            {"substitute", "substitute2", "round", "linear", "(*planes).transpose", "interleave", "separate"},
	"internal/ghash": {"(*sums64).add", "(*sums64).product", "(*sums32).add", "(*sums32).product", "reduce"},
	// The rounds and blocksGeneric have loops over public lengths.
	"internal/chachapoly": {"finish"},
}

// Instructions that take no decision, by architecture, and those of the check
// for room on the stack with which Go begins a function.
var instructions = map[string]struct{ straight, check string }{
	"amd64": {`(MOV|XOR|AND|OR|SHL|SHR|ROL|ADD|ADC|SUB|SBB|NEG|LEA|BSWAP|PUSH|POP|XCHG)[LQ]|I?MUL[LQ]|NOP|RET|JMP`, `CMPQ|JLS`},
	"386":   {`(MOV|XOR|AND|OR|SHL|SHR|ROL|ADD|ADC|SUB|SBB|NEG|NOT|LEA|BSWAP|XCHG)L|MOVB|I?MULL|NOP|RET|JMP`, `CMPL|JLS`},
	"arm64": {`(MOV|STP|LDP)[A-Z]*(\.[PW])?|EOR|EON|ORR|ORN|AND|BIC|NEG|(ADD|ADC)S?|SUB|MUL|UMULH|RORW?|LS[LR]W?|EXTRW?|[SU]BF(X|IZ)W?|REVW?|HINT|NOP|NOOP|RET|JMP`, `CMP|BLS`},
	"arm":   {`MOVW(\.[PW])?|MOVB|EOR|ORR|AND|BIC|BFC|RSB|RSC|(ADD|ADC|SUB)(\.S)?|MULL?U?|MULA|SLL|SRL|NOP(\.EQ)?|WORD|JMP`, `CMP|BLS`},
	"riscv64": {`MOV[A-Z]*|XORI?|ORI?|ANDI?|NOT|NEG|ADDI?W?|SUBW?|SLTI?U|MUL|MULHU|(SLL|SRL|SRA|ROR)IW?|REV8|LUI|AUIPC|NOP|JALR|JAL`,
		`BLTU`},
}

var (
	functionLine    = regexp.MustCompile(`^\S*/cipherlane/(\S+)\.(\S+) STEXT`)
	instructionLine = regexp.MustCompile(`^\t0x[0-9a-f]+ \d+ \(.*?\)\t(\S+)(?:\t(.*))?$`)
	indexed         = regexp.MustCompile(`\)\(|<<\d+\(`) // an address with an index
)

// decisions returns what is not straight in the listing of a function.
func decisions(goarch string, listing []string) (found []string) {
	allowed := regexp.MustCompile(`^(?:` + instructions[goarch].straight + `)$`)
	check := regexp.MustCompile(`^(?:` + instructions[goarch].check + `)$`)
	checksStack := strings.Contains(strings.Join(listing, "\n"), "runtime.morestack")
	n := 0
	for _, line := range listing {
		m := instructionLine.FindStringSubmatch(line)
		if m == nil || m[1] == "TEXT" || m[1] == "PCDATA" || m[1] == "FUNCDATA" {
			continue
		}
		n++
		op, operands := m[1], m[2]
		switch {
		case strings.HasPrefix(op, "LEA"): // arithmetic, not an access
			continue
		case indexed.MatchString(operands) && !strings.Contains(operands, "(TLS*"): // on 386 the goroutine is found so
		case strings.Contains(operands, "runtime.morestack"):
			continue
		case strings.HasSuffix(operands, "(SB)") && regexp.MustCompile(`^(CALL|BL|JAL|JMP)$`).MatchString(op):
		case allowed.MatchString(op):
			continue
		case op == "AND.EQ" && operands == "R0, R0": // how arm writes that nothing is done
			continue
		case checksStack && n <= 6 && check.MatchString(op):
			continue
		}
		found = append(found, strings.TrimSpace(line))
	}
	return found
}

func TestStraightCode(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for five architectures")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	for goarch := range instructions {
		t.Run(goarch, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("go", "build", "-tags", "purego", "-gcflags=-S", "./aes", "./sm4", "./internal/ghash", "./internal/chachapoly")
			cmd.Dir = "../.."
			cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+goarch, "CGO_ENABLED=0",
				"GOAMD64=v1", "GO386=sse2", "GOARM64=v8.0", "GOARM=7", "GORISCV64=rva20u64")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			listings := map[string][]string{}
			function := ""
			for line := range strings.Lines(string(out)) {
				line = strings.TrimRight(line, "\n")
				if m := functionLine.FindStringSubmatch(line); m != nil {
					function = m[1] + "." + m[2]
				}
				listings[function] = append(listings[function], line)
			}
			for pkg, names := range straight {
				for _, name := range names {
					name := pkg + "." + name
					if len(listings[name]) < 5 {
						t.Errorf("%s is not in the output of the compiler", name)
					}
					if found := decisions(goarch, listings[name]); found != nil {
						t.Errorf("%s takes decisions:\n%s", name, strings.Join(found, "\n"))
					}
				}
			}
			// The test must be able to fail: this function has a loop.
			if name := "sm4.(*genericKeys).blocks"; decisions(goarch, listings[name]) == nil {
				t.Errorf("found no branch in %s", name)
			}
		})
	}
}
