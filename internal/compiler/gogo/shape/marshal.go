package shape

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// wireOrder returns fields and oneofs in the order in which they are written: by number, a oneof at
// the place of its last member.
func (p *printer) wireOrder(m *message) []any {
	fields := byNumber(m.fields)
	var order []any
	seen := map[*oneof]bool{}
	for _, f := range slices.Backward(fields) {
		switch {
		case f.oneof == nil:
			order = append(order, f)
		case !seen[f.oneof]:
			seen[f.oneof] = true
			order = append(order, f.oneof)
		}
	}
	slices.Reverse(order)
	return order
}

// byNumber returns fields in the order of their numbers.
func byNumber(fields []*field) []*field {
	fields = slices.Clone(fields)
	slices.SortStableFunc(fields, func(a, b *field) int { return int(a.Number) - int(b.Number) })
	return fields
}

// marshal prints the methods that write a message.
func (p *printer) marshal(m *message) {
	if !m.facts.Marshaler {
		return
	}
	p.p()
	p.p("// Marshal returns the encoding of m.")
	if p.reach.circle[m] {
		p.p("func (m ", m.receiver(), ") Marshal() (_ []byte, err error) {")
		p.p("defer ", p.rt("Leave"), "(&err)")
	} else {
		p.p("func (m ", m.receiver(), ") Marshal() ([]byte, error) {")
	}
	p.callBefore(m)
	p.p("b := make([]byte, m.", m.sizer(), "())")
	p.p("n, err := m.MarshalToSizedBuffer(b)")
	p.p("if err != nil {")
	p.p("return nil, err")
	p.p("}")
	p.p("return b[:n], nil")
	p.p("}")
	p.marshalTo(m, m.receiver())
	p.p()
	p.p("// MarshalToSizedBuffer writes the encoding to the end of b and returns its length.")
	p.p("func (m ", m.receiver(), ") MarshalToSizedBuffer(b []byte) (int, error) {")
	if p.reach.maps[m] {
		p.p("return m.GremlinMarshal(b, false)")
		p.p("}")
		p.p()
		p.p("// GremlinMarshal is MarshalToSizedBuffer; stable sorts the entries of maps by key.")
		p.p("func (m ", m.receiver(), ") GremlinMarshal(b []byte, stable bool) (int, error) {")
	}
	p.enter(m)
	p.p("i := len(b)")
	if m.facts.Unrecognized {
		p.p("i = ", p.rt("PutRaw"), "(b, i, m.XXX_unrecognized)")
	}
	if len(m.ExtensionRanges) > 0 {
		if m.facts.ExtensionsMap {
			p.p("n, err := m.gremlinPutExtensions(b[:i])")
			p.p("if err != nil {")
			p.p("return 0, err")
			p.p("}")
			p.p("i -= n")
		} else {
			p.p("i = ", p.rt("PutRaw"), "(b, i, m.XXX_extensions)")
		}
	}
	for _, x := range slices.Backward(p.wireOrder(m)) {
		switch x := x.(type) {
		case *field:
			p.putField(x)
		case *oneof:
			p.putOneof(m, x)
		}
	}
	p.p("return len(b) - i, nil")
	p.p("}")
	for _, o := range m.oneofs {
		for _, f := range o.fields {
			p.marshalTo(m, "*"+f.wrapper)
			p.p()
			p.p("// MarshalToSizedBuffer writes the member to the end of b and returns its length.")
			p.p("func (m *", f.wrapper, ") MarshalToSizedBuffer(b []byte) (int, error) {")
			p.p("i := len(b)")
			p.putField(f.member())
			p.p("return len(b) - i, nil")
			p.p("}")
		}
	}
}

// callBefore prints the calls of BeforeMarshal.
func (p *printer) callBefore(m *message) {
	if p.reach.before[m] {
		p.p("if err := m.GremlinBeforeMarshal(); err != nil {")
		p.p("return nil, err")
		p.p("}")
	}
}

func (p *printer) marshalTo(m *message, typ string) {
	p.p()
	p.p(
		"// MarshalTo writes the encoding to the start of b, which must have room for it, and returns its length.")
	if p.reach.circle[m] {
		p.p("func (m ", typ, ") MarshalTo(b []byte) (_ int, err error) {")
		p.p("defer ", p.rt("Leave"), "(&err)")
	} else {
		p.p("func (m ", typ, ") MarshalTo(b []byte) (int, error) {")
	}
	p.p("return m.MarshalToSizedBuffer(b[:m.", m.sizer(), "()])")
	p.p("}")
}

