// Package jsonlab measures JSON beside protobuf: small messages of one kind of value each, at which it shows what a digit, a
// quote or an escape costs, and two whole ones. Every implementation writes and reads the same text, that of the JSON mapping
// of protobuf; those that know nothing of protobuf do it with structs that give this text (package plain).
//
// This package has the workloads and says what is right. What runs in the workers is in package kit and below impl.
package jsonlab

import (
	"bytes"
	"encoding/json"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	pb "github.com/octopus-framework/octopus/lab/jsonlab/internal/google"
	"github.com/octopus-framework/octopus/lab/jsonlab/kit"
)

// Reference is what every operation must show for a message of a workload's type, by protojson and encoding/json.
func Reference(typ string, wire []byte) []byte { return kit.Show(text(typ, wire)) }

// text is the JSON of what a type knows of an encoded message. protojson puts spaces in at random; they are taken out.
func text(typ string, wire []byte) []byte {
	name := pb.File_json_proto.Package().Append(protoreflect.Name(strings.ReplaceAll(typ, "SixDigits", "Doubles")))
	t := kit.Must(protoregistry.GlobalTypes.FindMessageByName(name))
	m := t.New().Interface()
	if err := proto.Unmarshal(wire, m); err != nil {
		panic(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, kit.Must(protojson.Marshal(m))); err != nil {
		panic(err)
	}
	return compact.Bytes()
}
