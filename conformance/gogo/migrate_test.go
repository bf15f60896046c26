package gogo_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/compiler/gogo/migrate"
	"github.com/octopus-framework/octopus/internal/compiler/gogo/migrate/sidebyside"
)

// depositSchema is a message of many kinds of fields; %[1]s is a part of its name.
const depositSchema = `
enum Kind%[1]s { NONE%[1]s = 0; CASH%[1]s = 1; }
message D%[1]s {
  string user = 1;
  int64 cents = 2;
  sint64 change = 3;
  bytes raw = 4;
  repeated int32 parts = 5;
  repeated Line lines = 6 [(gogoproto.nullable) = false];
  map<string, Line> by_name = 7;
  Kind%[1]s kind = 8;
  google.protobuf.Timestamp at = 9 [(gogoproto.stdtime) = true, (gogoproto.nullable) = false];
  oneof how { string card = 10; Line line = 11; }
  double rate = 12;
  bool paid = 13;
  fixed32 code = 14;
}
`

// comparable is a message that gogo's generator can compare: it has no map and no time.
const comparable = "message D%[1]s { option (gogoproto.compare) = true; int64 cents = 1; }\n"

const schemaHead = `syntax = "proto3";
package %s;
import "gogoproto/gogo.proto";
import "google/protobuf/timestamp.proto";
%s
option go_package = "example.com/shop/%[1]s";
option (gogoproto.goproto_unrecognized_all) = true;
`

// project makes a module with code of gogo's, committed to git, and returns its folder. Schemas
// are .proto files by path; each gets its code beside it.
func project(t *testing.T, preset string, schemas map[string]string) string {
	t.Helper()
	root := importRoot(t, gogoFolder(t))
	dir := scratchModule(t, "example.com/shop")
	write(t, dir, schemas)
	for name := range schemas {
		req := request(t, []string{dir, root, gogoFolder(t)}, "paths=source_relative"+wellKnown(),
			name)
		write(t, dir, gogos(t, preset, req))
	}
	commit(t, dir)
	return dir
}

// scratchModule makes a module that may use gogo's library and our runtime.
func scratchModule(t *testing.T, path string) string {
	t.Helper()
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	dir := scratch(t)
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`(?m)^module .*$`).ReplaceAll(text, []byte("module "+path))
	text = regexp.MustCompile(`(?m)^.*conformance/gogo .*$`).ReplaceAll(text, nil)
	write(t, dir, map[string]string{"go.mod": string(text),
		"pin.go": "package shop\n\nimport _ \"" + runtimePath + "\"\n"})
	return dir
}

const runtimePath = "github.com/octopus-framework/octopus/gremlin/gogo"

func commit(t *testing.T, dir string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=shop", "-c", "user.email=shop@example.com", "commit", "-qm", "shop"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git: %v\n%s", err, out)
		}
	}
}

