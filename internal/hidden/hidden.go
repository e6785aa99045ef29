// Package hidden keeps keys out of what package fmt prints, and with it log, slog and
// testing.
package hidden

import (
	"fmt"
	"io"
)

// Text is printed instead.
const Text = "[secret]"

// A Secret is embedded in a type with something secret in it. It takes no room if it is
// the first field, and gives values and pointers methods that package fmt calls
// whatever the verb. Packages embed it by an alias that is not exported:
//
//	type private = hidden.Secret
//
// so that the field is neither in their documentation nor in reach of others. Package
// fmt does not ask the values of fields that are not exported. Encoders such as
// encoding/json see exported fields only, and what embeds a Secret has none.
type Secret struct{}

// Format is asked before String and GoString, which are for others.
func (Secret) Format(s fmt.State, _ rune) { io.WriteString(s, Text) }

// String returns [Text].
func (Secret) String() string { return Text }

// GoString returns [Text].
func (Secret) GoString() string { return Text }
