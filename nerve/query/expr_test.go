package query_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"cel.dev/cel-go/cel"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/query"
)

// expressions makes random conditions on messages of test.query.All.
type expressions struct{ *rand.Rand }

func (g expressions) one(of ...string) string { return of[g.IntN(len(of))] }

func (g expressions) number(kind string, depth int) string {
	if depth <= 0 || g.IntN(3) == 0 {
		switch kind {
		case "int":
			return g.one("i32", "s32", "i64", "s64", "sf32", "sf64", "child.id", "child.next.id",
				"ints[0]", "ints[2]", "byid[1].id", "number", "member.id", "group.id", "0", "1",
				"-7", "5", "1000", "9223372036854775807", "size(ints)", "size(s)", "size(raw)",
				"size(children)", "color", "self.i32", "self.child.id", "far", "far_child.id",
				"child.counts.k", "children[0].id", "size(labels)", "int(u32)", "expanded[1]",
				"wrapped", "free.k")
		case "uint":
			return g.one("u32", "u64", "f32", "f64", "0u", "3u", "18446744073709551615u",
				"flags[true]", "fixeds[0]")
		}
		return g.one("f", "d", "doubles[0]", "1.5", "0.0", "-2.5e10", "double(i32)", "self.d")
	}
	switch g.IntN(7) {
	case 0:
		return fmt.Sprintf("(%s ? %s : %s)", g.condition(depth-1), g.number(kind, depth-1),
			g.number(kind, depth-1))
	case 1:
		if kind != "uint" {
			return "-" + g.number(kind, 0)
		}
	}
	op := g.one("+", "-", "*", "/", "%")
	if kind == "double" && op == "%" {
		op = "/"
	}
	return fmt.Sprintf("(%s %s %s)", g.number(kind, depth-1), op, g.number(kind, depth-1))
}

func (g expressions) text() string {
	return g.one("s", "text", `labels["k"]`, "labels.k", "texts[0]", "child.name", `"hello"`, `""`,
		`"größer"`, "member.name", "self.s", "byid[1].name", "loose")
}

func (g expressions) condition(depth int) string {
	if depth <= 0 {
		return g.one("b", "has(child)", "has(child.next)", "has(number)", "has(text)", "has(i32)",
			"has(labels.k)", "has(ints)", "has(labels)", "has(s)", "flags[true] == 1u", "true",
			"self.b", "has(self.child.id)", "bools[0]", `"k" in labels`, "1 in byid", "2 in ints",
			"has(wrapped)", "wrapped == null", "child == self.child", "has(time)", "d == d")
	}
	op := g.one("==", "!=", "<", "<=", ">", ">=")
	switch g.IntN(12) {
	case 0, 1:
		return fmt.Sprintf("(%s && %s)", g.condition(depth-1), g.condition(depth-1))
	case 2, 3:
		return fmt.Sprintf("(%s || %s)", g.condition(depth-1), g.condition(depth-1))
	case 4:
		return "!" + g.condition(depth-1)
	case 5:
		return fmt.Sprintf("%s %s %s", g.text(), op, g.text())
	case 6:
		return fmt.Sprintf("%s.%s(%s)", g.text(), g.one("startsWith", "endsWith", "contains"),
			g.text())
	case 7:
		return fmt.Sprintf("%s in [1, -7, 1000]", g.number("int", 1))
	case 8:
		return fmt.Sprintf(`%s.matches("%s")`, g.text(), g.one("l+", "^h", "ß", "[0-9]$"))
	case 9:
		return g.one("time > timestamp('2020-01-01T00:00:00Z')", "took <= duration('90s')",
			"time == self.time", "ints.exists(x, x > 5)", "children.all(c, c.id < 100)",
			"texts.exists(x, x == 'a' || i32 / 0 == 1)", "ints.all(x, 10 / x > 1)",
			"children.exists(c, has(c.next))", "time.getFullYear() > 1990",
			"expanded.exists_one(x, x == 1)")
	case 10:
		kinds := []string{"int", "uint", "double"}
		return fmt.Sprintf("%s %s %s", g.number(kinds[g.IntN(3)], depth-1), op,
			g.number(kinds[g.IntN(3)], depth-1))
	}
	kind := g.one("int", "uint", "double")
	return fmt.Sprintf("%s %s %s", g.number(kind, depth-1), op, g.number(kind, depth-1))
}

