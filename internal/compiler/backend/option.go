package backend

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Kind is what values of an option are.
type Kind int

const (
	Flag     Kind = iota // true or false
	Text                 // any text but the empty one
	AnyText              // any text
	Choice               // one of Option.Values
	Pattern              // a pattern over full names: "shop.v1.*.time"
	Patterns             // any number of those
	Names                // Go names by full names of declarations
)

// Place is where an option can be set; places are added up.
type Place int

const (
	InFlags      Place = 1 << iota // a flag of the command: --pointer-lists
	InOptions                      // a key below "options" in gremlin.yaml
	AtTop                          // a key of gremlin.yaml itself
	InPackages                     // a key of entries of "packages" in gremlin.yaml
	InFields                       // a key of entries of "fields" in gremlin.yaml
	InParameters                   // a parameter of the plugin

	// Everywhere is the places of an option for all files.
	Everywhere = InFlags | InOptions | InParameters
)

// Option is something that a backend can be told. Flags, keys, parameters, what is said about wrong
// ones and the table in the documentation are made from it.
type Option struct {
	Name   string // "pointer_lists"
	Kind   Kind
	In     Place
	Values []string // values of a Choice
	Doc    string   // half a sentence; of a Text what it is
	// Example is a value: "example.com/shop/gen".
	Example string
	// Key is the key at the top of gremlin.yaml, where that is not Name.
	Key string
	// Programs are those of Values that a plugin is given by its own name: one that is called
	// protoc-gen-gogofaster has the value "gogofaster". An option with Programs is for one backend
	// alone: to set it is to ask for that backend.
	Programs []string
}

// FlagName returns the name of the option as a flag: "pointer-lists".
func (o *Option) FlagName() string { return strings.ReplaceAll(o.Name, "_", "-") }

// KeyName returns the key of the option in gremlin.yaml.
func (o *Option) KeyName() string {
	if o.Key != "" {
		return o.Key
	}
	return o.Name
}

// Usage shows the option as a parameter: "grpc_in=message|reader".
func (o *Option) Usage() string {
	switch o.Kind {
	case Flag:
		return o.Name
	case Choice:
		return o.Name + "=" + strings.Join(o.choices(), "|")
	case Names:
		return o.Name + "=full.Name=GoName"
	case Pattern, Patterns:
		return o.Name + "=PATTERN"
	}
	return o.Name + "=" + cmp.Or(o.Example, "TEXT")
}

// choices are the values that users are told of: the empty one goes without saying.
func (o *Option) choices() []string {
	return slices.DeleteFunc(slices.Clone(o.Values), func(v string) bool { return v == "" })
}

// Wanted says in words what the values of the option are: "true or false".
func (o *Option) Wanted() string {
	switch o.Kind {
	case Flag:
		return "true or false"
	case Choice:
		all := o.choices()
		if len(all) == 1 {
			return all[0]
		}
		return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
	case Pattern, Patterns:
		return "a pattern over full names"
	case Names:
		return "a full name and an exported Go name"
	}
	return "the " + o.Doc
}

// WrongValue is an error of [Option.Parse] and [Option.Check]: the text is no value of the option.
type WrongValue struct {
	Option *Option
	Text   string
}

// Error words the mistake without naming where the option was set.
func (e *WrongValue) Error() string {
	if e.Option.Kind == Text {
		return fmt.Sprintf("%q needs %s", e.Option.Name, e.Option.Wanted())
	}
	verb := "is"
	if e.Option.Kind >= Pattern {
		verb = "needs"
	}
	return fmt.Sprintf("%q %s %s, not %q", e.Option.Name, verb, e.Option.Wanted(), e.Text)
}

// Hint says what to write as a parameter.
func (e *WrongValue) Hint() string {
	name := e.Option.Name
	switch e.Option.Kind {
	case Flag:
		return "write " + name + " or " + name + "=false"
	case Choice:
		var all []string
		for _, v := range e.Option.choices() {
			all = append(all, name+"="+v)
		}
		return "write " + strings.Join(all, " or ")
	}
	return "write " + name + "=" + e.Option.Example
}

// Parse reads a value as flags and parameters have it. That of a Flag may be left out.
func (o *Option) Parse(text string) (v Value, err error) {
	switch o.Kind {
	case Flag:
		on := true
		if text != "" {
			if on, err = strconv.ParseBool(text); err != nil {
				return v, &WrongValue{o, text}
			}
		}
		return Value{On: on}, nil
	case Patterns:
		v.Items = []Item{{Text: text}}
	case Names:
		full, name, _ := strings.Cut(text, "=")
		v.Items = []Item{{Name: strings.TrimPrefix(full, "."), Text: name}}
	default:
		v.Text = text
	}
	return v, o.Check(v)
}

// Check tells whether v is a value of the option.
func (o *Option) Check(v Value) error {
	switch o.Kind {
	case Text:
		if v.Text == "" {
			return &WrongValue{o, ""}
		}
	case Choice:
		if !slices.Contains(o.Values, v.Text) {
			return &WrongValue{o, v.Text}
		}
	case Pattern:
		if v.Text == "" || !doublestar.ValidatePattern(v.Text) {
			return &WrongValue{o, v.Text}
		}
	case Patterns:
		for _, i := range v.Items {
			if i.Text == "" || !doublestar.ValidatePattern(i.Text) {
				return &WrongValue{o, i.Text}
			}
		}
	case Names:
		for _, i := range v.Items {
			if i.Name == "" || !IsGoName(i.Text) {
				return &WrongValue{o, strings.TrimSuffix(i.Name+"="+i.Text, "=")}
			}
		}
	}
	return nil
}

// IsGoName tells whether a declaration can be renamed to a name: letters, digits and underscores, a
// capital letter first.
func IsGoName(name string) bool {
	for i, c := range []byte(name) {
		switch {
		case 'A' <= c && c <= 'Z':
		case i > 0 && ('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_'):
		default:
			return false
		}
	}
	return name != ""
}
