package gremlincel_test

import (
	_ "embed"
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
