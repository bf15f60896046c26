package migrate

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// generated is a file that a plugin of gogo's made.
type generated struct {
	name       string // name in the tree
	text       []byte
	ast        *ast.File
	proto      string                            // import path of its .proto
	descriptor *descriptorpb.FileDescriptorProto // nil where the file holds none
	imports    map[string]string                 // import paths by the names they have in the file
}

// maxDescriptor is the size of the largest descriptor that is unpacked.
const maxDescriptor = 64 << 20

// readGenerated reads a generated file.
func readGenerated(name string, text []byte) (*generated, error) {
	f, err := parser.ParseFile(token.NewFileSet(), name, text,
		parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("generated file %q is no Go: %w", name, err)
	}
	g := &generated{name: name, text: text, ast: f, imports: importsOf(f)}
	for line := range strings.Lines(string(text[:min(len(text), headBytes)])) {
		if source, ok := strings.CutPrefix(strings.TrimSpace(line), "// source: "); ok {
			g.proto = source
			break
		}
	}
	for _, d := range f.Decls {
		g.readDescriptor(d)
	}
	if g.proto == "" {
		return nil, fmt.Errorf("generated file %q does not say of which .proto it was made", name)
	}
	return g, nil
}

// importsOf returns the import paths of a file by the names that the file knows them by. A name is
// guessed from the path where the file gives none.
func importsOf(f *ast.File) map[string]string {
	imports := map[string]string{}
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(p)
		if spec.Name != nil {
			name = spec.Name.Name
		} else if len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
			name = path.Base(path.Dir(p))
		}
		if name == "_" || name == "." {
			name += p // several have that name
		}
		imports[name] = p
	}
	return imports
}

// has tells whether the file imports a package.
func (g *generated) has(importPath string) bool {
	for _, p := range g.imports {
		if p == importPath {
			return true
		}
	}
	return false
}

// readDescriptor reads the variable with the compressed descriptor.
func (g *generated) readDescriptor(d ast.Decl) {
	gen, ok := d.(*ast.GenDecl)
	if !ok || gen.Tok != token.VAR {
		return
	}
	for _, s := range gen.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok || len(v.Names) != 1 || len(v.Values) != 1 ||
			!strings.HasPrefix(v.Names[0].Name, "fileDescriptor") {
			continue
		}
		lit, ok := v.Values[0].(*ast.CompositeLit)
		if !ok {
			continue
		}
		data := make([]byte, 0, len(lit.Elts))
		for _, e := range lit.Elts {
			if b, ok := e.(*ast.BasicLit); ok {
				n, _ := strconv.ParseUint(b.Value, 0, 8)
				data = append(data, byte(n))
			}
		}
		fd, err := unpack(data)
		if err == nil {
			g.descriptor, g.proto = fd, fd.GetName()
		}
	}
}

func unpack(data []byte) (*descriptorpb.FileDescriptorProto, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	data, err = io.ReadAll(io.LimitReader(z, maxDescriptor))
	if err != nil {
		return nil, err
	}
	fd := &descriptorpb.FileDescriptorProto{}
	return fd, proto.Unmarshal(data, fd)
}

// registry returns the library that the file registers its types with.
func (g *generated) registry() string {
	switch {
	case g.has("github.com/cosmos/gogoproto/proto"):
		return "cosmos"
	case g.has("github.com/gogo/protobuf/proto"):
		return "gogo"
	case g.has("github.com/golang/protobuf/proto"):
		return "golang"
	}
	return "none"
}

// hasStubs tells whether the file has gRPC stubs.
func (g *generated) hasStubs() bool { return g.has("google.golang.org/grpc") }
