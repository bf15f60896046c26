package rt

import "slices"

// Extendable is a Message whose type has extension ranges. Fields of extensions lie, encoded, among
// its unknown fields.
type Extendable interface {
	// GremlinUnknown returns where the unknown fields are, nil for a nil message. It is for
	// generated code.
	GremlinUnknown() *Unknown
}

// Encoded is what extensions need of a Reader.
type Encoded interface {
	Type
	// Raw returns the bytes that are read.
	Raw() []byte
}

// Extension is an extension field of type T of the message M, whose Reader is R. Generated code has
// one as a variable, E_name, for every extend declaration. T is the type that an ordinary field has
// in a Message, without the pointer of presence: string, []int32, *User, and so on.
//
// A message keeps extensions encoded, also those that the program does not know. Each call decodes
// or encodes one anew: keep the result of Get. Fields with the number but another wire type are no
// values of the extension; of malformed contents Get returns what can be read.
type Extension[M Extendable, R Encoded, T any] struct {
	Field   FieldInfo
	InSet   bool     // M is a message set: Append and Decode are for field 3 of an item
	Default func() T // nil for the zero value

	Append func(b []byte, v T) []byte // appends the field
	// Decode reads one occurrence of the field, whose value ends at n; false when there is no value
	// yet: it was a number that a closed enum does not have, or a list has no elements.
	Decode func(d *Decoder, v *T, tag, n, off uint) bool
}

// GremlinExtension implements ExtensionType. What is in a message set belongs to no table: text and
// JSON do not know its form.
func (x *Extension[M, R, T]) GremlinExtension() (extended *Table, field *FieldInfo) {
	if x.InSet {
		return nil, &x.Field
	}
	var r R
	return r.GremlinTable(), &x.Field
}

// Get returns the value in m, or the default.
func (x *Extension[M, R, T]) Get(m M) T { return x.orDefault(unknownOf(m)) }

// unknownOf returns the unknown fields of m; a nil message has none.
func unknownOf(m Extendable) []byte {
	if unknown := m.GremlinUnknown(); unknown != nil {
		return unknown.Bytes()
	}
	return nil
}

// Has tells whether m has a value.
func (x *Extension[M, R, T]) Has(m M) bool {
	_, ok := x.find(unknownOf(m))
	return ok
}

// Set replaces the value in m. Of v nothing is kept.
func (x *Extension[M, R, T]) Set(m M, v T) {
	x.Clear(m)
	unknown := m.GremlinUnknown()
	b := slices.Clip(unknown.Bytes()) // a copy of m may have what is behind them
	if x.InSet {
		*unknown = UnknownOf(appendItem(b, x.Field.Number, x.Append(nil, v)))
		return
	}
	*unknown = UnknownOf(x.Append(b, v))
}

// Clear removes the value from m.
func (x *Extension[M, R, T]) Clear(m M) {
	unknown := m.GremlinUnknown()
	b := unknown.Bytes()
	p, n := ptrOf(b), uint(len(b))
	var kept []byte
	for off := uint(0); off < n; {
		tag, after := tagAt(p, n, off)
		if after == bad {
			return
		}
		next := skipValue(p, n, after, tag)
		if next == bad {
			return
		}
		if x.InSet && !isItem(p, next, after, tag, x.Field.Number) || !x.InSet &&
			tag>>3 != uint(x.Field.Number) {
			kept = append(kept, b[off:next]...)
		}
		off = next
	}
	*unknown = UnknownOf(kept)
}

// GetFrom returns the value in what r reads, or the default. It is a copy.
func (x *Extension[M, R, T]) GetFrom(r R) T { return x.orDefault(r.Raw()) }

// HasIn tells whether what r reads has a value.
func (x *Extension[M, R, T]) HasIn(r R) bool {
	_, ok := x.find(r.Raw())
	return ok
}

func (x *Extension[M, R, T]) orDefault(b []byte) T {
	v, ok := x.find(b)
	if !ok && x.Default != nil {
		return x.Default()
	}
	return v
}

// find decodes the occurrences of the field in b.
func (x *Extension[M, R, T]) find(b []byte) (v T, ok bool) {
	d := lenientDecoder(b)
	for off := uint(0); off < d.end; {
		tag, after := tagAt(d.p, d.end, off)
		if after == bad {
			break
		}
		if off = skipValue(d.p, d.end, after, tag); off == bad {
			break
		}
		if x.InSet {
			if isItem(d.p, off, after, tag, x.Field.Number) && x.decodeItem(d, &v, off, after) {
				ok = true
			}
			continue
		}
		if tag>>3 == uint(x.Field.Number) && x.Field.accepts(tag&7) &&
			x.Decode(d, &v, tag, off, after) {
			ok = true
		}
	}
	return v, ok
}

func lenientDecoder(b []byte) *Decoder {
	return &Decoder{p: ptrOf(b), end: uint(len(b)), depth: MaxDepth - 1, lenient: true}
}
