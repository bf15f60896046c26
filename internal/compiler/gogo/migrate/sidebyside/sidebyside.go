// Package sidebyside compares messages of two generators of Go code in one program. Its source is
// compiled into the temporary program of gremlin migrate verify, beside both packages, and so
// imports the standard library alone.
package sidebyside

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
)

// Pair makes a message of each generator.
type Pair struct {
	Name     string     // full name of the message, or that of the Go type
	Old, New func() any // pointers to zero messages
	Methods  []string   // methods that were generated: others may do anything
}

// Options say how much is compared.
type Options struct {
	Seed   int64
	Rounds int    // random values of each message
	Data   string // folder with captured messages: files in folders by the names of pairs
}

// Difference is something that is not the same.
type Difference struct {
	Package  string `json:"package"`
	Message  string `json:"message"`
	Property string `json:"property"` // layout, bytes, size, text, ...
	Detail   string `json:"detail"`
	// Value is a Go expression for the message that shows it, Input the encoding, as a Go
	// expression too.
	Value string `json:"value,omitempty"`
	Input string `json:"input,omitempty"`
}

// String returns the difference on a few lines.
func (d Difference) String() string {
	s := fmt.Sprintf("%s %s: %s: %s", d.Package, d.Message, d.Property, d.Detail)
	if d.Value != "" {
		s += "\n  value: " + d.Value
	}
	if d.Input != "" {
		s += "\n  input: " + d.Input
	}
	return s
}

// Report is the result of a run.
type Report struct {
	Messages    int          `json:"messages"`
	Values      int          `json:"values"`
	Inputs      int          `json:"inputs"`
	Differences []Difference `json:"differences"`
}

// Run compares all pairs and writes the report as JSON.
func Run(w io.Writer, pairs []Pair, o Options) error {
	r := Report{Messages: len(pairs)}
	for _, p := range pairs {
		c := &comparison{Pair: p, seen: map[string]bool{}}
		c.layout(reflect.TypeOf(p.Old()).Elem(), reflect.TypeOf(p.New()).Elem())
		c.nothing()
		if len(c.found) == 0 { // values of different layouts cannot be compared
			c.systematic()
			for round := range o.Rounds {
				c.round(rand.NewSource(o.Seed + int64(round)))
			}
			if err := c.captured(filepath.Join(o.Data, p.Name), o.Data != ""); err != nil {
				return err
			}
		}
		r.Values, r.Inputs = r.Values+c.values, r.Inputs+c.inputs
		r.Differences = append(r.Differences, c.found...)
	}
	return json.NewEncoder(w).Encode(r)
}

// comparison is the work on one pair.
type comparison struct {
	Pair
	values, inputs int
	found          []Difference
	seen           map[string]bool // properties that differ: one example of each is enough
}

func (c *comparison) fail(property, detail string, value any, input []byte) {
	if c.seen[property] {
		return
	}
	c.seen[property] = true
	d := Difference{Message: c.Name, Property: property, Detail: detail}
	if value != nil {
		d.Value = Literal(value)
	}
	if input != nil {
		d.Input = fmt.Sprintf("[]byte(%q)", input)
	}
	c.found = append(c.found, d)
}

// same reports two texts that are not the same.
func (c *comparison) same(property, old, ours string, value any, input []byte) bool {
	if old == ours {
		return true
	}
	c.fail(property, fmt.Sprintf("old %s, new %s", clip(old), clip(ours)), value, input)
	return false
}

// longest is how much of a text a report shows.
const longest = 600

func clip(s string) string {
	if len(s) > longest {
		return s[:longest] + "..."
	}
	return s
}

// captured decodes the files of a folder.
func (c *comparison) captured(dir string, given bool) error {
	if !given {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		c.decode(data, false)
	}
	return err
}
