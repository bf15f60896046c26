package compiler

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/source"
)

// TestSessionEqualsCompile changes files of a session: what it returns is what a compilation from
// nothing returns, and what does not depend on a change is not made again.
func TestSessionEqualsCompile(t *testing.T) {
	const a, b, c = `syntax = "proto3"; package p; message A { int32 a = 1; }`,
		`syntax = "proto3"; package p; import "a.proto"; message B { A a = 1; } // b`,
		`syntax = "proto3"; package p; /* c */ message C { int32 c = 1; }`
	src := source.FromFS(nil)
	s := NewSession(src)
	texts := map[string]string{}
	compile := func(info SourceInfo) (*Result, map[string]*descriptorpb.FileDescriptorProto) {
		t.Helper()
		fresh := source.FromFS(nil)
		for path, text := range texts {
			fresh.Put(path, text)
		}
		o := Options{Files: []string{"a.proto", "b.proto", "c.proto"}, SourceInfo: info}
		got := s.Compile(t.Context(), o)
		o.Sources = fresh
		want := Compile(t.Context(), o)
		if len(got.Diagnostics) != len(want.Diagnostics) ||
			!proto.Equal(got.Descriptors, want.Descriptors) {
			t.Fatalf("got %v %v\nwant %v %v", got.Diagnostics, got.Descriptors, want.Diagnostics,
				want.Descriptors)
		}
		for i, d := range want.Diagnostics {
			if got.Diagnostics[i].Message != d.Message {
				t.Fatalf("got %v, want %v", got.Diagnostics, want.Diagnostics)
			}
		}
		files := map[string]*descriptorpb.FileDescriptorProto{}
		for _, f := range got.Descriptors.GetFile() {
			files[f.GetName()] = f
		}
		return got, files
	}
	put := func(path, text string) {
		texts[path] = text
		src.Put(path, text)
	}
	put("a.proto", a)
	put("b.proto", b)
	put("c.proto", c)
	_, first := compile(FullSourceInfo)
	_, again := compile(FullSourceInfo)
	for path, f := range first {
		if again[path] != f {
			t.Errorf("%s was compiled twice", path)
		}
	}
	put("a.proto", `syntax = "proto3"; package p; message A { string a = 2; }`)
	if _, now := compile(FullSourceInfo); now["c.proto"] != first["c.proto"] ||
		now["b.proto"] == first["b.proto"] {
		t.Error("a change of a is one of what imports it, and of nothing else")
	}

	// errors come and go, also those in files that do not depend on what has changed
	put("a.proto", `syntax = "proto3"; package p; message A { int32 a = 1; } message C {}`)
	if res, _ := compile(FullSourceInfo); res.Diagnostics.Errors() != 1 {
		t.Errorf("two messages of one name: %v", res.Diagnostics)
	}
	put("a.proto", `syntax = "proto3"; package p;`)
	if res, _ := compile(FullSourceInfo); res.Diagnostics.Errors() != 1 {
		t.Errorf("a type that is not there: %v", res.Diagnostics)
	}
	put("a.proto", `syntax = "proto3"; package p; message A {`)
	compile(FullSourceInfo)
	put("a.proto", a)
	compile(FullSourceInfo)
	compile(PlacesOnly)
	res, _ := compile(SourceInfoLater)
	if _, err := res.AppendFile(nil, 0, true); err != nil {
		t.Error(err)
	}
	compile(FullSourceInfo)
}
