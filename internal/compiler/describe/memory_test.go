package describe_test

import (
	"runtime"
	"testing"
	"weak"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// TestDescriptorKeepsNoTree drops all of a file but its descriptor, which must not keep the tree.
func TestDescriptorKeepsNoTree(t *testing.T) {
	described := func() (*descriptorpb.FileDescriptorProto, weak.Pointer[syntax.File]) {
		tree, _ := syntax.Parse("a.proto", `edition = "2023"; package p;
			message A { int32 a = 1 [json_name = "b"]; map<int32, A> m = 2; oneof o { A x = 3; } }
			enum E { Z = 0; } service S { rpc R(A) returns (A) {} } extend A { int32 e = 4; }`)
		f, _ := describe.Describe(tree)
		f.Complete()
		f.Proto.SourceCodeInfo = f.SourceInfo()
		return f.Proto, weak.Make(tree)
	}
	proto, tree := described()
	runtime.GC()
	if tree.Value() != nil {
		t.Error("the tree is still there")
	}
	if proto.GetName() != "a.proto" || proto.GetEdition() != descriptorpb.Edition_EDITION_2023 {
		t.Errorf("%q of edition %v", proto.GetName(), proto.GetEdition())
	}
}
