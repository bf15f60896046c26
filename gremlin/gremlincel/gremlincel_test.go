package gremlincel_test

import (
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/gremlincel"
	"github.com/octopus-framework/octopus/gremlin/json"
	"github.com/octopus-framework/octopus/gremlin/validate"
)

// descriptors is testdata/shop.proto with what it imports:
//
//	gremlin descriptors --include-imports -I testdata -o testdata/shop.binpb shop.proto
//
//go:embed testdata/shop.binpb
var descriptors []byte

func load(t testing.TB, o gremlincel.Options) (*dynamic.Types, *gremlincel.Validator) {
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

func encode(t testing.TB, types *dynamic.Types, name, text string) []byte {
	t.Helper()
	b, err := types.Message(name).JSONToWire(nil, []byte(text), json.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestValidate(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	types, v := load(t, gremlincel.Options{Options: validate.Options{Now: now}})
	for _, c := range []struct{ typ, text, want string }{
		{"Order", `{"cash": true}`, ""},
		{"Order", `{}`, `payment: exactly one field is required in oneof (required, )`},
		{"Order", `{"cash": true, "total": 9, "lines": [{"amount": 10, "sku": "B-1"}]}`,
			`no line may be higher than the total (order.total, )` +
				`; lines[0].sku: "this == '' || this.startsWith('A-')" returned false` +
				` (this == '' || this.startsWith('A-'), cel_expression[0])`},
		{"Order", `{"cash": true, "total": 50, "lines": [{"amount": 5}, {"amount": 7}, {"amount": 35}]}`,
			`lines[1].amount: must be a multiple of 5` +
				` (int64.multiple_of, int64.[shop.v1.multiple_of])` +
				`; lines[2].amount: is forbidden (int64.but_not, int64.[shop.v1.but_not])`},
		{"Order", `{"cash": true, "labels": {"ab": 1, "cd": 0, "e": -1}}`,
			`labels["cd"]: is zero (label.positive, map.values.cel[0])` +
				`; labels["e"]: too short (string.min_len, map.keys.string.min_len) key` +
				`; labels["e"]: is negative (label.positive, map.values.cel[0])`},
		{"Order", `{"cash": true, "email": "a@b", "phone": "1"}`,
			`only one of email, phone can be set (message.oneof, )`},
		{"Order", `{"cash": true, "email": "1@b"}`,
			`email: does not match (string.pattern, string.pattern)`},
		{"Order", `{"cash": true, "color": 7}`,
			`color: value must be one of the defined enum values (enum.defined_only, enum.defined_only)`},
		{"Order", `{"cash": true, "detail": {"@type": "x/shop.v1.Plain"}}`,
			`detail: type URL must be in the allow list (any.in, any.in)`},
		{"Order", `{"cash": true, "at": "2026-11-23T12:00:00.000000001Z"}`,
			`at: lies in the future (order.at, cel[0])`},
		{"Order", `{"cash": true, "at": "2026-11-23T12:00:00Z", "note": "abc"}`, ""},
		{"Order", `{"cash": true, "note": ""}`,
			`note: too short (string.min_len, string.min_len)`},
		{"Order", `{"cash": true, "parent": {"card": "", "parent": {"cash": true, "color": 1}}}`,
			`parent: "this.color == shop.v1.Color.COLOR_RED" returned false (order.parent, cel[0])`},
		{"Order", `{"cash": true, "parent": {"color": 1}}`,
			`parent.payment: exactly one field is required in oneof (required, )`},
		{"Order", `{"cash": true, "tags": ["", "a", "aa", "a"]}`,
			`tags: repeated value must contain unique items (repeated.unique, repeated.unique)` +
				`; tags[1]: too short (string.min_len, repeated.items.string.min_len)` +
				`; tags[3]: too short (string.min_len, repeated.items.string.min_len)`},
		{"Order", `{"cash": true, "extra": {"secret": null}}`,
			`extra: "!has(this.secret)" returned false (order.extra, cel[0])`},
		{"Order", `{"cash": true, "extra": {"a": {"secret": [1, "a", true]}}}`, ""},
		{"Work", `{"left": [1, 2], "right": [3]}`, ""},
		{"Work", `{"left": [1, 2], "right": [3, 1]}`, `"this.left.all(x, !this.right.exists(y, x == y))"` +
			` returned false (work.apart, )`},
		{"Work", `{"pattern": "["}`, "runtime error: work.pattern: error parsing regexp: " +
			"missing closing ]: `[`"},
		{"Detail", `{"any": {"@type": "x/shop.v1.Line", "amount": 3}}`, ""},
		{"Detail", `{"any": {"@type": "x/shop.v1.Plain"}}`,
			`runtime error: detail.line: no such field 'amount'`},
		{"WrongType", `{}`, `shop.v1.WrongType.a: rule "wrong.type": this.startsWith('a'): 1:16: ` +
			`found no matching overload for 'startsWith' applied to 'int.(string)'`},
		{"WrongResult", `{}`, `shop.v1.WrongResult: rule "this.a + 1": this.a + 1: it is of type int, ` +
			`and must be bool or string`},
		{"WrongRules", `{}`, `shop.v1.WrongRules.a: the field has rules of string, and can have ` +
			`those of int64`},
		{"WrongOneof", `{}`, `shop.v1.WrongOneof: a oneof rule names "b", which is no field`},
		{"WrongBelow", `{}`, `shop.v1.WrongOneof: a oneof rule names "b", which is no field`},
		{"Plain", `{"again": {}, "more": {"1": {}}}`, ""},
	} {
		name := "shop.v1." + c.typ
		if got := words(v.Validate(name, encode(t, types, name, c.text))); got != c.want {
			t.Errorf("%s %s:\n got %s\nwant %s", c.typ, c.text, got, c.want)
		}
	}
}

// words are all that an error says.
func words(err error) string {
	var broken *validate.Error
	if err == nil {
		return ""
	} else if !errors.As(err, &broken) {
		return err.Error()
	}
	var all []string
	for _, v := range broken.Violations {
		s := fmt.Sprintf("%s (%s, %s)", v.String(), v.RuleID, v.Rule)
		if v.ForKey {
			s += " key"
		}
		all = append(all, s)
	}
	return strings.Join(all, "; ")
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
	for text, want := range map[string]string{
		`{"any": {"@type": "x/shop.v1.Line", "sku": "a"}}`: "",
	} {
		b := encode(t, types, "shop.v1.Detail", text)
		b[len(b)-1] = 0xff // no UTF-8
		var failed *validate.RuntimeError
		if err := v.Validate("shop.v1.Detail", b); !errors.As(err, &failed) {
			t.Errorf("%s: %v, want %q", base64.StdEncoding.EncodeToString(b), err, want)
		}
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
		text:                              "operation cancelled: actual cost limit exceeded",
		`{"pattern": "(a{900}){900}"}`:    "regex",
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
			b = append(gremlinLength([]byte{tag}, len(b)), b...)
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
		inner := append([]byte("\x0a\x11x/shop.v1.Detail\x12"[:19]), 0)
		inner = append(gremlinLength(append([]byte{0x0a, 16}, "x/shop.v1.Detail\x12"...), len(b)), b...)
		b = append(gremlinLength([]byte{0x0a}, len(inner)), inner...)
	}
	if err := v.Validate("shop.v1.Detail", b); err == nil {
		t.Error("Anys in Anys have no amount")
	}
}

// gremlinLength appends a length to b.
func gremlinLength(b []byte, n int) []byte {
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
