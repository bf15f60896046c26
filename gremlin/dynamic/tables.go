package dynamic

import (
	jsonrt "github.com/octopus-framework/octopus/gremlin/json/rt"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// tables is what the runtime knows of a type.
type tables struct {
	wire  *rt.Table
	json  *jsonrt.Table
	slots int // number of slots of a Reader
}

// GremlinTable describes the message to the runtime.
func (t *Type) GremlinTable() *rt.Table { return t.tables.wire }

// makeTables makes the tables of all types, in the form of those that are generated.
func (s *Schema) makeTables() {
	for _, t := range s.messages {
		t.tables.wire = &rt.Table{Name: t.Name, Reserved: t.reserved}
	}
	for _, t := range s.messages {
		t.makeTable()
	}
	for _, t := range s.messages {
		t.tables.json = jsonTable(t)
	}
	s.markRequired()
	for _, t := range s.order {
		s.known.Messages = append(s.known.Messages, t)
	}
	for _, x := range s.declared {
		s.known.Extensions = append(s.known.Extensions, &extension{x.Parent, x.info(0)})
	}
}

func (t *Type) makeTable() {
	w := t.tables.wire
	if !t.MapEntry {
		w.Reader, w.Memory = t, t.memory
	}
	w.Fields = make([]rt.FieldInfo, 0, len(t.Fields))
	slot := 0
	for i, f := range t.Fields {
		if t.MapEntry {
			slot = 2 * i
		}
		w.Fields = append(w.Fields, f.info(slot))
		if slot++; f.Kind >= String && f.Kind != Map && !f.Repeated {
			slot++
		}
	}
	t.tables.slots = slot
	for i, o := range t.Oneofs {
		for _, f := range o.Fields {
			w.Fields[f.Index].Oneof = uint16(i + 1)
		}
	}
}

// info returns the description of a field, without its oneof.
func (f *Field) info(slot int) rt.FieldInfo {
	w := rt.FieldInfo{Name: f.Name, Number: f.Number, Kind: f.Kind, Slot: uint16(slot)}
	for _, flag := range []struct {
		set bool
		bit uint8
	}{{f.Repeated, rt.FlagRepeated}, {f.Packed, rt.FlagPacked},
		{f.UTF8, rt.FlagUTF8}, {f.Redact, rt.FlagRedact}, {f.Hex, rt.FlagHex},
		{!f.Extension && f.Parent.MapEntry && f.Number == 2, rt.FlagEntry}} {
		if flag.set {
			w.Flags |= flag.bit
		}
	}
	if f.Extension {
		w.Name = f.FullName
	}
	if f.Message != nil {
		w.Sub = f.Message
	}
	if f.Enum != nil {
		w.Enum = f.Enum.info
	}
	return w
}

// markHex notes which fields are hex digits in JSON. The value of a map goes by the map's name.
func (s *Schema) markHex(hex func(fullName string) bool) {
	mark := func(f *Field) {
		of := f
		if f.Kind == Map {
			of = f.Value()
		}
		of.Hex = of.Hex || of.Kind == Bytes && hex(f.FullName)
	}
	for _, t := range s.order {
		for _, f := range t.Fields {
			mark(f)
		}
	}
	for _, x := range s.declared {
		mark(x)
	}
}

// markRequired finds the types of which a message, or one in it, may lack a required field.
func (s *Schema) markRequired() {
	users := map[*Type][]*Type{}
	var found []*Type
	mark := func(t *Type) {
		if !t.needsInit {
			t.needsInit = true
			found = append(found, t)
		}
	}
	for _, t := range s.messages {
		for _, f := range t.Fields {
			if f.Required {
				mark(t)
			}
			if f.Message != nil {
				users[f.Message] = append(users[f.Message], t)
			}
		}
	}
	for len(found) > 0 {
		t := found[len(found)-1]
		found = found[:len(found)-1]
		for _, user := range users[t] {
			mark(user)
		}
	}
}

// structSize returns the size of the struct that generated code has for a message with these
// fields, in the order of their declaration, so that what is nested deep weighs the same.
func structSize(declared []*Field) uint32 {
	size := uint32(0)
	add := func(of, align uint32) { size = (size+align-1)/align*align + of }
	for _, f := range declared {
		pointer := f.Presence && f.Oneof == nil && f.Kind != Bytes
		switch {
		case f.Oneof != nil && f.Oneof.Fields[0] != f: // in the interface of the first
		case f.Oneof != nil:
			add(16, 8)
		case f.Repeated:
			add(24, 8)
		case f.Kind == Map || pointer:
			add(8, 8)
		case f.Kind == Bytes:
			add(24, 8)
		case f.Kind == String:
			add(16, 8)
		case f.Kind == Int64 || f.Kind == Sint64 || f.Kind == Uint64 || f.Kind == Sfixed64 ||
			f.Kind == Fixed64 || f.Kind == Double:
			add(8, 8)
		case f.Kind == Bool:
			add(1, 1)
		default:
			add(4, 4)
		}
	}
	add(8, 8) // unknown fields
	return size
}

// extension is an extension as rt.Types lists it.
type extension struct {
	extended *Type
	field    rt.FieldInfo
}

// GremlinExtension implements gremlin.ExtensionType.
func (e *extension) GremlinExtension() (extended *rt.Table, field *rt.FieldInfo) {
	if e.extended.MessageSet { // text and JSON do not know its form
		return nil, &e.field
	}
	return e.extended.tables.wire, &e.field
}
