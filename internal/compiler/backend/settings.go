package backend

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Settings are values of options by name.
type Settings map[string]Value

// Value is what an option is set to; which part counts is the option's Kind.
type Value struct {
	On    bool   // value of a Flag
	Text  string // value of a Text, Choice or Pattern
	Items []Item // values of Patterns and Names
}

// Item is one of several values, and where gremlin.yaml has it.
type Item struct {
	Name string // the full name, for Names
	Text string
	// Line and Column are 0 where the value does not come from gremlin.yaml.
	Line, Column int
}

// Set sets an option. Items are added to those that are there. An option that says more about a
// flag, as json_hex does about json, sets the flag, too; all is the options to find it in.
func (s Settings) Set(o *Option, v Value, all []Option) {
	v.Items = slices.Concat(s[o.Name].Items, v.Items)
	s[o.Name] = v
	if o.Kind == Flag && !v.On {
		return
	}
	if flag := FlagOf(o, all); flag != nil {
		s[flag.Name] = Value{On: true}
	}
}

// FlagOf returns the flag that o says more about: json for json_hex; nil if there is none.
func FlagOf(o *Option, all []Option) *Option {
	for i := range all {
		if f := &all[i]; f.Kind == Flag && strings.HasPrefix(o.Name, f.Name+"_") {
			return f
		}
	}
	return nil
}

// Matches tells whether a pattern of an option matches a full name.
func (s Settings) Matches(option, fullName string) bool {
	v := s[option]
	if v.Text != "" {
		return Match(v.Text, fullName)
	}
	return slices.ContainsFunc(v.Items, func(i Item) bool { return Match(i.Text, fullName) })
}

// Match tells whether a pattern that was found right matches a full name: a * stands for any number
// of letters and dots.
func Match(pattern, fullName string) bool { return doublestar.MatchUnvalidated(pattern, fullName) }

// FieldSettings are values of options for the fields that a pattern matches.
type FieldSettings struct {
	Pattern      string // pattern over full names: "shop.v1.*.time"
	Settings     Settings
	Line, Column int // place of Pattern in gremlin.yaml
}

// Matches tells whether f is about a field.
func (f *FieldSettings) Matches(fullName string) bool { return Match(f.Pattern, fullName) }

// PackageSettings are settings for some files, an item of "packages" in gremlin.yaml.
type PackageSettings struct {
	Shape    string // the name of a backend; "" when the item does not say
	Settings Settings
}

// Row is an option and what setting it does to a T, the settings of a backend in its own terms.
type Row[T any] struct {
	Option
	Set func(*T, Value)
}

// Table is all options of a backend. It is the one place where an option is spelled.
type Table[T any] []Row[T]

// Options returns the options of the table.
func (t Table[T]) Options() []Option {
	out := make([]Option, len(t))
	for i := range t {
		out[i] = t[i].Option
	}
	return out
}

// Apply does what s sets to v, in the order of the table. Settings of other backends do nothing.
func (t Table[T]) Apply(v *T, s Settings) {
	for _, row := range t {
		if value, ok := s[row.Name]; ok && row.Set != nil {
			row.Set(v, value)
		}
	}
}
