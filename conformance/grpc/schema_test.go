package grpc

import (
	"testing"

	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
)

// TestSchema compares interop.proto with the descriptors that grpc-go has: what ours declares must
// be there, with the same numbers and types.
func TestSchema(t *testing.T) {
	res := compiler.Compile(t.Context(), compiler.Options{Sources: source.New("."),
		Files: []string{"interop/interop.proto"}})
	if res.Schema == nil {
		t.Fatal(res.Diagnostics)
	}
	f := res.Schema.File("interop/interop.proto")
	fields, methods := 0, 0
	for m := range f.AllMessages() {
		theirs := find(m.Name)
		if theirs == nil {
			t.Errorf("%s: grpc-go has no such message", m.FullName)
			continue
		}
		for _, fd := range m.Fields {
			other := theirs.Fields().ByName(protoreflect.Name(fd.Name))
			if other == nil || int32(other.Number()) != fd.Number ||
				other.Kind().String() != fd.Kind.String() ||
				other.IsList() != (fd.Repeated && !fd.IsMap()) {
				t.Errorf("%s is not %v", fd.FullName, other)
			}
			fields++
		}
	}
	for _, s := range f.Services {
		theirs := testpb.File_grpc_testing_test_proto.Services().ByName(protoreflect.Name(s.Name))
		for _, m := range s.Methods {
			other := theirs.Methods().ByName(protoreflect.Name(m.Name))
			if other == nil || string(other.Input().Name()) != m.Input.Name ||
				string(other.Output().Name()) != m.Output.Name ||
				other.IsStreamingClient() != m.ClientStreaming ||
				other.IsStreamingServer() != m.ServerStreaming {
				t.Errorf("%s.%s is not %v", s.FullName, m.Name, other)
			}
			methods++
		}
	}
	if fields != 35 || methods != 9 {
		t.Errorf("%d fields and %d methods were compared", fields, methods)
	}
}

// find returns a message of grpc-go's test service.
func find(name string) protoreflect.MessageDescriptor {
	for _, f := range []protoreflect.FileDescriptor{testpb.File_grpc_testing_messages_proto,
		testpb.File_grpc_testing_empty_proto} {
		if m := f.Messages().ByName(protoreflect.Name(name)); m != nil {
			return m
		}
	}
	return nil
}
