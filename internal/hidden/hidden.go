// Package hidden keeps keys out of the output of package fmt, and thereby of log, slog
// and testing.
package hidden

import (
	"fmt"
	"io"
)

// Text is printed in place of a secret.
const Text = "[secret]"

// A Secret is embedded in types that contain secrets. It takes no space if it is the
// first field, and gives values and pointers methods that package fmt calls for every
// verb. Packages embed it through an unexported alias:
//
//	type private = hidden.Secret
//
// so that the field is neither in their documentation nor accessible to other packages.
// Package fmt does not call the methods of values in unexported fields. Encoders such as
// encoding/json see only exported fields, and a type that embeds a Secret has none.
type Secret struct{}

// Format writes [Text]. Package fmt prefers it to String and GoString, which are for
// other callers.
func (Secret) Format(s fmt.State, _ rune) { io.WriteString(s, Text) }

// String returns [Text].
func (Secret) String() string { return Text }

// GoString returns [Text].
func (Secret) GoString() string { return Text }
