package config

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/backend"
)

// options returns what reads the keys of options into s.
func (r *reader) options(all []backend.Option,
	s backend.Settings) map[string]func(*yaml.Node) {
	keys := map[string]func(*yaml.Node){}
	for i := range all {
		o := &all[i]
		keys[o.KeyName()] = func(n *yaml.Node) {
			if v, ok := r.value(n, o); ok {
				s.Set(o, v, all)
			}
		}
	}
	return keys
}

// nested is options for those below "options", where a flag may be a mapping of the options that
// say more about it: grpc: {in: message} is grpc_in: message.
func (r *reader) nested(all []backend.Option,
	s backend.Settings) map[string]func(*yaml.Node) {
	keys := r.options(all, s)
	for i := range all {
		flag := &all[i]
		inside := map[string]func(*yaml.Node){}
		for k := range all {
			if f := backend.FlagOf(&all[k], all); f != nil && f.Name == flag.Name {
				inside[strings.TrimPrefix(all[k].Name, flag.Name+"_")] = keys[all[k].Name]
			}
		}
		if read := keys[flag.Name]; len(inside) > 0 {
			keys[flag.Name] = func(n *yaml.Node) {
				if n.Kind != yaml.MappingNode {
					read(n)
					return
				}
				s.Set(flag, backend.Value{On: true}, all)
				r.mapping(n, inside)
			}
		}
	}
	return keys
}

// value reads the value of an option; ok is false if it is none, which has been told.
func (r *reader) value(n *yaml.Node, o *backend.Option) (v backend.Value, ok bool) {
	before := len(r.found)
	switch o.Kind {
	case backend.Flag:
		v.On = r.flag(n)
	case backend.AnyText:
		if v.Text = n.Value; n.Kind != yaml.ScalarNode {
			r.text(n)
		}
	case backend.Patterns:
		r.list(n, func(n *yaml.Node) string {
			v.Items = append(v.Items, backend.Item{Text: r.pattern(n), Line: n.Line,
				Column: n.Column})
			return ""
		})
	case backend.Names:
		v.Items = r.names(n)
	default:
		v.Text = r.text(n)
	}
	if len(r.found) > before {
		return v, false
	}
	if wrong := (*backend.WrongValue)(nil); errors.As(o.Check(v), &wrong) {
		if o.Kind == backend.Choice {
			hint := ""
			if near := report.Nearest(n.Value, o.Values); len(near) > 0 {
				hint = fmt.Sprintf("did you mean %q?", near[0])
			}
			r.fail(n, hint, "%s is wanted here, not %q", o.Wanted(), n.Value)
		} else {
			r.fail(n, "", "%v", wrong)
		}
		return v, false
	}
	return v, true
}

// names reads a mapping of full names to Go names.
func (r *reader) names(n *yaml.Node) (out []backend.Item) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, `write {shop.v1.Deposit_Part: DepositPart2}`,
			"a mapping of names is wanted here, not %s", kind(n))
		return nil
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if seen[key.Value] {
			r.fail(key, "", "%q is renamed twice", key.Value)
		}
		seen[key.Value] = true
		name := r.text(value)
		if name != "" && !backend.IsGoName(name) {
			r.fail(value, "write letters, digits and underscores, a capital letter first",
				"%q is no exported Go name", name)
		}
		out = append(out, backend.Item{Name: strings.TrimPrefix(key.Value, "."), Text: name,
			Line: key.Line, Column: key.Column})
	}
	return out
}

// shape reads the name of a backend.
func (r *reader) shape(n *yaml.Node) string {
	name := r.text(n)
	if name != "" && r.backends.Named(name) == nil {
		r.fail(n, "", "%s is wanted here, not %q", orOf(r.backends.Names()), name)
	}
	return name
}

// orOf joins names: "a, b or c".
func orOf(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func (r *reader) packages(n *yaml.Node) []Package {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, "", "a list is wanted here, not %s", kind(n))
		return nil
	}
	var out []Package
	options := r.backends.Options(backend.InPackages)
	for _, item := range n.Content {
		p := Package{PackageSettings: backend.PackageSettings{Settings: backend.Settings{}}}
		keys := r.options(options, p.Settings)
		maps.Copy(keys, map[string]func(*yaml.Node){
			"files":   func(n *yaml.Node) { p.Files = r.pattern(n) },
			"package": func(n *yaml.Node) { p.Package = r.text(n) },
			"shape":   func(n *yaml.Node) { p.Shape = r.shape(n) },
		})
		before := len(r.found)
		r.mapping(item, keys)
		if item.Kind == yaml.MappingNode && len(r.found) == before {
			r.checkPackage(item, p)
		}
		out = append(out, p)
	}
	return out
}

// checkPackage finds what an entry of packages lacks, and settings of another backend than that of
// its shape.
func (r *reader) checkPackage(item *yaml.Node, p Package) {
	if (p.Files == "") == (p.Package == "") || p.Shape == "" && len(p.Settings) == 0 {
		r.fail(item, `write {package: shop.v1, go_package: "import/path;name"}`,
			`an entry of "packages" needs "go_package" or "shape", and one of "files" and "package"`)
		return
	}
	own := backend.List{r.backends.Named(p.Shape)}.Options(backend.InPackages)
	for _, b := range r.backends {
		for _, o := range b.Options() {
			if _, set := p.Settings[o.Name]; set && o.In&backend.InPackages != 0 && !has(own,
				o.Name) {
				r.fail(item, "add shape: "+b.Name(), "%q is for shape %s", o.Name, b.Name())
				return
			}
		}
	}
}

func has(options []backend.Option, name string) bool {
	for _, o := range options {
		if o.Name == name {
			return true
		}
	}
	return false
}

func (r *reader) fields(n *yaml.Node) (out []backend.FieldSettings) {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, `write [{field: "shop.v1.*.time", stdtime: true}]`,
			"a list is wanted here, not %s", kind(n))
		return nil
	}
	options := r.backends.Options(backend.InFields)
	for _, item := range n.Content {
		f := backend.FieldSettings{Settings: backend.Settings{}}
		keys := r.options(options, f.Settings)
		keys["field"] = func(n *yaml.Node) {
			f.Pattern, f.Line, f.Column = r.pattern(n), n.Line, n.Column
		}
		before := len(r.found)
		r.mapping(item, keys)
		if item.Kind == yaml.MappingNode && len(r.found) == before &&
			(f.Pattern == "" || len(f.Settings) == 0) {
			r.fail(item, `write {field: "shop.v1.*.time", stdtime: true}`,
				`an entry of "fields" needs "field" and an option`)
		}
		out = append(out, f)
	}
	return out
}
