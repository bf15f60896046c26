package gremlincel_test

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/gremlincel"
	"github.com/octopus-framework/octopus/gremlin/json"
	"github.com/octopus-framework/octopus/gremlin/validate"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// descriptors is testdata/shop.proto with what it imports:
//
//	gremlin descriptors --include-imports -I testdata -o testdata/shop.binpb shop.proto
//
//go:embed testdata/shop.binpb
var descriptors []byte

func load(t testing.TB, o gremlincel.Options) (*dynamic.Schema, *gremlincel.Validator) {
	t.Helper()
	types, err := dynamic.Load(descriptors)
	if err != nil {
		t.Fatal(err)
	}
	v, err := gremlincel.New(types, o)
	if err != nil {
		t.Fatal(err)
	}
	return types, v
}

func encode(t testing.TB, types *dynamic.Schema, name, text string) []byte {
	t.Helper()
	b, err := types.Message(name).JSONToWire(nil, []byte(text), json.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestValidate has messages and what is wrong with them: violations with id and path of the rule.
func TestValidate(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	types, v := load(t, gremlincel.Options{Options: validate.Options{Now: now}})
	text, err := os.ReadFile("testdata/verdicts.txt")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "\n\n")
	for _, block := range blocks {
		message, want, _ := strings.Cut(strings.TrimSpace(block), "\n")
		typ, text, _ := strings.Cut(message, " ")
		name := "shop.v1." + typ
		got := words(v.Validate(name, encode(t, types, name, text)))
		if got != want {
			t.Errorf("%s:\n got\n%s\nwant\n%s", message, got, want)
		}
	}
	if len(blocks) < 28 {
		t.Errorf("only %d messages", len(blocks))
	}
}

// words are all that an error says, a line for each violation.
func words(err error) string {
	var broken *validate.Error
	if err == nil {
		return ""
	} else if !errors.As(err, &broken) {
		return "  " + err.Error()
	}
	var all []string
	for _, v := range broken.Violations {
		s := fmt.Sprintf("  %s (%s, %s)", v.String(), v.RuleID, v.Rule)
		if v.ForKey {
			s += " key"
		}
		all = append(all, s)
	}
	return strings.Join(all, "\n")
}

func TestErrors(t *testing.T) {
	types, v := load(t, gremlincel.Options{})
	var malformed *gremlin.Error
	if err := v.Validate("shop.v1.Order", []byte{0x12, 2, 8}); !errors.As(err, &malformed) {
		t.Errorf("a message that is cut off: %v", err)
	}
	var unknown *gremlincel.TypeError
	if err := v.Validate("shop.v1.Nothing", nil); !errors.As(err, &unknown) {
		t.Errorf("an unknown type: %v", err)
	}
	var compile *gremlincel.CompileError
	if err := v.Compile(); !errors.As(err, &compile) || compile.RuleID != "wrong.type" {
		t.Errorf("all types: %v", err)
	}
	if err := v.Compile("shop.v1.WrongBelow"); !errors.As(err, &compile) ||
		compile.Name != "shop.v1.WrongOneof" {
		t.Errorf("rules below: %v", err)
	}
	if err := v.Compile("shop.v1.Order", "shop.v1.Work"); err != nil {
		t.Errorf("rules that are right: %v", err)
	}
	if err := v.Compile("shop.v1.Nothing"); !errors.As(err, &unknown) {
		t.Errorf("an unknown type: %v", err)
	}
	// An Any is opened by an expression only, and then it is checked.
	b := encode(t, types, "shop.v1.Detail", `{"any": {"@type": "x/shop.v1.Line", "sku": "a"}}`)
	b[len(b)-1] = 0xff // no UTF-8
	var failed *validate.RuntimeError
	if err := v.Validate("shop.v1.Detail", b); !errors.As(err, &failed) {
		t.Errorf("an Any that is malformed: %v", err)
	}
}

// reader is a Reader of a type that no code was generated for.
type reader struct {
	*dynamic.Type
	b []byte
}

func (r reader) Raw() []byte            { return r.b }
func (r reader) Err() error             { return nil }
func (r reader) CheckEncoding() error   { return r.Type.CheckEncoding(r.b) }
func (r reader) Unmarshal([]byte) error { return nil }

func TestGeneratedTypes(t *testing.T) {
	types, v := load(t, gremlincel.Options{})
	r := reader{types.Message("shop.v1.Line"), encode(t, types, "shop.v1.Line", `{"amount": 7}`)}
	if got, want := words(v.ValidateReader(r)), words(v.Validate("shop.v1.Line", r.b)); got !=
		want || got == "" {
		t.Errorf("got %s, want %s", got, want)
	}
	var list wkt.ListValue
	list.Values = []wkt.Value{{Kind: &wkt.Value_BoolValue{BoolValue: true}}}
	if err := v.ValidateMessage(&list); err != nil {
		t.Errorf("a message without rules: %v", err)
	}
	list.Values[0].Kind = &wkt.Value_ListValue{ListValue: &list}
	if err := v.ValidateMessage(&list); !errors.Is(err, gremlin.TooDeep) {
		t.Errorf("a message that contains itself: %v", err)
	}
	var unknown *gremlincel.TypeError
	if err := v.ValidateMessage(new(wkt.Api)); !errors.As(err, &unknown) {
		t.Errorf("a type that is not in the set: %v", err)
	}
}

func TestOptions(t *testing.T) {
	types, v := load(t, gremlincel.Options{Options: validate.Options{Max: 2}})
	b := encode(t, types, "shop.v1.Order", `{"tags": ["a", "b", "c", "d"], "cash": true}`)
	var broken *validate.Error
	if err := v.Validate("shop.v1.Order", b); !errors.As(err, &broken) ||
		len(broken.Violations) != 2 || !broken.Truncated {
		t.Errorf("two violations: %v", err)
	}
}

// TestCost has messages that make expressions expensive: they end with an error.
func TestCost(t *testing.T) {
	types, v := load(t, gremlincel.Options{Cost: 100_000})
	var left, right []string
	for i := range 1000 {
		left, right = append(left, fmt.Sprint(i)), append(right, fmt.Sprint(-i-1))
	}
	text := fmt.Sprintf(`{"left": [%s], "right": [%s]}`, strings.Join(left, ","),
		strings.Join(right, ","))
	for text, want := range map[string]string{
		text:                               "operation cancelled: actual cost limit exceeded",
		`{"pattern": "(a{900}){900}"}`:     "regex",
		`{"pattern": "(((a{30}){30}){30})`: "",
	} {
		if want == "" {
			continue
		}
		var failed *validate.RuntimeError
		err := v.Validate("shop.v1.Work", encode(t, types, "shop.v1.Work", text))
		if !errors.As(err, &failed) || !strings.Contains(failed.Detail, want) {
			t.Errorf("%.60s: %v", text, err)
		}
	}
}

// TestDeep has messages in messages, as deep as messages may be, and Anys in Anys.
func TestDeep(t *testing.T) {
	_, v := load(t, gremlincel.Options{})
	level := func(depth int, tag byte, b []byte) []byte {
		for range depth {
			b = append(length([]byte{tag}, len(b)), b...)
		}
		return b
	}
	if err := v.Validate("shop.v1.Order", level(5000, 10<<3|2, nil)); err == nil {
		t.Error("5000 orders without payment are right")
	}
	var malformed *gremlin.Error
	if err := v.Validate("shop.v1.Order", level(11000, 10<<3|2, nil)); !errors.As(err, &malformed) {
		t.Errorf("11000 orders: %v", err)
	}
	b := []byte(nil)
	for range 5000 {
		b = append(length([]byte("\x0a\x10x/shop.v1.Detail\x12"), len(b)), b...)
		b = append(length([]byte{0x0a}, len(b)), b...)
	}
	var failed *validate.RuntimeError
	if err := v.Validate("shop.v1.Detail", b); !errors.As(err, &failed) ||
		!strings.Contains(failed.Detail, "too deep") {
		t.Errorf("Anys in Anys: %v", err)
	}
}

// TestDeepGroups has groups in groups, and messages in pieces in each other, around many bytes: to
// open each of them would take all of these again.
func TestDeepGroups(t *testing.T) {
	_, v := load(t, gremlincel.Options{})
	fill := append(length([]byte{4<<3 | 2}, 1<<20), make([]byte, 1<<20)...)
	groups, pieces := fill, fill
	for range 60 {
		groups = append(append([]byte{1<<3 | 3}, groups...), 1<<3|4)
		pieces = append(length([]byte{2<<3 | 2, 0, 2<<3 | 2}, len(pieces)), pieces...)
	}
	for _, b := range [][]byte{groups, pieces} {
		if err := v.Validate("shop.v1.Box", b); err != nil {
			t.Errorf("60 levels: %v", err)
		}
	}
	for range 60 {
		groups = append(append([]byte{1<<3 | 3}, groups...), 1<<3|4)
		pieces = append(length([]byte{2<<3 | 2, 0, 2<<3 | 2}, len(pieces)), pieces...)
	}
	for _, b := range [][]byte{groups, pieces} {
		if err := v.Validate("shop.v1.Box", b); !errors.Is(err, gremlin.TooDeep) {
			t.Errorf("120 levels of %x: %v", b[:4], err)
		}
	}
}

// length appends a length to b.
func length(b []byte, n int) []byte {
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

// TestGoroutines has one Validator used by many goroutines, of which the first compile the rules.
func TestGoroutines(t *testing.T) {
	types, v := load(t, gremlincel.Options{})
	b := encode(t, types, "shop.v1.Order", `{"total": 1, "lines": [{"amount": 7, "sku": "x"}],
		"labels": {"a": 1}, "tags": ["a", "a"]}`)
	want := words(v.Validate("shop.v1.Order", b))
	if want == "" {
		t.Fatal("nothing is wrong")
	}
	_, v = load(t, gremlincel.Options{})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if got := words(v.Validate("shop.v1.Order", b)); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				_ = v.Compile("shop.v1.Work", "shop.v1.WrongType")
			}
		})
	}
	all.Wait()
}

