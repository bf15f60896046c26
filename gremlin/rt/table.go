package rt

import (
	"strconv"
	"sync/atomic"
)

// Kind is the type of a field's value as tables give it.
type Kind uint8

// The kinds of field values. KindGroup is a message between a start and an end tag (proto2 groups
// and the delimited encoding of editions).
const (
	KindBool Kind = iota + 1
	KindInt32
	KindSint32
	KindUint32
	KindInt64
	KindSint64
	KindUint64
	KindEnum
	KindSfixed32
	KindFixed32
	KindFloat
	KindSfixed64
	KindFixed64
	KindDouble
	KindString
	KindBytes
	KindMessage
	KindGroup
	KindMap
)

// wire returns the wire type of one value of kind k.
func (k Kind) wire() uint {
	switch {
	case k <= KindEnum:
		return wireVarint
	case k <= KindFloat:
		return wireFixed32
	case k <= KindDouble:
		return wireFixed64
	case k == KindGroup:
		return wireStart
	}
	return wireBytes
}

// packable tells whether a list of this kind may be packed.
func (k Kind) packable() bool { return k <= KindDouble }

// The flags of a FieldInfo.
const (
	FlagRepeated = 1 << iota // a list (maps are marked by KindMap)
	FlagPacked               // a list of numbers that is written packed; both forms are read
	FlagUTF8                 // a string that must be UTF-8
	// text for people has [REDACTED] instead of the value (option debug_redact)
	FlagRedact
	// the value of a map's entry: the last one counts, also where it is a number that a closed enum
	// does not have
	FlagEntry
	FlagHex // bytes that are hex digits in JSON, not base64
)

// FieldInfo describes one field of a message to the code that is not generated per field: indexing
// what comes out of order, CheckEncoding, and text.
type FieldInfo struct {
	Name   string // the full name for an extension
	Number uint32
	Slot   uint16 // where the Reader keeps the field; the first of two for a span
	Kind   Kind
	Flags  uint8
	Oneof  uint16    // members of one oneof have the same number, which is not 0
	Sub    Type      // set for KindMessage, KindGroup and KindMap (the type of its entries)
	Enum   *EnumInfo // set for KindEnum
}

// Type gives the table of a message type. Tables refer to one another through this interface,
// implemented by nil pointers to Readers, because Go forbids package-level variables that refer to
// one another in a circle.
type Type interface{ GremlinTable() *Table }

// Table describes a message type. Fields are sorted by number. Tables are generated, constant, and
// shared by everybody.
type Table struct {
	Name   string // full name: "shop.v1.Deposit"
	Fields []FieldInfo
	Reader Type   // nil for entries of maps
	Memory uint32 // bytes of the Message's struct on a machine of 64 bits; 0 for entries of maps

	Reserved []string // names that text may give a value and that are passed over

	made atomic.Pointer[plan]
}

// GremlinTable returns t: a *Table is its own Type, which is all that the entry of a map needs.
func (t *Table) GremlinTable() *Table { return t }

// field returns the field with this number, or nil.
func (t *Table) field(number uint) *FieldInfo {
	if i := fieldIndex(t.Fields, number); i >= 0 {
		return &t.Fields[i]
	}
	return nil
}

