package gogo_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// schema writes a .proto with every kind under every label, with every option that gogo's generator
// takes together with them. gogofaster and gogoslick refuse scalars in oneofs of proto2: oneofs are
// left out for them.
func schema(syntax, name string, oneofs bool) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p(`syntax = %q;`, syntax)
	p(`package schemas.%s;`, name)
	p(`import "github.com/gogo/protobuf/gogoproto/gogo.proto";`)
	p(`import "google/protobuf/timestamp.proto";`)
	p(`import "google/protobuf/duration.proto";`)
	p(`import "google/protobuf/wrappers.proto";`)
	p(`option go_package = "%s";`, name)
	p(`option (gogoproto.stable_marshaler_all) = true;`)
	opt := ""
	if syntax == "proto2" {
		opt = "optional "
	}
	kinds := strings.Fields(
		"double float int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 bool string bytes Color Inner")
	p("enum Color { NONE = 0; RED = 1; FAR = 70000; BELOW = -1; }")
	p("message Inner { %sint32 a = 1; %sstring b = 2; repeated Inner more = 3; }", opt, opt)
	isMessage := func(k string) bool { return k == "Inner" }
	isScalar := func(k string) bool { return !isMessage(k) && k != "string" && k != "bytes" }

	// One message for each label, with a field of each kind, the numbers not in order and across
	// the sizes of tags.
	number := func(i int) int {
		return []int{0, 15, 16, 2047, 2048, 1 << 20}[i%6] + 100*(i/6) + i + 1
	}
	each := func(message string, field func(i int, kind string) string) {
		p("message %s {", message)
		for i, k := range kinds {
			if s := field(i, k); s != "" {
				p("  %s", s)
			}
		}
		p("}")
	}
	each("Singular", func(i int, k string) string {
		return fmt.Sprintf("%s%s f_%d = %d;", opt, k, i, number(i))
	})
	each("Repeated", func(i int, k string) string {
		return fmt.Sprintf("repeated %s f_%d = %d;", k, i, number(i))
	})
	each("Packed", func(i int, k string) string {
		if !isScalar(k) {
			return ""
		}
		return fmt.Sprintf("repeated %s f_%d = %d [packed = %v];", k, i, number(i),
			syntax == "proto2")
	})
	each("MapValues", func(i int, k string) string {
		return fmt.Sprintf("map<string, %s> f_%d = %d;", k, i, number(i))
	})
	each("MapKeys", func(i int, k string) string {
		if isMessage(k) || k == "double" || k == "float" || k == "bytes" || k == "Color" {
			return ""
		}
		return fmt.Sprintf("map<%s, int32> f_%d = %d;", k, i, number(i))
	})
	if oneofs {
		p("message Oneof {\n  oneof first {")
		for i, k := range kinds {
			p("    %s f_%d = %d;", k, i, number(i))
		}
		p(
			"  }\n  %sint32 between = 14;\n  oneof second { string s = 12; Inner m = 40; bytes b = 3; }\n}", opt)
	}
	if syntax == "proto2" {
		each("Required", func(i int, k string) string {
			return fmt.Sprintf("required %s f_%d = %d;", k, i, number(i))
		})
		each("Values", func(i int, k string) string {
			return fmt.Sprintf("optional %s f_%d = %d [(gogoproto.nullable) = false];", k,
				i, number(i))
		})
		p("message Defaults {")
		p(
			`  optional int32 i = 1 [default = -7]; optional string s = 2 [default = "a \"b\""]; optional bytes b = 3 [default = "\001x"];`)
		p(
			"  optional float f = 4 [default = inf]; optional double d = 5 [default = 1.5]; optional bool t = 6 [default = true];")
		p("  optional Color c = 7 [default = FAR];\n}")
	}
	customs(p, opt, oneofs)
	combinations(p, syntax, opt)
	return b.String()
}