// FuzzValidate looks for messages that end a program.
func FuzzValidate(f *testing.F) {
	types, v := load(f, gremlincel.Options{Cost: 10_000})
	var names []string
	for t := range types.Messages() {
		if strings.HasPrefix(t.Name, "shop.v1.") {
			names = append(names, t.Name)
		}
	}
	for i, name := range names {
		f.Add(i, encode(f, types, name, `{}`))
	}
	for _, text := range []string{`{"any": {"@type": "x/shop.v1.Line", "amount": 3}}`,
		`{"any": {"@type": "x/google.protobuf.Any", "value": {"@type": "x/shop.v1.Line"}}}`,
		`{"any": {"@type": "x/google.protobuf.Struct", "value": {"a": [null]}}}`} {
		for i, name := range names {
			if name == "shop.v1.Detail" {
				f.Add(i, encode(f, types, name, text))
			}
		}
	}
	f.Fuzz(func(t *testing.T, i int, b []byte) {
		name := names[uint(i)%uint(len(names))]
		err := v.Validate(name, b)
		if again := v.Validate(name, b); words(again) != words(err) {
			t.Errorf("%v, and then %v", err, again)
		}
	})
}

// FuzzDescriptors looks for descriptors that end a program.
func FuzzDescriptors(f *testing.F) {
	f.Add(descriptors)
	f.Add(builtin)
	f.Fuzz(func(t *testing.T, b []byte) {
		types, err := dynamic.Load(b)
		if err != nil {
			return
		}
		v, err := gremlincel.New(types, gremlincel.Options{Cost: 1000})
		if err != nil {
			return
		}
		_ = v.Compile()
		for typ := range types.Messages() {
			_ = v.Validate(typ.Name, nil)
			_ = v.Validate(typ.Name, []byte("\x0a\x00\x12\x00\x1a\x00\x10\x01"))
		}
	})
}