// fieldIndex returns the index of the field with this number, -1 if there is none.
func fieldIndex(fs []FieldInfo, number uint) int {
	// Most messages number their fields 1, 2, 3.
	if i := number - 1; i < uint(len(fs)) && uint(fs[i].Number) == number {
		return int(i)
	}
	lo, hi := 0, len(fs)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if uint(fs[mid].Number) < number {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(fs) && uint(fs[lo].Number) == number {
		return lo
	}
	return -1
}

// named returns the index of the field that text calls name, -1 if there is none. It looks from
// hint on, because fields mostly come in their order.
func (t *Table) named(name string, hint int) int {
	for i := range t.Fields {
		if i += hint; i >= len(t.Fields) {
			i -= len(t.Fields)
		}
		if f := &t.Fields[i]; f.Name == name || f.Kind == KindGroup && f.textName(t) == name {
			return i
		}
	}
	return -1
}

// textName returns how text calls the field of t: groups, and fields of editions that look like
// one, by their type.
func (f *FieldInfo) textName(t *Table) string {
	if f.Kind != KindGroup {
		return f.Name
	}
	sub, scope := f.Sub.GremlinTable().Name, len(t.Name)
	if len(sub) == scope+1+len(f.Name) && sub[:scope] == t.Name && sub[scope] == '.' &&
		equalFold(sub[scope+1:], f.Name) {
		return sub[scope+1:]
	}
	return f.Name
}

// equalFold tells whether s in small ASCII letters is lower.
func equalFold(s, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// declaredWire returns the wire type in which the field is written.
func (f *FieldInfo) declaredWire() uint {
	if f.Flags&FlagPacked != 0 {
		return wireBytes
	}
	return f.Kind.wire()
}

// Tag returns the tag that the field is written with.
func (f *FieldInfo) Tag() uint32 { return f.Number<<3 | uint32(f.declaredWire()) }

// accepts tells whether wire type wt is one that the field is read from: its own, or packed for
// lists of numbers.
func (f *FieldInfo) accepts(wt uint) bool {
	return wt == f.Kind.wire() || wt == wireBytes && f.Flags&FlagRepeated != 0 && f.Kind.packable()
}

// span tells whether the field has a second slot, for where its value ends.
func (f *FieldInfo) span() bool {
	return f.Kind >= KindString && f.Kind != KindMap && f.Flags&FlagRepeated == 0
}

// EnumInfo describes an enum type: the values sorted by number, one name a number (the first
// declared).
type EnumInfo struct {
	Name   string // full name
	Closed bool   // numbers that are not listed are unknown fields
	Values []EnumValueInfo

	// further names of numbers, in the order of their declaration; they are read and not written
	Aliases []EnumValueInfo

	// names of a large enum, made when the first name is looked up
	names atomic.Pointer[map[string]int32]
}

// EnumValueInfo is a number and its name.
type EnumValueInfo struct {
	Number int32
	Name   string
}

// Find returns the name of a number, and whether a value has it.
func (e *EnumInfo) Find(n int32) (string, bool) {
	vs := e.Values
	lo, hi := 0, len(vs)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if vs[mid].Number < n {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(vs) && vs[lo].Number == n {
		return vs[lo].Name, true
	}
	return "", false
}

// NameOf returns the name of a number, or the number in decimal when no value has it.
func (e *EnumInfo) NameOf(n int32) string {
	if name, ok := e.Find(n); ok {
		return name
	}
	return strconv.Itoa(int(n))
}

// maxScanned is how many names an enum has at most that are compared one after the other.
const maxScanned = 16

// Number returns the number of a name.
func (e *EnumInfo) Number(name string) (int32, bool) {
	if len(e.Values)+len(e.Aliases) > maxScanned {
		return e.numberOf(name)
	}
	for i := range e.Values {
		if e.Values[i].Name == name {
			return e.Values[i].Number, true
		}
	}
	for i := range e.Aliases {
		if e.Aliases[i].Name == name {
			return e.Aliases[i].Number, true
		}
	}
	return 0, false
}

// numberOf is Number for large enums. Two goroutines that make the map at once make the same.
func (e *EnumInfo) numberOf(name string) (int32, bool) {
	names := e.names.Load()
	if names == nil {
		made := make(map[string]int32, len(e.Values)+len(e.Aliases))
		for _, v := range e.Values {
			made[v.Name] = v.Number
		}
		for _, v := range e.Aliases {
			made[v.Name] = v.Number
		}
		names = &made
		e.names.Store(names)
	}
	n, ok := (*names)[name]
	return n, ok
}

// Valid tells whether n may be stored in a field of the enum: always, unless the enum is closed and
// has no such value.
func (e *EnumInfo) Valid(n int32) bool {
	if !e.Closed {
		return true
	}
	_, ok := e.Find(n)
	return ok
}
