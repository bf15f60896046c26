// Package validate reads the rules of buf.validate (protovalidate) from options, and says what is
// to be checked: which rules in which order, what their ids and paths are and what a violation
// says. It knows no target language; compiler/golang makes Go of it.
//
// The rules are those of protovalidate 1.2. Rules that are written in CEL, predefined ones among
// them, are only counted.
package validate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// Facts are the rules of a schema. They are not changed once they are made.
type Facts struct {
	messages map[*schema.Message]*Message
	// Broken has the messages whose rules are wrong, by full name: diagnostics say how.
	Broken map[string]bool
}

// Message is what is to be checked in a message.
type Message struct {
	Oneofs         []FieldSet      // sets of which at most one, or exactly one, is set
	RequiredOneofs []*schema.Oneof // oneofs in the order of their declaration
	Fields         []*Field        // those with something to check, in the order of declaration
}

// FieldSet is a rule about several fields.
type FieldSet struct {
	Fields   []*schema.Field
	Required bool
}

// Names returns the names of the fields with commas between them.
func (s FieldSet) Names() string {
	var names []string
	for _, f := range s.Fields {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// Field is what is to be checked of a field.
type Field struct {
	*schema.Field
	Required bool
	// IfSet tells that nothing is checked unless the field is set, or not the zero value where that
	// is the same.
	IfSet bool
	Value *Value
}

// Value is what is to be checked of one value: of a field, or an element, key or value in it.
type Value struct {
	// IfNotZero tells that nothing is checked of an element that is the zero value of its type.
	IfNotZero bool
	// Checks are the rules, in the order in which they are checked.
	Checks []Check
	// Wrapped tells that Checks are about the field of a message of google/protobuf/wrappers.proto.
	Wrapped bool
	// Items are of a list, Keys and Values of a map; nil where nothing is to be checked.
	Items, Keys, Values *Value
	// Message tells that the value is a message in which there is something to check.
	Message bool
}

func (v *Value) empty() bool {
	return v == nil || len(v.Checks) == 0 && v.Items == nil && v.Keys == nil && v.Values == nil &&
		!v.Message
}

// Of returns what is to be checked in m and below; nil when there are no rules, or in CEL only.
func (f *Facts) Of(m *schema.Message) *Message {
	if f == nil {
		return nil
	}
	return f.messages[m]
}

// Read reads the rules of s, which was lowered from fds. other has the import paths of files whose
// code does not check rules. What is wrong is told of the files that code is asked for, with their
// import paths.
func Read(s *schema.Schema, fds *descriptorpb.FileDescriptorSet,
	other map[string]bool) (*Facts, report.List) {
	r := &reader{other: other, options: map[string]options{}, facts: &Facts{
		messages: map[*schema.Message]*Message{}, Broken: map[string]bool{}}}
	for _, fd := range fds.File {
		scope := ""
		if fd.GetPackage() != "" {
			scope = fd.GetPackage() + "."
		}
		for _, m := range fd.MessageType {
			r.collect(m, scope)
		}
	}
	r.below(s)
	for _, f := range s.Files {
		if other[f.Path] {
			continue
		}
		r.expressions, r.where, r.old = 0, nil, nil
		for m := range f.AllMessages() {
			r.message(m)
		}
		if r.old != nil && f.Generate {
			r.found = append(r.found, report.Diagnostic{File: f.Path, Severity: report.Warning,
				Line: r.old.Line, Column: r.old.Column,
				Message: "Validate does not check rules of protoc-gen-validate (validate.rules), " +
					"which this file has",
				Hint: "protovalidate's tool protovalidate-migrate makes rules of buf.validate of them"})
		}
		if r.expressions > 0 && f.Generate {
			r.found = append(r.found, report.Diagnostic{File: f.Path, Severity: report.Warning,
				Line: r.where.Line, Column: r.where.Column,
				Message: fmt.Sprintf("Validate does not check the rules that are written in CEL, or "+
					"predefined with it: %d in this file, of which this is the first", r.expressions),
				Hint: "module gremlin/gremlincel checks them, too"})
		}
	}
	return r.facts, r.found
}

// options are those of a message, and of its fields and oneofs by name.
type options struct {
	message *descriptorpb.MessageOptions
	fields  map[string]*descriptorpb.FieldOptions
	oneofs  map[string]*descriptorpb.OneofOptions
}

// reader is the state of one Read.
type reader struct {
	facts   *Facts
	found   report.List
	options map[string]options // options by full name of the message

	nested      map[*schema.Message]bool // have something to check, in them or below
	other       map[string]bool
	expressions int // number of expressions in the file, and where the first is
	where       *schema.Pos
	old         *schema.Pos // place of the first rule of protoc-gen-validate in the file
}

func (r *reader) collect(md *descriptorpb.DescriptorProto, scope string) {
	o := options{message: md.GetOptions(), fields: map[string]*descriptorpb.FieldOptions{},
		oneofs: map[string]*descriptorpb.OneofOptions{}}
	for _, fd := range md.Field {
		o.fields[fd.GetName()] = fd.GetOptions()
	}
	for _, od := range md.OneofDecl {
		o.oneofs[od.GetName()] = od.GetOptions()
	}
	name := scope + md.GetName()
	r.options[name] = o
	for _, nested := range md.NestedType {
		r.collect(nested, name+".")
	}
}

// below finds the messages that have rules, in them or in messages that they may hold.
func (r *reader) below(s *schema.Schema) {
	r.nested = map[*schema.Message]bool{}
	holders := map[*schema.Message][]*schema.Message{}
	var queue []*schema.Message
	for _, file := range s.Files {
		for m := range file.AllMessages() {
			if r.hasRules(m) {
				r.nested[m] = true
				queue = append(queue, m)
			}
			for _, f := range m.Fields {
				if t := messageOfValue(f); t != nil {
					holders[t] = append(holders[t], m)
				}
			}
		}
	}
	for len(queue) > 0 {
		m := queue[0]
		queue = queue[1:]
		for _, holder := range holders[m] {
			if !r.nested[holder] {
				r.nested[holder] = true
				queue = append(queue, holder)
			}
		}
	}
}

// messageOfValue returns the message that f, its elements or its values are of.
func messageOfValue(f *schema.Field) *schema.Message {
	if f.IsMap() {
		return f.MapValue.Message
	}
	return f.Message
}

// hasRules tells whether m itself has rules, those in CEL aside. Rules that are wrong count, too.
func (r *reader) hasRules(m *schema.Message) bool {
	o := r.options[m.FullName]
	data, err := option(o.message)
	own, wrong := decodeMessage(data)
	if err != nil || wrong != nil || len(own.oneofs) > 0 {
		return true
	}
	for _, f := range m.Fields {
		data, err := option(o.fields[f.Name])
		own, wrong := decodeField(data)
		if err != nil || wrong != nil || own.required || len(own.values) > 0 {
			return true
		}
	}
	return slices.ContainsFunc(m.Oneofs, func(one *schema.Oneof) bool {
		data, err := option(o.oneofs[one.Name])
		required, wrong := decodeOneof(data)
		return err != nil || wrong != nil || required
	})
}

// fail tells of something wrong with m.
func (r *reader) fail(m *schema.Message, pos schema.Pos, hint, format string, args ...any) {
	r.facts.Broken[m.FullName] = true
	if m.File.Generate {
		r.found = append(r.found, report.Diagnostic{File: m.File.Path, Line: pos.Line,
			Column: pos.Column, Message: fmt.Sprintf(format, args...), Hint: hint})
	}
}

// unreadable tells of an option that cannot be read.
func (r *reader) unreadable(m *schema.Message, pos schema.Pos, name string, err error) {
	hint := ""
	if errors.Is(err, errUnknown) {
		hint = "gremlin knows the rules of protovalidate 1.2"
	}
	r.fail(m, pos, hint, "the rules of %q cannot be read: %v", name, err)
}

// count notes rules that are written in CEL.
func (r *reader) count(n int, pos schema.Pos) {
	if n > 0 && r.where == nil {
		r.where = &pos
	}
	r.expressions += n
}

func (r *reader) message(m *schema.Message) {
	o := r.options[m.FullName]
	out := &Message{}
	if r.nested[m] {
		r.facts.messages[m] = out
	}
	data, err := option(o.message)
	var own messageRules
	if err == nil {
		own, err = decodeMessage(data)
	}
	if err != nil {
		r.unreadable(m, m.Pos, m.FullName, err)
	}
	r.count(own.expressions, m.Pos)
	inSet := map[*schema.Field]bool{}
	for _, rule := range own.oneofs {
		if set, ok := r.fieldSet(m, rule); ok {
			out.Oneofs = append(out.Oneofs, set)
			for _, f := range set.Fields {
				inSet[f] = true
			}
		}
	}
	for _, one := range m.Oneofs {
		data, err := option(o.oneofs[one.Name])
		required := false
		if err == nil {
			required, err = decodeOneof(data)
		}
		if err != nil {
			r.unreadable(m, one.Pos, one.FullName, err)
		}
		if required {
			out.RequiredOneofs = append(out.RequiredOneofs, one)
		}
	}
	for _, f := range m.Fields {
		if checked := r.field(m, f, o.fields[f.Name], inSet[f]); checked != nil {
			out.Fields = append(out.Fields, checked)
		}
	}
}

// fieldSet finds the fields of a rule about several.
func (r *reader) fieldSet(m *schema.Message, rule oneofRule) (set FieldSet, ok bool) {
	if len(rule.fields) == 0 {
		r.fail(m, m.Pos, "name the fields", "a oneof rule of message %q has no fields", m.FullName)
		return set, false
	}
	set.Required = rule.required
	for i, name := range rule.fields {
		at := slices.IndexFunc(m.Fields, func(f *schema.Field) bool { return f.Name == name })
		switch {
		case at < 0:
			r.fail(m, m.Pos, "", "a oneof rule names %q, which message %q does not have", name,
				m.FullName)
			return set, false
		case slices.Contains(rule.fields[:i], name):
			r.fail(m, m.Pos, "", "a oneof rule of message %q names %q twice", m.FullName, name)
			return set, false
		}
		set.Fields = append(set.Fields, m.Fields[at])
	}
	return set, true
}

func (r *reader) field(m *schema.Message, f *schema.Field, opts *descriptorpb.FieldOptions,
	inSet bool) *Field {
	if old, err := optionWith(oldNumber, opts); r.old == nil && (old != nil || err != nil) {
		r.old = &f.Pos
	}
	data, err := option(opts)
	var own *rules
	if err == nil {
		own, err = decodeField(data)
	}
	if err != nil {
		r.unreadable(m, f.Pos, f.FullName, err)
		return nil
	}
	if own.ignore == IgnoreUnspecified && inSet {
		own.ignore = IgnoreIfZero
	}
	if own.ignore == IgnoreAlways {
		return nil
	}
	if t := messageOfValue(f); t != nil && r.nested[t] && r.other[t.File.Path] && m.File.Generate {
		r.found = append(r.found, report.Diagnostic{File: m.File.Path, Line: f.Pos.Line,
			Column: f.Pos.Column, Severity: report.Warning, Hint: "generate both in one shape",
			Message: fmt.Sprintf("Validate does not check what is in field %q: its type has "+
				"rules, and code in another shape", f.FullName)})
	}
	c := &checks{reader: r, message: m, field: f}
	v := c.value(f, own, "")
	if !own.required && v.empty() {
		return nil
	}
	return &Field{Field: f, Required: own.required, IfSet: f.Presence || own.ignore == IgnoreIfZero,
		Value: v}
}
