package wkt

import (
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// FieldMaskOf returns a mask of paths of type t, which may be a nil pointer, and fails for the
// first path that the type does not have: FieldMaskOf((*shopv1.Deposit)(nil), "user.name",
// "amount").
func FieldMaskOf(t rt.Type, paths ...string) (*FieldMask, error) {
	m := &FieldMask{Paths: paths}
	return m, m.CheckPaths(t)
}

// CheckPaths returns a *PathError for the first path that type t does not have. A path names fields
// as the .proto file does, with dots between them; only the last may be a list or a map.
func (m *FieldMask) CheckPaths(t rt.Type) error {
	for _, path := range m.GetPaths() {
		if !hasPath(t.GremlinTable(), path) {
			return &PathError{Path: path, Message: t.GremlinTable().Name}
		}
	}
	return nil
}

// PathError says that a message has no field at a path.
type PathError struct {
	Path    string
	Message string // full name
}

// Error implements error.
func (e *PathError) Error() string {
	return "wkt: " + e.Message + " has no field " + e.Path
}

func hasPath(t *rt.Table, path string) bool {
	for {
		name, rest, more := strings.Cut(path, ".")
		i := slices.IndexFunc(t.Fields, func(f rt.FieldInfo) bool { return f.Name == name })
		if i < 0 {
			return false
		}
		if !more {
			return true
		}
		f := &t.Fields[i]
		if f.Flags&rt.FlagRepeated != 0 || f.Kind != rt.KindMessage && f.Kind != rt.KindGroup {
			return false
		}
		t, path = f.Sub.GremlinTable(), rest
	}
}

// Normalize sorts the paths and leaves out those that are in others: "a.b" beside "a", and what
// comes twice.
func (m *FieldMask) Normalize() { m.Paths = normalized(m.Paths) }

func normalized(paths []string) []string {
	// With 0 in the place of dots what a path covers comes right behind it.
	key := func(path string) string { return strings.ReplaceAll(path, ".", "\x00") }
	paths = slices.Clone(paths)
	slices.SortFunc(paths, func(a, b string) int { return strings.Compare(key(a), key(b)) })
	out := paths[:0]
	for _, path := range paths {
		if len(out) == 0 || !covers(out[len(out)-1], path) {
			out = append(out, path)
		}
	}
	return out
}

// covers tells whether all that path names is in what outer names.
func covers(outer, path string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest == "" || rest[0] == '.')
}

// Union returns a mask of all that one of the masks names, normalized.
func Union(masks ...*FieldMask) *FieldMask {
	var all []string
	for _, m := range masks {
		all = append(all, m.GetPaths()...)
	}
	return &FieldMask{Paths: normalized(all)}
}

// Intersect returns a mask of what both masks name, normalized.
func Intersect(x, y *FieldMask) *FieldMask {
	var both []string
	for _, a := range x.GetPaths() {
		for _, b := range y.GetPaths() {
			switch {
			case covers(a, b):
				both = append(both, b)
			case covers(b, a):
				both = append(both, a)
			}
		}
	}
	return &FieldMask{Paths: normalized(both)}
}

// Prune appends to dst the fields of an encoded message of type t that the mask names, in the order
// in which they stand, and leaves out all others, unknown fields too. Nothing is decoded. What is
// wrong with the encoding is an error where Prune comes across it.
func (m *FieldMask) Prune(dst, b []byte, t rt.Type) ([]byte, error) {
	if err := m.CheckPaths(t); err != nil {
		return dst, err
	}
	return rt.Prune(dst, b, t.GremlinTable(), normalized(m.GetPaths()))
}
