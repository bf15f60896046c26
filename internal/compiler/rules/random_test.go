package rules_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/oracle"
)

var (
	times = flag.Int("times", 10, "how many files of TestRandomFiles are made, in twenties")
	seed  = flag.Uint64("seed", 1, "which files TestRandomFiles makes")
)

// TestRandomFiles makes small files with much in them that may be right or wrong, and compares
// verdicts with protoc's.
func TestRandomFiles(t *testing.T) {
	protoc := findProtoc(t)
	if protoc == "" {
		oracle.Skip(t, "protoc", "there is nothing to compare with")
	}
	accepted := 0
	for i := range 20 * *times {
		m := &maker{g: rand.New(rand.NewPCG(*seed, uint64(i))), values: map[string]string{}}
		m.daring = m.one(2)
		files := map[string]string{"b.proto": m.file("b"), "a.proto": m.file("a")}
		found := check(t, files)
		said, refused := ask(t, protoc, files)
		if (found.Errors() > 0) != refused {
			t.Errorf("protoc refuses: %v\n%s\nwe say\n%v\na.proto\n%s\nb.proto\n%s", refused, said,
				found, files["a.proto"], files["b.proto"])
		}
		if !refused {
			accepted++
		}
	}
	t.Logf("%d of %d are accepted", accepted, 20**times)
	if accepted == 0 || accepted == 20**times {
		t.Error("the files say nothing: all have the same verdict")
	}
}

// maker makes files. Those of a daring one have more mistakes.
type maker struct {
	g       *rand.Rand
	b       strings.Builder
	daring  bool
	edition string
	depth   int
	number  int               // of the next field
	unique  int               // number of the last name
	types   []string          // full names of messages and enums
	values  map[string]string // a value of each enum
	targets []string          // messages with ranges of extensions
}

func (m *maker) f(format string, args ...any) {
	m.b.WriteString(strings.Repeat("  ", m.depth))
	fmt.Fprintf(&m.b, format, args...)
	m.b.WriteByte('\n')
}

// one tells true once in n.
func (m *maker) one(n int) bool { return m.g.IntN(n) == 0 }

// wrong tells true once in n, if mistakes are made.
func (m *maker) wrong(n int) bool { return m.daring && m.one(n) }

func (m *maker) pick(from ...string) string { return from[m.g.IntN(len(from))] }

func (m *maker) file(name string) string {
	m.b.Reset()
	m.edition = m.pick("proto2", "proto2", "proto3", "2023", "2023", "2024")
	if strings.HasPrefix(m.edition, "proto") {
		m.f("syntax = %q;", m.edition)
	} else {
		m.f("edition = %q;", m.edition)
	}
	pkg := m.pick("p", "p.q", "p_q", name)
	m.f("package %s;", pkg)
	scope := "." + pkg + "."
	if name == "a" {
		m.f("import %q;", "b.proto")
	}
	if m.wrong(6) {
		m.f("option %s;", m.pick("optimize_for = LITE_RUNTIME", "java_multiple_files = true",
			"java_string_check_utf8 = true", "java_string_check_utf8 = false",
			"cc_generic_services = true"))
	}
	if m.one(4) {
		m.features("option ", ";", "enum_type", "field_presence", "repeated_field_encoding",
			"utf8_validation", "message_encoding", "json_format", "enforce_naming_style",
			"default_symbol_visibility")
	}
	upper := strings.ToUpper(name)
	for i := range 1 + m.g.IntN(2) {
		m.enum(fmt.Sprintf("%sEnum%d", upper, i), scope)
	}
	for i := range 1 + m.g.IntN(3) {
		m.message(fmt.Sprintf("%sMessage%d", upper, i), scope)
	}
	for m.one(2) {
		m.extend()
	}
	if m.one(5) {
		m.f("service %s {", m.name("Service", "service"))
		m.depth++
		m.f("rpc %s(%s) returns (%s);", m.name("Call", "call"), upper+"Message0",
			upper+"Message0")
		m.depth--
		m.f("}")
	}
	return m.b.String()
}

// name is a good name, or seldom a bad one.
func (m *maker) name(good, bad string) string {
	if m.wrong(4) {
		return bad
	}
	return good
}

var values = map[string][]string{
	"field_presence":            {"EXPLICIT", "IMPLICIT", "LEGACY_REQUIRED"},
	"enum_type":                 {"OPEN", "CLOSED"},
	"repeated_field_encoding":   {"PACKED", "EXPANDED"},
	"utf8_validation":           {"VERIFY", "NONE"},
	"message_encoding":          {"LENGTH_PREFIXED", "DELIMITED"},
	"json_format":               {"ALLOW", "LEGACY_BEST_EFFORT"},
	"enforce_naming_style":      {"STYLE2024", "STYLE_LEGACY"},
	"default_symbol_visibility": {"EXPORT_ALL", "EXPORT_TOP_LEVEL", "LOCAL_ALL", "STRICT"},
}

