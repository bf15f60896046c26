// Package config reads gremlin.yaml, the file that keeps the flags of the gremlin command.
//
//	roots: [proto, third_party]     # folders that imports are relative to; "a/b=dir": below a/b;
//	                                # "module:example.com/apis//proto": of a Go module
//	out: gen                        # folder of the generated files
//	module: example.com/shop/gen    # Go import path of that folder
//	files: ["shop/**"]              # only these files below the roots
//	exclude: ["shop/old/**"]        # not these
//	include_imports: true           # also what the code of these imports
//	packages:                       # Go packages, a later entry wins
//	  - {package: shop.v1, go_package: "example.com/shop/gen/shop/v1;shopv1"}
//	  - {files: "vendor/*.proto", go_package: "example.com/vendored/gen"}
//	  - {files: "old/**", shape: gogo, preset: gogofaster, registry: gogo}   # code as gogo's plugin makes it
//	plugins:                        # plugins of protoc, which run besides
//	  - {name: protoc-gen-go, opt: [paths=source_relative], out: gen}
//	  - {name: protoc-gen-go-grpc, path: bin/protoc-gen-go-grpc, out: gen}
//	renames:                        # Go names where two declarations would have one
//	  shop.v1.Deposit_Part: DepositPart2
//	options:
//	  pointer_lists: true           # repeated messages as []*T
//	  json: true                    # JSON code too, in files of its own; or {hex: ["otlp.*.trace_id"]}
//	  validate: true                # methods Validate, for the rules of buf.validate
//	  grpc: true                    # clients and servers of services too; or {in: message, descriptors: true}
//	  connect: true                 # the same for Connect, in packages of their own; or {in: message}
//
// The keys below "options", those of "packages" and "fields", and module and renames are the
// options of backends ([backend.Option]).
//
// Paths are relative to the file, patterns to the roots; "**" in a pattern matches folders of any
// depth. A key that is not known and a value of the wrong type are errors with a position: a
// misspelt key must not silently do nothing.
//
// The YAML reader is go.yaml.in/yaml/v3: the yaml organisation maintains it, its nodes carry
// positions, and cobra brings it into the module anyway. It is used for nodes only. Mapping nodes
// to fields is thirty lines here, and the errors are worded as all others of the compiler are.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/backend"
)

// ModuleRoot starts a root that is the folder of a Go module, or one inside it behind two slashes:
// module:github.com/gogo/googleapis, module:example.com/apis//proto.
const ModuleRoot = "module:"

// Name is the name of the configuration file.
const Name = "gremlin.yaml"

// maxBytes is the size of the largest configuration that is read.
const maxBytes = 1 << 20

// Config is what a gremlin.yaml says. The zero value says nothing.
type Config struct {
	Path     string // path of the file that was read; empty when there is none
	Roots    []string
	Out      string
	Files    []string // patterns over import paths; none means all
	Exclude  []string // patterns over import paths
	Packages []Package
	// Shape names the backend of files that no entry of Packages gives one; "" is the first.
	Shape    string
	Settings backend.Settings // "options", and keys at the top that are options of backends
	Fields   []backend.FieldSettings
	Plugins  []Plugin
	// IncludeImports asks for code for what the code of Files imports, too.
	IncludeImports bool

	// What buf's files say, where there is no gremlin.yaml.
	Views      []View   // what roots show of their folders; of the others all
	Imports    []string // more roots, of files that are there to be imported only
	ImportHint string   // what to do when an import leads nowhere; may be empty

	locks   []string // folders that may have a buf.lock
	hasDeps bool     // a buf.yaml has deps
}

// Package gives some .proto files a shape of their code or other settings. Exactly one of Files and
// Package is set.
type Package struct {
	Files   string // pattern over import paths
	Package string // proto package
	backend.PackageSettings
}

// Plugin is a plugin of protoc that makes code.
type Plugin struct {
	Name    string   // such as protoc-gen-go
	Path    string   // program, if it is not the one of the name in PATH
	Options []string // options in the order in which they are given to it
	Out     string   // output folder
}

// Find returns the path of the gremlin.yaml in dir or the nearest folder above; where there is
// none, that of the nearest buf.work.yaml or buf.yaml; or "".
func Find(dir string) string {
	if name := nearest(dir, Name); name != "" {
		return name
	}
	return nearest(dir, bufWorkName, bufName)
}

