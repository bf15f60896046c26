package dynamic

import "github.com/octopus-framework/octopus/gremlin/rt"

// Kind is the type of a field's value.
type Kind = rt.Kind

// The kinds. Group is a message between a start and an end tag: groups of proto2, and messages with
// the feature message_encoding = DELIMITED. A Map is a list of messages with the fields 1 and 2.
const (
	Bool        = rt.KindBool
	Int32       = rt.KindInt32
	Sint32      = rt.KindSint32
	Uint32      = rt.KindUint32
	Int64       = rt.KindInt64
	Sint64      = rt.KindSint64
	Uint64      = rt.KindUint64
	EnumKind    = rt.KindEnum
	Sfixed32    = rt.KindSfixed32
	Fixed32     = rt.KindFixed32
	Float       = rt.KindFloat
	Sfixed64    = rt.KindSfixed64
	Fixed64     = rt.KindFixed64
	Double      = rt.KindDouble
	String      = rt.KindString
	Bytes       = rt.KindBytes
	MessageKind = rt.KindMessage
	Group       = rt.KindGroup
	Map         = rt.KindMap
)

// Field is a field of a message, or an extension. It must not be changed.
type Field struct {
	Name     string // as the .proto file has it: "user_id"
	JSONName string // "userId"
	FullName string // "shop.v1.Deposit.user_id"
	Number   uint32
	Index    int   // index in Parent.Fields; -1 for an extension
	Parent   *Type // the message with the field; for an extension, the extended one

	Kind      Kind
	Repeated  bool // a list; not for maps, whose Kind says it
	Packed    bool // a list that is written packed; both forms are read
	Presence  bool // absent and zero differ: null when it is absent
	Required  bool
	UTF8      bool // a string that must be UTF-8
	Redact    bool // option debug_redact
	Hex       bool // bytes that are hex digits in JSON, see LoadOptions
	Extension bool

	Oneof   *Oneof // the oneof around it; nil for proto3 optional
	Message *Type  // set for Message and Group; for Map, the type of the entries
	Enum    *Enum  // set for EnumKind

	Default Scalar // what an absent field has, if it is a scalar

	Options []byte // encoded FieldOptions, custom ones among them; nil when there are none
}

// Scalar is a value that is no message: of strings and bytes Text, of all others Bits.
type Scalar struct {
	// integers sign-extended, sint32 and sint64 without zigzag, enums by number, bools as 0 and 1,
	// floats as math.Float32bits and doubles as math.Float64bits have them
	Bits uint64
	Text string
}

// List tells whether the field may have several values: a list or a map.
func (f *Field) List() bool { return f.Repeated || f.Kind == Map }

// Key and Value return the fields of the entries of a map.
func (f *Field) Key() *Field { return f.Message.Fields[0] }

// Value returns the field of an entry that has its value.
func (f *Field) Value() *Field { return f.Message.Fields[1] }

// Enum is an enum type. It must not be changed.
type Enum struct {
	Name   string // full name
	File   string // path of the file that declares it
	Closed bool   // numbers that no value has are unknown fields
	Values []EnumValue

	info *rt.EnumInfo
}

// EnumValue is a value of an enum, in the order of declaration, aliases too.
type EnumValue struct {
	Name   string // name without the enum's: "CARD"
	Number int32
}

// NameOf returns the name of a number, the first declared, and whether a value has it.
func (e *Enum) NameOf(number int32) (string, bool) { return e.info.Find(number) }

// NumberOf returns the number of a value's name, and whether there is such a value.
func (e *Enum) NumberOf(name string) (int32, bool) { return e.info.Number(name) }

// Valid tells whether a field of the enum may have the number: always, unless the enum is closed.
func (e *Enum) Valid(number int32) bool { return e.info.Valid(number) }
