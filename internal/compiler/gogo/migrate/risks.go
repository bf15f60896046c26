package migrate

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// Risk is a use of a protobuf library that needs a look before gogo/protobuf can leave; none of
// them keeps a file from being replaced.
type Risk struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Use  string `json:"use"` // import path and name
	Why  string `json:"why"`
}

// risky are uses by import path and name; "" is any name of the package.
var risky = []struct{ path, names, why string }{
	{"github.com/gogo/protobuf/proto", "Merge Clone",
		"goes by reflection over the struct; panics on time.Time and custom types"},
	{"github.com/gogo/protobuf/proto", "MessageType MessageName FileDescriptor EnumValueMap " +
		"GetExtension SetExtension HasExtension RegisterType RegisterExtension",
		"asks gogo's registry: needs registry: gogo"},
	{"github.com/gogo/protobuf/proto", "NewBuffer Buffer",
		"SetDeterministic goes by tables with global locks; Marshal by methods does not"},
	{"github.com/gogo/protobuf/proto", "Marshal Unmarshal Size Equal CompactTextString",
		"can become a method of the message; Unmarshal is then Reset and Unmarshal"},
	{"github.com/gogo/protobuf/jsonpb", "", "goes by reflection and gogo's registry"},
	{"github.com/gogo/protobuf/types", "MarshalAny UnmarshalAny DynamicAny EmptyAny Is",
		"looks types up by name in gogo's registry: needs registry: gogo"},
	{"github.com/gogo/protobuf/types", "TimestampProto TimestampFromProto DurationProto " +
		"DurationFromProto", "a message of gogo's; stdtime needs none"},
	{"github.com/gogo/protobuf/protoc-gen-gogo/descriptor", "", "reads descriptors"},
	{"github.com/gogo/protobuf/gogoproto", "", "reads options at run time"},
	{"github.com/gogo/protobuf/grpc", "", "gogo's own gRPC codec"},
	{"github.com/gogo/gateway", "", "gogo's marshaler for grpc-gateway 1"},
	{"github.com/grpc-ecosystem/grpc-gateway/runtime", "",
		"grpc-gateway 1 works with golang/protobuf 1.3 messages"},
	{"github.com/golang/protobuf/proto", "Merge Clone Equal Marshal Unmarshal Size MessageName",
		"golang/protobuf looks at the struct by reflection: custom types may panic"},
	{"github.com/golang/protobuf/jsonpb", "", "goes by reflection"},
	{"google.golang.org/protobuf/proto", "Marshal Unmarshal Clone Merge Equal Size",
		"works on messages of protobuf-go; gogo's only by protoadapt, custom types may panic"},
	{"google.golang.org/protobuf/protoadapt", "",
		"wraps gogo's messages for protobuf-go: custom types may panic"},
	{"github.com/cosmos/gogoproto/proto", "Merge Clone MessageType MessageName HybridResolver",
		"goes by reflection or the registry of Cosmos' fork: needs registry: cosmos"},
	{"github.com/cosmos/gogoproto/jsonpb", "", "goes by reflection and the registry"},
}

// risks finds risky uses in hand-written files.
func (t *Tree) risks(goFiles []string) (out []Risk, err error) {
	for _, name := range goFiles {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, t.path(name), nil, parser.SkipObjectResolution)
		if err != nil {
			continue // what is no Go is not compiled either
		}
		imports := importsOf(f)
		interesting := false
		for _, p := range imports {
			interesting = interesting || slices.ContainsFunc(risky,
				func(r struct{ path, names, why string }) bool { return r.path == p })
		}
		if !interesting {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := s.X.(*ast.Ident)
			if !ok {
				return true
			}
			for _, r := range risky {
				if imports[x.Name] == r.path && (r.names == "" ||
					slices.Contains(strings.Fields(r.names), s.Sel.Name)) {
					out = append(out, Risk{name, fset.Position(s.Pos()).Line,
						r.path + "." + s.Sel.Name, r.why})
				}
			}
			return true
		})
	}
	slices.SortFunc(out, func(a, b Risk) int {
		return cmp.Or(strings.Compare(a.Use, b.Use), strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	return slices.Compact(out), nil
}
