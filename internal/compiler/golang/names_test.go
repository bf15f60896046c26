package golang_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/golang"
	"github.com/octopus-framework/octopus/internal/oracle"
)

// TestNamesLikeProtocGenGo compares every Go name with the one that protoc-gen-go's own library
// gives, for schemas written to be difficult and, where they are there, for those of the corpus.
func TestNamesLikeProtocGenGo(t *testing.T) {
	roots := [][]string{{"testdata/names"}}
	const corpus = "../../../../shared/corpora/proto"
	entries, err := os.ReadDir(corpus)
	if err != nil {
		oracle.Missing(t, "shared", "without the schemas of ../shared, which is not there")
	}
	for _, e := range entries {
		if e.Name() != "wkt" {
			roots = append(roots, []string{filepath.Join(corpus, e.Name()),
				filepath.Join(corpus, "wkt")})
		}
	}
	for _, r := range roots {
		t.Run(filepath.Base(r[0]), func(t *testing.T) { sameNames(t, r) })
	}
}

func sameNames(t *testing.T, roots []string) {
	files, err := source.New(roots[0]).All()
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	// protoc-gen-go refuses MessageSet, which these use.
	files = slices.DeleteFunc(files, func(f string) bool {
		return strings.Contains(f, "/google_message3/") || strings.Contains(f, "/google_message4/")
	})
	res := compiler.Compile(context.Background(),
		compiler.Options{Sources: source.New(roots...), Files: files})
	if res.Schema == nil {
		t.Fatal(res.Diagnostics)
	}
	g, found := golang.New(res.Schema, golang.Options{Module: "example.com/gen"})
	if g == nil {
		t.Fatal(found)
	}
	got := g.Names()

	req := &pluginpb.CodeGeneratorRequest{FileToGenerate: files, ProtoFile: res.Descriptors.File}
	var params []string
	for _, f := range res.Descriptors.File {
		params = append(params, "M"+f.GetName()+"=example.com/gen/"+filepath.Dir(f.GetName()))
	}
	req.Parameter = proto.String(strings.Join(params, ","))
	plugin, err := protogen.Options{}.New(req)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	check := func(key, want string) {
		count++
		base := strings.TrimRight(got[key], "_")
		ours := strings.HasPrefix(got[key], want) &&
			slices.Contains(golang.OwnMethods(), base[strings.LastIndex(base, "_")+1:])
		if got[key] != want && !ours {
			t.Errorf("%s is %q, protoc-gen-go has %q", key, got[key], want)
		}
	}
	enums := func(es []*protogen.Enum) {
		for _, e := range es {
			check(string(e.Desc.FullName()), e.GoIdent.GoName)
			for _, v := range e.Values {
				check("value "+string(v.Desc.FullName()), v.GoIdent.GoName)
			}
		}
	}
	var messages func([]*protogen.Message)
	messages = func(ms []*protogen.Message) {
		for _, m := range ms {
			if m.Desc.IsMapEntry() {
				continue
			}
			check(string(m.Desc.FullName()), m.GoIdent.GoName)
			for _, f := range m.Fields {
				check(string(f.Desc.FullName()), f.GoName)
				if f.Oneof != nil && !f.Oneof.Desc.IsSynthetic() {
					check("wrapper "+string(f.Desc.FullName()), f.GoIdent.GoName)
				}
			}
			for _, o := range m.Oneofs {
				if !o.Desc.IsSynthetic() {
					check("oneof "+string(o.Desc.FullName()), o.GoName)
				}
			}
			enums(m.Enums)
			messages(m.Messages)
		}
	}
	for _, f := range plugin.Files {
		if f.Generate {
			enums(f.Enums)
			messages(f.Messages)
		}
	}
	if count == 0 {
		t.Error("nothing was compared")
	}
}
