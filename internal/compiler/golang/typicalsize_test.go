package golang

import (
	"testing"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// TestTypicalSize guesses for messages that all contain one another; looking at everything in them
// would not end.
func TestTypicalSize(t *testing.T) {
	all := make([]*schema.Message, 500)
	for i := range all {
		all[i] = &schema.Message{}
	}
	for _, m := range all {
		for _, of := range all {
			m.Fields = append(m.Fields, &schema.Field{Kind: schema.MessageKind, Message: of})
		}
	}
	if n := typicalSize(all[0], 0); n <= oneByteLength {
		t.Errorf("500 messages of 500 messages are taken to have %d bytes", n)
	}
	o := &schema.Oneof{}
	for range 100 {
		o.Fields = append(o.Fields, &schema.Field{Kind: schema.String, Oneof: o})
	}
	if n := typicalSize(&schema.Message{Fields: o.Fields}, 0); n > oneByteLength {
		t.Errorf("one of 100 strings is taken to have %d bytes", n)
	}
}
