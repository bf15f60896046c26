package options

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/link"
	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// path reads the name of an option: fields, each of the message before. It is valid until the next
// one is read.
func (r *reader) path(s *describe.Statement, o *syntax.Option) ([]*field, *problem) {
	m := r.optionsOf(s.Target)
	path := r.fields[:0]
	for i, part := range o.Name {
		if i > maxLevels {
			return nil, r.wrong(part.Range, "too many messages in each other: %d", i)
		}
		f, err := r.part(s, o, m, i)
		if err != nil {
			return nil, err
		}
		if f.file == r.file && r.setsFeature(o) {
			return nil, r.wrong(part.Range, "feature %q cannot be set in the file that declares it",
				f.proto.GetName())
		}
		if err := r.target(part.Range, f); err != nil {
			return nil, err
		}
		path = append(path, f)
		if m = f.message; i == len(o.Name)-1 {
			break
		}
		switch {
		case !f.isMessage():
			return nil, r.wrong(part.Range, "option %q is no message that has fields",
				r.tree.Name(part.Name))
		case f.repeated:
			return nil, r.wrong(part.Range,
				"option %q is repeated: its messages are set as a whole, in braces",
				r.tree.Name(part.Name))
		case m == nil:
			return nil, r.unknownType(f)
		}
	}
	r.fields = path
	return path, nil
}

// setsFeature tells whether an option is one of the features.
func (r *reader) setsFeature(o *syntax.Option) bool {
	return !o.Name[0].Extension && r.tree.Name(o.Name[0].Name) == "features"
}

// part returns the field that a part of the name of an option means in a message.
func (r *reader) part(s *describe.Statement, o *syntax.Option, m *message,
	i int) (*field, *problem) {
	part := o.Name[i]
	name := r.tree.Name(part.Name)
	if !part.Extension {
		if f := m.byName[name]; f != nil && (i > 0 || name != "uninterpreted_option") {
			return f, nil
		}
		return nil, r.noField(part.Range, m, name, i)
	}
	symbol := r.view.Lookup(name, s.Scope)
	f := r.types.field(symbol)
	switch {
	case symbol.Kind == link.None && r.file.Blind():
		r.file.Hold()
		return nil, &problem{}
	case symbol.Kind == link.None:
		message, hint, notes := r.view.Missed("option", "("+name+")")
		return nil, &problem{part.Range, message, hint, notes}
	case f == nil && isField(symbol):
		return nil, &problem{} // what it extends is not known, which was said there
	case f == nil || f.parent != m:
		err := r.wrong(part.Range, "%q is no extension of %q", name, m.name)
		err.notes = r.declared(symbol)
		return nil, err
	}
	return f, nil
}

func isField(s link.Symbol) bool { return s.Kind == link.Field || s.Kind == link.Extension }

// noField is the error about a name that no field of a message has.
func (r *reader) noField(at syntax.Range, m *message, name string, i int) *problem {
	switch {
	case i > 0:
		err := r.wrong(at, "message %q has no field %q", m.name, name)
		err.hint = m.hint(r, name)
		return err
	case name == "uninterpreted_option":
		return r.wrong(at, `option "uninterpreted_option" is reserved`)
	}
	err := r.wrong(at, "there is no option %q: %q has no such field", name, m.name)
	if err.hint = didYouMean(r, name, m.byName); err.hint == "" &&
		isField(r.view.Lookup(name, r.statement.Scope)) {
		err.hint = fmt.Sprintf("a custom option is written in parentheses: (%s)", name)
	}
	return err
}

// hint says which fields a message has that may be meant.
func (m *message) hint(r *reader, name string) string {
	if hint := didYouMean(r, name, m.byName); hint != "" || len(m.fields) > few {
		return hint
	}
	var names []string
	for _, f := range m.fields {
		names = append(names, f.proto.GetName())
	}
	return listed("its fields are ", names)
}

// listed returns a hint that lists what there is, "" if there is nothing.
func listed(what string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return what + strings.Join(names, ", ")
}

// extension returns the field that a name in brackets means in a message, or nil: an extension, or
// that whose type is the message of the name, in a message set.
func (r *reader) extension(name string, of *message) *field {
	symbol := r.view.Lookup(name, parent(of.name))
	d, ok := symbol.Element.(*descriptorpb.DescriptorProto)
	if !ok {
		return r.types.field(symbol)
	}
	if !of.isSet() {
		return nil
	}
	full := symbol.FullName()
	for _, x := range d.Extension {
		if x.GetTypeName() == "."+full && x.GetExtendee() == "."+of.name {
			return r.types.field(r.pool.Find(full + "." + x.GetName()))
		}
	}
	return nil
}

// target refuses fields that are meant for other declarations, in the files that are asked for.
func (r *reader) target(at syntax.Range, f *field) *problem {
	targets := f.proto.GetOptions().GetTargets()
	if len(targets) == 0 || !r.asked || slices.Contains(targets, r.statement.Target) {
		return nil
	}
	err := r.wrong(at, "option %q is not meant for a declaration of this kind", f.proto.GetName())
	names := make([]string, len(targets))
	for i, t := range targets {
		names[i] = targetNames[t]
	}
	err.hint = "it is one of " + strings.Join(names, ", ")
	return err
}

// targetNames are what options can be set on.
var targetNames = map[descriptorpb.FieldOptions_OptionTargetType]string{
	descriptorpb.FieldOptions_TARGET_TYPE_FILE:            "files",
	descriptorpb.FieldOptions_TARGET_TYPE_EXTENSION_RANGE: "extension ranges",
	descriptorpb.FieldOptions_TARGET_TYPE_MESSAGE:         "messages",
	descriptorpb.FieldOptions_TARGET_TYPE_FIELD:           "fields",
	descriptorpb.FieldOptions_TARGET_TYPE_ONEOF:           "oneofs",
	descriptorpb.FieldOptions_TARGET_TYPE_ENUM:            "enums",
	descriptorpb.FieldOptions_TARGET_TYPE_ENUM_ENTRY:      "enum values",
	descriptorpb.FieldOptions_TARGET_TYPE_SERVICE:         "services",
	descriptorpb.FieldOptions_TARGET_TYPE_METHOD:          "methods",
}

// maxCompared is how many names hints of a file look at: each looks at all that there are.
const maxCompared = 1 << 18

// didYouMean returns a hint that names what is closest to a name, or "".
func didYouMean[V any](r *reader, name string, names map[string]V) string {
	if r.compared += len(names); r.compared > maxCompared {
		return ""
	}
	all := slices.Sorted(maps.Keys(names))
	near := report.Nearest(name, all)
	for i, n := range all {
		if strings.EqualFold(n, name) {
			near = all[i : i+1]
		}
	}
	// What has nothing in common with it was not meant.
	if len(near) == 0 || report.EditDistance(strings.ToLower(name), strings.ToLower(near[0]),
		len(name)) == len(name) {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", near[0])
}
