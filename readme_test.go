package octopus_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is a fenced piece of code in a page of Markdown.
var block = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// codeOf lists the fenced pieces of a page that are in a language.
func codeOf(t *testing.T, page, language string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var code []string
	for _, m := range block.FindAllStringSubmatch(string(text), -1) {
		if m[1] == language {
			code = append(code, m[2])
		}
	}
	return code
}

// TestPagesRun does what a page tells its reader to, to the letter, in a module of its own, and
// compares what the program prints.
func TestPagesRun(t *testing.T) {
	for _, p := range []struct {
		page, module, proto string
		programs            []string
	}{
		{"README.md", "example.com/shop", "proto/shop/v1/shop.proto",
			[]string{"main.go", "queue.go"}},
		{"docs/generated-code.md", "example.com/demo", "proto/demo/v1/order.proto",
			[]string{"main.go"}},
	} {
		t.Run(filepath.Base(p.page), func(t *testing.T) {
			text, err := os.ReadFile(p.page)
			if err != nil {
				t.Fatal(err)
			}
			generate := regexp.MustCompile(`(?m)^    (go tool gremlin generate .*)$`).FindSubmatch(
				text)
			programs, schemas := codeOf(t, p.page, "go"), codeOf(t, p.page, "proto")
			if generate == nil || len(schemas) != 1 || len(programs) != len(p.programs) {
				t.Fatalf("%d schemas, %d programs, want 1 and %d, and a line that generates",
					len(schemas), len(programs), len(p.programs))
			}
			m := newModule(t, p.module)
			m.write(t, p.proto, schemas[0])
			for i, name := range p.programs {
				m.write(t, name, programs[i])
			}
			m.run(t, strings.Fields(string(generate[1]))...)
			if got, want := m.run(t, "go", "run", "."), codeOf(t, p.page, "text")[0]; got != want {
				t.Errorf("the program prints\n%s\nthe page says\n%s", got, want)
			}
		})
	}
}

// userModule is a module outside of the checkout that uses it, in a folder of its own. A go.work
// stands in for the releases; `make released` does the same with them.
type userModule string

func newModule(t *testing.T, path string) userModule {
	t.Helper()
	checkout, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	m := userModule(t.TempDir())
	m.write(t, "go.mod", "module "+path+"\n\ngo 1.26.0\n\ntool "+module+"/cmd/gremlin\n")
	var uses, replaces strings.Builder
	for _, dir := range []string{"", "/functrace", "/gremlin", "/internal/oracle",
		"/internal/trace", "/nerve"} {
		fmt.Fprintf(&uses, "\t%s%s\n", checkout, dir)
		fmt.Fprintf(&replaces, "\t%s%s v0.1.0 => %s%s\n", module, dir, checkout, dir)
	}
	m.write(t, "go.work", "go 1.26.0\n\nuse (\n\t.\n"+uses.String()+")\n\nreplace (\n"+
		replaces.String()+")\n")
	return m
}

func (m userModule) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(string(m), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// run runs a command in the module and returns its standard output.
func (m userModule) run(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = string(m)
	cmd.Env = append(os.Environ(), "GOWORK="+filepath.Join(string(m), "go.work"))
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, problems.String())
	}
	return string(out)
}

// TestReadmesAgree compares the code of the README with that of its translation.
func TestReadmesAgree(t *testing.T) {
	for _, language := range []string{"proto", "go", "text"} {
		a, b := codeOf(t, "README.md", language), codeOf(t, "README.zh.md", language)
		if len(a) == 0 || strings.Join(a, "\n") != strings.Join(b, "\n") {
			t.Errorf("README.md and README.zh.md differ in their %s code", language)
		}
	}
}

// TestDocsLinkToWhatIsThere follows the links between the pages of the repository.
func TestDocsLinkToWhatIsThere(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"*.md", "docs/*/*.md", "examples/*/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, more...)
	}
	link := regexp.MustCompile(`\]\(([\w./-]+[\w/])(#[^)]*)?\)`)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		prose := regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(string(text), "")
		for _, m := range link.FindAllStringSubmatch(prose, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			}
		}
	}
}

// TestDecisionsAreListed wants every decision in the index, under its own title.
func TestDecisionsAreListed(t *testing.T) {
	index, err := os.ReadFile("docs/decisions/README.md")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("docs/decisions/[0-9]*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no decisions found: %v", err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		heading, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		number, title, _ := strings.Cut(heading, " ")
		line := "| [" + strings.TrimSuffix(number, ":") + "](" + filepath.Base(page) + ") | " +
			title + " |"
		if !strings.Contains(string(index), line) {
			t.Errorf("docs/decisions/README.md lacks the line\n%s", line)
		}
	}
}
