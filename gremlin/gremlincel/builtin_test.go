package gremlincel_test

import (
	_ "embed"
	"encoding/binary"
	"runtime"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/gremlincel"
)

// builtin is testdata/builtin/builtin.proto with the validate.proto that comes with the compiler:
//
//	gremlin descriptors --include-imports -I testdata/builtin -o testdata/builtin.binpb builtin.proto
//
//go:embed testdata/builtin.binpb
var builtin []byte

// TestRulesWithoutExpressions has descriptors that do not say what standard rules mean: the
// expressions are those of the package.
func TestRulesWithoutExpressions(t *testing.T) {
	types, err := dynamic.Load(builtin)
	if err != nil {
		t.Fatal(err)
	}
	v, err := gremlincel.New(types, gremlincel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ encoded, want string }{
		"builtin.Standard": {"\x0a\x02ab", "  name: must be at least 3 characters" +
			" (string.min_len, string.min_len)"},
		"builtin.Own": {"\x08\x03", "  even: \"this % 2 == 0\" returned false (even, cel[0])"},
	} {
		if got := words(v.Validate(name, []byte(c.encoded))); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestLongTexts has messages whose texts, one times another, would take all memory in one call.
func TestLongTexts(t *testing.T) {
	types, err := dynamic.Load(builtin)
	if err != nil {
		t.Fatal(err)
	}
	v, err := gremlincel.New(types, gremlincel.Options{Cost: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	text := func(number byte, s string) string {
		return string(binary.AppendUvarint([]byte{number<<3 | 2}, uint64(len(s)))) + s
	}
	long := strings.Repeat("a", 40_000)
	for encoded, want := range map[string]string{
		text(1, "aba") + text(2, "cd") + text(3, "e") + text(3, "f"): "",
		text(1, "a") + text(2, "x"):                                  "\"this.text.replace",
		text(2, "x") + text(3, "") + text(3, ""):                     "\"this.texts.join",
		text(1, long) + text(2, long):                                "1600040000 bytes would be made",
		strings.Repeat(text(3, "a"), 1000) + text(2, long):           "bytes would be made",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := v.Validate("builtin.Long", []byte(encoded))
		runtime.ReadMemStats(&after)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", encoded, err, want)
		}
		if made := after.TotalAlloc - before.TotalAlloc; made > 64<<20 {
			t.Errorf("%.40q: %d bytes allocated", encoded, made)
		}
	}
}
