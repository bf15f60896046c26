package dynamic

import (
	"fmt"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

// Hex says which fields of type bytes are hex digits in JSON, not base64.
type Hex struct {
	// Patterns of full names, each of which has to match some field; a * stands for any letters and
	// dots.
	Patterns []string
	// More are other fields, nil if there are none.
	More func(fullName string) bool
}

func (h Hex) has(fullName string) bool {
	for _, p := range h.Patterns {
		if doublestar.MatchUnvalidated(p, fullName) {
			return true
		}
	}
	return h.More != nil && h.More(fullName)
}

// PatternError says that a pattern matches no field of type bytes.
type PatternError struct{ Pattern string }

// Error returns `no field of type bytes has a full name that matches "shop.*.id"`.
func (e *PatternError) Error() string {
	return fmt.Sprintf("no field of type bytes has a full name that matches %q", e.Pattern)
}

// check returns a *PatternError for a pattern without a field.
func (h Hex) check(types *dynamic.Schema) error {
	matches := func(pattern string) bool {
		for t := range types.Messages() {
			for _, f := range t.Fields {
				if isBytes(f) && doublestar.MatchUnvalidated(pattern, f.FullName) {
					return true
				}
			}
		}
		for x := range types.Extensions() {
			if isBytes(x) && doublestar.MatchUnvalidated(pattern, x.FullName) {
				return true
			}
		}
		return false
	}
	for _, p := range h.Patterns {
		if !matches(p) {
			return &PatternError{Pattern: p}
		}
	}
	return nil
}

func isBytes(f *dynamic.Field) bool {
	return f.Kind == dynamic.Bytes || f.Kind == dynamic.Map && f.Value().Kind == dynamic.Bytes
}
