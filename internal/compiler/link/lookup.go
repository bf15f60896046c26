package link

import (
	"strings"
)

// Symbol is a declaration that a name stands for.
type Symbol struct {
	Kind    Kind
	Element any   // its descriptor: a *descriptorpb.DescriptorProto, for example; nil for packages
	File    *File // nil for packages
	pool    *Pool
	id      id
}

// FullName returns the name of the symbol with those of all around it.
func (s Symbol) FullName() string { return s.pool.fullName(s.id) }

func (p *Pool) symbol(n id) Symbol {
	s := &p.symbols[n]
	out := Symbol{Kind: s.kind, Element: s.element, pool: p, id: n}
	if s.kind != Package && s.kind != None {
		out.File = p.files[s.file]
	}
	return out
}

// Find returns the declaration of a full name, with or without a point in front of it, wherever in
// the pool it is. Its kind is None when there is none.
func (p *Pool) Find(name string) Symbol {
	return p.symbol(p.find(root, strings.TrimPrefix(name, ".")))
}

// Lookup returns what a name means in a scope, which is the full name of a package, message or
// service, as the file of the view sees it: from the inside out by the first part of the name,
// unless the name begins with a point. Its kind is None when it means nothing; [View.Missed] then
// says why. The file that declares it counts as used.
func (v *View) Lookup(name, scope string) Symbol {
	return v.pool.symbol(v.lookup(name, v.pool.find(root, scope), false))
}

// Use notes that the current file uses a declaration of another one.
func (v *View) Use(f *File) {
	if v.types[f.number] == v.stamp || v.fields[f.number] == v.stamp {
		if i := v.direct[f.number]; i >= 0 {
			v.file.Imports[i].used = true
		}
	}
}

// lookup finds what a name means in a scope. Where only types are asked for, others of that name
// are passed over.
func (v *View) lookup(name string, scope id, types bool) id {
	v.missed = missed{}
	t := &v.pool.table
	if strings.HasPrefix(name, ".") {
		return v.visible(t.find(root, name[1:]))
	}
	first, rest := cut(name)
	for ; scope != root; scope = t.symbols[scope].parent {
		n := v.visible(t.child(scope, first))
		if n == root {
			continue
		}
		kind := t.symbols[n].kind
		switch {
		case rest == "":
			if !types || kind.isType() {
				return n
			}
		case kind.isScope():
			if inner := v.visible(t.find(n, rest)); inner != root {
				return inner
			}
			v.missed.resolved = n
			return root
		}
	}
	return v.visible(t.find(root, name))
}

// visible returns a symbol if the file sees it, which counts as use, else root.
func (v *View) visible(n id) id {
	if n == root {
		return root
	}
	s := &v.pool.symbols[n]
	if s.kind == Package {
		if v.seesPackage(s.file) {
			return n
		}
		return root
	}
	if v.file.number == s.file {
		return n
	}
	v.Use(v.pool.files[s.file])
	if v.sees(s) {
		return n
	}
	v.missed.hidden = n
	return root
}
