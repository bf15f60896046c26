// Package schema is the compiler's language-neutral picture of a set of .proto files.
//
// It is what the front end lowers to and all that a backend sees. Everything a backend needs is a
// plain fact here: whether a field has presence, is packed, is encoded delimited, checks UTF-8,
// whether an enum is closed. Where a fact comes from (proto2, proto3, an edition's feature, an
// option) is resolved once, by the front end, so that no backend ever asks for syntax or edition.
// Nor does the package know any target language: there are proto names only, and file options such
// as go_package are carried as the strings they are.
//
// A Schema is a graph of pointers. It is complete when the front end hands it over and is not
// modified afterwards, so any number of goroutines may read it.
package schema

import "iter"

// Schema is a linked set of files, every file after the files that it imports.
type Schema struct {
	Files []*File
}

// File returns the file with the given import path, or nil.
func (s *Schema) File(path string) *File {
	for _, f := range s.Files {
		if f.Path == path {
			return f
		}
	}
	return nil
}

// File is one .proto file.
type File struct {
	Path    string // as it is imported: "shop/v1/deposit.proto"
	Package string // "shop.v1"; empty when the file declares none
	Comment Comment
	// the file's string options by name: "go_package", "java_package", ...
	Options map[string]string

	// Generate tells that the file itself was asked for; files that are only imported are in the
	// schema because others refer to them.
	Generate bool
	// WellKnown tells that the compiler comes with a file of this path (google/protobuf/*.proto),
	// also where a source root has a copy of its own: backends have ready code for it. Generate
	// tells whether code was asked for all the same.
	WellKnown bool

	Imports    []Import
	Messages   []*Message
	Enums      []*Enum
	Extensions []*Field // extensions declared at the top level of the file
	Services   []*Service

	Deprecated bool
}

// Import is one import statement.
type Import struct {
	File   *File
	Public bool
}

// Visible yields every file whose declarations f may name: its imports and, through public imports,
// theirs. Each file comes once.
func (f *File) Visible() iter.Seq[*File] {
	return func(yield func(*File) bool) {
		// Not by recursion: chains of imports can be longer than the stack is deep.
		type place struct {
			file *File
			next int // index of the next of its imports
		}
		seen := map[*File]bool{}
		for way := []place{{file: f}}; len(way) != 0; {
			at := &way[len(way)-1]
			if at.next == len(at.file.Imports) {
				way = way[:len(way)-1]
				continue
			}
			imp := at.file.Imports[at.next]
			at.next++
			if len(way) > 1 && !imp.Public || seen[imp.File] {
				continue
			}
			seen[imp.File] = true
			if !yield(imp.File) {
				return
			}
			way = append(way, place{file: imp.File})
		}
	}
}

// AllMessages yields the messages of f, nested ones included and map entries left out, parents
// before children, in the order of their declaration.
func (f *File) AllMessages() iter.Seq[*Message] {
	return func(yield func(*Message) bool) {
		var walk func([]*Message) bool
		walk = func(ms []*Message) bool {
			for _, m := range ms {
				if m.MapEntry {
					continue
				}
				if !yield(m) || !walk(m.Messages) {
					return false
				}
			}
			return true
		}
		walk(f.Messages)
	}
}