// putTag prints the writing of a tag, the last of a field as it goes backwards.
func (p *printer) putTag(tag uint64) {
	if tag < 0x80 {
		p.p("i--")
		p.p("b[i] = ", fmt.Sprintf("%#02x", tag))
		return
	}
	p.p("i = ", p.rt("PutVarint"), "(b, i, ", fmt.Sprintf("%#x", tag), ")")
}

func (p *printer) putField(f *field) {
	x := f.place()
	switch {
	case f.IsMap():
		p.putMap(f, x)
	case f.Repeated && f.Packed:
		p.p("if len(", x, ") > 0 {")
		p.p("i = ", p.rt("Put"+listFuncs[f.Kind]), "(b, i, ", x, ")")
		p.putTag(tagOf(f.Field))
		p.p("}")
	case f.Repeated:
		p.p("for k := len(", x, ") - 1; k >= 0; k-- {")
		p.putValue(f, x+"[k]", f.star)
		p.putTag(tagOf(f.Field))
		p.p("}")
	default:
		p.ifPresent(f, x, true)
		value := x
		if f.star && f.class == scalar {
			value = "*" + x
		}
		p.putValue(f, value, f.star)
		p.putTag(tagOf(f.Field))
		if !(f.Required && f.facts.Nullable) {
			p.endPresent(f, x)
		}
	}
}

// listFuncs are the names of the runtime's functions for packed lists.
var listFuncs = map[schema.Kind]string{
	schema.Bool: "Bools", schema.Int32: "Varints", schema.Int64: "Varints",
	schema.Uint32: "Varints",
	schema.Uint64: "Varints", schema.EnumKind: "Varints", schema.Sint32: "Zigzags",
	schema.Sint64:  "Zigzags",
	schema.Fixed32: "Fixed32s", schema.Sfixed32: "Fixed32s", schema.Float: "Floats",
	schema.Fixed64:  "Fixed64s",
	schema.Sfixed64: "Fixed64s", schema.Double: "Doubles",
}

// putValue prints the writing of one value with its own length, without the tag; x as for
// sizeValue.
func (p *printer) putValue(f *field, x string, pointer bool) {
	switch f.class {
	case nested:
		p.p("{")
		call := ".MarshalToSizedBuffer(b[:i])"
		if p.reach.maps[p.within(f)] && p.reach.maps[f.msg] && !f.inOneof() {
			call = ".GremlinMarshal(b[:i], stable)"
		}
		p.p("n, err := ", p.methodsOf(f, x, pointer), call)
		p.returnError("0, err")
		p.p("i = ", p.rt("PutVarint"), "(b, i-n, uint64(n))")
		p.p("}")
	case custom:
		name := strconv.Quote(f.FullName)
		p.p("{")
		p.p("size := ", x, ".", f.msg.sizer(), "()")
		p.p("if size < 0 || size > i {")
		p.p("return 0, ", p.rt("SizeError"), "(", name, ", size, i)")
		p.p("}")
		p.p("if n, err := ", x, ".MarshalTo(b[i-size : i : i]); err != nil {")
		p.p("return 0, err")
		p.p("} else if n != size {")
		p.p("return 0, ", p.rt("SizeError"), "(", name, ", size, n)")
		p.p("}")
		p.p("i = ", p.rt("PutVarint"), "(b, i-size, uint64(size))")
		p.p("}")
	case stdtype:
		if pointer {
			x = "*" + x
		}
		if f.std != "Time" {
			p.p("i = ", p.std("Put"+f.std), "(b, i, ", x, ")")
			return
		}
		p.p("{")
		p.p("next, err := ", p.std("PutTime"), "(b, i, ", x, ")")
		p.returnError("0, err")
		p.p("i = next")
		p.p("}")
	default:
		if f.Kind == schema.String || f.Kind == schema.Bytes {
			// Together the three are too long for a function that would be inlined.
			p.p("i -= len(", x, ")")
			p.p("copy(b[i:], ", x, ")")
			p.p("i = ", p.rt("PutVarint"), "(b, i, uint64(len(", x, ")))")
			return
		}
		p.p("i = ", p.putScalar(f, x))
	}
}

