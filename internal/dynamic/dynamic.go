// Package dynamic is what the commands do with messages of types that are known at run time only:
// it finds a type in compiled .proto files and converts messages between binary, JSON and text
// format, by package gremlin/dynamic. The same message gives the same bytes, always.
package dynamic

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/internal/compiler/gogo/gogoproto"
)

// Type is a message type, with all that its messages may refer to. Any number of goroutines may use
// one.
type Type struct{ Dynamic *dynamic.Type }

// New finds a message type by its full name in the result of a compilation without errors. When
// there is none the error is an *UnknownTypeError.
func New(res *compiler.Result, name string, hex Hex) (*Type, error) {
	set, err := res.DescriptorSet()
	if err != nil {
		return nil, fmt.Errorf("the compiled schema cannot be used: %w", err)
	}
	t, err := FromSet(set, name, hex)
	var missing *UnknownTypeError
	if errors.As(err, &missing) {
		return nil, unknown(res, name)
	}
	return t, err
}

// FromSet finds a message type by its full name in a FileDescriptorSet, given encoded. When there
// is none the error is an *UnknownTypeError.
func FromSet(set []byte, name string, hex Hex) (*Type, error) {
	types, err := dynamic.LoadOptions{Hex: hex.has}.Load(set)
	if err != nil {
		return nil, fmt.Errorf("the compiled schema cannot be used: %w", err)
	}
	t := types.Message(name)
	if t == nil || t.MapEntry {
		return nil, &UnknownTypeError{Name: name}
	}
	if err := hex.check(types); err != nil {
		return nil, err
	}
	return &Type{t}, nil
}

// UnknownTypeError says that there is no message type of a name.
type UnknownTypeError struct {
	Name   string
	Near   []string // names that are like it, the likeliest first
	Others []string // the message types of the files that were asked for, when none is like it
}

// Error returns `there is no message "shop.v1.Deposits"`.
func (e *UnknownTypeError) Error() string { return fmt.Sprintf("there is no message %q", e.Name) }

// Hint says which names there are: `did you mean "shop.v1.Deposit"?`.
func (e *UnknownTypeError) Hint() string {
	const most = 10
	switch {
	case len(e.Near) > 0:
		return "did you mean " + quote(e.Near, " or ") + "?"
	case len(e.Others) == 0:
		return "the files have no messages"
	case len(e.Others) > most:
		return fmt.Sprintf("there are %s and %d more", quote(e.Others[:most], ", "),
			len(e.Others)-most)
	}
	return "there are " + quote(e.Others, ", ")
}

func quote(names []string, between string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(quoted, between)
}

func unknown(res *compiler.Result, name string) error {
	e := &UnknownTypeError{Name: name}
	var all []string
	for _, f := range res.Schema.Files {
		for m := range f.AllMessages() {
			all = append(all, m.FullName)
			if f.Generate {
				e.Others = append(e.Others, m.FullName)
			}
		}
	}
	// A name without its package, then names with a slip.
	for _, n := range all {
		if strings.HasSuffix(strings.ToLower(n), "."+strings.ToLower(name)) {
			e.Near = append(e.Near, n)
		}
	}
	if len(e.Near) == 0 {
		e.Near = report.Nearest(name, all)
	}
	slices.Sort(e.Others)
	e.Near = e.Near[:min(len(e.Near), 3)]
	return e
}

// Sources returns the sources to compile files with: what is below the roots, and gogo.proto, which
// files of people who use gogo/protobuf import.
func Sources(roots, files []string) *source.Set {
	s := source.New(Roots(roots, files)...)
	s.Provide(gogoproto.Text)
	return s
}

// Roots returns the roots to compile files with: those given, and the folder of each file on disk
// that is below none of them.
func Roots(roots, files []string) []string {
	roots = slices.Clone(roots)
	for _, f := range files {
		if len(roots) > 0 {
			if _, err := source.New(roots...).Resolve(f); err == nil {
				continue
			}
		}
		if info, err := os.Stat(f); err == nil && !info.IsDir() {
			roots = append(roots, filepath.Dir(f))
		}
	}
	return roots
}