// nearest returns the first of the named files in dir or the nearest folder above that has one.
func nearest(dir string, names ...string) string {
	for {
		for _, n := range names {
			name := filepath.Join(dir, n)
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				return name
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// Load reads a configuration. The paths in the result are joined with the folder of the file. The
// configuration is of no use when there are diagnostics. The text is returned for showing them.
func Load(path string, backends backend.List) (c *Config, text string, found report.List) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxBytes {
		err = fmt.Errorf("larger than %d bytes", maxBytes)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return nil, "", report.List{{File: path,
			Message: fmt.Sprintf("the configuration cannot be read: %v", err)}}
	}
	c, found = Parse(path, data, backends)
	return c, string(data), found
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

// Parse parses the text of a configuration.
func Parse(path string, data []byte, backends backend.List) (*Config, report.List) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		d := report.Diagnostic{File: path, Line: 1,
			Message: strings.TrimPrefix(err.Error(), "yaml: ")}
		if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
			d.Line, _ = strconv.Atoi(m[1])
			d.Message = err.Error()[len(m[0]):]
		}
		return nil, report.List{d}
	}
	c := &Config{Path: path, Settings: backend.Settings{}}
	if len(doc.Content) == 0 {
		return c, nil // an empty file
	}
	r := reader{path: path, backends: backends}
	if isBuf(path) {
		r.buf(c, doc.Content[0])
		c.dependencies()
		return c, r.found.Sorted()
	}
	keys := map[string]func(*yaml.Node){
		"roots":    func(n *yaml.Node) { c.Roots = r.paths(n) },
		"out":      func(n *yaml.Node) { c.Out = r.join(r.text(n)) },
		"files":    func(n *yaml.Node) { c.Files = r.list(n, r.pattern) },
		"exclude":  func(n *yaml.Node) { c.Exclude = r.list(n, r.pattern) },
		"packages": func(n *yaml.Node) { c.Packages = r.packages(n) },
		"shape":    func(n *yaml.Node) { c.Shape = r.shape(n) },
		"fields":   func(n *yaml.Node) { c.Fields = r.fields(n) },
		"plugins":  func(n *yaml.Node) { c.Plugins = r.plugins(n) },

		"include_imports": func(n *yaml.Node) { c.IncludeImports = r.flag(n) },
		"options": func(n *yaml.Node) {
			r.mapping(n, r.nested(backends.Options(backend.InOptions), c.Settings))
		},
	}
	maps.Copy(keys, r.options(backends.Options(backend.AtTop), c.Settings))
	r.mapping(doc.Content[0], keys)
	return c, r.found.Sorted()
}

// reader takes values out of nodes and collects what is wrong.
type reader struct {
	path     string
	backends backend.List
	found    report.List
}

func (r *reader) fail(n *yaml.Node, hint, format string, args ...any) {
	r.found = append(r.found, report.Diagnostic{
		File: r.path, Line: n.Line, Column: n.Column, EndLine: n.Line,
		EndColumn: n.Column + max(1, len(n.Value)),
		Message:   fmt.Sprintf(format, args...), Hint: hint,
	})
}

func (r *reader) mapping(n *yaml.Node, keys map[string]func(*yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "", "a mapping of keys is wanted here, not %s", kind(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read, ok := keys[key.Value]
		switch {
		case !ok:
			r.fail(key, "known keys: "+known(keys), "unknown key %q", key.Value)
		case seen[key.Value]:
			r.fail(key, "", "key %q is given twice", key.Value)
		default:
			read(value)
		}
		seen[key.Value] = true
	}
}

func (r *reader) list(n *yaml.Node, item func(*yaml.Node) string) []string {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, "write it as [a, b] or with a dash before each", "a list is wanted here, not %s",
			kind(n))
		return nil
	}
	var out []string
	for _, c := range n.Content {
		out = append(out, item(c))
	}
	return out
}

func (r *reader) paths(n *yaml.Node) []string {
	return r.list(n, func(n *yaml.Node) string {
		virtual, dir, ok := strings.Cut(r.text(n), "=")
		if !ok {
			return r.root(virtual)
		}
		return virtual + "=" + r.root(dir)
	})
}

// root returns a root with its place; that of a module is found when it is needed.
func (r *reader) root(dir string) string {
	if strings.HasPrefix(dir, ModuleRoot) {
		return dir
	}
	return r.join(dir)
}

func (r *reader) join(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(r.path), filepath.FromSlash(path))
}

func (r *reader) text(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" || n.Value == "" {
		r.fail(n, "", "a text is wanted here, not %s", kind(n))
		return ""
	}
	return n.Value
}

func (r *reader) flag(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
		r.fail(n, "", "true or false is wanted here, not %s", kind(n))
		return false
	}
	v, err := strconv.ParseBool(n.Value)
	if err != nil {
		r.fail(n, "write it as true or false", "true or false is wanted here, not %q", n.Value)
	}
	return v
}

func (r *reader) pattern(n *yaml.Node) string {
	s := r.text(n)
	if !doublestar.ValidatePattern(s) {
		r.fail(n, "", "%q is not a pattern", s)
	}
	return s
}

// kind names a node in words.
func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.Tag {
	case "!!null":
		return "nothing"
	case "!!str":
		if n.Value == "" {
			return "an empty text"
		}
		return "a text"
	case "!!bool":
		return "true or false"
	}
	return "a number"
}
