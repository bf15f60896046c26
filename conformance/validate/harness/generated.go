package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/gremlincel"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// Rules is a generated Message or Reader with rules.
type Rules interface {
	gremlin.Type
	Unmarshal(b []byte) error
	Validate() error
}

// anyMessage and anyReader are google.protobuf.Any, which has no rules.
type (
	anyMessage struct{ wkt.Any }
	anyReader  struct{ wkt.AnyReader }
)

// Validate implements Rules.
func (*anyMessage) Validate() error { return nil }

// Validate implements Rules.
func (r *anyReader) Validate() error { return r.CheckEncoding() }

// Generated is a testee with generated code.
type Generated struct {
	Messages, Readers []func() Rules // one of each type
	Broken            []string       // names of those whose rules the compiler refuses
}

// Run is the main function. Mode says what checks a message: message or reader its method Validate,
// message-cel or reader-cel package gremlincel.
func (g *Generated) Run(mode string) error {
	kind, cel, _ := strings.Cut(mode, "-")
	all := append(g.Messages, func() Rules { return new(anyMessage) })
	if kind == "reader" {
		all = append(g.Readers, func() Rules { return new(anyReader) })
	}
	byName := map[string]func() Rules{}
	for _, m := range all {
		byName[gremlin.NameOf(m())] = m
	}
	return Run(func(descriptors []byte) (func(string, []byte) error, error) {
		types, err := dynamic.Load(descriptors)
		if err != nil {
			return nil, err
		}
		v, err := gremlincel.New(types, gremlincel.Options{})
		if err != nil {
			return nil, err
		}
		return func(name string, encoded []byte) error {
			if byName[name] == nil {
				return fmt.Errorf("no code was generated for %s", name)
			}
			m := byName[name]()
			if err := m.Unmarshal(encoded); err != nil {
				return err
			}
			switch x := m.(type) {
			case gremlin.Message:
				if cel != "" {
					return v.ValidateMessage(x)
				}
			case gremlin.Reader:
				if cel != "" {
					return v.ValidateReader(x)
				}
			}
			if slices.Contains(g.Broken, name) {
				return &gremlincel.CompileError{Name: name, Detail: "gremlin generate refuses it"}
			}
			return m.Validate()
		}, nil
	})
}
