package gogo_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/compiler/gogo/shape"
	"github.com/octopus-framework/octopus/internal/oracle"
)

const registered = `syntax = "proto2";
package registered.NAME;
import "github.com/gogo/protobuf/gogoproto/gogo.proto";
import "google/protobuf/timestamp.proto";
option go_package = "types";
option (gogoproto.goproto_extensions_map_all) = false;
enum Color { NONE = 0; RED = 1; }
message Outer {
  optional string name = 1;
  optional Color color = 2;
  repeated Inner list = 3 [(gogoproto.nullable) = false];
  map<string, Inner> entries = 4;
  oneof o { Inner member = 5; string text = 6; }
  optional google.protobuf.Timestamp at = 7 [(gogoproto.stdtime) = true];
  optional bytes id = 8 [(gogoproto.customtype) = "ID", (gogoproto.nullable) = false];
}
message Extended { extensions 100 to 200; }
message Inner { optional int32 a = 1; }
message Need { required int32 a = 1; }
extend Extended { optional int32 more = 100; }
`

// library is a registry's library: what its modules are, and lines of a program that show what it
// knows of the types. Each ends with show(name, what it has of it).
type library struct {
	modules []string
	imports []string
	lines   string
}

var libraries = map[string]library{
	shape.RegistryNone: {},
	shape.RegistryGogo: {[]string{"github.com/gogo/protobuf v1.3.2"},
		[]string{"github.com/gogo/protobuf/proto"}, firstAPI},
	shape.RegistryGolang: {[]string{"github.com/golang/protobuf v1.5.4",
		"google.golang.org/protobuf v1.36.12"},
		[]string{"github.com/golang/protobuf/proto"}, firstAPI},
	shape.RegistryCosmos: {[]string{"github.com/cosmos/gogoproto v1.7.2"},
		[]string{"github.com/cosmos/gogoproto/proto"}, firstAPI},
	shape.RegistryGoogle: {[]string{"google.golang.org/protobuf v1.36.12"},
		[]string{"google.golang.org/protobuf/proto", "google.golang.org/protobuf/protoadapt",
			"google.golang.org/protobuf/reflect/protoregistry"}, `
	mt, err := protoregistry.GlobalTypes.FindMessageByName("registered.NAME.Outer")
	show("message type", err == nil && mt.Descriptor().Fields().Len() == 8)
	et, err := protoregistry.GlobalTypes.FindEnumByName("registered.NAME.Color")
	show("enum type", err == nil && et.Descriptor().Values().Len() == 2)
	fd, err := protoregistry.GlobalFiles.FindFileByPath("registered.proto")
	show("file", err == nil && fd.Messages().Len() == 4)
	xt, err := protoregistry.GlobalTypes.FindExtensionByName("registered.NAME.more")
	show("extension", err == nil && xt.TypeDescriptor().Number() == 100)
	v2 := protoadapt.MessageV2Of(m)
	b, err := proto.Marshal(v2)
	show("Marshal", err == nil && string(b) == string(want))
	show("Size", proto.Size(v2) == len(want))
	back := new(types.Outer)
	show("Unmarshal", proto.Unmarshal(want, protoadapt.MessageV2Of(back)) == nil && back.GetName() == "n")
`},
}

// firstAPI is what gogo's library, its fork and golang/protobuf have in common.
const firstAPI = `
	show("message type", proto.MessageType("registered.NAME.Outer") != nil)
	show("enum type", proto.EnumValueMap("registered.NAME.Color")["RED"] == 1)
	show("file", len(proto.FileDescriptor("registered.proto")) > 0)
	show("extension", proto.RegisteredExtensions(new(types.Extended))[100] == types.E_More)
	b, err := proto.Marshal(m)
	show("Marshal", err == nil && string(b) == string(want))
	show("Size", proto.Size(m) == len(want))
	back := new(types.Outer)
	show("Unmarshal", proto.Unmarshal(want, back) == nil && back.GetName() == "n")
`

// TestRegistry compiles the same schema with each registry, and asks its library for the types.
func TestRegistry(t *testing.T) {
	module := gogoFolder(t)
	for _, registry := range shape.Registries() {
		t.Run(registry, func(t *testing.T) {
			lib := libraries[registry]
			dir := scratch(t)
			for _, m := range lib.modules {
				version := strings.Replace(m, " ", "@", 1)
				out, err := exec.Command("go", "mod", "download", version).CombinedOutput()
				if err != nil {
					oracle.Skip(t, "modules", version+" cannot be had: "+string(out))
				}
				run(t, dir, "get", version)
			}
			text := strings.ReplaceAll(registered, "NAME", "in_"+registry)
			write(t, dir, map[string]string{"registered.proto": text})
			req := request(t, []string{dir, importRoot(t, module)}, "", "registered.proto")
			for file, text := range shaped(t, req, "gogofast", shape.FileOptions{
				Suffix: ".pb.go", Registry: registry, GRPCSafe: true, Readers: true}) {
				for _, other := range []string{"github.com/gogo/", "github.com/golang/",
					"github.com/cosmos/", "google.golang.org/"} {
					if strings.Contains(text, `"`+other) && (len(lib.modules) == 0 ||
						!strings.HasPrefix(lib.modules[0], other)) {
						t.Errorf("%s imports something of %s", file, other)
					}
				}
				write(t, dir, map[string]string{"types/" + file: text})
			}
			imports := ""
			for _, path := range lib.imports {
				imports += fmt.Sprintf("\t%q\n", path)
			}
			write(t, dir, map[string]string{"types/id.go": customID, "main.go": fmt.Sprintf(`package main

import (
	"fmt"

%s
	"github.com/octopus-framework/octopus/conformance/gogo/scratch/types"
)

func show(what string, ok bool) { fmt.Println(what, ok) }

func main() {
	name, a := "n", int32(7)
	m := &types.Outer{Name: &name, List: []types.Inner{{A: &a}}, Id: types.ID{1, 2}}
	want, err := m.Marshal()
	show("encoding", err == nil && len(want) == 3+4+4)
	var r types.OuterReader
	show("Reader", r.Unmarshal(want) == nil && r.GetName() == "n" && r.LenList() == 1)
	show("String", len(m.String()) > 5)
%s
}
`, imports, strings.ReplaceAll(lib.lines, "NAME", "in_"+registry))})
			got := run(t, dir, "run", ".")
			if wantLines := 3 + strings.Count(lib.lines, "show("); strings.Contains(got, "false") ||
				strings.Count(got, "true\n") != wantLines {
				t.Errorf("%d lines wanted:\n%s", wantLines, got)
			}
		})
	}
}

const customID = `package types

import "errors"

// ID is a custom type.
type ID [2]byte

// Size is 2.
func (i ID) Size() int { return 2 }

// MarshalTo writes it.
func (i ID) MarshalTo(b []byte) (int, error) { return copy(b, i[:]), nil }

// Unmarshal reads it.
func (i *ID) Unmarshal(b []byte) error {
	if len(b) != 2 {
		return errors.New("two bytes are wanted")
	}
	copy(i[:], b)
	return nil
}

// MarshalJSON is for libraries that want it.
func (i ID) MarshalJSON() ([]byte, error) { return []byte("\"\""), nil }

// Equal compares.
func (i ID) Equal(o ID) bool { return i == o }

// Marshal is for libraries that want it.
func (i ID) Marshal() ([]byte, error) { return i[:], nil }

// String is for texts.
func (i ID) String() string { return "id" }
`
