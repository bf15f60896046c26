package all_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/compiler/backend"
	"github.com/octopus-framework/octopus/internal/compiler/backend/all"
)

var update = flag.Bool("update", false, "write the tables of options; the run still fails")

const page = "../../../../docs/gremlin-command.md"

// TestDocs compares the tables of options in the documentation with those of the backends.
func TestDocs(t *testing.T) {
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, b := range all.Backends() {
		begin := fmt.Sprintf("<!-- options of shape %s -->\n", b.Name())
		before, rest, ok := strings.Cut(text, begin)
		got, after, closed := strings.Cut(rest, "<!-- end -->\n")
		if !ok || !closed {
			t.Fatalf("%s has no %s", page, begin)
		}
		if want := table(b); got != want {
			t.Errorf("the table of shape %s is another one: run with -update", b.Name())
			text = before + begin + want + "<!-- end -->\n" + after
		}
	}
	if *update {
		if err := os.WriteFile(page, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// table returns the options of a backend as a table of Markdown.
func table(b backend.Backend) string {
	var out strings.Builder
	out.WriteString("| flag | gremlin.yaml | parameter | |\n|---|---|---|---|\n")
	code := func(s string) string { return "`" + strings.ReplaceAll(s, "|", `\|`) + "`" }
	for _, o := range b.Options() {
		var in, keys, parameter string
		if o.In&backend.InFlags != 0 {
			in = code("--" + o.FlagName())
		}
		for _, p := range []struct {
			place  backend.Place
			within string
		}{{backend.AtTop, ""}, {backend.InOptions, "options: "}, {backend.InPackages, "packages: "},
			{backend.InFields, "fields: "}} {
			if o.In&p.place != 0 {
				keys = strings.TrimPrefix(keys+", "+code(p.within+o.KeyName()), ", ")
			}
		}
		if o.In&backend.InParameters != 0 {
			parameter = code(o.Usage())
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", in, keys, parameter, o.Doc)
	}
	return out.String()
}

// TestTables checks what tables have to have: a doc, values of a choice, an example where
// parameters are shown with one, and no name twice at one place.
func TestTables(t *testing.T) {
	for _, b := range all.Backends() {
		seen := map[string]backend.Place{}
		for _, o := range b.Options() {
			if o.Doc == "" || o.In == 0 || o.Kind == backend.Choice && len(o.Values) == 0 ||
				o.Kind == backend.Text && o.In&backend.InParameters != 0 && o.Example == "" {
				t.Errorf("%s: option %+v lacks something", b.Name(), o)
			}
			if seen[o.Name]&o.In != 0 {
				t.Errorf("%s: option %q is there twice", b.Name(), o.Name)
			}
			seen[o.Name] |= o.In
			if _, err := o.Parse(o.Example); o.Example != "" && err != nil {
				t.Errorf("%s: the example of %q: %v", b.Name(), o.Name, err)
			}
			for other, at := range seen { // what is one option must be of one kind everywhere
				for _, p := range all.Backends().Options(at) {
					if p.Name == other && other == o.Name && p.Kind != o.Kind {
						t.Errorf("option %q is of two kinds", other)
					}
				}
			}
		}
	}
}
