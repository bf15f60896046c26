package migrate

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/golang"
)

// Kubernetes writes types by hand, makes .proto files of them and publishes these without the
// options that its code was generated with. All of them follow from the types: a field that is no
// pointer has nullable=false, an embedded struct has embed, names that do not follow from the
// .proto are customnames, and named types in place of scalars are casts.

// typeFacts are what hand-written types say of the messages of a file.
type typeFacts struct {
	fields  []fieldLine
	strings []string // full names of messages with a method String of their own
}

// fieldLine is an entry below "fields" in gremlin.yaml.
type fieldLine struct{ pattern, options string }

// typeReader reads the types beside a generated file.
type typeReader struct {
	pkg     string                    // the proto package
	fields  map[string]publishedField // fields of the .proto, by message and number
	home    string                    // import path of the Go file; "" beside the .proto
	tree    *Tree
	dir     string            // folder of the package of the .proto
	imports map[string]string // imports of the Go file that is read
	typeFacts
}

// publishedField is a field as the .proto has it.
type publishedField struct{ name, key, typ string }

var (
	messageLine = regexp.MustCompile(`^message (\w+) \{`)
	fieldPlain  = regexp.MustCompile(`^\s+(?:optional|repeated|required) (\S+) (\w+) = (\d+)`)
	fieldMap    = regexp.MustCompile(`^\s+map<(\S+), (\S+)> (\w+) = (\d+)`)
)

// publishedFields reads a .proto that Kubernetes' generator wrote, which has a line for each field.
func publishedFields(text string) map[string]publishedField {
	fields, message := map[string]publishedField{}, ""
	for line := range strings.Lines(text) {
		if m := messageLine.FindStringSubmatch(line); m != nil {
			message = m[1]
		} else if m := fieldPlain.FindStringSubmatch(line); m != nil {
			fields[message+" "+m[3]] = publishedField{m[2], "", m[1]}
		} else if m := fieldMap.FindStringSubmatch(line); m != nil {
			fields[message+" "+m[4]] = publishedField{m[3], m[1], m[2]}
		}
	}
	return fields
}

// typeFacts returns what follows from the hand-written types beside a generated file.
func (t *Tree) typeFacts(f *File) (*typeFacts, error) {
	text, err := os.ReadFile(t.path(f.Proto))
	if err != nil {
		return nil, err
	}
	pkg := packageLine.FindSubmatch(text)
	if pkg == nil {
		return nil, fmt.Errorf("%s names no package", f.Proto)
	}
	dir := path.Dir(f.Go)
	r := &typeReader{pkg: string(pkg[1]), fields: publishedFields(string(text)), tree: t,
		dir: t.path(dir)}
	entries, err := os.ReadDir(t.path(dir))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name == f.Go {
			continue
		}
		source, err := parser.ParseFile(token.NewFileSet(), t.path(name), nil,
			parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("types of %s: %w", f.Proto, err)
		}
		r.imports = importsOf(source)
		for _, d := range source.Decls {
			r.declared(d)
		}
	}
	return &r.typeFacts, nil
}

// declared reads the messages that a declaration stands for.
func (r *typeReader) declared(d ast.Decl) {
	g, ok := d.(*ast.GenDecl)
	if !ok || g.Tok != token.TYPE {
		return
	}
	for _, s := range g.Specs {
		s := s.(*ast.TypeSpec)
		message, says := r.pkg+"."+s.Name.Name, s.Doc.Text()+g.Doc.Text()
		if strings.Contains(says, "+protobuf.options.(gogoproto.goproto_stringer)=false") {
			r.strings = append(r.strings, message)
		}
		switch typ := s.Type.(type) {
		case *ast.StructType:
			for _, f := range typ.Fields.List {
				r.field(s.Name.Name, f)
			}
		case *ast.SelectorExpr: // type List metav1.List
			if other := r.lookup(r.named(typ)); other != nil {
				if st, ok := other.typ.(*ast.StructType); ok {
					inner := *r
					inner.imports, inner.home = other.imports, other.home
					for _, f := range st.Fields.List {
						inner.field(s.Name.Name, f)
					}
					r.typeFacts = inner.typeFacts
				}
			}
		case *ast.ArrayType:
			// A list with a name is a message with a field items, if it may be nil.
			if strings.Contains(says, "+protobuf.nullable=true") {
				r.typeFacts.fields = append(r.typeFacts.fields,
					fieldLine{message + ".items", "inline: true"})
			}
		}
	}
}