// features sets one feature, seldom where there are none.
func (m *maker) features(before, behind string, names ...string) {
	if s := m.feature(names...); s != "" {
		m.f("%s%s%s", before, s, behind)
	}
}

func (m *maker) feature(names ...string) string {
	if strings.HasPrefix(m.edition, "proto") && !m.wrong(20) {
		return ""
	}
	name := m.pick(names...)
	if m.edition == "2023" && (name == "enforce_naming_style" ||
		name == "default_symbol_visibility") && !m.wrong(5) {
		return ""
	}
	return fmt.Sprintf("features.%s = %s", name, m.pick(values[name]...))
}

func (m *maker) visibility() string {
	if m.edition != "2024" || !m.one(4) {
		return ""
	}
	return m.pick("export ", "local ")
}

func (m *maker) enum(name, scope string) {
	m.f("%senum %s {", m.visibility(), name)
	m.depth++
	m.types = append(m.types, scope+name)
	alias := m.one(6)
	if alias {
		m.f("option allow_alias = true;")
	}
	if m.one(5) {
		m.features("option ", ";", "enum_type", "json_format", "enforce_naming_style")
	}
	m.unique++
	prefix := fmt.Sprintf("V%d", m.unique)
	n := 0
	if m.wrong(8) {
		n = 1
	}
	for range 1 + m.g.IntN(4) {
		m.unique++
		m.f("%s_%s%d = %d;", prefix, m.name("A", "b"), m.unique, n)
		m.values[scope+name] = fmt.Sprintf("%s_A%d", prefix, m.unique)
		n += 1 + m.g.IntN(2)
		if m.wrong(10) {
			n -= 2
		}
	}
	if alias && !m.wrong(4) {
		m.f("%s_ALIAS = %d;", prefix, n-1)
		m.f("%s_ALIAS_AGAIN = %d;", prefix, n-1)
	}
	if m.wrong(8) {
		m.f("%s_OF_%s = %d;", strings.ToUpper(name), prefix, n+20)
		m.f("OF_%s = %d;", prefix, n+20+m.g.IntN(2))
	}
	if m.one(4) {
		m.f("reserved %s;", m.ranges([]string{"50", "60 to max", "-5 to -1", "51, 57 to 59"},
			[]string{"5 to 10", "5, 7 to 9", "9 to 9", "50 to 60, 60"}))
	}
	m.depth--
	m.f("}")
}

// ranges is one of two lists, the second of which has mistakes.
func (m *maker) ranges(good, bad []string) string {
	if m.wrong(3) {
		return m.pick(bad...)
	}
	return m.pick(good...)
}

func (m *maker) message(name, scope string) {
	m.f("%smessage %s {", m.visibility(), name)
	m.depth++
	m.types = append(m.types, scope+name)
	outer := m.number
	m.number = 1
	set := m.edition != "proto3" && m.one(15) || m.wrong(30)
	if set {
		m.f("option message_set_wire_format = true;")
	}
	if m.one(15) {
		m.f("option deprecated_legacy_json_field_conflicts = true;")
	}
	if m.one(6) {
		m.features("option ", ";", "json_format", "enforce_naming_style", "json_format")
	}
	if m.depth < 3 && m.one(4) {
		m.enum(m.pick("Inner", "Level"), scope+name+".")
	}
	if m.depth < 3 && m.one(4) {
		m.message(m.pick("Nested", "Part"), scope+name+".")
	}
	for range m.g.IntN(5) {
		if set && !m.wrong(5) {
			break
		}
		m.field("")
	}
	if !set && m.one(4) {
		m.f("oneof %s {", m.name("choice", "Choice"))
		m.depth++
		for range 1 + m.g.IntN(2) {
			m.field("oneof")
		}
		m.depth--
		m.f("}")
	}
	if m.one(4) {
		m.f("reserved %s;", m.ranges([]string{"30", "31 to 35", "36, 37"},
			[]string{"3", "38 to max", "31 to 33, 33", "1 to 5"}))
	}
	if m.one(4) {
		m.f("reserved %s;", m.reservedName())
	}
	if m.edition != "proto3" && (set || m.one(3)) || m.wrong(20) {
		m.targets = append(m.targets, scope+name)
		m.f("extensions %s;", m.pick("100 to 310", "100 to max", "100 to 102, 104 to 310",
			"100 to 310 [verification = UNVERIFIED]", m.name("100 to 310",
				"100 to 310 [verification = DECLARATION]")))
	}
	if m.one(8) {
		m.extend()
	}
	m.number = outer
	m.depth--
	m.f("}")
}

