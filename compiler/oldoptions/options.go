// Package oldoptions reads the options of declarations the way protoc does: their values are what
// their text says, to the bit, and what protoc refuses is refused.
//
// An option is set in two languages. Its name and simple values belong to the language of .proto
// files: a bool is true or false there, an enum has names only. What stands in braces is text
// format, cut into the tokens of .proto files: a bool may be 1, an enum a number, and "#" takes
// away all that follows up to the brace, since protoc keeps no lines.
package oldoptions

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Types finds what options refer to.
type Types interface {
	// Field returns the extension that a name means in a scope, or the field, or nil. A name that
	// starts with a point is a full one.
	Field(name string, scope protoreflect.FullName) protoreflect.FieldDescriptor
	// Extension returns what a name in brackets means in a message, or nil: an extension, or the
	// message that an extension of a message set has.
	Extension(name string, of protoreflect.FullName) protoreflect.FieldDescriptor
	// Message returns the message with a full name, which may be in an Any, or nil.
	Message(name protoreflect.FullName) protoreflect.MessageDescriptor
}

// Error is what is wrong with an option: a place in the text, and why.
type Error struct {
	Start, End int
	Message    string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Set is the options of one declaration.
type Set struct {
	Message protoreflect.MessageDescriptor // such as google.protobuf.FieldOptions
	Scope   protoreflect.FullName          // where names are looked up
	Target  descriptorpb.FieldOptions_OptionTargetType
	Types   Types
	File    string // import path; the features that a file declares cannot be set in it
	// Encoded is all that was set, one piece an option, in their order.
	Encoded []byte

	set map[string]piece // what is set, by the numbers of the fields on the way
}

// piece is a field that is set.
type piece struct {
	path    []protoreflect.FieldDescriptor
	encoded []byte // nil unless it was set as a whole
	option  token  // the name of the option that set it first
}

// Item is an extension of a message set, which has another encoding than others, and a number that
// other fields cannot have.
type Item struct {
	protoreflect.FieldDescriptor
	N protoreflect.FieldNumber
}

// Number returns the number of the extension.
func (i Item) Number() protoreflect.FieldNumber { return i.N }

// Read sets the option whose name begins at an offset of a text. All errors are of type *Error.
func (s *Set) Read(text string, offset int) error {
	r := &reader{Set: s, scanner: scanner{text, offset}}
	r.advance()
	path, err := r.path()
	if err != nil {
		return err
	}
	name := token{start: offset, end: r.last}
	if s.isSet(path) {
		return r.errorf(name, "option is set twice, and is not repeated")
	}
	if err := r.expect("="); err != nil {
		return err
	}
	value, err := r.value(path[len(path)-1])
	if err != nil {
		return err
	}
	s.remember(path, value, name)
	for _, around := range slices.Backward(path[:len(path)-1]) {
		value = appendMessage(nil, around, value)
	}
	s.Encoded = append(s.Encoded, value...)
	return nil
}

// key tells one path from all others.
func key(path []protoreflect.FieldDescriptor) string {
	var b []byte
	for _, fd := range path {
		b = protowire.AppendVarint(b, uint64(fd.Number()))
	}
	return string(b)
}

// isSet tells whether the field at the end of a path is set, or something in it, and is not
// repeated.
func (s *Set) isSet(path []protoreflect.FieldDescriptor) bool {
	if path[len(path)-1].Cardinality() == protoreflect.Repeated {
		return false
	}
	for i := 1; i < len(path); i++ {
		if has(s.set[key(path[:i])].encoded, path[i-1:]) {
			return true
		}
	}
	_, ok := s.set[key(path)]
	return ok
}

// remember notes that a field is set, with its encoding, and that there is something in the
// messages around it.
func (s *Set) remember(path []protoreflect.FieldDescriptor, encoded []byte, option token) {
	if s.set == nil {
		s.set = map[string]piece{}
	}
	for i := range path {
		k := key(path[:i+1])
		p, ok := s.set[k]
		if !ok {
			p = piece{slices.Clip(path[:i+1]), nil, option}
		}
		if i == len(path)-1 {
			p.encoded = encoded
		}
		s.set[k] = p
	}
}

// Missing returns an error when a message that was set field by field lacks a required one, and nil
// otherwise.
func (s *Set) Missing() *Error {
	for _, k := range slices.Sorted(maps.Keys(s.set)) {
		p := s.set[k]
		message := p.path[len(p.path)-1].Message()
		if message == nil {
			continue
		}
		for i := range message.RequiredNumbers().Len() {
			if fd := message.Fields().ByNumber(message.RequiredNumbers().Get(i)); !s.isSet(
				append(p.path, fd)) {
				return &Error{p.option.start, p.option.end,
					fmt.Sprintf("required field %q of message %q is missing", fd.Name(),
						message.FullName())}
			}
		}
	}
	return nil
}

// has tells whether an encoding has the field at the end of a path.
func has(encoded []byte, path []protoreflect.FieldDescriptor) bool {
	for len(encoded) > 0 {
		n, typ, tag := protowire.ConsumeTag(encoded)
		size := protowire.ConsumeFieldValue(n, typ, encoded[tag:])
		if n == path[0].Number() {
			value := encoded[tag : tag+size]
			switch {
			case len(path) == 1:
				return true
			case typ == protowire.BytesType:
				value, _ = protowire.ConsumeBytes(value)
			default:
				value, _ = protowire.ConsumeGroup(n, value)
			}
			if has(value, path[1:]) {
				return true
			}
		}
		encoded = encoded[tag+size:]
	}
	return false
}

// reader reads one option, with a token in view.
type reader struct {
	*Set
	scanner
	token
	last int // the end of the token before
}

func (r *reader) advance() {
	r.last = r.token.end
	r.token = r.scanner.next()
}

func (r *reader) text() string { return r.src[r.token.start:r.token.end] }

func (r *reader) errorf(at token, format string, args ...any) error {
	return &Error{at.start, at.end, fmt.Sprintf(format, args...)}
}

// unexpected is the error about the token in view, in place of what should be there.
func (r *reader) unexpected(want string) error {
	switch {
	case r.token.wrong != "":
		return r.errorf(r.token, "%s", r.token.wrong)
	case r.token.kind == end:
		return r.errorf(r.token, "expected %s, found the end", want)
	}
	return r.errorf(r.token, "expected %s, found %q", want, r.text())
}

// accept passes over a symbol, if it is in view.
func (r *reader) accept(sign string) bool {
	if r.token.kind != symbol || r.text() != sign {
		return false
	}
	r.advance()
	return true
}

func (r *reader) expect(sign string) error {
	if !r.accept(sign) {
		return r.unexpected(`"` + sign + `"`)
	}
	return nil
}

func (r *reader) identifier(want string) (string, error) {
	if r.token.kind != identifier || r.token.wrong != "" {
		return "", r.unexpected(want)
	}
	name := r.text()
	r.advance()
	return name, nil
}

// names reads words with points between them.
func (r *reader) names(want string) (string, error) {
	var b strings.Builder
	for {
		name, err := r.identifier(want)
		if err != nil {
			return "", err
		}
		b.WriteString(name)
		if !r.accept(".") {
			return b.String(), nil
		}
		b.WriteByte('.')
	}
}

// path reads the name of an option: fields, each of the message before.
func (r *reader) path() (path []protoreflect.FieldDescriptor, err error) {
	message := r.Message
	for {
		at := r.token
		var fd protoreflect.FieldDescriptor
		name := ""
		if r.accept("(") {
			point := ""
			if r.accept(".") {
				point = "."
			}
			if name, err = r.names("the name of an option"); err != nil {
				return nil, err
			}
			if err := r.expect(")"); err != nil {
				return nil, err
			}
			fd = r.Types.Field(point+name, r.Scope)
		} else {
			if name, err = r.identifier("the name of an option"); err != nil {
				return nil, err
			}
			fd = message.Fields().ByName(protoreflect.Name(name))
		}
		at.end = r.last
		if fd == nil || fd.ContainingMessage().FullName() != message.FullName() {
			return nil, r.errorf(at, "message %q has no field or extension %q", message.FullName(),
				name)
		}
		if fd.IsExtension() && message.FullName() == "google.protobuf.FeatureSet" &&
			fd.ParentFile().Path() == r.File {
			return nil, r.errorf(at, "feature %q cannot be set in the file that declares it", name)
		}
		if err := r.target(at, fd); err != nil {
			return nil, err
		}
		path = append(path, fd)
		if !r.accept(".") {
			return path, nil
		}
		switch {
		case fd.Message() == nil:
			return nil, r.errorf(at, "option %q is no message that has fields", name)
		case fd.Cardinality() == protoreflect.Repeated:
			return nil, r.errorf(at,
				"option %q is repeated: its messages are set as a whole, in braces", name)
		}
		message = fd.Message()
	}
}

// target refuses fields that are meant for other declarations.
func (r *reader) target(at token, fd protoreflect.FieldDescriptor) error {
	o, _ := fd.Options().(*descriptorpb.FieldOptions)
	if targets := o.GetTargets(); len(targets) > 0 && !slices.Contains(targets, r.Target) {
		return r.errorf(at, "option %q is not meant for a declaration of this kind", fd.Name())
	}
	return nil
}

// value reads the value of an option and returns the encoding of the field.
func (r *reader) value(fd protoreflect.FieldDescriptor) ([]byte, error) {
	first := r.token
	negative := r.accept("-")
	if fd.Message() != nil {
		if r.token.kind != symbol || r.text() != "{" { // a sign before it means nothing to protoc
			return nil, r.unexpected(`a message in braces, as option "` + string(fd.Name()) +
				`" is one`)
		}
		encoded, err := r.aggregate(fd)
		if err != nil {
			return nil, err
		}
		return appendMessage(nil, fd, encoded), nil
	}
	if r.token.wrong != "" || negative && (r.token.kind == quoted || r.token.kind == symbol) {
		return nil, r.unexpected("a value")
	}
	v, ok := r.scalar(fd, negative)
	if !ok {
		first.end = r.token.end
		return nil, r.errorf(first, "expected %s for option %q, found %s", wanted(fd), fd.Name(),
			r.src[first.start:first.end])
	}
	return appendTagged(nil, fd, v), nil
}

// wanted names the values that a field can have.
func wanted(fd protoreflect.FieldDescriptor) string {
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return "true or false"
	case protoreflect.EnumKind:
		return fmt.Sprintf("a value of enum %q", fd.Enum().FullName())
	case protoreflect.StringKind, protoreflect.BytesKind:
		if isUTF8(fd) {
			return "a string that is UTF-8"
		}
		return "a string"
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return "a number"
	}
	return "a number of type " + fd.Kind().String()
}