// field reads a field of a struct. Of its tag only the number is believed: Go does not check what
// else stands there.
func (r *typeReader) field(message string, f *ast.Field) {
	if f.Tag == nil {
		return
	}
	text, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return
	}
	parts := strings.Split(reflect.StructTag(text).Get("protobuf"), ",")
	if len(parts) < 2 {
		return
	}
	published, ok := r.fields[message+" "+parts[1]]
	if !ok {
		return
	}
	var options []string
	if isValue(f.Type) {
		options = append(options, "nullable: false")
	}
	switch {
	case len(f.Names) == 0:
		options = append(options, "embed: true")
	case f.Names[0].Name != golang.CamelCase(published.name):
		options = append(options, fmt.Sprintf("customname: %q", f.Names[0].Name))
	}
	if options = append(options, r.casts(f.Type, published)...); len(options) > 0 {
		r.typeFacts.fields = append(r.typeFacts.fields, fieldLine{
			r.pkg + "." + message + "." + published.name, strings.Join(options, ", ")})
	}
}

// casts returns the options about named types in place of scalars and maps.
func (r *typeReader) casts(e ast.Expr, f publishedField) (options []string) {
	cast := func(option string, e ast.Expr, of string) {
		if name := r.named(e); name != "" && isScalar(of) && name != of {
			options = append(options, fmt.Sprintf("%s: %q", option, name))
		}
	}
	switch typ := e.(type) {
	case *ast.StarExpr:
		e = typ.X
	case *ast.ArrayType:
		if e = typ.Elt; f.typ == "bytes" && r.named(e) == "byte" {
			return nil
		}
		if star, ok := e.(*ast.StarExpr); ok {
			e = star.X
		}
	case *ast.MapType:
		cast("castkey", typ.Key, f.key)
		cast("castvalue", typ.Value, f.typ)
		return options
	}
	if f.key == "" {
		cast("casttype", e, f.typ)
		return options
	}
	// A map with a name: the key's type stands where the name is declared.
	name := r.named(e)
	options = append(options, fmt.Sprintf("casttype: %q", name))
	if other := r.lookup(name); other != nil {
		if m, ok := other.typ.(*ast.MapType); ok {
			inner := typeReader{imports: other.imports, home: other.home}
			options = append(options, inner.casts(m, f)...)
		}
	}
	return options
}

func isScalar(protoType string) bool {
	switch protoType {
	case "string", "bytes", "bool", "int32", "int64", "uint32", "uint64", "float", "double":
		return true
	}
	return false
}

// foundType is a type with what its file imports.
type foundType struct {
	typ     ast.Expr
	imports map[string]string
	home    string
}

// lookup finds the declaration of a type by the name that named gave; nil where there is none.
func (r *typeReader) lookup(name string) *foundType {
	dir, home := r.dir, ""
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		home, name = name[:i], name[i+1:]
		out, err := r.tree.goTool(context.Background(), "list", "-f", "{{.Dir}}", home)
		if err != nil {
			return nil
		}
		dir = strings.TrimSpace(string(out))
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil
	}
	for _, file := range names {
		source, err := parser.ParseFile(token.NewFileSet(), file, nil,
			parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range source.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, s := range g.Specs {
				if s := s.(*ast.TypeSpec); s.Name.Name == name {
					return &foundType{s.Type, importsOf(source), home}
				}
			}
		}
	}
	return nil
}

// named returns the name of a type as casttype wants it: "import/path.Type" or "Type"; "" for a
// type without a name, and the .proto's name for one that Go has too.
func (r *typeReader) named(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		switch e.Name {
		case "float32":
			return "float"
		case "float64":
			return "double"
		}
		if r.home != "" && ast.IsExported(e.Name) {
			return r.home + "." + e.Name
		}
		return e.Name
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			return r.imports[x.Name] + "." + e.Sel.Name
		}
	}
	return ""
}

// isValue tells whether a field, or an element of one, is no pointer. Bytes may be nil always.
func isValue(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.StarExpr:
		return false
	case *ast.ArrayType:
		if id, ok := e.Elt.(*ast.Ident); ok && id.Name == "byte" {
			return false
		}
		return isValue(e.Elt)
	case *ast.MapType:
		return isValue(e.Value)
	}
	return true
}

// readTypes reads the types beside all files whose types are written by hand.
func (p *Plan) readTypes() error {
	for _, f := range p.Files {
		if !f.withoutTypes {
			continue
		}
		facts, err := p.tree.typeFacts(f)
		if err != nil {
			return err
		}
		p.fields = append(p.fields, facts.fields...)
		f.ownStrings = facts.strings
	}
	slices.SortStableFunc(p.fields, func(a, b fieldLine) int {
		return strings.Compare(a.pattern, b.pattern)
	})
	return nil
}
