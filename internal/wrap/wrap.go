// Package wrap makes errors that wrap others, as fmt.Errorf does. Package fmt would make
// programs larger by 170 kB that do not print with it.
package wrap

type wrapped struct {
	text string
	err  error
}

// Error returns an error that matches err, with text before and after that of err.
func Error(before string, err error, after string) error {
	return &wrapped{before + err.Error() + after, err}
}

func (w *wrapped) Error() string { return w.text }
func (w *wrapped) Unwrap() error { return w.err }
