package compiler

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
)

var times = flag.Int("times", 4, "how many random files are compared with protoc's descriptors")

// TestRandomOptions compares descriptors of files whose declarations have random options with
// protoc's.
func TestRandomOptions(t *testing.T) {
	protoc := needProtoc(t)
	types, err := os.ReadFile("testdata/optiontypes.proto")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "types.proto"), types, 0o666); err != nil {
		t.Fatal(err)
	}
	_, _, res := compileAll(t, dir)
	files, err := protodesc.NewFiles(res.Descriptors)
	if err != nil {
		t.Fatal(err)
	}
	d, err := files.FindFileByPath("types.proto")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(*times) {
		g := &optionWriter{rand.New(rand.NewPCG(seed, 1)), d.Extensions()}
		name := filepath.Join(dir, fmt.Sprintf("r%d.proto", seed))
		if err := os.WriteFile(name, []byte(g.file(seed)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	compareWithProtoc(t, protoc, dir, false)
}

// optionWriter writes random options.
type optionWriter struct {
	*rand.Rand
	extensions protoreflect.ExtensionDescriptors
}

func (g *optionWriter) file(n uint64) string {
	head := fmt.Sprintf("edition = \"2023\";\npackage t.r%d;\nimport \"types.proto\";\n", n)
	var b strings.Builder
	fmt.Fprint(&b, head, g.statements("file"))
	for i := range 20 {
		fmt.Fprintf(&b,
			"message M%d {\n%s int32 a = 1 %s;\n oneof o {\n%s string b = 2 %s;\n }\n extensions 10 to 20 %s;\n}\n", i,
			g.statements("message"), g.compact("field"), g.statements("oneof"), g.compact("field"),
			g.compact("range"))
		fmt.Fprintf(&b, "enum E%d {\n%s E%d_0 = 0 %s;\n}\n", i, g.statements("enum"), i,
			g.compact("value"))
		fmt.Fprintf(&b, "service S%d {\n%s rpc R(M0) returns (M1) {\n%s }\n}\n",
			i, g.statements("service"), g.statements("method"))
		fmt.Fprintf(&b, "extend M%d {\n double x%d = 10 %s;\n}\n", i, i, g.compact("field"))
	}
	return b.String()
}

func (g *optionWriter) statements(of string) string {
	var b strings.Builder
	for _, s := range g.options(of) {
		fmt.Fprintf(&b, "option %s;\n", s)
	}
	return b.String()
}

func (g *optionWriter) compact(of string) string {
	if all := g.options(of); len(all) > 0 {
		return "[" + strings.Join(all, ", ") + "]"
	}
	return ""
}

// options returns options, each with name and value.
func (g *optionWriter) options(of string) (all []string) {
	for i := range g.extensions.Len() {
		fd := g.extensions.Get(i)
		if !strings.HasPrefix(string(fd.Name()), of+"_") {
			continue
		}
		name := "(" + g.pick("t.", ".t.") + string(fd.Name()) + ")"
		switch {
		case fd.Message() == nil:
			for range g.IntN(3) {
				all = append(all, name+" = "+g.scalar(fd, false))
			}
		case g.IntN(2) == 0:
			all = append(all, name+" = { "+g.message(fd.Message(), 0)+"}")
		default:
			for _, i := range g.Perm(fd.Message().Fields().Len())[:g.IntN(4)] {
				if f := fd.Message().Fields().Get(i); !f.IsList() && !f.IsMap() &&
					f.Message() == nil {
					all = append(all, name+"."+string(f.Name())+" = "+g.scalar(f, false))
				}
			}
		}
	}
	return all
}

func (g *optionWriter) pick(of ...string) string { return of[g.IntN(len(of))] }

// message writes the fields of a message in text format.
func (g *optionWriter) message(md protoreflect.MessageDescriptor, depth int) string {
	var b strings.Builder
	fields := md.Fields()
	inOneof := false
	for _, i := range g.Perm(fields.Len())[:g.IntN(fields.Len()/(depth+1)+1)] {
		fd := fields.Get(i)
		if fd.ContainingOneof() != nil {
			if inOneof {
				continue
			}
			inOneof = true
		}
		g.field(&b, fd, string(fd.Name()), depth)
	}
	for i := range g.extensions.Len() {
		if fd := g.extensions.Get(i); fd.ContainingMessage() == md && g.IntN(4) == 0 {
			g.field(&b, fd, "["+g.pick("t.", "")+string(fd.Name())+"]", depth)
		}
	}
	return b.String()
}

func (g *optionWriter) field(b *strings.Builder, fd protoreflect.FieldDescriptor, name string,
	depth int) {
	if fd.Message() != nil && depth > 3 {
		return
	}
	value := func() string {
		switch {
		case fd.Message() == nil:
			return g.scalar(fd, true)
		case fd.Message().FullName() == "google.protobuf.Any":
			md := g.extensions.ByName("xm").Message()
			return g.pick("{}", `{ type_url: "a" }`,
				"{ [type.googleapis.com/t.All] { "+g.message(md, depth+1)+"} }")
		case g.IntN(4) == 0:
			return "< " + g.message(fd.Message(), depth+1) + ">"
		}
		return "{ " + g.message(fd.Message(), depth+1) + "}"
	}
	colon := ": "
	if fd.Message() != nil {
		colon = g.pick(": ", " ")
	}
	switch n := g.IntN(3); {
	case fd.Cardinality() != protoreflect.Repeated:
		b.WriteString(name + colon + value())
	case n == 0:
		values := make([]string, g.IntN(4))
		for i := range values {
			values[i] = value()
		}
		b.WriteString(name + colon + "[" + strings.Join(values, ", ") + "]")
	default:
		for range n {
			b.WriteString(name + colon + value() + " ")
		}
	}
	b.WriteString(g.pick(" ", ", ", "; ", " // c\n", " /* { */ "))
}

// scalar writes a value; aggregate tells whether it stands in braces.
func (g *optionWriter) scalar(fd protoreflect.FieldDescriptor, aggregate bool) string {
	integer := func(bits int, signed bool) string {
		v := g.Uint64() >> (64 - g.IntN(bits+1))
		sign := ""
		if signed {
			if v >>= 1; g.IntN(2) == 0 {
				sign = "-"
			}
		}
		return sign + g.pick(strconv.FormatUint(v, 10), "0x"+strconv.FormatUint(v, 16),
			"0"+strconv.FormatUint(v, 8))
	}
	switch fd.Kind() {
	case protoreflect.BoolKind:
		if aggregate {
			return g.pick("0", "1", "t", "f", "True", "False", "true", "false", "0x1", "00")
		}
		return g.pick("true", "false")
	case protoreflect.EnumKind:
		values := fd.Enum().Values()
		v := values.Get(g.IntN(values.Len()))
		switch {
		case aggregate && g.IntN(3) == 0 && !fd.Enum().IsClosed():
			return integer(32, true)
		case aggregate && g.IntN(2) == 0:
			return strconv.Itoa(int(v.Number()))
		}
		return string(v.Name())
	case protoreflect.StringKind, protoreflect.BytesKind:
		var b strings.Builder
		for range 1 + g.IntN(2) {
			b.WriteString(` "`)
			for range g.IntN(6) {
				most := int64(256)
				if fd.Kind() == protoreflect.StringKind {
					most = 128
				}
				b.WriteString(g.pick("a", "ü", "'", "#", "{", `\"`, `\ud83d\ude00`, `\U0001f600`,
					`\U00123456`, fmt.Sprintf(`\x%02x`, g.Int64N(most)),
					fmt.Sprintf(`\%03o`, g.Int64N(most)), `\n`, `\?`, "/*", "//"))
				if most == 256 {
					b.WriteString(g.pick("", `\ud83d`, `\ude00`))
				}
			}
			b.WriteByte('"')
		}
		return b.String()
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		v := g.NormFloat64() * float64(g.Uint64()>>g.IntN(64))
		sign := g.pick("", "-", "- ")
		if !aggregate && g.IntN(4) == 0 {
			return integer(64, true)
		}
		return sign + strings.TrimPrefix(g.pick("inf", "nan", ".5", "5.", "0", "1e400", "1e-400",
			"15e-151", "4.9e-324", "16777217", "99999999999999999999", "0.051017E-7",
			strconv.FormatFloat(v, 'g', 1+g.IntN(20), 64),
			strconv.FormatFloat(v, 'e', 1+g.IntN(30), 64),
			strconv.FormatFloat(v, 'f', g.IntN(30), 64)), "-")
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return integer(32, true)
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return integer(64, true)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return integer(32, false)
	}
	return integer(64, false)
}
