package main

import (
	"fmt"
	"strings"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/json"
	jsonrt "github.com/octopus-framework/octopus/gremlin/json/rt"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// hostileTexts are JSON texts of some n bytes that are made to take long.
var hostileTexts = map[string]func(n int) string{
	"arrays":  func(n int) string { return strings.Repeat("[", n) },
	"objects": func(n int) string { return strings.Repeat(`{"a":`, n/5) },
	"digits":  func(n int) string { return strings.Repeat("9", n) },
	"zeros": func(n int) string {
		return "0." + strings.Repeat("0", n) + "1e" + strings.Repeat("0", n) + "5"
	},
	"exponent":    func(n int) string { return "1e" + strings.Repeat("9", n) },
	"escapes":     func(n int) string { return `"` + strings.Repeat(`\u00e9`, n/6) + `"` },
	"slashes":     func(n int) string { return `"` + strings.Repeat(`\\`, n/2) + `"` },
	"open-string": func(n int) string { return `"` + strings.Repeat("a", n) },
	"spaces":      func(n int) string { return strings.Repeat(" ", n) },
	"commas":      func(n int) string { return "[" + strings.Repeat(",", n) },
	"same-name":   func(n int) string { return "{" + strings.Repeat(`"a":1,`, n/6) + `"a":1}` },
	"other-names": otherNames,
	"nested-anys": func(n int) string {
		return strings.Repeat(`{"value":`, n/20) + strings.Repeat(`,"@type":"x"}`, n/20)
	},
	"long-name":      func(n int) string { return `{"` + strings.Repeat("a", n) + `":1}` },
	"quoted-digits":  func(n int) string { return `"` + strings.Repeat("1", n) + `"` },
	"quoted-escapes": func(n int) string { return `"` + strings.Repeat(`\u0031`, n/6) + `"` },
}

// otherNames is an object of ever other names.
func otherNames(n int) string {
	var b strings.Builder
	for i := range n / 10 {
		fmt.Fprintf(&b, `,"%05d":1`, i)
	}
	return "{" + b.String()[min(b.Len(), 1):] + "}"
}

// hostile is reading texts that are made to take long, whether they are refused or not.
func hostile() (all []work) {
	known := &gremlin.Types{Messages: []gremlin.Type{(*wkt.Any)(nil)}}
	types := map[string]func() json.Message{
		"Value":       func() json.Message { return new(wkt.Value) },
		"Any":         func() json.Message { return new(wkt.Any) },
		"Int64Value":  func() json.Message { return new(wkt.Int64Value) },
		"DoubleValue": func() json.Message { return new(wkt.DoubleValue) },
		"Type":        func() json.Message { return new(wkt.Type) },
		"Timestamp":   func() json.Message { return new(wkt.Timestamp) },
		"Duration":    func() json.Message { return new(wkt.Duration) },
		"BytesValue":  func() json.Message { return new(wkt.BytesValue) },
		"FieldMask":   func() json.Message { return new(wkt.FieldMask) },
	}
	for what, text := range hostileTexts {
		prepare := func(size int) (func() error, error) {
			b := []byte(text(size))
			return func() error {
				for _, m := range types {
					for _, discard := range []bool{false, true} {
						o := json.Options{DiscardUnknown: discard, Types: known}
						_ = json.Unmarshal(b, m(), o)
						_, _ = jsonrt.ToWire(nil,
							b, m().GremlinTable().Reader.(jsonrt.Type).GremlinJSON(), o)
					}
				}
				return nil
			}, nil
		}
		all = append(all, work{"hostile/" + what, [2]int{1 << 13, 1 << 16}, prepare})
	}
	return all
}
