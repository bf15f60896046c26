package conformance

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/conformance/internal/gen/redact"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// plain returns a Message and a Reader of it.
func plain(t *testing.T) (redact.Plain, redact.PlainReader) {
	t.Helper()
	m := redact.Plain{Name: "a", Color: redact.Color_BLUE, Next: &redact.Plain{}}
	var r redact.PlainReader
	if err := r.Unmarshal(m.Marshal()); err != nil {
		t.Fatal(err)
	}
	return m, r
}

const (
	plainText = `name: "a" color: BLUE next { }`
	plainJSON = `{"name":"a","color":"BLUE","next":{}}`
)

// shapes has a Message and its Reader in every way in which a program may hand them on, with how
// fmt shows them and what encoding/json makes of them.
func shapes(t *testing.T) []struct {
	value      any
	text, json string
} {
	m, r := plain(t)
	return []struct {
		value      any
		text, json string
	}{
		{m, plainText, plainJSON},
		{&m, plainText, plainJSON},
		{(*redact.Plain)(nil), "<nil>", "null"},
		{[]redact.Plain{m, {}}, "[" + plainText + " ]", "[" + plainJSON + ",{}]"},
		{[]*redact.Plain{&m, nil}, "[" + plainText + " <nil>]", "[" + plainJSON + ",null]"},
		{map[string]redact.Plain{"k": m}, "map[k:" + plainText + "]", `{"k":` + plainJSON + "}"},
		{map[string]*redact.Plain{"k": &m}, "map[k:" + plainText + "]", `{"k":` + plainJSON + "}"},
		{struct{ D redact.Plain }{m}, "{" + plainText + "}", `{"D":` + plainJSON + "}"},
		{&struct{ D *redact.Plain }{&m}, "&{" + plainText + "}", `{"D":` + plainJSON + "}"},
		{[]any{m, &m}, "[" + plainText + " " + plainText + "]",
			"[" + plainJSON + "," + plainJSON + "]"},
		{r, plainText, plainJSON},
		{&r, plainText, plainJSON},
		{(*redact.PlainReader)(nil), "<nil>", "null"},
		{[]redact.PlainReader{r}, "[" + plainText + "]", "[" + plainJSON + "]"},
		{map[string]*redact.PlainReader{"k": &r}, "map[k:" + plainText + "]",
			`{"k":` + plainJSON + "}"},
		{wkt.Duration{Seconds: 1}, "seconds: 1", `"1s"`},
	}
}

func TestPrint(t *testing.T) {
	for _, s := range shapes(t) {
		for _, verb := range []string{"%v", "%s", "%+v"} {
			want := s.text
			if verb == "%+v" && strings.Contains(want, "{name") { // the name of the field
				want = strings.Replace(want, "{", "{D:", 1)
			}
			if got := fmt.Sprintf(verb, s.value); got != want {
				t.Errorf("%s of %T is %s, want %s", verb, s.value, got, want)
			}
		}
		if got, err := json.Marshal(s.value); err != nil || string(got) != s.json {
			t.Errorf("JSON of %T is %s (%v), want %s", s.value, got, err, s.json)
		}
		var b bytes.Buffer
		if err := json.NewEncoder(&b).Encode(s.value); err != nil || b.String() != s.json+"\n" {
			t.Errorf("an Encoder writes %T as %s (%v), want %s", s.value, &b, err, s.json)
		}
	}
	m, _ := plain(t)
	if got := fmt.Sprintf("%q", m); got != fmt.Sprintf("%q", plainText) {
		t.Errorf("%%q gives %s", got)
	}
}

// logged returns what the handlers of slog write of a value.
func logged(value any) (text, jsonText string) {
	var b, j bytes.Buffer
	without := &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && a.Key != "value" {
			return slog.Attr{}
		}
		return a
	}}
	slog.New(slog.NewTextHandler(&b, without)).Info("", "value", value)
	slog.New(slog.NewJSONHandler(&j, without)).Info("", "value", value)
	return strings.TrimSpace(b.String()), strings.TrimSpace(j.String())
}

