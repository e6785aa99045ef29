package main

// A program is instructions that are not emitted yet.
type program []func()

func (p *program) add(f func()) { *p = append(*p, f) }

func (p program) emit() {
	for _, f := range p {
		f()
	}
}

// and emits two programs side by side, which use different registers: the
// instructions of the shorter one are spread over the longer one.
func (p program) and(q program) {
	n, m := len(p), len(q)
	for i, j := 0, 0; i < n || j < m; {
		if j == m || i < n && i*m <= j*n {
			p[i]()
			i++
		} else {
			q[j]()
			j++
		}
	}
}

// stagger emits programs of the same length side by side, each so many
// instructions behind the one before it.
func stagger(all []program, behind int) {
	for i := range len(all[0]) + behind*(len(all)-1) {
		for j, p := range all {
			if n := i - j*behind; n >= 0 && n < len(p) {
				p[n]()
			}
		}
	}
}
