// Package wrap makes errors that wrap others, as fmt.Errorf does, and quotes text for them.
// Package fmt would make programs larger by 170 kB that do not print with it. Only packages
// chunked, kcapi and linux use it; ci/sizes has the limits.
package wrap

type wrapped struct {
	text string
	err  error
}

// Error returns an error that matches err, with text before and after that of err.
//
//go:noinline
func Error(before string, err error, after string) error {
	return &wrapped{before + err.Error() + after, err}
}

func (w *wrapped) Error() string { return w.text }
func (w *wrapped) Unwrap() error { return w.err }

// Quote returns text in quotation marks, as strconv.Quote does, which would make programs
// larger by 6 kB: it knows which characters can be printed. Here, bytes that are not ASCII
// become numbers. It is not inlined, because of its size.
//
//go:noinline
func Quote(text string) string {
	const hex = "0123456789abcdef"
	b := []byte{'"'}
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c > '~':
			b = append(b, '\\', 'x', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}
