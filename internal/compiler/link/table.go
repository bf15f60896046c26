package link

import (
	"hash/maphash"
	"slices"
	"strings"
)

// Kind is what a name stands for.
type Kind uint8

// The kinds of symbols.
const (
	None Kind = iota
	Package
	Message
	Enum
	Value
	Field
	Extension
	Oneof
	Service
	Method
)

// String returns the word of the language for a kind.
func (k Kind) String() string {
	return [...]string{"nothing", "package", "message", "enum", "enum value", "field", "extension",
		"oneof", "service", "method"}[k]
}

// isType tells whether a field can have it as its type.
func (k Kind) isType() bool { return k == Message || k == Enum }

// isScope tells whether protoc looks for the rest of a name in it.
func (k Kind) isScope() bool { return k == Package || k == Message || k == Enum || k == Service }

// id is the index of a symbol; root is the package without name.
type id uint32

const root id = 0

// symbol is one name. Its full name is that of its parents and its own.
type symbol struct {
	name     string
	element  any     // descriptor; nil for packages
	typeName *string // full name of a message or enum behind a point, as fields have it
	parent   id
	file     uint32 // the file that declares it; of a package the index in table.packages
	hash     uint32
	kind     Kind
}

// table finds symbols by their parent and name.
type table struct {
	seed     maphash.Seed
	symbols  []symbol
	slots    []id // open addressing; root is an empty slot
	used     int
	packages []pkg
	dead     int // symbols of files that are gone
}

// pkg is what is known of a package.
type pkg struct {
	file  uint32 // one that is in it
	files int    // how many are in it or in a package of it
}

func newTable() table {
	return table{seed: maphash.MakeSeed(), symbols: make([]symbol, 1, 1024),
		slots: make([]id, 2048)}
}

func (t *table) hashOf(parent id, name string) uint32 {
	h := maphash.String(t.seed, name)
	return uint32(h>>32) ^ uint32(h) ^ uint32(parent)*0x9e3779b1
}

// child returns the symbol of a name in a scope, or root.
func (t *table) child(parent id, name string) id {
	h := t.hashOf(parent, name)
	mask := uint32(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		n := t.slots[i]
		if n == root {
			return root
		}
		if s := &t.symbols[n]; s.hash == h && s.parent == parent && s.name == name &&
			s.kind != None {
			return n
		}
	}
}

// reserve makes room for more symbols.
func (t *table) reserve(more int) {
	t.symbols = slices.Grow(t.symbols, more)
	size := len(t.slots)
	for size < 2*(t.used+more) {
		size *= 2
	}
	if size > len(t.slots) {
		t.rehash(size)
	}
}

// append adds a symbol that cannot be found by its name.
func (t *table) append(s symbol) id {
	t.symbols = append(t.symbols, s)
	return id(len(t.symbols) - 1)
}

// insert adds a symbol, unless there is one of that name: then it returns that one, too.
func (t *table) insert(s symbol) (n, other id) {
	s.hash = t.hashOf(s.parent, s.name)
	if 2*t.used >= len(t.slots) {
		t.rehash(2 * len(t.slots))
	}
	mask := uint32(len(t.slots) - 1)
	for i := s.hash & mask; ; i = (i + 1) & mask {
		switch o := t.slots[i]; {
		case o == root:
			n = t.append(s)
			t.slots[i] = n
			t.used++
			return n, root
		default:
			if p := &t.symbols[o]; p.hash == s.hash && p.parent == s.parent && p.name == s.name {
				n = t.append(s)
				if p.kind == None { // it was of a file that is gone
					t.slots[i] = n
					return n, root
				}
				return n, o
			}
		}
	}
}

func (t *table) rehash(size int) {
	old := t.slots
	t.slots = make([]id, size)
	mask := uint32(len(t.slots) - 1)
	for _, n := range old {
		if n == root {
			continue
		}
		i := t.symbols[n].hash & mask
		for t.slots[i] != root {
			i = (i + 1) & mask
		}
		t.slots[i] = n
	}
}

// kill makes a symbol one that cannot be found any more.
func (t *table) kill(n id) {
	s := &t.symbols[n]
	*s = symbol{name: s.name, parent: s.parent, hash: s.hash}
	t.dead++
}

// find returns the symbol of a full name, or root.
func (t *table) find(scope id, name string) id {
	for name != "" {
		first, rest := cut(name)
		if scope = t.child(scope, first); scope == root {
			return root
		}
		name = rest
	}
	return scope
}

// cut returns the first part of a name and the parts behind it.
func cut(name string) (first, rest string) {
	for i := range len(name) {
		if name[i] == '.' {
			return name[:i], name[i+1:]
		}
	}
	return name, ""
}

// shown returns the full name of a symbol as messages show it: cut where it is very long.
func (t *table) shown(n id) string {
	parts := t.parts(n)
	for i := range parts {
		parts[i] = short(parts[i])
	}
	return short(strings.Join(parts, "."))
}

// short cuts a name that is too long to be read.
func short(name string) string {
	const most = 200
	if len(name) > most {
		return name[:most] + "..."
	}
	return name
}

// fullName returns the name of a symbol with those of all around it.
func (t *table) fullName(n id) string { return strings.Join(t.parts(n), ".") }

func (t *table) parts(n id) (parts []string) {
	for ; n != root; n = t.symbols[n].parent {
		parts = append(parts, t.symbols[n].name)
	}
	slices.Reverse(parts)
	return parts
}