// combinations writes a message with fields of random kinds and labels, and of the options that
// gogo takes together with them a random part each.
func combinations(p func(format string, args ...any), syntax, opt string) {
	const custom = "github.com/octopus-framework/octopus/conformance/gogo/internal/custom"
	casts := map[string]string{"string": "Name", "int64": "Count", "bool": "Flag",
		"double": "Ratio", "bytes": "Blob", "sint32": "Small", "sfixed64": "Count",
		"uint64": "Wide", "fixed32": "Unsigned"}
	kinds := append(slices.Sorted(maps.Keys(casts)), "Inner", "Color", "float", "sint64",
		"google.protobuf.Timestamp", "google.protobuf.StringValue")
	std := map[string]string{"google.protobuf.Timestamp": "stdtime",
		"google.protobuf.StringValue": "wktpointer"}
	r := rand.New(rand.NewPCG(19, 1))
	p("message Combinations {")
	for i := range 120 {
		kind, label := kinds[r.IntN(len(kinds))], []string{opt, "repeated ", "map"}[r.IntN(3)]
		isMessage := kind == "Inner" || std[kind] != ""
		var options []string
		some := func(on bool, format string, args ...any) {
			if on && r.IntN(2) == 0 {
				options = append(options, "(gogoproto."+fmt.Sprintf(format, args...))
			}
		}
		if std[kind] != "" {
			options = append(options, "(gogoproto."+std[kind]+") = true")
		}
		some(isMessage || syntax == "proto2" && label == opt && kind != "bytes",
			"nullable) = false")
		some(casts[kind] != "" && (label == opt || label == "repeated " && kind != "bytes"),
			"casttype) = %q", custom+"."+casts[kind])
		some(label == "map", "castkey) = %q", custom+".Key")
		some(true, "customname) = \"Custom%d\"", i)
		some(true, "jsontag) = %q", []string{"", "-", "tag,omitempty"}[r.IntN(3)])
		some(true, "moretags) = %q", `yaml:"y"`)
		typ := label + kind
		if label == "map" {
			typ = "map<string, " + kind + ">"
		}
		text := ""
		if len(options) > 0 {
			text = " [" + strings.Join(options, ", ") + "]"
		}
		p("  %s f_%d = %d%s;", typ, i, 3*i+1+r.IntN(3), text)
	}
	p("}")
}

// customs writes messages about the options that change types.
func customs(p func(format string, args ...any), opt string, oneofs bool) {
	const custom = "github.com/octopus-framework/octopus/conformance/gogo/internal/custom"
	no := ", (gogoproto.nullable) = false"
	p("message Customs {")
	p("  %sbytes id = 1 [(gogoproto.customtype) = %q];", opt, custom+".ID")
	p("  %sbytes value = 2 [(gogoproto.customtype) = %q%s];", opt, custom+".ID", no)
	p("  repeated bytes list = 3 [(gogoproto.customtype) = %q%s];", custom+".ID", no)
	p("  map<string, bytes> map = 4 [(gogoproto.customtype) = %q%s];", custom+".ID", no)
	if oneofs {
		p("  oneof o { bytes member = 5 [(gogoproto.customtype) = %q]; }", custom+".ID")
	}
	p("}")
	p("message Casts {")
	for i, c := range [][2]string{{"string", "Name"}, {"int64", "Count"}, {"bool", "Flag"},
		{"double", "Ratio"}, {"bytes", "Blob"}, {"sint32", "Small"}, {"sfixed64", "Count"}} {
		p("  %s%s f_%d = %d [(gogoproto.casttype) = %q];", opt, c[0], i, i+1, custom+"."+c[1])
		if c[0] != "bytes" {
			p("  repeated %s r_%d = %d [(gogoproto.casttype) = %q];", c[0], i, i+20,
				custom+"."+c[1])
		}
	}
	p("  map<string, int32> k = 50 [(gogoproto.castkey) = %q];", custom+".Key")
	p("}")
	p("message Shapes {")
	p("  %sInner value = 1 [(gogoproto.nullable) = false];", opt)
	p("  repeated Inner values = 2 [(gogoproto.nullable) = false];")
	p("  map<int32, Inner> entries = 3 [(gogoproto.nullable) = false];")
	p("  %sInner embedded = 4 [(gogoproto.embed) = true];", opt)
	p(
		"  %sint32 named = 5 [(gogoproto.customname) = \"Other\", (gogoproto.jsontag) = \"-\", (gogoproto.moretags) = \"yaml:\\\"n\\\"\"];", opt)
	p("  %sstring size = 6; %sstring marshal = 7; %sstring go_string = 8;", opt, opt, opt)
	p("}")
	for _, std := range [][3]string{{"Times", "google.protobuf.Timestamp", "stdtime"},
		{"Durations", "google.protobuf.Duration", "stdduration"}} {
		stds(p, opt, oneofs, std[0], std[1], std[2])
	}
	for _, w := range strings.Fields("Double Float Int64 UInt64 Int32 UInt32 Bool String Bytes") {
		stds(p, opt, oneofs, w+"s", "google.protobuf."+w+"Value", "wktpointer")
	}
}

func stds(p func(format string, args ...any), opt string, oneofs bool, message, typ,
	option string) {
	p("message %s {", message)
	p("  %s%s pointer = 1 [(gogoproto.%s) = true];", opt, typ, option)
	p("  %s%s value = 2 [(gogoproto.%s) = true, (gogoproto.nullable) = false];", opt, typ, option)
	p("  repeated %s pointers = 3 [(gogoproto.%s) = true];", typ, option)
	p("  repeated %s list = 4 [(gogoproto.%s) = true, (gogoproto.nullable) = false];", typ, option)
	p("  map<int32, %s> pointer_map = 5 [(gogoproto.%s) = true];", typ, option)
	p("  map<int32, %s> value_map = 6 [(gogoproto.%s) = true, (gogoproto.nullable) = false];", typ,
		option)
	if oneofs {
		p("  oneof o { %s member = 7 [(gogoproto.%s) = true]; int32 other = 8; }", typ, option)
	}
	p("}")
}
