package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/backend"
	"github.com/octopus-framework/octopus/internal/compiler/backend/all"
)

func TestParse(t *testing.T) {
	got, found := Parse("/w/gremlin.yaml", []byte(`
roots: [proto, /abs]
out: gen
module: example.com/gen
files: ["shop/**"]
exclude:
  - shop/old/*.proto
packages:
  - {package: shop.v1, go_package: "x/y;z"}
  - files: "v/**"
    go_package: ";z"
options: {pointer_lists: true, validate: true}
`), all.Backends())
	goPackage := func(name string) backend.PackageSettings {
		return backend.PackageSettings{Settings: backend.Settings{"go_package": {Text: name}}}
	}
	want := &Config{
		Path: "/w/gremlin.yaml", Roots: []string{"/w/proto", "/abs"}, Out: "/w/gen",
		Files: []string{"shop/**"}, Exclude: []string{"shop/old/*.proto"},
		Packages: []Package{{Package: "shop.v1", PackageSettings: goPackage("x/y;z")},
			{Files: "v/**", PackageSettings: goPackage(";z")}},
		Settings: backend.Settings{"module": {Text: "example.com/gen"},
			"pointer_lists": {On: true}, "validate": {On: true}},
	}
	if len(found) > 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\n%v", got, found)
	}
	for path, wanted := range map[string]bool{"shop/v1/a.proto": true, "shop/old/a.proto": false,
		"x.proto": false} {
		if got.Wants(path) != wanted {
			t.Errorf("Wants(%q) = %v", path, !wanted)
		}
	}
	for path, want := range map[string]string{"v/a/b.proto": ";z", "a.proto": "x/y;z"} {
		if _, s := got.SettingsOf(path, "shop.v1", all.Backends()); s["go_package"].Text != want {
			t.Errorf("the last entry that matches %s must win, got %v", path, s)
		}
	}
	if _, s := got.SettingsOf("a.proto", "shop.v2", all.Backends()); len(s) > 0 {
		t.Errorf("no entry matches, got %v", s)
	}
}

// TestShapes sets shapes of files, and options of them.
func TestShapes(t *testing.T) {
	c, found := Parse("c", []byte(`packages:
  - {files: "**", shape: gogo, preset: gogofaster, go_package: a}
  - {files: "b/**", shape: gogo, registry: none}
  - {files: "b/c/**", shape: native, go_package: c}
`), all.Backends())
	if len(found) > 0 {
		t.Fatal(found)
	}
	for path, want := range map[string]string{"a.proto": "gogo a gogofaster ",
		"b/b.proto":   "gogo a  none",
		"b/c/c.proto": "native c  "} {
		shape, s := c.SettingsOf(path, "", all.Backends())
		if got := fmt.Sprintf("%s %s %s %s", shape, s["go_package"].Text, s["preset"].Text,
			s["registry"].Text); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestParseTellsWhereItIsWrong(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"", ""},
		{"root: [a]", `c:1:1: unknown key "root"`},
		{"out: a\nout: b", `c:2:1: key "out" is given twice`},
		{"roots: a", "c:1:8: a list is wanted here, not a text"},
		{"out: [a]", "c:1:6: a text is wanted here, not a list"},
		{"out:", "c:1:5: a text is wanted here, not nothing"},
		{"module: 3", "c:1:9: a text is wanted here, not a number"},
		{"options: {pointer_lists: 1, jsno: true}",
			"c:1:26: true or false is wanted here, not a number|c:1:29: unknown key \"jsno\""},
		{"options: true", "c:1:10: a mapping of keys is wanted here, not true or false"},
		{"files: ['[']", `c:1:9: "[" is not a pattern`},
		{"packages: [{package: a}]",
			`c:1:12: an entry of "packages" needs "go_package" or "shape", and one of "files" and "package"`},
		{"- a", "c:1:1: a mapping of keys is wanted here, not a list"},
		{"a: b: c", "c:1: mapping values are not allowed in this context"},
		{"shape: fortran", `c:1:8: native, gogo or typescript is wanted here, not "fortran"`},
		{"packages: [{files: a, shape: fortran}]",
			`c:1:30: native, gogo or typescript is wanted here, not "fortran"`},
		{"packages: [{files: a, preset: gogo}]", `c:1:12: "preset" is for shape gogo`},
		{"packages: [{files: a, shape: gogo, preset: gogofastre}]",
			`c:1:44: gocosmos, gofast, gogo, gogofast, gogofaster, gogoroach, gogoslick, k8s or k8s-1.34 ` +
				`is wanted here, not "gogofastre"`},
		{"out: &a x\nmodule: *a", "c:2:9: a text is wanted here, not an alias"},
	} {
		_, found := Parse("c", []byte(tc.in), all.Backends())
		var got []string
		for _, d := range found {
			got = append(got, d.Error())
		}
		if s := strings.Join(got, "|"); s != tc.want {
			t.Errorf("%q\n got %s\nwant %s", tc.in, s, tc.want)
		}
	}
}