func (m *maker) reservedName() string {
	name := m.pick("gone", "gone2", m.name("lost", "b"))
	if strings.HasPrefix(m.edition, "proto") {
		return `"` + name + `"`
	}
	return name
}

func (m *maker) extend() {
	if len(m.targets) == 0 || m.edition == "proto3" && !m.wrong(5) {
		return
	}
	m.f("extend %s {", m.pick(m.targets...))
	m.depth++
	outer := m.number
	m.unique++
	if m.number = 100 + m.unique; m.wrong(3) {
		m.number = 100 + m.g.IntN(8)
	}
	m.field("extension")
	m.number = outer
	m.depth--
	m.f("}")
}

func (m *maker) field(place string) {
	var label string
	repeated := false
	switch {
	case place == "oneof":
	case m.one(3):
		label, repeated = "repeated ", true
	case m.edition == "proto2":
		label = m.pick("optional ", "optional ", m.name("optional ", "required "))
	case m.edition == "proto3":
		label = m.pick("", "", "optional ")
	}
	m.unique++
	name := fmt.Sprintf("field%d", m.unique)
	if m.wrong(6) {
		name = m.pick("a_b", "aB", "a__b", "Bad", "b", "field_1")
	}
	number := m.number
	m.number += 1 + m.g.IntN(2)
	if m.wrong(20) {
		number = []int{0, 3, 19000, 536870911, 536870912}[m.g.IntN(5)]
	}
	kind := m.pick("int32", "int64", "string", "bytes", "bool", "float", "double", "uint64")
	if m.one(3) && len(m.types) > 0 {
		kind = m.pick(m.types...)
	}
	isEnum := m.values[kind] != ""
	isMessage := strings.HasPrefix(kind, ".") && !isEnum
	isMap := place == "" && m.one(8)
	var options []string
	if m.one(6) {
		names := []string{"enforce_naming_style"}
		if !repeated && !isMap && place == "" && !isMessage || m.wrong(5) {
			names = append(names, "field_presence")
		}
		if repeated && !isMessage && kind != "string" && kind != "bytes" || m.wrong(5) {
			names = append(names, "repeated_field_encoding")
		}
		if kind == "string" || m.wrong(5) {
			names = append(names, "utf8_validation")
		}
		if isMessage && !isMap || m.wrong(5) {
			names = append(names, "message_encoding")
		}
		if s := m.feature(names...); s != "" {
			options = append(options, s)
		}
	}
	switch old := strings.HasPrefix(m.edition, "proto"); {
	case m.wrong(10):
		options = append(options, m.pick("packed = true", "packed = false", "lazy = true",
			"jstype = JS_STRING", "jstype = JS_NORMAL", "ctype = CORD", "unverified_lazy = true"))
	case !m.one(6):
	case isMessage && !isMap:
		options = append(options, "lazy = true")
	case strings.HasSuffix(kind, "int64") && !isMap:
		options = append(options, "jstype = JS_STRING")
	case repeated && kind != "string" && kind != "bytes" && old && !isMap && !isMessage:
		options = append(options, "packed = true")
	default:
		options = append(options, "deprecated = true")
	}
	if m.one(15) && place != "extension" || m.wrong(20) {
		options = append(options, m.ranges([]string{fmt.Sprintf(`json_name = "x%d"`, m.unique)},
			[]string{`json_name = "y"`, `json_name = "aB"`, `json_name = "[x]"`}))
	}
	if m.edition != "proto3" && !repeated && !isMessage && !isMap && m.one(8) || m.wrong(30) {
		switch kind {
		case "int32", "int64", "uint64", "float", "double":
			options = append(options, "default = 5")
		case "string", "bytes":
			options = append(options, `default = "x"`)
		case "bool":
			options = append(options, "default = true")
		default:
			value := m.values[kind]
			if value == "" || m.wrong(3) {
				value = m.pick("NONE", `"NONE"`, "5")
			}
			options = append(options, "default = "+value)
		}
	}
	if isMap {
		key := m.ranges([]string{"int32", "string", "bool", "int64"}, []string{"float", "bytes",
			"int32"})
		label, kind = "", fmt.Sprintf("map<%s, %s>", key, kind)
	}
	text := ""
	if len(options) > 0 {
		text = " [" + strings.Join(options, ", ") + "]"
	}
	if m.edition == "proto2" && place != "extension" && m.one(15) {
		if label == "" && place == "" {
			label = "optional "
		}
		m.f("%sgroup Group%d = %d%s {}", label, m.unique, number, text)
		return
	}
	m.f("%s%s %s = %d%s;", label, kind, name, number, text)
}
