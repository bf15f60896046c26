// Package ruletypes knows the messages of buf.validate that have rules: their names, fields,
// numbers and types, and a .proto file that declares them.
package ruletypes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The messages of rules, as far as rules have a value: name=number:kind, with a star behind it for
// a list. Without a kind, it is the first of the line. Kinds are those of fields; "rules" stands
// for FieldRules, mask for FieldMask.
var ruleTypes = map[string]string{
	"bool": "bool const=1 example=2*",
	"string": "string const=1 min_len=2:uint64 max_len=3:uint64 min_bytes=4:uint64" +
		" max_bytes=5:uint64 pattern=6 prefix=7 suffix=8 contains=9 in=10* not_in=11*" +
		" email=12:bool hostname=13:bool ip=14:bool ipv4=15:bool ipv6=16:bool uri=17:bool" +
		" uri_ref=18:bool len=19:uint64 len_bytes=20:uint64 address=21:bool uuid=22:bool" +
		" not_contains=23 well_known_regex=24:enum strict=25:bool ip_with_prefixlen=26:bool" +
		" ipv4_with_prefixlen=27:bool ipv6_with_prefixlen=28:bool ip_prefix=29:bool" +
		" ipv4_prefix=30:bool ipv6_prefix=31:bool host_and_port=32:bool tuuid=33:bool" +
		" example=34* ulid=35:bool protobuf_fqn=37:bool protobuf_dot_fqn=38:bool",
	"bytes": "bytes const=1 min_len=2:uint64 max_len=3:uint64 pattern=4:string prefix=5 suffix=6" +
		" contains=7 in=8* not_in=9* ip=10:bool ipv4=11:bool ipv6=12:bool len=13:uint64" +
		" example=14* uuid=15:bool",
	"enum":     "int32 const=1 defined_only=2:bool in=3* not_in=4* example=5*",
	"repeated": "rules min_items=1:uint64 max_items=2:uint64 unique=3:bool items=4",
	"map":      "rules min_pairs=1:uint64 max_pairs=2:uint64 keys=4 values=5",
	"any":      "string in=2* not_in=3*",
	"duration": "duration const=2 lt=3 lte=4 gt=5 gte=6 in=7* not_in=8* example=9*",
	"timestamp": "timestamp const=2 lt=3 lte=4 gt=5 gte=6 lt_now=7:bool gt_now=8:bool" +
		" within=9:duration example=10*",
	"field_mask": "string const=1:mask in=2* not_in=3* example=4:mask*",
	"float":      "float" + numberRules + " finite=8:bool example=9*",
	"double":     "double" + numberRules + " finite=8:bool example=9*",
	"int64":      "int64" + numberRules + " example=9*",
}

const (
	numberRules = " const=1 lt=2 lte=3 gt=4 gte=5 in=6* not_in=7*"
	// typeNumbers are the fields of FieldRules that have the messages of rules.
	typeNumbers = "float=1 double=2 int32=3 int64=4 uint32=5 uint64=6 sint32=7 sint64=8 fixed32=9" +
		" fixed64=10 sfixed32=11 sfixed64=12 bool=13 string=14 bytes=15 enum=16 repeated=18" +
		" map=19 any=20 duration=21 timestamp=22 field_mask=28"
)

// Field is a rule: a field of a message of rules.
type Field struct {
	Name string
	// Kind is that of its value, as in .proto files; "rules" stands for FieldRules, mask for
	// FieldMask.
	Kind string
	List bool
}

// Tables returns the kinds of rules by the number of the field of FieldRules that has them, and the
// rules of each kind by their numbers. Both are not to be changed.
var Tables = sync.OnceValues(func() (kinds map[int32]string, rules map[string]map[int32]Field) {
	kinds, rules = map[int32]string{}, map[string]map[int32]Field{}
	for entry := range strings.FieldsSeq(typeNumbers) {
		name, number, _ := strings.Cut(entry, "=")
		n, _ := strconv.Atoi(number)
		kinds[int32(n)] = name
		line := ruleTypes[name]
		if line == "" {
			line = name + numberRules + " example=8*"
		}
		words := strings.Fields(line)
		rules[name] = map[int32]Field{}
		for _, word := range words[1:] {
			f := Field{Kind: words[0]}
			word, f.List = strings.CutSuffix(word, "*")
			var rest string
			f.Name, rest, _ = strings.Cut(word, "=")
			number, kind, given := strings.Cut(rest, ":")
			if given {
				f.Kind = kind
			}
			n, _ := strconv.Atoi(number)
			rules[name][int32(n)] = f
		}
	}
	return kinds, rules
})

// Path is where files import the options from.
const Path = "buf/validate/validate.proto"

