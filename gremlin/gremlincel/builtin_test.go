package gremlincel_test

import (
	_ "embed"
	"errors"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/gremlincel"
	"github.com/octopus-framework/octopus/gremlin/validate"
)

// builtin is testdata/builtin/builtin.proto with the validate.proto that comes with the compiler:
//
//	gremlin descriptors --include-imports -I testdata/builtin -o testdata/builtin.binpb builtin.proto
//
//go:embed testdata/builtin.binpb
var builtin []byte

// TestRulesWithoutExpressions checks that standard rules are not passed over where the descriptors
// do not say what they mean.
func TestRulesWithoutExpressions(t *testing.T) {
	types, err := dynamic.Load(builtin)
	if err != nil {
		t.Fatal(err)
	}
	v, err := gremlincel.New(types, gremlincel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var compile *gremlincel.CompileError
	if err := v.Validate("builtin.Standard", nil); !errors.As(err, &compile) ||
		!strings.Contains(err.Error(), "generate code with validate: true") {
		t.Errorf("got %v", err)
	}
	var broken *validate.Error
	if err := v.Validate("builtin.Own", []byte{1 << 3, 3}); !errors.As(err, &broken) {
		t.Errorf("got %v", err)
	}
}
