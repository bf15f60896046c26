package dynamic

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/gremlin/descriptor"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// Load returns what a FileDescriptorSet declares, given encoded, which must have all files that its
// files import. It keeps nothing of set. When set is malformed the error is a *gremlin.Error, when
// what it says cannot be a schema a *SchemaError; the rules of the language that mean nothing to
// encodings are not checked.
func Load(set []byte) (*Schema, error) { return LoadOptions{}.Load(set) }

// LoadOptions say what a FileDescriptorSet does not. The zero value is useful.
type LoadOptions struct {
	// Hex tells of the full name of a field of type bytes whether JSON has hex digits for it, as
	// OTLP/JSON has for its ids, and not base64. The value of a map goes by the name of the map.
	// Nil means none.
	Hex func(fullName string) bool
}

// Load is the function Load with options.
func (o LoadOptions) Load(set []byte) (*Schema, error) {
	files := descriptor.NewFileDescriptorSetReader()
	if err := files.Unmarshal(slices.Clone(set)); err != nil {
		return nil, err
	}
	if err := files.CheckEncoding(); err != nil {
		return nil, err
	}
	l := loader{options: o, schema: &Schema{messages: map[string]*Type{}, enums: map[string]*Enum{},
		extensions: map[string]*Field{}}}
	for _, f := range files.GetFile() {
		l.declareFile(&f)
	}
	for i := range l.pending {
		if l.err != nil {
			break
		}
		l.fields(&l.pending[i])
	}
	for i := range l.waiting {
		if l.err != nil {
			break
		}
		l.extension(&l.waiting[i])
	}
	l.finish()
	if l.err != nil {
		return nil, l.err
	}
	return l.schema, nil
}

// SchemaError says what is wrong with a set of descriptors.
type SchemaError struct {
	File   string // path of the .proto file
	Name   string // full name of the declaration
	Detail string // what is wrong with it
}

// Error returns `shop/v1/deposit.proto: shop.v1.Deposit.user: there is no type ".shop.v1.User"`.
func (e *SchemaError) Error() string {
	s := e.File + ": "
	if e.Name != "" {
		s += e.Name + ": "
	}
	return s + e.Detail
}

func quote(s string) string { return strconv.Quote(s[:min(len(s), 200)]) }

// maxNesting is how deep declarations of messages may be nested: their full names add up.
const maxNesting = 64

// loader is the state of one Load. Types are declared before fields are loaded, which refer to
// them.
type loader struct {
	schema  *Schema
	options LoadOptions
	pending []pendingType
	waiting []pendingExtension
	err     error
}

type pendingType struct {
	t        *Type
	d        descriptor.DescriptorProtoReader
	features features
}

type pendingExtension struct {
	file, scope string
	d           descriptor.FieldDescriptorProtoReader
	features    features
}

func (l *loader) fail(file, name, detail string) {
	if l.err == nil {
		l.err = &SchemaError{File: file, Name: name, Detail: detail}
	}
}

func (l *loader) declareFile(f *descriptor.FileDescriptorProtoReader) {
	path, scope := f.GetName(), f.GetPackage()
	fs, wrong := featuresOf(f)
	if wrong != "" {
		l.fail(path, "", wrong+" is not known here")
		return
	}
	fs = fs.with(f.GetOptions().GetFeatures())
	for _, e := range f.GetEnumType() {
		l.enum(path, scope, &e, fs)
	}
	for _, m := range f.GetMessageType() {
		l.declare(path, scope, &m, fs, 0)
	}
	for _, x := range f.GetExtension() {
		l.waiting = append(l.waiting, pendingExtension{path, scope, x, fs})
	}
}

// join returns the full name of a declaration.
func join(scope, name string) string {
	if scope == "" {
		return name
	}
	return scope + "." + name
}

// taken tells whether a name is declared already, or is none.
func (l *loader) taken(file, name string) bool {
	switch {
	case name == "" || strings.HasSuffix(name, "."):
		l.fail(file, name, "a declaration without a name")
	case l.schema.messages[name] != nil || l.schema.enums[name] != nil:
		l.fail(file, name, "declared twice")
	default:
		return false
	}
	return true
}

func (l *loader) declare(file, scope string, d *descriptor.DescriptorProtoReader, fs features,
	level int) {
	name := join(scope, d.GetName())
	if l.taken(file, name) {
		return
	}
	if level == maxNesting {
		l.fail(file, name, "messages are declared more than "+strconv.Itoa(maxNesting)+
			" levels deep")
		return
	}
	o := d.GetOptions()
	fs = fs.with(o.GetFeatures())
	t := &Type{Name: name, File: file, MapEntry: o.GetMapEntry(),
		MessageSet: o.GetMessageSetWireFormat(), reserved: d.GetReservedName(), schema: l.schema,
		Options: slices.Clone(o.Raw())}
	t.Extendable = t.MessageSet || d.LenExtensionRange() > 0
	l.schema.messages[name] = t
	if !t.MapEntry {
		l.schema.order = append(l.schema.order, t)
	}
	l.pending = append(l.pending, pendingType{t, *d, fs})
	for _, e := range d.GetEnumType() {
		l.enum(file, name, &e, fs)
	}
	for _, m := range d.GetNestedType() {
		l.declare(file, name, &m, fs, level+1)
	}
	for _, x := range d.GetExtension() {
		l.waiting = append(l.waiting, pendingExtension{file, name, x, fs})
	}
}

func (l *loader) enum(file, scope string, d *descriptor.EnumDescriptorProtoReader, fs features) {
	name := join(scope, d.GetName())
	if l.taken(file, name) {
		return
	}
	fs = fs.with(d.GetOptions().GetFeatures())
	e := &Enum{Name: name, File: file, Closed: fs.enum == descriptor.FeatureSet_CLOSED}
	e.info = &rt.EnumInfo{Name: name, Closed: e.Closed}
	seen := map[int32]bool{}
	for v := range d.Value() {
		e.Values = append(e.Values, EnumValue{v.GetName(), v.GetNumber()})
		info := rt.EnumValueInfo{Number: v.GetNumber(), Name: v.GetName()}
		if seen[info.Number] {
			e.info.Aliases = append(e.info.Aliases, info)
		} else {
			e.info.Values = append(e.info.Values, info)
		}
		seen[info.Number] = true
	}
	if len(e.Values) == 0 {
		l.fail(file, name, "an enum without values")
	}
	slices.SortFunc(e.info.Values, func(a, b rt.EnumValueInfo) int {
		return cmp.Compare(a.Number, b.Number)
	})
	l.schema.enums[name] = e
}

// finish makes of the fields what they are found by.
func (l *loader) finish() {
	for _, x := range l.schema.declared {
		x.Parent.extensions = append(x.Parent.extensions, x)
	}
	for i := range l.pending {
		t := l.pending[i].t
		if l.err != nil {
			return
		}
		slices.SortStableFunc(t.extensions, byNumber)
		for i, x := range t.extensions {
			if i > 0 && t.extensions[i-1].Number == x.Number || t.Field(x.Number) != nil {
				l.fail(t.File, x.FullName, "another field has number "+
					strconv.Itoa(int(x.Number)))
			}
		}
	}
	if l.err == nil {
		if l.options.Hex != nil {
			l.schema.markHex(l.options.Hex)
		}
		l.schema.makeTables()
	}
}

func byNumber(a, b *Field) int { return cmp.Compare(a.Number, b.Number) }
