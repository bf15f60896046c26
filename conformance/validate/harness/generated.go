package harness

import (
	"fmt"
	"slices"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/gremlincel"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// Message is a generated Message with rules.
type Message interface {
	gremlin.Message
	Validate() error
}

// anyMessage is google.protobuf.Any, which has no rules.
type anyMessage struct{ wkt.Any }

// Validate implements Message.
func (*anyMessage) Validate() error { return nil }

// RunGenerated is the main function of a testee with generated code: messages makes one of each
// type, broken has the names of those whose rules the compiler refuses. With CEL, the method
// Validate is not called, but package gremlincel with the message.
func RunGenerated(messages []func() Message, broken []string, withCEL bool) error {
	byName := map[string]func() Message{
		"google.protobuf.Any": func() Message { return new(anyMessage) },
	}
	for _, m := range messages {
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
			switch {
			case withCEL:
				return v.ValidateMessage(m)
			case slices.Contains(broken, name):
				return &gremlincel.CompileError{Name: name, Detail: "gremlin generate refuses it"}
			}
			return m.Validate()
		}, nil
	})
}