func TestFindLooksUpwards(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(deep, 0o777); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, Name)
	if err := os.WriteFile(name, []byte("out: gen\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := Find(deep); got != name {
		t.Errorf("got %q", got)
	}
	c, text, found := Load(name, all.Backends())
	if len(found) > 0 || c.Out != filepath.Join(dir, "gen") || text != "out: gen\n" {
		t.Errorf("got %+v %v", c, found)
	}
	if _, _, found := Load(filepath.Join(dir, "none.yaml"), all.Backends()); found.Errors() != 1 {
		t.Errorf("a missing file gave %v", found)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("roots: [a]\npackages: [{files: a, go_package: b}]")
	f.Add("a: &a [*a]")
	f.Add("? {a: b}\n: c")
	f.Fuzz(func(t *testing.T, in string) {
		c, found := Parse("c", []byte(in), all.Backends())
		if c == nil && found.Errors() == 0 {
			t.Error("neither a configuration nor an error")
		}
		var b strings.Builder
		if err := (report.Text{Source: func(string) (string, bool) {
			return in, true
		}}).Write(&b, found); err != nil {
			t.Error(err)
		}
	})
}

func TestConnect(t *testing.T) {
	for _, c := range []struct {
		text         string
		on, messages bool
		wrong        string
	}{
		{"true", true, false, ""},
		{"false", false, false, ""},
		{"{in: message}", true, true, ""},
		{"{in: reader}", true, false, ""},
		{"{in: readers}", true, false, `message or reader is wanted here, not "readers"`},
		{"{descriptors: true}", true, false, `unknown key "descriptors"`},
		{"2", false, false, "true or false is wanted here, not a number"},
	} {
		got, found := Parse("gremlin.yaml", []byte("options:\n  connect: "+c.text+"\n"),
			all.Backends())
		wrong := ""
		if len(found) > 0 {
			wrong = found[0].Message
		}
		if wrong != c.wrong || got.Settings["connect"].On != c.on ||
			(got.Settings["connect_in"].Text == "message") != c.messages ||
			got.Settings["grpc"].On {
			t.Errorf("%s: %+v, %v", c.text, got.Settings, found)
		}
	}
}

func TestGRPC(t *testing.T) {
	for _, c := range []struct {
		text         string
		on, messages bool
		wrong        string
	}{
		{"true", true, false, ""},
		{"false", false, false, ""},
		{"{in: message}", true, true, ""},
		{"{in: reader}", true, false, ""},
		{"{in: message, descriptors: true}", true, true, ""},
		{"{in: readers}", true, false, `message or reader is wanted here, not "readers"`},
		{"{out: message}", true, false, `unknown key "out"`},
		{"2", false, false, "true or false is wanted here, not a number"},
	} {
		got, found := Parse("gremlin.yaml", []byte("options:\n  grpc: "+c.text+"\n"),
			all.Backends())
		wrong := ""
		if len(found) > 0 {
			wrong = found[0].Message
		}
		if wrong != c.wrong || got.Settings["grpc"].On != c.on ||
			(got.Settings["grpc_in"].Text == "message") != c.messages ||
			got.Settings["grpc_descriptors"].On != strings.Contains(c.text, "descriptors") {
			t.Errorf("%s: %+v, %v", c.text, got.Settings, found)
		}
	}
}

func TestFields(t *testing.T) {
	c, found := Parse("/w/gremlin.yaml", []byte(`
fields:
  - {field: "shop.*.time", stdtime: true, nullable: false}
  - {field: "shop.A.time", nullable: true, jsontag: "", customtype: "x/y.T"}
`), all.Backends())
	if len(found) > 0 {
		t.Fatal(found)
	}
	r := backend.Request{Fields: c.Fields}
	for name, want := range map[string]backend.Settings{
		"shop.A.time": {"stdtime": {On: true}, "nullable": {On: true}, "jsontag": {},
			"customtype": {Text: "x/y.T"}},
		"shop.B.time": {"stdtime": {On: true}, "nullable": {}},
		"shop.B.when": nil,
	} {
		if got := r.OptionsOf(name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v", name, got)
		}
	}
	for text, want := range map[string]string{
		`fields: {a: b}`:                         "a list is wanted",
		`fields: [{field: "x"}]`:                 `needs "field" and an option`,
		`fields: [{stdtime: true}]`:              `needs "field" and an option`,
		`fields: [{field: "x", stdtime: soon}]`:  "true or false is wanted",
		`fields: [{field: "x", sparkling: yes}]`: `unknown key "sparkling"`,
	} {
		_, found := Parse("/w/gremlin.yaml", []byte(text), all.Backends())
		if !strings.Contains(fmt.Sprint(found), want) {
			t.Errorf("%s: %v", text, found)
		}
	}
}