func TestLog(t *testing.T) {
	for _, s := range shapes(t) {
		text, jsonText := logged(s.value)
		if want := "value=" + fmt.Sprintf("%q", fmt.Sprintf("%+v", s.value)); text != want &&
			text != strings.ReplaceAll(want, `"`, "") {
			t.Errorf("the text of %T is %s, want %s", s.value, text, want)
		}
		if want := `{"value":` + s.json + "}"; jsonText != want {
			t.Errorf("the JSON of %T is %s, want %s", s.value, jsonText, want)
		}
	}
}

// TestRedact looks for secrets in what logs get, and for their presence in data.
func TestRedact(t *testing.T) {
	m := redact.Account{
		Name: "bob", Password: "s3cret", Cards: []redact.Card{{Number: "s3cret", Year: 2030}},
		Pins:   []int32{737373},
		Tokens: map[string]string{"s3cret": "s3cret"}, Main: &redact.Card{Number: "s3cret"},
		Proof:  &redact.Account_Key{Key: []byte("s3cret")},
		Others: map[string]redact.Card{"k": {Number: "s3cret"}},
	}
	const want = `name: "bob" password: [REDACTED] cards { number: [REDACTED] year: 2030 } tokens: [REDACTED] pins: [REDACTED] ` +
		`main: [REDACTED] others { key: "k" value { number: [REDACTED] } } key: [REDACTED]`
	var r redact.AccountReader
	if err := r.Unmarshal(m.Marshal()); err != nil {
		t.Fatal(err)
	}
	holder := redact.Holder{Account: &m}
	for _, value := range []any{m, &m, r, &r} {
		if got := fmt.Sprint(value); got != want {
			t.Errorf("%T prints as\n%s, want\n%s", value, got, want)
		}
	}
	for _, value := range []any{m, &m, r, &r, holder, &holder} {
		text, jsonText := logged(value)
		if both := text + jsonText; strings.Contains(both, "s3cret") ||
			strings.Contains(both, "737373") || !strings.Contains(both, "bob") {
			t.Errorf("%T is logged as\n%s\n%s", value, text, jsonText)
		}
	}
	// A nil pointer has no value to call LogValue on; slog notices.
	if text, jsonText := logged((*redact.Account)(nil)); !strings.Contains(text,
		"LogValue panicked") || !strings.Contains(jsonText, "LogValue panicked") {
		t.Errorf("nil is logged as\n%s\n%s", text, jsonText)
	}

	// Data has everything.
	back := redact.Account{}
	if text := (gremlin.TextOptions{}).Append(nil,
		&m); (gremlin.TextOptions{}).Unmarshal(string(text), &back) != nil || !back.Equal(&m) {
		t.Errorf("text that is data is %s", text)
	}
	if text, err := json.Marshal(m); err != nil || back.UnmarshalJSON(text) != nil ||
		!back.Equal(&m) {
		t.Errorf("JSON that is data is %s (%v)", text, err)
	}
	if text := (gremlin.TextOptions{Redact: true, Indent: " "}).Append(nil,
		&m); !strings.HasPrefix(string(text),
		"name: \"bob\"\npassword: [REDACTED]\ncards {\n number: [REDACTED]\n") {
		t.Errorf("with lines:\n%s", text)
	}
}

// TestBinary goes through package gob.
func TestBinary(t *testing.T) {
	m, _ := plain(t)
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(gremlin.Binary{Message: &m}); err != nil {
		t.Fatal(err)
	}
	var back redact.Plain
	if err := gob.NewDecoder(&b).Decode(&gremlin.Binary{Message: &back}); err != nil ||
		!back.Equal(&m) {
		t.Errorf("%v (%v)", back, err)
	}
	text, err := gremlin.Binary{Message: &m}.AppendBinary([]byte("x"))
	if err != nil || !bytes.Equal(text[1:], m.Marshal()) {
		t.Errorf("%x (%v)", text, err)
	}
	if err := (gremlin.Binary{Message: &back}).UnmarshalBinary([]byte{1}); !errors.Is(err,
		gremlin.Malformed) {
		t.Error(err)
	}
}