// messages makes sound encodings on whose values protobuf-go and the specification agree.
func messages(s schema, n int, seed uint64) (raw [][]byte, decoded []*dynamicpb.Message) {
	g := generator{rand.New(rand.NewPCG(seed, 1))}
	for len(raw) < n {
		b := g.message(nil, s.desc, 0)
		m := dynamicpb.NewMessage(s.desc)
		// cel-go opens an Any when it is named, and fails on one of a type it does not know.
		if any := s.desc.Fields().ByName("any"); unmarshal(b, m) == nil && !openClosed(m) &&
			(any == nil || !m.Has(any)) {
			raw, decoded = append(raw, b), append(decoded, m)
		}
	}
	return raw, decoded
}

// TestConditionsLikeCEL compares conditions with cel-go over dynamicpb: as column programs, where
// they are, and in the interpreter.
func TestConditionsLikeCEL(t *testing.T) {
	s := loadSchema(t, "testdata", "all.proto", "test.query.All")
	raw, decoded := messages(s, 100, 3)
	env, err := cel.NewEnv(cel.TypeDescs(s.desc.ParentFile()), cel.DeclareContextProto(s.desc),
		cel.CrossTypeNumericComparisons(true))
	if err != nil {
		t.Fatal(err)
	}
	g := expressions{rand.New(rand.NewPCG(7, 7))}
	var batch nerve.Batch
	for _, b := range raw {
		batch.Append(b)
	}
	batch.First = 1
	vars := make([]any, len(decoded))
	for i, m := range decoded {
		if vars[i], err = cel.ContextProtoVars(m); err != nil {
			t.Fatal(err)
		}
	}
	compiled, columns, matched, failed := 0, 0, 0, 0
	for range 800 {
		text := g.condition(1 + g.IntN(3))
		ast, iss := env.Compile(text)
		f, err := query.CompileFilter(s.typ, text)
		if (iss.Err() == nil) != (err == nil) {
			t.Fatalf("%s: %v, cel-go says %v", text, err, iss.Err())
		}
		if err != nil {
			continue
		}
		prog, err := env.Program(ast)
		if err != nil {
			t.Fatal(err)
		}
		compiled++
		want := make([]string, len(raw))
		for i := range want {
			v, _, err := prog.Eval(vars[i])
			switch {
			case err != nil:
				want[i] = "error"
				failed++
			case v.Value() == true:
				want[i] = "true"
				matched++
			default:
				want[i] = "false"
			}
		}
		if f.Columns() {
			columns++
			compareConditions(t, text, f, &batch, want)
		}
		slow, err := query.CompileFilter(s.typ, "["+text+"][0]")
		if err != nil || slow.Columns() {
			t.Fatalf("%s: %v", text, err)
		}
		compareConditions(t, text, slow, &batch, want)
	}
	t.Logf("%d conditions, %d as columns; %d rows match, %d are errors", compiled, columns, matched,
		failed)
	if columns < compiled/3 || matched == 0 || failed == 0 {
		t.Error("the conditions are too much alike")
	}
}

func compareConditions(t *testing.T, text string, f *query.Filter, b *nerve.Batch, want []string) {
	t.Helper()
	m := f.Matcher(0)
	found := mustSelect(t, m, b, nil)
	errors := 0
	for i, w := range want {
		if w == "error" {
			errors++
		}
		matches := len(found) > 0 && found[0].ID == nerve.ID(i+1)
		if matches {
			found = found[1:]
		}
		if matches != (w == "true") {
			t.Fatalf("%s: row %d: %v, cel-go says %s\n%x", text, i, matches, w,
				strings.TrimSpace(string(record(b, i))))
		}
	}
	if n := m.Stats().Errors; n != int64(errors) {
		i := 0
		for rec := range b.All() {
			one := f.Matcher(0)
			_, _ = one.Match(t.Context(), rec)
			if (one.Stats().Errors == 1) != (want[i] == "error") {
				t.Errorf("row %d: %q, cel-go says %s: %x", i, one.Stats().FirstErrorText,
					want[i], rec.Data)
				break
			}
			i++
		}
		t.Fatalf("%s: %d errors (%s), cel-go has %d", text, n, m.Stats().FirstErrorText, errors)
	}
}

func record(b *nerve.Batch, i int) []byte {
	for r := range b.All() {
		if r.ID == nerve.ID(i+1) {
			return r.Data
		}
	}
	return nil
}

func mustSelect(t testing.TB, m *query.Matcher, b *nerve.Batch, found []nerve.Record,
) []nerve.Record {
	t.Helper()
	found, err := m.Select(t.Context(), b, found)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