func (p *printer) returnError(results string) {
	p.p("if err != nil {")
	p.p("return ", results)
	p.p("}")
}

// putScalar returns the call that writes a scalar.
func (p *printer) putScalar(f *field, x string) string {
	call := func(name, conversion string) string {
		if conversion != "" && (conversion != scalarTypes[f.Kind] || p.isNamed(f)) {
			x = conversion + "(" + x + ")"
		}
		return p.rt("Put"+name) + "(b, i, " + x + ")"
	}
	switch f.Kind {
	case schema.Bool:
		return call("Bool", "bool")
	case schema.Sint32, schema.Sint64:
		return call("Zigzag", "int64")
	case schema.Fixed32, schema.Sfixed32:
		return call("Fixed32", "uint32")
	case schema.Fixed64, schema.Sfixed64:
		return call("Fixed64", "uint64")
	case schema.Float:
		return call("Float", "float32")
	case schema.Double:
		return call("Double", "float64")
	case schema.String:
		return call("String", "string")
	case schema.Bytes:
		return call("Bytes", "")
	}
	return call("Varint", "uint64")
}

// isNamed tells whether a scalar is of another type than that of its kind.
func (p *printer) isNamed(f *field) bool {
	return f.facts.CastType != "" || f.facts.CustomType != ""
}

// putMap prints the writing of a map: by key where the options say stable, else as the map comes.
func (p *printer) putMap(f *field, x string) {
	key := "k"
	if f.msg.facts.StableMarshaler {
		keys := "keysFor" + f.goName
		p.p(keys, " := make([]", scalarTypes[f.MapKey.Kind], ", 0, len(", x, "))")
		p.p("for k := range ", x, " {")
		p.p(keys, " = append(", keys, ", ", scalarTypes[f.MapKey.Kind], "(k))")
		p.p("}")
		if f.MapKey.Kind == schema.Bool {
			p.p(p.rt("SortBools"), "(", keys, ")")
		} else {
			p.p(p.use("slices"), ".Sort(", keys, ")")
		}
		p.p("for k := len(", keys, ") - 1; k >= 0; k-- {")
		if f.key.facts.CastType != "" {
			p.p("v := ", x, "[", p.typ(f.key), "(", keys, "[k])]")
		} else {
			p.p("v := ", x, "[", keys, "[k]]")
		}
		key = keys + "[k]"
	} else {
		if p.reach.maps[f.msg] {
			p.p("endOf", f.goName, " := i")
		}
		p.p("for k, v := range ", x, " {")
	}
	p.p("end := i")
	condition := mapValueCondition(f, "v")
	if condition != "" {
		p.p("if ", condition, " {")
	}
	p.putValue(f.value, "v", f.value.star)
	p.putTag(2<<3 | wireType(f.MapValue))
	if condition != "" {
		p.p("}")
	}
	k := *f.key
	if f.msg.facts.StableMarshaler {
		facts := *f.key.facts
		facts.CastType = ""
		k.facts = &facts
	}
	p.putValue(&k, key, false)
	p.putTag(1<<3 | wireType(f.MapKey))
	p.p("i = ", p.rt("PutVarint"), "(b, i, uint64(end-i))")
	p.putTag(tagOf(f.Field))
	p.p("}")
	if !f.msg.facts.StableMarshaler && p.reach.maps[f.msg] {
		p.p("if stable && len(", x, ") > 1 {")
		p.p(p.rt("SortEntries"), "(b[i:endOf", f.goName, "], ", p.rt(keyOrders[f.MapKey.Kind]), ")")
		p.p("}")
	}
}

// keyOrders are the orders of keys of maps, by their kind.
var keyOrders = map[schema.Kind]string{
	schema.String: "ByText", schema.Bool: "ByNumber",
	schema.Int32: "BySigned", schema.Int64: "BySigned",
	schema.Uint32: "ByNumber", schema.Uint64: "ByNumber",
	schema.Sint32: "ByZigzag", schema.Sint64: "ByZigzag",
	schema.Fixed32: "ByFixed32", schema.Fixed64: "ByFixed64",
	schema.Sfixed32: "BySfixed32", schema.Sfixed64: "BySfixed64",
}
