package options

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/link"
	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// Package compiler has the tests with protoc beside: values, random options, changed statements.

// read reads the options of files that are given by import path, and what they import. It returns
// the pool and what is wrong; options are only read when nothing was before.
func read(t testing.TB, texts map[string]string, o Options) (*link.Pool, report.List) {
	t.Helper()
	sources := source.FromFS(nil)
	for path, text := range texts {
		sources.Put(path, text)
	}
	var files []*describe.File
	var found report.List
	seen := map[string]bool{}
	var add func(path string)
	add = func(path string) {
		if seen[path] {
			return
		}
		seen[path] = true
		f, err := sources.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		tree, wrong := syntax.Parse(path, f.Text)
		d, more := describe.Describe(tree)
		d.BuiltIn = f.BuiltIn()
		found = slices.Concat(found, wrong, more)
		files = append(files, d)
		for _, p := range slices.Concat(d.Proto.Dependency, d.Proto.OptionDependency) {
			add(p)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		add(path)
	}
	pool := link.NewPool()
	linked, more := pool.Link(files, link.Options{})
	if found = append(found, more...); found.Errors() > 0 {
		return pool, found
	}
	return pool, append(found, Read(pool, linked, o)...)
}

// prelude declares the options of the statements that tests read.
func prelude(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../../../compiler/testdata/options.proto")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestStatements compares the options of a file, byte by byte, with what protoc made of them.
func TestStatements(t *testing.T) {
	data, err := os.ReadFile("../../../compiler/testdata/options.txt")
	if err != nil {
		t.Fatal(err)
	}
	declarations := prelude(t)
	for s := bufio.NewScanner(strings.NewReader(string(data))); s.Scan(); {
		text, want, _ := strings.Cut(s.Text(), "\t")
		if u, err := strconv.Unquote(text); err == nil {
			text = u
		}
		if text == "option features.field_presence = IMPLICIT;" {
			continue // refused as this is proto2, which is a rule of package rules
		}
		pool, found := read(t, map[string]string{"a.proto": declarations + text + "\n"}, Options{})
		got := "refused"
		if found.Errors() == 0 {
			b, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(
				pool.File("a.proto").Proto.Options)
			if err != nil {
				t.Fatal(err)
			}
			got = hex.EncodeToString(b)
		}
		if got != want {
			t.Errorf("%s: %s, want %s\n%v", text, got, want, found)
		}
	}
}

// TestProblems has what is said about options that cannot be read: where, what and what to do.
func TestProblems(t *testing.T) {
	declarations := prelude(t)
	lines := strings.Count(declarations, "\n")
	for text, want := range map[string]string{
		`option java_pakage = "x";`: `8: there is no option "java_pakage": ` +
			`"google.protobuf.FileOptions" has no such field (did you mean "java_package"?)`,
		`option optimize_for = FAST;`: `23: expected a value of enum ` +
			`"google.protobuf.FileOptions.OptimizeMode" for option "optimize_for", found "FAST" ` +
			`(its values are SPEED, CODE_SIZE, LITE_RUNTIME)`,
		`option (e) = E9;`: `14: expected a value of enum "q.E" for option "e", found "E9" ` +
			`(did you mean "E0"?)`,
		`option s = "x";`: `8: there is no option "s": "google.protobuf.FileOptions" has no such ` +
			`field (a custom option is written in parentheses: (s))`,
		`option (q.M) = 1;`:             `8: "q.M" is no extension of "google.protobuf.FileOptions" ()`,
		`option (m).xi = 1;`:            `12: message "q.M" has no field "xi" (did you mean "i"?)`,
		`option (m) = { GR { x: 1 } };`: `16: message "q.M" has no field "GR" (did you mean "gr"?)`,
		`option (i) = 2147483648;`: `14: expected an integer from -2147483648 to 2147483647 for ` +
			`option "i", found "2147483648" ()`,
		`option (m) = { i: - 2147483649 };`: `19: expected an integer from -2147483648 to ` +
			`2147483647 for field "i", found "-2147483649" ()`,
		`option (m).i = 1; option (m).i = 2;`: `26: option "i" is set twice, and is not repeated ()`,
		`option (m) = { only { } };`: `16: option "only" is not meant for a declaration of this ` +
			`kind (it is one of fields)`,
		`option (r).b = 1;`: `8: required field "a" of message "q.R" is missing ()`,
		`option (m).rm.i = 1;`: `12: option "rm" is repeated: its messages are set as a whole, in ` +
			`braces ()`,
		`option (m) = { i: };`: `19: expected a value of field "i", ` +
			`found the end of the value ()`,
		`option (m) = { i: "x" };`: `19: expected an integer for field "i", found "x" ()`,
		`option java_package = 5;`: `23: expected a string for option "java_package", found "5" ()`,
		`option (m).r.nope = 5;`:   `14: message "q.R" has no field "nope" (its fields are a, b)`,
		`option java_package = { a };`: `23: expected a string for option ` +
			`"java_package", found a message ()`,
		`option (m) = { i };`: `18: expected ":", found the end of the value ()`,
	} {
		_, found := read(t, map[string]string{"a.proto": declarations + text + "\n"}, Options{})
		got := ""
		for _, d := range found {
			got += fmt.Sprintf("%d: %s (%s)", d.Column, d.Message, d.Hint)
			if d.Line != lines+1 || d.EndLine != d.Line || d.EndColumn <= d.Column {
				t.Errorf("%s: at %d:%d to %d:%d", text, d.Line, d.Column, d.EndLine, d.EndColumn)
			}
		}
		if got != want {
			t.Errorf("%s\n%s\nwant\n%s", text, got, want)
		}
	}
}

// TestAllProblems reads options that are wrong in several ways: each is told.
func TestAllProblems(t *testing.T) {
	_, found := read(t, map[string]string{"a.proto": `syntax = "proto3";
		option java_pakage = "x";
		option optimize_for = FAST;
		option go_package = "x";
		message A { repeated int32 n = 2 [packed = "yes", (nope) = 1, deprecated = 1]; }`},
		Options{})
	if len(found) != 5 {
		t.Errorf("%d problems:\n%v", len(found), found)
	}
}

// TestMapFeatures sets a feature of a map, which is one of its entry's fields, too: what is wrong
// with it is told once.
func TestMapFeatures(t *testing.T) {
	_, found := read(t, map[string]string{"a.proto": `edition = "2023";
		message A { map<string, string> m = 1 [features.utf8_validation = NO]; }`}, Options{})
	if len(found) != 1 {
		t.Errorf("%d problems:\n%v", len(found), found)
	}
}

// TestPaths has the paths of what options set, which source info needs.
func TestPaths(t *testing.T) {
	pool, found := read(t, map[string]string{"a.proto": prelude(t) + `
		option (ri) = 1;
		option (m).i = 2;
		option java_package = "a";
		option (ri) = 3;
		option (m).(xm).rm = { i: 4 };
		option (m).(xm).rm = { i: 5 };
		option (ms).(Item.high).x = 6;`}, Options{Paths: true})
	if len(found) > 0 {
		t.Fatal(found)
	}
	got := fmt.Sprint(pool.File("a.proto").Statements[0].Paths)
	want := "[[50007 0] [50000 6] [1] [50007 1] [50000 101 16 0] [50000 101 16 1] " +
		"[50017 2147483646 1]]"
	for _, s := range pool.File("a.proto").Statements {
		if s.Target == descriptorpb.FieldOptions_TARGET_TYPE_FILE {
			got = fmt.Sprint(s.Paths)
		}
	}
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestRequiredInItem sets a required field of an item of a message set in braces and another one by
// name: together they are complete.
func TestRequiredInItem(t *testing.T) {
	const declarations = `syntax = "proto2";
		import "google/protobuf/descriptor.proto";
		message MS { option message_set_wire_format = true; extensions 4 to max; }
		message Item {
			extend MS { optional Item item = 5; }
			required int32 a = 1;
			optional int32 b = 2;
		}
		extend google.protobuf.FileOptions { optional MS ms = 50000; }
		`
	for text, want := range map[string]int{
		`option (ms) = { [Item.item] { a: 1 } }; option (ms).(Item.item).b = 2;`: 0,
		`option (ms).(Item.item).b = 2; option (ms).(Item.item).a = 1;`:          0,
		`option (ms).(Item.item).b = 2;`:                                         1,
		`option (ms) = { }; option (ms).(Item.item).b = 2;`:                      1,
	} {
		_, found := read(t, map[string]string{"a.proto": declarations + text}, Options{})
		if len(found) != want {
			t.Errorf("%s: %v, want %d", text, found, want)
		}
	}
}

// TestLanguages sets features of languages: those that protoc knows are joined and come first.
func TestLanguages(t *testing.T) {
	pool, found := read(t, map[string]string{"a.proto": `edition = "2024";
		import "google/protobuf/cpp_features.proto";
		import "google/protobuf/go_features.proto";
		import "google/protobuf/java_features.proto";
		option features.(pb.go).api_level = API_OPEN;
		option features.(pb.java).large_enum = true;
		option features.field_presence = IMPLICIT;
		option features.(pb.java).utf8_validation = VERIFY;
		option features.(pb.go).strip_enum_prefix = STRIP_ENUM_PREFIX_KEEP;
		option features.(pb.cpp).string_type = VIEW;`}, Options{})
	if len(found) > 0 {
		t.Fatal(found)
	}
	fs := pool.File("a.proto").Proto.GetOptions().GetFeatures()
	const want = "c23e021001" + "ca3e0410021801" + "d23e021001" + "d23e021801"
	if got := hex.EncodeToString(fs.ProtoReflect().GetUnknown()); got != want ||
		fs.GetFieldPresence() != descriptorpb.FeatureSet_IMPLICIT {
		t.Errorf("%s, want %s, %v", got, want, fs)
	}
}

// TestFieldInParentheses sets options of the language by the full names of their fields.
func TestFieldInParentheses(t *testing.T) {
	pool, found := read(t, map[string]string{"a.proto": `edition = "2023";
		import "google/protobuf/descriptor.proto";
		message A {
			int32 a = 1 [(google.protobuf.FieldOptions.deprecated) = true,
				(google.protobuf.FieldOptions.features).field_presence = IMPLICIT];
		}`}, Options{})
	o := pool.File("a.proto").Proto.MessageType[0].Field[0].GetOptions()
	if len(found) > 0 || !o.GetDeprecated() || len(o.ProtoReflect().GetUnknown()) > 0 ||
		o.GetFeatures().GetFieldPresence() != descriptorpb.FeatureSet_IMPLICIT {
		t.Errorf("%v %v", found, o)
	}
}

// TestNesting has as many messages in each other as protoc reads, and one more: those in an Any and
// those that are not read do not count.
func TestNesting(t *testing.T) {
	declarations := prelude(t)
	for _, c := range []struct {
		begin string
		n     int
		want  int
	}{{"m ", 99, 0}, {"m ", 100, 1}, {"rsv ", 5000, 0}, {"rsv ", 100_000, 1},
		{"any { [type.googleapis.com/q.M] { m ", 70, 0}} {
		begin := c.begin + "{"
		text := "option (m) = {" + strings.Repeat(begin, c.n) +
			strings.Repeat("}", c.n*strings.Count(begin, "{")) + "};"
		_, found := read(t, map[string]string{"a.proto": declarations + text}, Options{})
		if len(found) != c.want {
			t.Errorf("%d times %q: %v, want %d", c.n, c.begin, found, c.want)
		}
	}
}

// TestLookup has options that mean what protoc makes of them, apart from the statements' own.
func TestLookup(t *testing.T) {
	for name, c := range map[string]struct {
		texts map[string]string
		want  string
	}{
		"a message in an Any has to be imported": {map[string]string{
			"c.proto": `syntax = "proto2"; package c; message C { optional int32 x = 1; }`,
			"b.proto": `syntax = "proto2"; package b; import "c.proto";
				import "google/protobuf/descriptor.proto"; import "google/protobuf/any.proto";
				extend google.protobuf.FileOptions { optional google.protobuf.Any any = 50000; }
				message B { optional c.C c = 1; }`,
			"a.proto": `syntax = "proto2"; import "b.proto";
				option (b.any) = { [type.googleapis.com/c.C] { x: 1 } };`,
		}, `message type "type.googleapis.com/c.C" is not known here`},
		"a closed enum of C++": {map[string]string{
			"b.proto": `edition = "2023"; import "google/protobuf/descriptor.proto";
				import "google/protobuf/cpp_features.proto";
				enum E { A = 0; B = 1; }
				message M { E e = 1 [features.(pb.cpp).legacy_closed_enum = true]; E o = 2; }
				extend google.protobuf.FileOptions { M m = 50000; }`,
			"a.proto": `edition = "2023"; import "b.proto"; option (m) = { e: 7 o: 7 };`,
		}, `expected a value of enum "E" for field "e", found "7"`},
		"a group of another scope has its field's name only": {map[string]string{
			"a.proto": `edition = "2023"; import "google/protobuf/descriptor.proto";
				message N { int32 a = 1; }
				message M { N n = 1 [features.message_encoding = DELIMITED];
					G g = 2 [features.message_encoding = DELIMITED]; message G {} }
				extend google.protobuf.FileOptions { M m = 50000; }
				option (m) = { G {} N {} };`,
		}, `message "M" has no field "N"`},
		"a descriptor.proto of old": {map[string]string{
			"google/protobuf/descriptor.proto": `syntax = "proto2"; package google.protobuf;
				message FileOptions { optional string java_package = 1; extensions 1000 to max; }`,
			"a.proto": `syntax = "proto2"; import "google/protobuf/descriptor.proto";
				option java_package = "a"; option go_package = "b";`,
		}, `there is no option "go_package": "google.protobuf.FileOptions" has no such field`},
		"a descriptor.proto of old that is read before": {map[string]string{
			"google/protobuf/descriptor.proto": `syntax = "proto2"; package google.protobuf;
				message FileOptions { optional string java_package = 1; extensions 1000 to max; }`,
			"a.proto": `syntax = "proto2"; option java_package = "a"; option go_package = "b";`,
			"z.proto": `syntax = "proto2"; option java_package = "a"; option go_package = "b";`,
		}, `there is no option "go_package": "google.protobuf.FileOptions" has no such field`},
		"a newer descriptor.proto": {map[string]string{
			"google/protobuf/descriptor.proto": `syntax = "proto2"; package google.protobuf;
				message FileOptions { optional X new = 77; extensions 1000 to max; }
				message X { optional int32 a = 1; }`,
			"a.proto": `syntax = "proto2"; import "google/protobuf/descriptor.proto";
				option new.a = 1; option new.b = 2;`,
		}, `message "google.protobuf.X" has no field "b"`},
		"a feature in the file that declares it": {map[string]string{
			"a.proto": `edition = "2023"; import "google/protobuf/descriptor.proto";
				message F { bool x = 1; }
				extend google.protobuf.FeatureSet { F f = 9996; }
				option features.(f).x = true;`,
		}, `feature "f" cannot be set in the file that declares it`},
	} {
		_, found := read(t, c.texts, Options{})
		if len(found) != 1 || found[0].Message != c.want {
			t.Errorf("%s: %v, want %s", name, found, c.want)
		}
	}
}

// TestAsked sets an option on what it is not meant for in a file that is merely imported.
func TestAsked(t *testing.T) {
	texts := map[string]string{
		"a.proto": `edition = "2023"; import "b.proto";`,
		"b.proto": `edition = "2023"; service S { option features.json_format = ALLOW; }`,
	}
	if _, found := read(t, texts, Options{}); found.Errors() != 1 {
		t.Error(found)
	}
	_, found := read(t, texts, Options{Asked: func(path string) bool { return path == "a.proto" }})
	if found.Errors() != 0 {
		t.Error(found)
	}
}

// TestParallel reads files that share the types of their options at the same time.
func TestParallel(t *testing.T) {
	texts := map[string]string{"o.proto": prelude(t)}
	for i := range 50 {
		texts[fmt.Sprintf("f%d.proto", i)] = fmt.Sprintf(`syntax = "proto2"; import "o.proto";
			option (q.m) = { rm { i: 5 } [q.xm] { mp { key: "a" value: 6 } } }; option (q.ri) = %d;`, i)
	}
	pool, found := read(t, texts, Options{Parallel: 8})
	if len(found) > 0 {
		t.Fatal(found)
	}
	for i := range 50 {
		set := pool.File(fmt.Sprintf("f%d.proto", i)).Proto.GetOptions().ProtoReflect()
		want := fmt.Sprintf("82b5180f8201023005aa060772050a01611006b8b518%02x", i)
		if got := hex.EncodeToString(set.GetUnknown()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// FuzzRead looks for statements that panic or hang, or are read into what is no encoding.
func FuzzRead(f *testing.F) {
	for _, text := range []string{`option (s) = "\ud83d\ude00\x4\U00110000";`,
		`option (m) = { i: -0x1 m < i: 1 >, rm [{ i: 1 }] # };`, `option (m).(xm).m.o1 = 1;`,
		`option (m) = { any { [type.googleapis.com/q.R] { a: 1 } } rsv: -inf };`,
		`option (ms) = { [q.Item.high] { x: 5 set < [q.Item.item] { y: 6 } > } };`,
		`option (ms) = { [q.Item.item] {} }; option (ms).(Item.item).x = 1; option (r).b = 1;`,
		`option uninterpreted_option.double_value = 1;`, `option features.(x).y = - nan;`} {
		f.Add(text)
	}
	declarations := prelude(f)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "import") {
			return // there is nothing else to import
		}
		text = declarations + text
		pool, found := read(t, map[string]string{"a.proto": text}, Options{Paths: true})
		if found.Errors() > 0 {
			return
		}
		b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(pool.File("a.proto").Proto)
		if err == nil {
			err = proto.UnmarshalOptions{AllowPartial: true}.Unmarshal(b,
				&descriptorpb.FileDescriptorProto{})
		}
		if err != nil {
			t.Error(err)
		}
	})
}