// Declarations returns a .proto file that declares the options: the same names, numbers and types
// as protovalidate's, without the expressions that say what they mean.
func Declarations() string {
	types, tables := Tables()
	var b strings.Builder
	b.WriteString(`syntax = "proto2";
package buf.validate;
import "google/protobuf/descriptor.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/timestamp.proto";
option go_package = "buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate";
extend google.protobuf.MessageOptions { optional MessageRules message = 1159; }
extend google.protobuf.OneofOptions { optional OneofRules oneof = 1159; }
extend google.protobuf.FieldOptions {
  optional FieldRules field = 1159;
  optional PredefinedRules predefined = 1160;
}
message Rule {
  optional string id = 1;
  optional string message = 2;
  optional string expression = 3;
}
message MessageRules {
  repeated string cel_expression = 5;
  repeated Rule cel = 3;
  repeated MessageOneofRule oneof = 4;
}
message MessageOneofRule {
  repeated string fields = 1;
  optional bool required = 2;
}
message OneofRules { optional bool required = 1; }
message PredefinedRules { repeated Rule cel = 1; }
enum Ignore {
  IGNORE_UNSPECIFIED = 0;
  IGNORE_IF_ZERO_VALUE = 1;
  IGNORE_ALWAYS = 3;
}
enum KnownRegex {
  KNOWN_REGEX_UNSPECIFIED = 0;
  KNOWN_REGEX_HTTP_HEADER_NAME = 1;
  KNOWN_REGEX_HTTP_HEADER_VALUE = 2;
}
message FieldRules {
  repeated string cel_expression = 29;
  repeated Rule cel = 23;
  optional bool required = 25;
  optional Ignore ignore = 27;
  oneof type {
`)
	for _, number := range sortedKeys(types) {
		fmt.Fprintf(&b, "    %s %s = %d;\n", MessageOf(types[number]), types[number], number)
	}
	b.WriteString("  }\n}\n")
	for _, number := range sortedKeys(types) {
		declareRules(&b, types[number], tables[types[number]])
	}
	b.WriteString(`message Violations { repeated Violation violations = 1; }
message Violation {
  optional FieldPath field = 5;
  optional FieldPath rule = 6;
  optional string rule_id = 2;
  optional string message = 3;
  optional bool for_key = 4;
}
message FieldPath { repeated FieldPathElement elements = 1; }
message FieldPathElement {
  optional int32 field_number = 1;
  optional string field_name = 2;
  optional google.protobuf.FieldDescriptorProto.Type field_type = 3;
  optional google.protobuf.FieldDescriptorProto.Type key_type = 4;
  optional google.protobuf.FieldDescriptorProto.Type value_type = 5;
  oneof subscript {
    uint64 index = 6;
    bool bool_key = 7;
    int64 int_key = 8;
    uint64 uint_key = 9;
    string string_key = 10;
  }
}
`)
	return b.String()
}

// declareRules declares a message of rules. Of those that have the same kind of bound, and of the
// well-known formats, there is only one: they are a oneof.
func declareRules(b *strings.Builder, name string, table map[int32]Field) {
	fmt.Fprintf(b, "message %s {\n", MessageOf(name))
	oneofs := map[string]string{}
	for _, number := range sortedKeys(table) {
		f := table[number]
		oneof := oneofOf(name, f)
		label := "optional "
		switch {
		case f.List:
			label = "repeated "
		case oneof != "":
			label = ""
		}
		line := fmt.Sprintf("  %s%s %s = %d;\n", label, protoType(f), f.Name, number)
		if oneof != "" {
			oneofs[oneof] += line
			continue
		}
		b.WriteString(line)
	}
	for _, oneof := range sortedKeys(oneofs) {
		fmt.Fprintf(b, "  oneof %s {\n%s  }\n", oneof, oneofs[oneof])
	}
	if name != "any" {
		b.WriteString("  extensions 1000 to max;\n")
	}
	b.WriteString("}\n")
}

// oneofOf returns the oneof that a rule is a member of, or "".
func oneofOf(name string, f Field) string {
	switch f.Name {
	case "lt", "lte", "lt_now":
		return "less_than"
	case "gt", "gte", "gt_now":
		return "greater_than"
	case "strict", "unique", "defined_only", "finite", "const":
		return ""
	}
	if f.Kind == "bool" && !f.List || f.Kind == "enum" {
		return "well_known"
	}
	return ""
}

func protoType(f Field) string {
	switch f.Kind {
	case "rules":
		return "FieldRules"
	case "enum":
		return "KnownRegex"
	case "duration":
		return "google.protobuf.Duration"
	case "timestamp":
		return "google.protobuf.Timestamp"
	case "mask":
		return "google.protobuf.FieldMask"
	}
	return f.Kind
}

// MessageOf returns the message that has the rules of a kind: "SFixed32Rules".
func MessageOf(name string) string {
	switch {
	case name == "field_mask":
		return "FieldMaskRules"
	case strings.HasPrefix(name, "uint"), strings.HasPrefix(name, "sint"),
		strings.HasPrefix(name, "sfixed"):
		return strings.ToUpper(name[:2]) + name[2:] + "Rules"
	}
	return strings.ToUpper(name[:1]) + name[1:] + "Rules"
}

func sortedKeys[K int32 | string, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
