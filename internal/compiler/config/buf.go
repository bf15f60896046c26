package config

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The files in which buf keeps where .proto files are. They are read where there is no
// gremlin.yaml.
const (
	bufName     = "buf.yaml"
	bufWorkName = "buf.work.yaml" // names folders with a buf.yaml of version v1 each
)

// View is what a root shows of its folder: all but what is in folders of Exclude, and only what is
// in folders of Include, if there are any. They are slash-separated and relative to the root.
type View struct {
	Root             int // index in Config.Roots
	Include, Exclude []string
}

// isBuf tells whether a configuration is one of buf's.
func isBuf(name string) bool {
	return filepath.Base(name) == bufName || filepath.Base(name) == bufWorkName
}

// buf reads a buf.yaml or buf.work.yaml. Keys that are not about where files are, those of lint for
// example, are buf's business and not looked at.
func (r *reader) buf(c *Config, n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "", "a mapping of keys is wanted here, not %s", kind(n))
		return
	}
	version := child(n, "version")
	switch {
	case version == nil:
		r.fail(n, "write version: v2", "there is no version")
	case filepath.Base(r.path) == bufWorkName && version.Value == "v1":
		r.bufWorkspace(c, n)
	case version.Value == "v1" || version.Value == "v1beta1":
		r.bufV1(c, n, version.Value)
		c.locks = append(c.locks, filepath.Dir(r.path))
	case version.Value == "v2":
		r.bufV2(c, n)
		c.locks = append(c.locks, filepath.Dir(r.path))
	default:
		r.fail(version, "known versions: v1beta1, v1, v2", "version %q is not known", version.Value)
	}
	c.hasDeps = c.hasDeps || child(n, "deps") != nil
}

// bufV1 adds the one module of a buf.yaml of version v1, or the roots of one of v1beta1.
func (r *reader) bufV1(c *Config, n *yaml.Node, version string) {
	roots := []string{"."}
	var excludes []string
	if build := child(n, "build"); build != nil && build.Kind == yaml.MappingNode {
		if list := child(build, "roots"); list != nil {
			if version == "v1" {
				r.fail(list, "version v1beta1 has roots, or write version v2 with modules",
					"version v1 has no roots")
			}
			roots = r.list(list, r.inside)
		}
		if list := child(build, "excludes"); list != nil {
			excludes = r.list(list, r.inside)
		}
	}
	for _, root := range roots {
		r.bufModule(c, root, nil, excludes)
	}
}

// bufV2 adds the modules of a buf.yaml of version v2.
func (r *reader) bufV2(c *Config, n *yaml.Node) {
	modules := child(n, "modules")
	if modules == nil || modules.Kind == yaml.SequenceNode && len(modules.Content) == 0 {
		r.bufModule(c, ".", nil, nil)
		return
	}
	if modules.Kind != yaml.SequenceNode {
		r.fail(modules, "", "a list is wanted here, not %s", kind(modules))
		return
	}
	for _, m := range modules.Content {
		if m.Kind != yaml.MappingNode {
			r.fail(m, "", "a mapping of keys is wanted here, not %s", kind(m))
			continue
		}
		folder := "."
		var includes, excludes []string
		if at := child(m, "path"); at != nil {
			folder = r.inside(at)
		}
		if list := child(m, "includes"); list != nil {
			includes = r.list(list, r.inside)
		}
		if list := child(m, "excludes"); list != nil {
			excludes = r.list(list, r.inside)
		}
		r.bufModule(c, folder, includes, excludes)
	}
}

// bufWorkspace adds the modules in the folders of a buf.work.yaml.
func (r *reader) bufWorkspace(c *Config, n *yaml.Node) {
	list := child(n, "directories")
	if list == nil {
		r.fail(n, "write directories: [proto]", "there are no directories")
		return
	}
	for _, folder := range r.list(list, r.inside) {
		name := filepath.Join(filepath.Dir(r.path), filepath.FromSlash(folder), bufName)
		if _, err := os.Stat(name); err != nil {
			r.bufModule(c, folder, nil, nil)
			continue
		}
		module, _, found := Load(name, r.backends)
		r.found = append(r.found, found...)
		if module == nil {
			continue
		}
		for _, v := range module.Views {
			v.Root += len(c.Roots)
			c.Views = append(c.Views, v)
		}
		c.Roots = append(c.Roots, module.Roots...)
		c.Imports = append(c.Imports, module.Imports...)
		if c.ImportHint == "" {
			c.ImportHint = module.ImportHint
		}
	}
}

// bufModule adds a root. What it includes and excludes is relative to the file, as the root is.
func (r *reader) bufModule(c *Config, folder string, includes, excludes []string) {
	v := View{Root: len(c.Roots)}
	for _, in := range includes {
		if rel, ok := below(folder, in); ok {
			v.Include = append(v.Include, rel)
		}
	}
	for _, ex := range excludes {
		if rel, ok := below(folder, ex); ok {
			v.Exclude = append(v.Exclude, rel)
		}
	}
	c.Roots = append(c.Roots, r.join(folder))
	if len(v.Include)+len(v.Exclude) != 0 {
		c.Views = append(c.Views, v)
	}
}

// inside reads a folder in that of the file.
func (r *reader) inside(n *yaml.Node) string {
	folder := path.Clean(r.text(n))
	if path.IsAbs(folder) || folder == ".." || strings.HasPrefix(folder, "../") {
		r.fail(n, "", "folder %q is not in that of the file", folder)
	}
	return folder
}

// below returns what a folder in another one is relative to that.
func below(folder, in string) (string, bool) {
	if folder == "." {
		return in, in != "."
	}
	return strings.CutPrefix(in, folder+"/")
}

// child returns the value of a key in a mapping, or nil.
func child(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}