func open(t *testing.T, dir string) *migrate.Tree {
	t.Helper()
	tree, err := migrate.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// fault is something wrong in new code. In pattern and replacement, D stands for the message.
type fault struct{ name, property, pattern, replacement string }

// inject makes a fault that adds a statement to the start of a method.
func inject(name, property, method, statement string) fault {
	return fault{name, property, `(func \(\w+ \*D\) ` + method + ` \{\n)`,
		"${1}" + statement + "\n"}
}

const (
	wrongWay = "Compare the wrong way"

	writes = `MarshalToSizedBuffer\(b \[\]byte\) \(int, error\)`
	reads  = `Unmarshal\(b \[\]byte\) error`
)

var faults = []fault{
	{"another JSON tag", "layout", `(?s)(type D struct.*?json:"cent)s,`, "${1},"},
	{"another number", "layout", `(?s)(type D struct.*?bytes,)4,`, "${1}44,"},
	{"fields in another order", "layout", `(?s)(type D struct.*?)(\tPaid[^\n]*\n)(\tCode[^\n]*\n)`,
		"${1}${3}${2}"},
	{"one more field", "layout", `(type D struct \{\n)`, "${1}cache int32\n"},
	{"no getter", "API", `func \(m \*D\) GetPaid\(`, "func (m *D) GetPayed("},
	{"getter of another field", "GetCents", `(?s)(func \(m \*D\) GetCents.*?)m\.Cents`,
		"${1}m.Change"},
	{"getter that panics on nil", "nil GetUser", `(?s)(func \(m \*D\) GetUser.*?)m != nil`,
		"${1}true"},
	{"name of an enum's value", "encoding/json|String|GoString", `1: "CASHD"`, `1: "CARDD"`},
	inject("size of negative numbers", "size", `Size\(\) \(n int\)`,
		"defer func() { if m != nil && m.Change < 0 { n++ } }()"),
	inject("a field that is not written", "bytes", writes,
		"{ c := *m; c.Paid = false; m = &c }"),
	{"negative zero is written", "bytes|size", `(?s)(\(m \*D\) Size.*?)m\.Rate != 0`,
		"${1}(m.Rate != 0 || 1/m.Rate < 0)"},
	inject("nanoseconds that are lost", "bytes|verdict of Marshal", writes,
		"{ c := *m; c.At = c.At.Truncate(time.Microsecond); m = &c }"),
	inject("entries without a value are lost", "bytes", writes,
		"if len(m.ByName) == 1 { c := *m; for _, v := range m.ByName { if v == nil { c.ByName = nil } }; m = &c }"),
	inject("negative numbers are read as zero", "decoded value", reads,
		"defer func() { if m.Change < 0 { m.Change = 0 } }()"),
	inject("unknown fields are dropped", "decoded value", reads,
		"defer func() { m.XXX_unrecognized = nil }()"),
	inject("reading does not merge", "decoded value", reads, "m.Reset()"),
	inject("empty bytes become nil", "decoded value", reads,
		"defer func() { if len(m.Raw) == 0 { m.Raw = nil } }()"),
	inject("another error", "verdict of Unmarshal", reads,
		`if len(b) > 0 && b[len(b)-1] >= 0x80 { return fmt.Errorf("cut") }`),
	inject("damaged input is taken", "verdict of Unmarshal", reads,
		"if len(b) > 0 && b[0]&7 == 7 { return nil }"),
	inject("the input is kept", "decoded value", reads,
		"defer func() { if i := bytes.Index(b, m.Raw); i >= 0 && len(m.Raw) > 0 { m.Raw = b[i:i+len(m.Raw)] } }()"),
	{"Equal leaves out a field", "Equal",
		`(?s)(func \(this \*D\) Equal.*?)this\.Paid != that1\.Paid`,
		"${1}false"},
	{wrongWay, "Equal",
		`(?s)(func \(this \*D\) Compare.*?)Compare\(this\.Cents, that1\.Cents\)`,
		"${1}Compare(that1.Cents, this.Cents)"},
	inject("another text", "String", `String\(\) string`,
		`if this != nil && this.Paid { return "&D{}" }`),
	inject("another Go text", "GoString", `GoString\(\) string`,
		`if this != nil && this.Paid { return "&D{}" }`),
	{"a member of a oneof is not told of", "XXX_OneofWrappers", `\t\t\(\*D_Line\)\(nil\),\n`, ""},
	inject("a short buffer is no panic", "MarshalTo", `MarshalTo\(b \[\]byte\) \(int, error\)`,
		"if len(b) < m.Size() { return 0, nil }"),
	{"Reset keeps a field", "Reset", `\*m = D\{\}`, "*m = D{Code: m.Code}"},
	{"a descriptor of another message", "Descriptor",
		`(?s)(func \(\*D\) Descriptor.*?\[\]int\{)\d+\}`, "${1}0}"},
}

// TestVerifyFindsFaults plants faults into new code, each into a message of its own, and wants
// verify to find every one, to name what differs, and to find nothing in a message without one.
func TestVerifyFindsFaults(t *testing.T) {
	var schema strings.Builder
	fmt.Fprintf(&schema, schemaHead, "faults", "")
	schema.WriteString("message Line { string text = 1; uint32 count = 2; }\n")
	fmt.Fprintf(&schema, depositSchema, "Sound")
	for i := range faults {
		of := depositSchema
		if faults[i].name == wrongWay {
			of = comparable
		}
		fmt.Fprintf(&schema, of, "F"+strconv.Itoa(i)+"X")
	}
	dir := project(t, "gogoslick", map[string]string{"faults/faults.proto": schema.String()})
	tree := open(t, dir)
	plan, err := migrate.MakePlan(context.Background(), tree, migrate.PlanOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if f := plan.Files[0]; f.Preset != "gogoslick" || len(f.Patches) > 0 {
		t.Errorf("plan finds preset %s and %v", f.Preset, f.Patches)
	}
	v, err := migrate.Verify(context.Background(), tree,
		migrate.VerifyOptions{Rounds: 150, Seed: 1}, nil)
	if err != nil || len(v.Differences) > 0 || v.Messages != len(faults)+2 {
		t.Fatalf("without faults: %+v, %v", v, err)
	}
	v, err = migrate.Verify(context.Background(), tree, migrate.VerifyOptions{Rounds: 150, Seed: 1,
		Change: func(_ string, text []byte) []byte { return plant(t, text) }}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range faults {
		name := "DF" + strconv.Itoa(i) + "X"
		found := false
		for _, d := range v.Differences {
			of, _, _ := strings.Cut(d.Message, ".")
			if of == name && regexp.MustCompile("^("+f.property+")$").MatchString(d.Property) {
				found = true
				if d.Property == "bytes" && !strings.HasPrefix(d.Value, "&faults."+name+"{") {
					t.Errorf("%s: the value is no Go literal: %s", f.name, d.Value)
				}
			}
		}
		if !found {
			t.Errorf("not found: %s; of its message: %v", f.name, of(v.Differences, name))
		}
	}
	for _, d := range v.Differences {
		if strings.HasPrefix(d.Message, "DSound") || strings.HasPrefix(d.Message, "Line") {
			t.Errorf("a fault where none is: %v", d)
		}
	}
	t.Logf("%d faults, %d values, %d inputs", len(faults), v.Values, v.Inputs)
}

// of returns the differences of one message.
func of(all []sidebyside.Difference, message string) (out []string) {
	for _, d := range all {
		if strings.HasPrefix(d.Message, message) {
			out = append(out, d.String())
		}
	}
	return out
}

func plant(t *testing.T, text []byte) []byte {
	for i, f := range faults {
		name := "DF" + strconv.Itoa(i) + "X"
		of := regexp.MustCompile(`\bD\b`)
		pattern := regexp.MustCompile(strings.ReplaceAll(of.ReplaceAllString(
			strings.ReplaceAll(f.pattern, "D_Line", name+"_Line"), name),
			"CASHD", "CASHF"+strconv.Itoa(i)+"X"))
		if n := len(pattern.FindAllIndex(text, -1)); n != 1 {
			t.Errorf("%s: %d places for it", f.name, n)
			continue
		}
		with := strings.ReplaceAll(of.ReplaceAllString(f.replacement, name), "CARDD", "CARD")
		text = pattern.ReplaceAll(text, []byte(strings.ReplaceAll(with, "D_Line", name+"_Line")))
	}
	return text
}

// shop is a module of two packages, one of which imports the other.
func shop(t *testing.T) string {
	t.Helper()
	line := fmt.Sprintf(schemaHead, "lines", "") +
		"message Line { string text = 1; google.protobuf.Timestamp at = 2 [(gogoproto.stdtime) = true, (gogoproto.nullable) = false]; }\n"
	order := fmt.Sprintf(schemaHead, "orders", `import "lines/lines.proto";`) +
		"message Order { repeated lines.Line lines = 1 [(gogoproto.nullable) = false]; Note note = 2; }\n" +
		"message Note { google.protobuf.Timestamp at = 1 [(gogoproto.stdtime) = true, (gogoproto.nullable) = false]; }\n"
	return project(t, "gogofaster", map[string]string{"lines/lines.proto": line,
		"orders/orders.proto": order, "orders/more.proto": fmt.Sprintf(schemaHead, "orders",
			`import "orders/orders.proto";`) +
			"message More { Order order = 1; google.protobuf.Timestamp at = 2 [(gogoproto.stdtime) = true, (gogoproto.nullable) = false]; }\n"})
}

// TestMigrate goes the whole way: plan, verify, apply and status, each twice.
func TestMigrate(t *testing.T) {
	dir := shop(t)
	write(t, dir, map[string]string{"orders/hand_test.go": `package orders

import "testing"

func TestHelpers(t *testing.T) {
	if n := sovOrders(300); n != 2 {
		t.Error(n)
	}
}
`, "main.go": `package shop

import (
	"github.com/gogo/protobuf/proto"
	"example.com/shop/orders"
)

func Copy(o *orders.Order) *orders.Order { return proto.Clone(o).(*orders.Order) }
`, "Makefile": "gen:\n\tprotoc --gogofaster_out=. orders/*.proto\n"})
	tree, ctx := open(t, dir), context.Background()
	plan, err := migrate.MakePlan(ctx, tree, migrate.PlanOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Files) != 3 || len(plan.Scripts) != 1 || len(plan.Risks) != 1 ||
		!slices.Equal(plan.Written, []string{"gremlin.yaml", "MIGRATION.md"}) {
		t.Errorf("plan is %+v", plan)
	}
	for _, f := range plan.Files {
		if f.Preset != "gogofaster" || f.Registry != "gogo" || len(f.Patches) > 0 {
			t.Errorf("plan of %s: %+v", f.Go, f)
		}
	}
	again, err := migrate.MakePlan(ctx, tree, migrate.PlanOptions{}, nil)
	if err != nil || len(again.Written) > 0 {
		t.Errorf("a second plan: %v, %+v", err, again)
	}
	verify := func(when string) {
		v, err := migrate.Verify(ctx, tree, migrate.VerifyOptions{Rounds: 50}, nil)
		if err != nil || len(v.Differences) > 0 || v.Packages != 2 || v.Messages != 4 {
			t.Errorf("verify %s: %+v, %v", when, v, err)
		}
	}
	verify("before")
	one, err := migrate.Apply(ctx, tree, migrate.ApplyOptions{Packages: []string{"orders"}}, nil)
	if err != nil || len(one) != 1 || len(one[0].Replaced) != 2 {
		t.Fatalf("apply of one package: %+v, %v", one, err)
	}
	run(t, dir, "test", "./...")
	verify("in between")
	all, err := migrate.Apply(ctx, tree, migrate.ApplyOptions{}, nil)
	if err != nil || replaced(all) != 1 {
		t.Fatalf("apply: %+v, %v", all, err)
	}
	run(t, dir, "test", "./...")
	if again, err := migrate.Apply(ctx, tree, migrate.ApplyOptions{}, nil); err != nil ||
		replaced(again) != 0 {
		t.Errorf("a second apply: %+v, %v", again, err)
	}
	verify("after")
	again, err = migrate.MakePlan(ctx, tree, migrate.PlanOptions{Force: true}, nil)
	if err != nil || len(again.Written) > 0 {
		t.Errorf("a plan after apply: %v, %+v", err, again)
	}
	s, err := migrate.Status(ctx, tree)
	if err != nil || s.Generated != 0 || s.Ours != 3 || len(s.Needs) != 3 {
		t.Errorf("status: %+v, %v", s, err)
	}
}

func replaced(packages []migrate.Applied) (n int) {
	for _, p := range packages {
		n += len(p.Replaced)
	}
	return n
}

// TestApplyKeepsWhatDoesNotBuild gives one package a file that new code does not compile with.
func TestApplyKeepsWhatDoesNotBuild(t *testing.T) {
	dir := shop(t)
	tree, ctx := open(t, dir), context.Background()
	if _, err := migrate.MakePlan(ctx, tree, migrate.PlanOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"lines/hand.go": "package lines\n\n" +
		"// A name that only our code has.\nvar gremlinInfoLine = 1\n"})
	run(t, dir, "build", "./...")
	done, err := migrate.Apply(ctx, tree, migrate.ApplyOptions{}, nil)
	if err != nil || len(done) != 2 || done[0].Failed == "" || done[1].Failed != "" ||
		replaced(done) != 2 {
		t.Errorf("apply: %+v, %v", done, err)
	}
	run(t, dir, "build", "./...")
}

// TestApplyKilled kills apply before each of its renames: the tree must build, and the next run
// must do the rest and leave no temporary file behind.
func TestApplyKilled(t *testing.T) {
	const at, in = "GREMLIN_TEST_KILL_AT", "GREMLIN_TEST_KILL_IN"
	ctx := context.Background()
	if n, err := strconv.Atoi(os.Getenv(at)); err == nil {
		_, err := migrate.Apply(ctx, open(t, os.Getenv(in)), migrate.ApplyOptions{
			Replacing: func(string) error {
				if n--; n == 0 {
					self, _ := os.FindProcess(os.Getpid())
					_ = self.Kill()
					select {}
				}
				return nil
			}}, nil)
		t.Fatal("not killed", err)
	}
	dir := shop(t)
	tree := open(t, dir)
	if _, err := migrate.MakePlan(ctx, tree, migrate.PlanOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		checkout := exec.Command("git", "checkout", "-q", ".")
		checkout.Dir = dir
		if out, err := checkout.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestApplyKilled$")
		cmd.Env = append(os.Environ(), at+"="+strconv.Itoa(n+1), in+"="+dir)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("before rename %d: %v\n%s", n+1, err, out)
		}
		run(t, dir, "vet", "./...")
		done, err := migrate.Apply(ctx, tree, migrate.ApplyOptions{}, nil)
		if err != nil || replaced(done) != 3-n {
			t.Errorf("after rename %d: %+v, %v", n, done, err)
		}
		run(t, dir, "build", "./...")
		left, err := filepath.Glob(filepath.Join(dir, "*", ".gremlin-*"))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}