// AllEnums yields the enums of f, those nested in messages included: the top level first, then
// message by message.
func (f *File) AllEnums() iter.Seq[*Enum] {
	return func(yield func(*Enum) bool) {
		for _, e := range f.Enums {
			if !yield(e) {
				return
			}
		}
		for m := range f.AllMessages() {
			for _, e := range m.Enums {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// AllExtensions yields the extensions declared in f, those nested in messages included.
func (f *File) AllExtensions() iter.Seq[*Field] {
	return func(yield func(*Field) bool) {
		for _, x := range f.Extensions {
			if !yield(x) {
				return
			}
		}
		for m := range f.AllMessages() {
			for _, x := range m.Extensions {
				if !yield(x) {
					return
				}
			}
		}
	}
}

// Use is a declaration that has a type of a file, maybe its own.
type Use struct {
	What     string // "field" or "method"
	FullName string
	Pos      Pos
	File     *File // the file that declares the type
}

// Uses yields what fields and extensions of f, and methods if they count, have types of, as often
// as they do.
func (f *File) Uses(methods bool) iter.Seq[Use] {
	return func(yield func(Use) bool) {
		for m := range f.AllMessages() {
			for _, fd := range m.Fields {
				if !fd.uses(yield) {
					return
				}
			}
		}
		for x := range f.AllExtensions() {
			if !x.uses(yield) {
				return
			}
		}
		if !methods {
			return
		}
		for _, s := range f.Services {
			for _, m := range s.Methods {
				u := Use{What: "method", FullName: s.FullName + "." + m.Name, Pos: m.Pos,
					File: m.Input.File}
				if !yield(u) {
					return
				}
				if u.File = m.Output.File; !yield(u) {
					return
				}
			}
		}
	}
}

// uses yields the files that the types of a field are of, and that of what it extends.
func (f *Field) uses(yield func(Use) bool) bool {
	u := Use{What: "field", FullName: f.FullName, Pos: f.Pos}
	for _, t := range [...]*Field{f, f.MapValue} {
		if t == nil {
			continue
		}
		if t.Message != nil && !t.Message.MapEntry {
			if u.File = t.Message.File; !yield(u) {
				return false
			}
		}
		if t.Enum != nil {
			if u.File = t.Enum.File; !yield(u) {
				return false
			}
		}
	}
	if f.Extendee == nil {
		return true
	}
	u.File = f.Extendee.File
	return yield(u)
}

// Comment is what the source says about a declaration, without comment markers but with the space
// that follows them; lines are separated by "\n".
type Comment struct {
	Detached []string // paragraphs before the declaration that are not attached to it
	Leading  string
	Trailing string
}

// Pos is a place in a source file. Line and Column count from 1; the zero Pos is unknown.
type Pos struct {
	Line, Column int
}

// Message is a message type, a group's type or the synthetic entry type of a map.
type Message struct {
	Name     string // "Inner"
	FullName string // "shop.v1.Outer.Inner"
	File     *File
	Parent   *Message // nil at the top level
	Comment  Comment
	Pos      Pos

	Fields     []*Field // fields in the order of their declaration
	Oneofs     []*Oneof // declared oneofs; the synthetic ones of proto3 optional are left out
	Messages   []*Message
	Enums      []*Enum
	Extensions []*Field // extensions declared inside this message, whatever they extend

	ExtensionRanges []Range
	ReservedRanges  []Range
	ReservedNames   []string

	MapEntry   bool // the synthetic type of a map field; see Field.MapKey
	MessageSet bool // encoded in the MessageSet wire format (option message_set_wire_format)
	Deprecated bool
}

// Range is a range of field numbers, both ends included.
type Range struct {
	First, Last int32
}

// Kind is the type of a field's value.
type Kind uint8

// The kinds of the protobuf language. A field of kind Message may be encoded with a length or
// delimited like a group: Field.Delimited tells.
const (
	Invalid Kind = iota
	Bool
	Int32
	Sint32
	Uint32
	Int64
	Sint64
	Uint64
	Sfixed32
	Fixed32
	Float
	Sfixed64
	Fixed64
	Double
	String
	Bytes
	EnumKind
	MessageKind
)

var kindNames = [...]string{"invalid", "bool", "int32", "sint32", "uint32", "int64", "sint64",
	"uint64", "sfixed32",
	"fixed32", "float", "sfixed64", "fixed64", "double", "string", "bytes", "enum", "message"}

// String returns the kind as a .proto file writes it.
func (k Kind) String() string { return kindNames[k] }

// Field is a field of a message or an extension.
type Field struct {
	Name     string // as declared; for a group the lower-case field name
	FullName string // "shop.v1.Deposit.user"
	JSONName string
	Number   int32
	Comment  Comment
	Pos      Pos

	// the message that has the field; for an extension the message it is declared in, or nil
	Parent   *Message
	File     *File    // the file that declares it
	Extendee *Message // message that an extension extends; nil for an ordinary field
	Oneof    *Oneof   // the declared oneof it is a member of, or nil

	Kind    Kind
	Message *Message // message of a field of MessageKind
	Enum    *Enum    // enum of a field of EnumKind

	Repeated bool // a list; false for maps
	// singular and knows "not set" from the default: optional, required, message or oneof member
	Presence  bool
	Required  bool
	Packed    bool // repeated and written packed; reading accepts both forms whatever this says
	Delimited bool // MessageKind encoded between a start and an end tag (group)
	CheckUTF8 bool // String, or a map with a string in it: invalid UTF-8 is an error when decoding

	// MapKey and MapValue are the fields 1 and 2 of the entry type of a map field, else nil. Kind
	// is MessageKind then and Message the entry type.
	MapKey, MapValue *Field

	// Default is the declared default, nil when there is none. Its dynamic type is bool, int32,
	// uint32, int64, uint64, float32, float64, string, []byte or *EnumValue, as the kind asks for.
	Default any

	Deprecated bool
	Lazy       bool // [lazy = true]; a hint
	// [debug_redact = true]: text for people, logs among it, does not have the value
	Redact bool
	JSType JSType // jstype of an integer of 64 bits
}

// JSType is what an integer of 64 bits is in JavaScript: the option jstype.
type JSType int32

// The values are those of the option.
const (
	JSNormal JSType = 0
	JSString JSType = 1
	JSNumber JSType = 2
)

// IsMap tells whether f is a map field.
func (f *Field) IsMap() bool { return f.MapKey != nil }

// Oneof is a declared oneof.
type Oneof struct {
	Name     string
	FullName string
	Parent   *Message
	Fields   []*Field
	Comment  Comment
	Pos      Pos
}

// Enum is an enum type.
type Enum struct {
	Name     string
	FullName string
	File     *File
	Parent   *Message // nil at the top level
	Comment  Comment
	Pos      Pos

	Values []*EnumValue // values in the order of their declaration; the first is the default
	// Closed tells that numbers without a value are unknown fields when decoding and not values of
	// the enum.
	Closed     bool
	AllowAlias bool
	Deprecated bool
}

// EnumValue is one named value of an enum.
type EnumValue struct {
	Name       string // "RED"
	FullName   string // "shop.v1.RED": values are siblings of their enum
	Number     int32
	Enum       *Enum
	Comment    Comment
	Pos        Pos
	Deprecated bool
}

// Service is a service.
type Service struct {
	Name       string
	FullName   string
	File       *File
	Comment    Comment
	Pos        Pos
	Methods    []*Method
	Deprecated bool
}

// Method is one method of a service.
type Method struct {
	Name                             string
	Input, Output                    *Message
	ClientStreaming, ServerStreaming bool
	Comment                          Comment
	Pos                              Pos
	Deprecated                       bool
	Idempotency                      Idempotency
}

// Idempotency is what a method says about calls that are repeated: its option idempotency_level.
type Idempotency int32

// The values are those of the option.
const (
	IdempotencyUnknown Idempotency = 0
	NoSideEffects      Idempotency = 1
	Idempotent         Idempotency = 2
)
