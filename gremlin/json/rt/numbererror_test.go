package rt_test

import (
	"errors"
	"strings"
	"testing"

	jsonrt "github.com/octopus-framework/octopus/gremlin/json/rt"
	"github.com/octopus-framework/octopus/gremlin/rt"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// TestNumberErrors: of a number that a field cannot hold, errors say whether it is one, too large,
// negative or a fraction.
func TestNumberErrors(t *testing.T) {
	for text, want := range map[string]string{
		`3000000000`:   "number too large for the field",
		`"3000000000"`: "number too large for the field",
		`-2147483649`:  "number too large for the field", `1e30`: "number too large for the field",
		`1e99999999999`: "number too large for the field", `1.5e40`: "number too large for the field",
		`1.5`: "number with a fraction", `"1.5"`: "number with a fraction",
		`1e-1`: "number with a fraction", `1.25e1`: "number with a fraction",
		`"x"`: "not a number", `""`: "not a number", `"1x"`: "not a number", `"1e"`: "not a number",
		`" 1"`: "not a number", `true`: "true where a number should be",
		`nul`: "'n' where a number should be", `[1]`: "an array where a number should be",
		`{}`: "an object where a number should be", `tru`: "'t' where a number should be",
		`-`: "'-' where a number should be", ``: "the end where a number should be",
	} {
		var m wkt.Int32Value
		checkNumber(t, "int32 "+text, m.UnmarshalJSON([]byte(text)), want)
		_, err := wkt.Int32Value_JSONToWire(nil, []byte(text), jsonrt.Options{})
		checkNumber(t, "int32 to bytes "+text, err, want)
	}
	for text, want := range map[string]string{
		`-1`: "negative number", `"-5"`: "negative number",
		`-99999999999999999999`: "negative number",
		`18446744073709551616`:  "number too large", `0.5`: "number with a fraction",
	} {
		var m wkt.UInt64Value
		checkNumber(t, "uint64 "+text, m.UnmarshalJSON([]byte(text)), want)
	}
	for text, want := range map[string]string{
		`1e999`: "number too large", `"1e999"`: "number too large", `"one"`: "not a number",
	} {
		var m wkt.DoubleValue
		checkNumber(t, "double "+text, m.UnmarshalJSON([]byte(text)), want)
	}
	var f wkt.FloatValue
	checkNumber(t, "float", f.UnmarshalJSON([]byte(`1e39`)), "number too large")
}

func checkNumber(t *testing.T, name string, err error, want string) {
	t.Helper()
	var e *rt.Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, not %q", name, err, want)
	}
}
