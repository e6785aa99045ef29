package wrap

import (
	"errors"
	"io"
	"testing"
)

func TestError(t *testing.T) {
	err := Error("a: ", io.EOF, ", b")
	if err.Error() != "a: EOF, b" || !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
}
