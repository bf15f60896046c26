package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// random writes schemas of random messages: in each syntax, with all kinds of fields in all roles
// that it has, and with numbers and orders that nobody would choose.
func random(seed string) ([]unit, error) {
	n, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return nil, err
	}
	root := filepath.Join(scratch, "random-proto")
	if err := os.RemoveAll(root); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	u := unit{name: "r", root: root}
	g := &schemas{rng: rand.New(rand.NewPCG(n, 2))}
	for i, syntax := range []string{`syntax = "proto2"`, `syntax = "proto3"`, `edition = "2023"`,
		`edition = "2023"`} {
		name := fmt.Sprintf("f%d.proto", i)
		text := g.file(i, syntax)
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
		u.files = append(u.files, name)
	}
	u.types = g.messages
	return []unit{u}, nil
}

// schemas makes random files, each of which imports those before it.
type schemas struct {
	rng      *rand.Rand
	b        strings.Builder
	proto2   bool
	proto3   bool
	messages []string // messages that there are
	open     []string // enums that fields of proto3 may have
	enums    []string // all
}

const perFile = 9 // messages

func (g *schemas) file(i int, syntax string) string {
	g.b.Reset()
	g.proto2, g.proto3 = strings.Contains(syntax, "proto2"), strings.Contains(syntax, "proto3")
	fmt.Fprintf(&g.b, "%s;\npackage r;\n", syntax)
	for j := range i {
		fmt.Fprintf(&g.b, "import \"f%d.proto\";\n", j)
	}
	if !g.proto2 && !g.proto3 {
		g.b.WriteString(g.one("", "option features.utf8_validation = NONE;\n"))
		g.b.WriteString(g.one("", "option features.message_encoding = DELIMITED;\n"))
		g.b.WriteString(g.one("", "option features.repeated_field_encoding = EXPANDED;\n"))
	}
	for j := range 3 {
		name, values := fmt.Sprintf("E%d%d", i, j),
			[]string{"0", "1", "-1", "7", "2147483647", "-2147483648"}
		closed := g.proto2 || !g.proto3 && j == 0
		if closed && g.rng.IntN(2) == 0 {
			values = values[1:] // the first value is not zero
		}
		fmt.Fprintf(&g.b, "enum %s {", name)
		if closed && !g.proto2 {
			g.b.WriteString(" option features.enum_type = CLOSED;")
		}
		for k, v := range values {
			fmt.Fprintf(&g.b, " %s_%d = %s;", name, k, v)
		}
		g.b.WriteString(" }\n")
		g.enums = append(g.enums, name)
		if !closed {
			g.open = append(g.open, name)
		}
	}
	for j := range perFile { // fields may have the types of messages that come later in the file
		g.messages = append(g.messages, fmt.Sprintf("r.M%d%d", i, j))
	}
	for j := range perFile {
		g.message(fmt.Sprintf("M%d%d", i, j))
	}
	return g.b.String()
}

func (g *schemas) one(of ...string) string { return of[g.rng.IntN(len(of))] }

func (g *schemas) message(name string) {
	fmt.Fprintf(&g.b, "message %s {\n", name)
	numbers := map[int]bool{}
	field := 0
	in := "" // the oneof that is open
	for range g.rng.IntN(g.rng.IntN(30) + 1) {
		if in == "" && g.rng.IntN(5) == 0 {
			in = fmt.Sprintf("o%d", field)
			fmt.Fprintf(&g.b, "  oneof %s {\n", in)
		}
		field++
		g.field(field, g.number(numbers), in != "")
		if in != "" && g.rng.IntN(3) == 0 {
			in = ""
			g.b.WriteString("  }\n")
		}
	}
	if in != "" {
		g.b.WriteString("  }\n")
	}
	g.b.WriteString("}\n")
}

// number returns one that the message has not got, low or at the edge of what a tag of some length
// can hold.
func (g *schemas) number(used map[int]bool) int {
	for {
		n := 1 + g.rng.IntN(40)
		if g.rng.IntN(4) == 0 {
			edges := []int{15, 16, 2047, 2048, 1<<18 - 1, 1 << 18, 1<<25 - 1, 1 << 25, 1<<29 - 1,
				63, 64, 65, 127, 128, 1000, 18999, 20000}
			n = edges[g.rng.IntN(len(edges))] - g.rng.IntN(2)
		}
		if n > 0 && !used[n] && (n < 19000 || n > 19999) {
			used[n] = true
			return n
		}
	}
}

var scalars = []string{"double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64",
	"fixed32", "fixed64", "sfixed32",
	"sfixed64", "bool", "string", "bytes"}

// scalar returns a type that is no message.
func (g *schemas) scalar() string {
	enums := g.enums
	if g.proto3 {
		enums = g.open
	}
	if len(enums) != 0 && g.rng.IntN(4) == 0 {
		return g.one(enums...)
	}
	return g.one(scalars...)
}

func (g *schemas) field(i, number int, member bool) {
	name := fmt.Sprintf("f%d", i)
	if !member && g.rng.IntN(7) == 0 {
		value := g.one(g.one(g.messages...), g.scalar())
		for g.closed(value) {
			value = g.scalar()
		}
		fmt.Fprintf(&g.b, "  map<%s, %s> %s = %d;\n", g.one(append(scalars[2:13:13], "string")...),
			value, name, number)
		return
	}
	label, typ := g.one("", "", "repeated "), g.scalar()
	if g.rng.IntN(4) == 0 {
		typ = g.one(g.messages...)
	}
	message := strings.HasPrefix(typ, "r.")
	var options []string
	if member {
		label = ""
	}
	single := label == "" && !member
	packable := label != "" && !message && typ != "string" && typ != "bytes"
	switch {
	case g.proto2 && single:
		label = g.one("optional ", "optional ", "optional ", "required ")
		if message {
			label = "optional " // required messages may be endless
		}
	case g.proto3 && single:
		label = g.one("", "optional ")
	case !g.proto2 && !g.proto3:
		if single && !message {
			if p := g.one("EXPLICIT", "IMPLICIT", "LEGACY_REQUIRED", "EXPLICIT"); p != "IMPLICIT" ||
				!g.closed(typ) {
				options = append(options, "features.field_presence = "+p)
			}
		}
		if typ == "string" {
			options = append(options, "features.utf8_validation = "+g.one("NONE", "VERIFY"))
		}
		if message {
			options = append(options, "features.message_encoding = "+
				g.one("LENGTH_PREFIXED", "DELIMITED"))
		}
		if packable {
			options = append(options, "features.repeated_field_encoding = "+
				g.one("PACKED", "EXPANDED"))
		}
	}
	if packable && (g.proto2 || g.proto3) {
		options = append(options, "packed = "+g.one("true", "false"))
	}
	if g.proto2 && g.rng.IntN(6) == 0 {
		fmt.Fprintf(&g.b, "  %sgroup G%d = %d { optional %s x = 1; repeated %s y = 2; }\n",
			strings.Replace(label, "required", "optional", 1), i, number, g.scalar(),
			g.one(g.messages...))
		return
	}
	fmt.Fprintf(&g.b, "  %s%s %s = %d", label, typ, name, number)
	if len(options) != 0 {
		fmt.Fprintf(&g.b, " [%s]", strings.Join(options, ", "))
	}
	g.b.WriteString(";\n")
}

// closed tells whether a type is a closed enum. No map may have values of it, for they have to have
// a zero.
func (g *schemas) closed(typ string) bool {
	return strings.HasPrefix(typ, "E") && !slices.Contains(g.open, typ)
}