// scalar reads a simple value in the language of .proto files.
func (r *reader) scalar(fd protoreflect.FieldDescriptor, negative bool) (v scalar, ok bool) {
	kind, is, text := fd.Kind(), r.token.kind, r.text()
	var whole uint64
	if is == integer {
		if whole, ok = parseInteger(text); !ok || negative && whole > 1<<63 {
			is = float // protoc's way out
		}
	}
	switch kind {
	case protoreflect.StringKind, protoreflect.BytesKind:
		v.text, ok = Strings(r.src, r.token.start)
		return v, ok && fits(fd, v.text)
	case protoreflect.BoolKind:
		if text == "true" {
			v.bits = 1
		}
		return v, !negative && (text == "true" || text == "false")
	case protoreflect.EnumKind:
		value := fd.Enum().Values().ByName(protoreflect.Name(text))
		if value == nil || negative {
			return v, false
		}
		return scalar{bits: uint64(value.Number())}, true
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return r.number(kind, is, whole, negative)
	}
	if is != integer {
		return v, false
	}
	return inRange(kind, whole, negative)
}

// number reads the value of a float or double.
func (r *reader) number(kind protoreflect.Kind, is kind, whole uint64,
	negative bool) (scalar, bool) {
	switch text := r.text(); {
	case is == integer && kind == protoreflect.FloatKind && negative:
		// rounded once, and without a zero that is negative
		return ofFloat(kind, float64(float32(-int64(whole)))), true
	case is == integer && kind == protoreflect.FloatKind:
		return ofFloat(kind, float64(float32(whole))), true
	case is == integer && negative:
		return ofFloat(kind, float64(-int64(whole))), true
	case is == integer:
		return ofFloat(kind, float64(whole)), true
	case text == "nan":
		return ofFloat(kind, nan), true
	case is == float, text == "inf":
		v := math.Inf(1)
		if is == float {
			v = parseFloat(text)
		}
		if negative {
			v = -v
		}
		return ofFloat(kind, v), true
	}
	return scalar{}, false
}

// inRange returns an integer as the value of a field, if it is in the range of its kind.
func inRange(kind protoreflect.Kind, whole uint64, negative bool) (v scalar, ok bool) {
	most := uint64(math.MaxInt64)
	switch kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		most = math.MaxInt32
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return scalar{bits: whole}, !negative && whole <= math.MaxUint32
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return scalar{bits: whole}, !negative
	}
	if negative {
		return scalar{bits: -whole}, whole <= most+1
	}
	return scalar{bits: whole}, whole <= most
}
