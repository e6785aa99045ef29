package ctcheck

import (
	"fmt"
	"strings"
)

// What TestDifferences makes programs of, for each architecture.
var subjects = []*subject{
	{
		arch: "amd64", general: []int{0, 1, 2, 3, 8}, bases: [3]int{4, 5, 9}, marker: 10,
		register: func(r int) string {
			return strings.Fields("AX BX CX DX SI DI BP SP R8 R9 R10 R11 R12 R13 R14 R15")[r]
		},
		move: "MOVQ", jump: "JMP",
		flags: [flagCount]uint64{1 << 0, 1 << 11, 1<<2 | 1<<6 | 1<<7},
		operand: func(g *generator, op string, sp *spec, i, n int) string {
			if sp.op == "branch" {
				return "out"
			}
			vector := sp.width == 0 || sp.op[0] == 'v' || strings.HasPrefix(sp.op, "movs") || sp.op == "mask" || sp.op == "kmov" || op == "MOVQ" || op == "MOVL"
			choice := g.IntN(24)
			memory := func() string {
				g.memory++
				text := fmt.Sprintf("%d(%s)", g.offset(4), g.base())
				if g.chance(3) {
					text += fmt.Sprintf("(%s*%d)", g.general(), 1<<g.IntN(4))
				}
				return text
			}
			masks := op[0] == 'V' && (strings.Contains(op, "PCMP") || strings.Contains(op, "TEST") || strings.HasSuffix(op, "2M"))
			switch {
			case choice < 3 && g.memory == 0 || sp.op == "lea" && i == 0:
				return memory()
			case i == 0 && n > 1 && choice < 12 || strings.HasPrefix(op, "CMP") && i == 1 && choice < 10:
				return fmt.Sprintf("$%d", g.number())
			case !vector:
				return g.general()
			case op[0] == 'K' && choice < 18, strings.HasPrefix(op, "VPMOVM2") && i == 0, masks && i == n-1 && choice < 20,
				op[0] == 'V' && n > 2 && i == n-2 && choice > 19:
				return fmt.Sprintf("K%d", 1+g.IntN(3))
			case sp.width > 0 && choice > 15, strings.Contains(op, "MSKB") && i == 1:
				return g.general()
			}
			letter := "XYZ"[g.shape/4]
			switch {
			case op[0] != 'V':
				letter = 'X'
			case strings.Contains(op, "INSERT") || strings.Contains(op, "EXTRACT") || strings.Contains(op, "BROADCAST"):
				part := map[bool]int{strings.Contains(op, "INSERT"): 1, strings.Contains(op, "EXTRACT"): 2}[true]
				if i == part || part == 0 && i == 0 {
					letter = "XY"[g.IntN(2)]
				} else {
					letter = "YZ"[g.shape/6]
				}
			case sp.width > 0:
				letter = 'X'
			}
			return fmt.Sprintf("%c%d", letter, g.IntN(6))
		},
		suffix: func(g *generator, op string, sp *spec) string {
			if op[0] != 'V' {
				return ""
			}
			return []string{"", "", "", ".Z", ".BCST", ".BCST.Z"}[g.IntN(6)]
		},
		// VSM3 and VSM4 need a CPU of their own. ADCX and the like are here.
		skip: func(op string, sp *spec) bool { return strings.HasPrefix(op, "VSM") || sp.op == "div" },
	},
	{
		arch: "arm64", general: []int{0, 1, 2, 3, 4}, bases: [3]int{5, 6, 7}, marker: 8,
		register: func(r int) string { return fmt.Sprintf("R%d", r) },
		move:     "MOVD", jump: "B",
		flags: [flagCount]uint64{1 << 29, 1 << 28, 3 << 30},
		operand: func(g *generator, op string, sp *spec, i, n int) string {
			choice := g.IntN(10)
			if sp.op == "branch" && i == n-1 {
				return "out"
			}
			if (sp.op == "pair" || sp.op == "fpair" || sp.op == "vload" || sp.op == "mov" && g.chance(3) || sp.op == "movx" || sp.op == "fmov") && i == 0 && choice > 2 ||
				(sp.op == "pairstore" || sp.op == "fpairstore" || sp.op == "vstore" || sp.op == "mov" || sp.op == "movx" || sp.op == "fmov") && i == 1 && choice > 4 {
				if g.chance(3) {
					return fmt.Sprintf("(%s)(%s)", g.base(), g.general())
				}
				return fmt.Sprintf("%d(%s)", g.offset(8), g.base())
			}
			arrangement := strings.Fields("B8 B16 H4 H8 S2 S4 D1 D2 Q1 B16 B16 D2")
			vector := func() string {
				a := arrangement[g.shape]
				if g.chance(6) {
					a = pick(g, arrangement)
				}
				if wide := map[string]string{"B8": "H8", "H4": "S4", "S2": "D2", "D1": "Q1", "B16": "H8", "H8": "S4", "S4": "D2", "D2": "Q1"}; i == n-1 &&
					(strings.Contains(op, "MULL") || strings.Contains(op, "SHLL") || strings.Contains(op, "XTL")) {
					if a = wide[a]; a == "" {
						a = "D2"
					}
				}
				if g.chance(8) && i == n-1 || g.chance(12) {
					return fmt.Sprintf("V%d.%c[%d]", g.IntN(6), a[0], g.IntN(2))
				}
				return fmt.Sprintf("V%d.%s", g.IntN(6), a)
			}
			switch sp.op {
			case "pair", "pairstore":
				return fmt.Sprintf("(%s, %s)", g.general(), g.general())
			case "fpair", "fpairstore":
				return fmt.Sprintf("(F%d, F%d)", g.IntN(6), g.IntN(6))
			case "vload", "vstore":
				if g.chance(6) {
					return fmt.Sprintf("V%d.%c[%d]", g.IntN(6), arrangement[g.shape][0], g.IntN(2))
				}
				list := make([]string, 1+g.IntN(4))
				first := g.IntN(6)
				for i := range list {
					list[i] = fmt.Sprintf("V%d.%s", first+i, arrangement[g.shape])
				}
				return "[" + strings.Join(list, ", ") + "]"
			case "fmov":
				if g.chance(3) {
					return g.general()
				}
				return fmt.Sprintf("F%d", g.IntN(6))
			case "vec", "vmov":
				switch {
				case i == 0 && choice < 3:
					return fmt.Sprintf("$%d", g.number())
				case choice == 4 || sp.op == "vmov" && choice < 4:
					return g.general()
				case strings.HasPrefix(op, "VTB") && i == 1:
					return fmt.Sprintf("[V%d.B16, V%d.B16]", choice/2, choice/2+1)
				case strings.HasPrefix(op, "SHA") && choice < 7:
					return fmt.Sprintf("V%d", g.IntN(6))
				}
				return vector()
			case "csel":
				if i == 0 {
					return pick(g, strings.Fields("EQ NE HS LO MI PL VS VC HI LS GE LT GT LE"))
				}
			}
			switch {
			case choice < 3 && i < n-1:
				return fmt.Sprintf("$%d", g.number())
			case choice == 3 && i == 0:
				return fmt.Sprintf("%s%s%d", g.general(), pick(g, []string{"<<", ">>", "->", "@>"}), g.IntN(40))
			case choice == 4 && i == 0:
				return fmt.Sprintf("%s.%s", g.general(), pick(g, strings.Fields("UXTB UXTW SXTW SXTX UXTB<<2 SXTH<<1")))
			case choice == 5 && g.chance(2):
				return "ZR"
			}
			return g.general()
		},
		suffix: func(g *generator, op string, sp *spec) string {
			if strings.Contains("mov movx pair pairstore fmov fpair fpairstore vload vstore", sp.op) {
				return []string{"", "", ".P", ".P", ".W"}[g.IntN(5)]
			}
			return ""
		},
		// The emulator decides what these read.
		skip: func(op string, sp *spec) bool {
			return sp.op == "system" || op[:2] == "SM"
		},
	},
	{
		arch: "arm", general: []int{0, 1, 2, 3, 4}, bases: [3]int{5, 6, 7}, marker: 8,
		register: func(r int) string { return fmt.Sprintf("R%d", r) },
		move:     "MOVW", jump: "B",
		flags: [flagCount]uint64{1 << 29, 1 << 28, 3 << 30},
		operand: func(g *generator, op string, sp *spec, i, n int) string {
			choice := g.IntN(10)
			switch {
			case sp.op == "branch":
				return "out"
			case sp.op == "movm":
				if (i == 0) == (g.shape < 6) {
					return fmt.Sprintf("(%s)", g.base())
				}
				return pick(g, []string{"[R0-R2]", "[R3,R1]", "[R2,R4]", "[R4]", "[R0,R1,R2,R3,R4]", "[R4,R0]"})
			case strings.HasPrefix(sp.op, "mov") && choice < 5 && g.memory == 0:
				g.memory++
				if g.chance(8) {
					return fmt.Sprintf("%s<<2(%s)", g.general(), g.base())
				}
				return fmt.Sprintf("%d(%s)", g.offset(4), g.base())
			case i == n-1 && strings.HasPrefix(op, "MULL") || strings.HasPrefix(op, "MULAL") && i == n-1:
				return pick(g, []string{"(R0, R1)", "(R2, R3)", "(R4, R1)", "(R3, R0)"})
			case i == 0 && choice == 5:
				return fmt.Sprintf("%s%s%d", g.general(), pick(g, []string{"<<", ">>", "->", "@>"}), pick(g, []int{0, 0, 1, 5, 31, g.IntN(32)}))
			case i == 0 && choice == 6:
				return fmt.Sprintf("%s%s%s", g.general(), pick(g, []string{"<<", ">>", "->", "@>"}), g.general())
			case i < n-1 && choice > 7:
				return fmt.Sprintf("$%d", g.number())
			}
			return g.general()
		},
		suffix: func(g *generator, op string, sp *spec) string {
			text := ""
			if sp.op == "branch" {
				return ""
			}
			if sp.op == "movm" {
				text = pick(g, []string{".IA", ".IB", ".DA", ".DB"}) + pick(g, []string{"", ".W"})
			} else if strings.HasPrefix(sp.op, "mov") && g.memory > 0 {
				text = pick(g, []string{"", ".P", ".W"})
			} else if g.chance(3) {
				text = ".S"
			}
			if g.chance(3) {
				text += "." + pick(g, strings.Fields("EQ NE CS CC MI PL VS VC HI LS GE LT GT LE"))
			}
			return text
		},
		// Macros, NEON, and divisions, which call the runtime, are left out.
		skip: func(op string, sp *spec) bool {
			return sp.op == "div" || sp.op == "vec" || sp.op == "memory" || sp.op == "vload" || sp.op == "vstore"
		},
	},
	{
		arch: "riscv64", general: []int{5, 6, 7, 8, 9}, bases: [3]int{10, 11, 12}, marker: 13,
		register: func(r int) string { return fmt.Sprintf("X%d", r) },
		move:     "MOV", jump: "JMP",
		begin: func(g *generator) string {
			return fmt.Sprintf("\tVSETVLI X0, E%d, M1, TA, MA, X14\n", 8<<g.IntN(4))
		},
		operand: func(g *generator, op string, sp *spec, i, n int) string {
			choice := g.IntN(10)
			masked := op[0] == 'V' && strings.Contains(sp.roles, "|") && n > strings.IndexByte(sp.roles, '|')
			// Groups rarely overlap, which most instructions must not have, nor the mask as another operand.
			vector := func() string {
				switch {
				case riscvAccesses[op].kind == 'x' && i == 1:
					return fmt.Sprintf("V%d", 1+g.IntN(3))
				case masked && g.chance(2):
					return fmt.Sprintf("V%d", 1+g.IntN(3))
				case masked:
					return fmt.Sprintf("V%d", 4+4*g.IntN(5))
				case i == n-1 && !g.chance(8):
					return fmt.Sprintf("V%d", 8+4*g.IntN(4))
				case g.chance(2):
					return fmt.Sprintf("V%d", g.IntN(4))
				}
				return fmt.Sprintf("V%d", 4*g.IntN(6))
			}
			switch {
			case sp.op == "branch" && i == n-1:
				return "out"
			case sp.op == "vsetvl" && n == 6:
				switch i {
				case 0:
					if op == "VSETIVLI" {
						return fmt.Sprintf("$%d", g.IntN(20))
					}
					return pick(g, []string{"X0", "X0", g.general()})
				case 5:
					return pick(g, []string{"X0", "X14"})
				}
				return []string{pick(g, strings.Fields("E8 E16 E32 E64")), pick(g, strings.Fields("M1 M2 M4 MF2 MF4")), "TA", "MA"}[i-1]
			case sp.op == "vload" && i == 0 || sp.op == "vstore" && i == n-1:
				return fmt.Sprintf("(%s)", g.base())
			case op[0] == 'V':
				if m := riscvAccesses[op]; i > 0 && i < n-1 && m.kind == 's' && i == 1 {
					return pick(g, []string{"X5", "X6", "X0"})
				}
				switch {
				case masked && i == n-2 || strings.HasSuffix(op, "M") && i == n-2 && n > 2 && op != "VCOMPRESSVM":
					return "V0"
				case i == 0 && n > 1 && strings.HasSuffix(op, "I"):
					return fmt.Sprintf("$%d", g.IntN(16))
				case sp.op == "single" && i == 1 || sp.op == "count" && i == n-1:
					return g.general()
				case (strings.HasSuffix(op, "X") || strings.HasSuffix(op, "XM")) && i == 0 && !strings.Contains(op, "MACC"), op == "VMVSX" && i == 0,
					strings.Contains(op, "MACCVX") && i == 1, strings.Contains(op, "MADDVX") && i == 1, strings.Contains(op, "MACCUVX") && i == 1, strings.Contains(op, "MSACVX") && i == 1, strings.Contains(op, "MSUBVX") && i == 1:
					return g.general()
				}
				return vector()
			case strings.HasPrefix(sp.op, "mov") && choice < 5 && g.memory == 0:
				g.memory++
				return fmt.Sprintf("%d(%s)", g.offset(8), g.base())
			case i < n-1 && choice > 6 && i == 0:
				return fmt.Sprintf("$%d", g.number())
			case choice == 0:
				return "X0"
			}
			return g.general()
		},
		// VSETVL takes the type from a register.
		skip: func(op string, sp *spec) bool {
			return sp.op == "nop" || sp.op == "csr" || op == "VSETVL" || riscvAccesses[op].groups > 4
		},
	},
	{
		arch: "mipsle", general: []int{1, 2, 3, 4, 5}, bases: [3]int{6, 7, 8}, marker: 9,
		register: func(r int) string { return fmt.Sprintf("R%d", r) },
		move:     "MOVW", jump: "JMP",
		begin: func(g *generator) string { return "\tMOVW R0, HI\n\tMOVW R0, LO\n" },
		operand: func(g *generator, op string, sp *spec, i, n int) string {
			choice := g.IntN(10)
			switch {
			case sp.op == "branch" && i == n-1:
				return "out"
			case strings.HasPrefix(sp.op, "mov") && choice < 5 && g.memory == 0:
				g.memory++
				return fmt.Sprintf("%d(%s)", g.offset(4), g.base())
			case sp.op == "mov" && choice == 5:
				return pick(g, []string{"HI", "LO"})
			case i < n-1 && choice > 7 && i == 0:
				return fmt.Sprintf("$%d", g.number())
			case choice == 6:
				return "R0"
			}
			return g.general()
		},
		// ADD traps on overflow.
		skip: func(op string, sp *spec) bool { return sp.op == "nop" || op == "ADD" || op == "SUB" },
	},
}
