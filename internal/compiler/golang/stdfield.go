package golang

import (
	"fmt"
	"strings"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// fieldPath is the package that gives types of Go the methods of Messages.
const fieldPath = runtimePath + "/std/field"

// StdField says that a field of a well-known type is one of Go in Messages, and in what Readers
// return: time.Time, time.Duration, or *string and its kin for the wrappers.
type StdField struct {
	// Value makes a singular field a value: its zero is what is not written. Otherwise it is a
	// pointer. Lists and maps have values, members of oneofs pointers, whatever this says.
	Value bool
}

// stdTypes are the types of Go in place of messages: the name in package field, and the type.
var stdTypes = map[string][2]string{
	"google.protobuf.Timestamp":   {"Time", "time.Time"},
	"google.protobuf.Duration":    {"Duration", "time.Duration"},
	"google.protobuf.DoubleValue": {"Double", "float64"},
	"google.protobuf.FloatValue":  {"Float", "float32"},
	"google.protobuf.Int64Value":  {"Int64", "int64"},
	"google.protobuf.UInt64Value": {"Uint64", "uint64"},
	"google.protobuf.Int32Value":  {"Int32", "int32"},
	"google.protobuf.UInt32Value": {"Uint32", "uint32"},
	"google.protobuf.BoolValue":   {"Bool", "bool"},
	"google.protobuf.StringValue": {"String", "string"},
	"google.protobuf.BytesValue":  {"Bytes", "[]byte"},
}

// checkStd finds fields that are to be types of Go and have no message that is one.
func checkStd(s *schema.Schema, o Options) (found []report.Diagnostic) {
	if len(o.Std) == 0 {
		return nil
	}
	for _, file := range s.Files {
		for m := range file.AllMessages() {
			for _, f := range m.Fields {
				if _, ok := o.Std[f.FullName]; !ok {
					continue
				}
				of := f
				if f.IsMap() {
					of = f.MapValue
				}
				if of.Kind != schema.MessageKind || stdTypes[of.Message.FullName][0] == "" {
					found = append(found, report.Diagnostic{File: file.Path, Line: f.Pos.Line,
						Column: f.Pos.Column, Message: fmt.Sprintf(
							"field %q is no Timestamp, Duration or wrapper, which could be a type of Go",
							f.FullName)})
				}
			}
		}
	}
	return found
}

// std returns what stands for f in Go, and how; nil when that is what its kind says. The value of a
// map is as the configuration of the map says.
func (t *messageType) std(f *schema.Field) *StdField {
	if f.Kind != schema.MessageKind || f.IsMap() || len(t.opts.Std) == 0 {
		return nil
	}
	name := f.FullName
	if f.Parent != nil && f.Parent.MapEntry {
		for _, m := range t.msg.Fields {
			if m.MapValue == f {
				name = m.FullName
			}
		}
	}
	if s, ok := t.opts.Std[name]; ok {
		return &s
	}
	return nil
}

// stdGo returns the Go type of one value.
func (t *messageType) stdGo(f *schema.Field) string {
	typ := stdTypes[f.Message.FullName][1]
	if name, ok := strings.CutPrefix(typ, "time."); ok {
		return t.use("time") + "." + name
	}
	return typ
}

// inField returns a name of package field that ends in that of f's type.
func (t *messageType) inField(prefix string, f *schema.Field) string {
	return t.use(fieldPath) + "." + prefix + stdTypes[f.Message.FullName][0]
}

// isStdValue tells whether f is a type of Go and singular, and no pointer.
func (t *messageType) isStdValue(f *schema.Field) bool {
	s := t.std(f)
	return s != nil && s.Value && !f.Repeated && f.Oneof == nil && !isEntryField(f)
}

func isEntryField(f *schema.Field) bool { return f.Parent != nil && f.Parent.MapEntry }

// withMethods returns x, what is in a Message for one value of f, as what has the methods of a
// message.
func (t *messageType) withMethods(f *schema.Field, x string) string {
	if t.std(f) == nil {
		return x
	}
	if t.isStdValue(f) || isEntryField(f) || f.Repeated && !t.opts.PointerLists {
		x = "&" + x
	}
	return t.pointerMethods(f, x)
}

// pointerMethods is withMethods for a pointer to a value.
func (t *messageType) pointerMethods(f *schema.Field, x string) string {
	if t.std(f) == nil {
		return x
	}
	return "(*" + t.inField("", f) + ")(" + x + ")"
}

// isSet returns a condition: the singular message field f, whose value is x, is there.
func (t *messageType) isSet(f *schema.Field, x string) string {
	if !t.isStdValue(f) {
		return x + " != nil"
	}
	switch stdTypes[f.Message.FullName][0] {
	case "Time":
		return "!" + x + ".IsZero()"
	case "Bool":
		return x
	case "String", "Bytes":
		return "len(" + x + ") != 0"
	}
	return x + " != 0"
}

// stdDiffers is differs for a type of Go; elem is the field of one value where f is a map.
func (t *messageType) stdDiffers(f, elem *schema.Field, x, y string) string {
	equal := t.inField("Equal", elem)
	args := "(" + x + ", " + y + ", " + equal + ")"
	switch {
	case f.IsMap():
		return "!" + t.runtime("EqualMapFunc") + args
	case f.Repeated && t.opts.PointerLists:
		of := "*" + t.valueType(f)
		return "!" + t.runtime("EqualListFunc") + "(" + x + ", " + y + ", func(x, y " + of +
			") bool { return " + t.use(fieldPath) + ".EqualPointers(x, y, " + equal + ") })"
	case f.Repeated:
		return "!" + t.runtime("EqualListFunc") + args
	case t.isStdValue(f):
		return "!" + equal + "(" + x + ", " + y + ")"
	}
	return "!" + t.use(fieldPath) + ".EqualPointers" + args
}

// stdCloned is cloned for a type of Go.
func (t *messageType) stdCloned(f, elem *schema.Field, x string) string {
	call := func(name string, more ...string) string {
		return t.runtime(name) + "(" + strings.Join(append([]string{x}, more...), ", ") + ")"
	}
	isBytes := stdTypes[elem.Message.FullName][0] == "Bytes"
	pointer := t.runtime("CloneOptional") + "[" + t.valueType(elem) + "]"
	if isBytes {
		pointer = t.use(fieldPath) + ".CloneBytes"
	}
	switch {
	case f.IsMap() && isBytes:
		return call("CloneMapFunc", t.runtime("CloneBytes"))
	case f.IsMap():
		return call("CloneMap")
	case f.Repeated && t.opts.PointerLists:
		return call("CloneListFunc", pointer)
	case f.Repeated && isBytes:
		return call("CloneByteSlices")
	case f.Repeated:
		return call("CloneList")
	case t.isStdValue(f) && isBytes:
		return call("CloneBytes")
	case t.isStdValue(f) && stdTypes[elem.Message.FullName][0] == "String":
		return call("CloneString")
	case t.isStdValue(f):
		return ""
	}
	return pointer + "(" + x + ")"
}

// readerStd prints the methods of a Reader for a singular field that is a type of Go.
func (t *messageType) readerStd(f *schema.Field) {
	n := t.names.fields[f]
	set := t.slot(f) + " != 0"
	t.method(f, "Get"+n.field+" returns "+f.Name+", or the zero value when it is not set.",
		"Get"+n.field+"() (v "+t.valueType(f)+")")
	t.p("if r != nil && ", set, " {")
	t.p("var u ", t.readerType(f))
	t.p("u.GremlinOpen(&r.view, ", t.slotArgs(f), ", ", hex(tagOf(f)), ")")
	t.p("v = ", t.inField("Read", f), "(&u)")
	t.p("}")
	t.p("return v")
	t.p("}")
	if n.has != "" {
		t.shortMethod(f, "", n.has+"() bool", "r != nil && "+set)
	}
}

// readerStds prints the methods of a Reader for a list of a type of Go.
func (t *messageType) readerStds(f *schema.Field) {
	n, list, elem, reader := t.names.fields[f], t.listOf(f), t.valueType(f), t.readerType(f)
	t.shortMethod(f, "", n.count+"() int", list+".Len()")
	t.method(f, n.values+" yields the values of "+f.Name+" without allocating.",
		n.values+"() "+t.use("iter")+".Seq["+elem+"]")
	t.p("return func(yield func(", elem, ") bool) {")
	t.p("for u := range ", t.runtime("EachMessage"), "(", list, ", (*", reader, ").GremlinNext) {")
	t.p("if !yield(", t.inField("Read", f), "(u)) {")
	t.p("return")
	t.p("}")
	t.p("}")
	t.p("}")
	t.p("}")
	t.shortMethod(f, "", "Get"+n.field+"() []"+elem, "r."+n.appendTo+"(nil)")
	t.method(f, "", n.appendTo+"(dst []"+elem+") []"+elem)
	t.p("dst = ", t.use("slices"), ".Grow(dst, r.", n.count, "())")
	t.p("for v := range r.", n.values, "() {")
	t.p("dst = append(dst, v)")
	t.p("}")
	t.p("return dst")
	t.p("}")
}
