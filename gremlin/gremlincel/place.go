package gremlincel

import (
	"errors"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

// place is where a message lies, to bound what a sender can make of nesting. Opening a message
// costs all its bytes where it is a group, whose end has to be looked for, or came in pieces, which
// are put together; and so again for each message around it. So what is opened like that more than
// freeLevels deep is added up.
type place struct {
	level  int  // messages around it
	anys   int  // Anys around it
	opened *int // bytes, for all of a check
}

const (
	freeLevels = 64
	maxOpened  = 16 << 20 // bytes
	maxAnys    = 100
)

var errAnys = errors.New("messages of type google.protobuf.Any are nested too deep")

// outermost is the place of a message that is in no other.
func outermost() place { return place{opened: new(int)} }

// enter returns the place of m, which is a field of r.
func (p place) enter(r *dynamic.Reader, f *dynamic.Field, m *dynamic.Reader) (place, error) {
	p.level++
	if p.level <= freeLevels || f.Kind != dynamic.Group && within(m.Raw(), r.Raw()) {
		return p, nil
	}
	if *p.opened += len(m.Raw()); *p.opened > maxOpened {
		return p, &gremlin.Error{Code: gremlin.TooDeep, Message: r.Type().Name, Path: f.Name,
			Offset: -1, Detail: "groups, or messages in pieces, in each other"}
	}
	return p, nil
}

// enterAny returns the place of the message in an Any.
func (p place) enterAny() (place, error) {
	if p.anys++; p.anys > maxAnys {
		return p, errAnys
	}
	return p, nil
}
