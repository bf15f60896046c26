package check

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/json"
	jsonrt "github.com/octopus-framework/octopus/gremlin/json/rt"
)

// JSON compares what gremlin and protobuf-go write as JSON for b, an encoding of a t, by generated
// code and by tables.
func JSON(t Type, b []byte, known *gremlin.Types) error {
	want, m, r := t.New(), t.NewMessage().(json.Message), t.NewReader()
	partial := proto.UnmarshalOptions{AllowPartial: true}
	if partial.Unmarshal(Demote(b, t.Desc, protoregistry.GlobalTypes), want) != nil ||
		r.Unmarshal(b) != nil {
		return nil
	}
	if err := m.Unmarshal(b); err != nil && !errors.Is(err, gremlin.MissingRequired) {
		return nil
	}
	for _, c := range []struct {
		ours   json.Options
		theirs protojson.MarshalOptions
	}{
		{json.Options{}, protojson.MarshalOptions{}},
		{json.Options{EnumNumbers: true, Indent: "  "},
			protojson.MarshalOptions{UseEnumNumbers: true}},
		{json.Options{EmitDefaults: true}, protojson.MarshalOptions{EmitDefaultValues: true}},
		{json.Options{ProtoNames: true, Int64AsNumber: true, SixDigits: true},
			protojson.MarshalOptions{}},
	} {
		c.ours.Types, c.theirs.AllowPartial = known, true
		text, err := json.Append([]byte("x"), m, c.ours)
		fromReader, rerr := r.(interface {
			AppendJSON([]byte, json.Options) ([]byte, error)
		}).AppendJSON([]byte("x"), c.ours)
		wantText, werr := c.theirs.Marshal(want)
		if (err != nil) != (werr != nil) || (rerr != nil) != (werr != nil) {
			return fmt.Errorf(
				"%+v: errors are %v of the Message, %v of the Reader, %v of protobuf-go", c.ours,
				err, rerr, werr)
		}
		if err != nil {
			continue
		}
		if !bytes.Equal(text, fromReader) {
			return fmt.Errorf("%+v: %s\nfrom the Reader %s", c.ours, text, fromReader)
		}
		text = text[1:]
		if err := json.Check(text, json.Options{}); err != nil {
			return fmt.Errorf("%w in %s", err, text)
		}
		if !c.ours.ProtoNames {
			if !sameJSON(anyOf(text), anyOf(wantText)) {
				return fmt.Errorf("%+v: %s\nwant %s", c.ours, text, wantText)
			}
		}
		if c.ours.SixDigits {
			continue
		}
		if err := JSONText(t, text, known); err != nil {
			return fmt.Errorf("%+v: reading it back: %w", c.ours, err)
		}
	}
	return nil
}

// anyOf returns text in a form that does not depend on the order of members.
func anyOf(text []byte) (v any) {
	d := stdjson.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return err
	}
	return v
}

// sameJSON compares what anyOf returns.
func sameJSON(x, y any) bool {
	switch x := x.(type) {
	case map[string]any:
		y, ok := y.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k := range x {
			if v, ok := y[k]; !ok || !sameJSON(x[k], v) {
				return false
			}
		}
		return true
	case []any:
		y, ok := y.([]any)
		return ok && slices.EqualFunc(x, y, sameJSON)
	case stdjson.Number:
		y, ok := y.(stdjson.Number)
		return ok && (x == y || sameFloat(x.String(), y.String()))
	}
	return reflect.DeepEqual(x, y)
}

// sameFloat tells whether two numbers are shortest decimals of one float that lies in the middle
// between them, such as 2^-12. Then strconv takes the odd one, and gremlin the even one, as
// JavaScript does.
func sameFloat(x, y string) bool {
	a, aerr := strconv.ParseFloat(x, 32)
	b, berr := strconv.ParseFloat(y, 32)
	r, rok := new(big.Rat).SetString(x)
	s, sok := new(big.Rat).SetString(y)
	return aerr == nil && berr == nil && a == b && rok && sok && len(x) == len(y) &&
		r.Add(r, s).Quo(r, big.NewRat(2, 1)).Cmp(new(big.Rat).SetFloat64(a)) == 0
}

// The documented differences. protobuf-go reads 2E and 2.5e+ as numbers, and "007" and "+7" as keys
// of maps.
var (
	noExponent = regexp.MustCompile(`[0-9][eE][-+]?([^-+0-9]|$)`)
	noKey      = regexp.MustCompile(`"(\+[0-9]|-?0[0-9])[0-9]*"\s*:`)
	escaped    = regexp.MustCompile(`\\u00[23][0-9a-fA-F]`) // signs and digits, among others
)

func stricter(text []byte, err, werr error) bool {
	return werr == nil && (errors.Is(err, gremlin.BadSyntax) && noExponent.Match(text) ||
		errors.Is(err, gremlin.BadValue) && noKey.Match(plain(text)))
}

// plain is text with signs and digits that are written as escapes as what they are.
func plain(text []byte) []byte {
	return escaped.ReplaceAllFunc(text, func(e []byte) []byte {
		c, _ := strconv.ParseUint(string(e[2:]), 16, 8) // the digits are hexadecimal
		return []byte{byte(c)}
	})
}

// An extension of another message is an unknown field to us; null is an empty list also for lists
// of google.protobuf.Value.
func looser(text []byte, werr error) bool {
	return werr != nil && (strings.Contains(werr.Error(), "cannot be extended by") ||
		strings.Contains(werr.Error(), "unexpected token null") && valuesNull.Match(text))
}

var valuesNull = regexp.MustCompile(`"(values|byName)"\s*:\s*null`)

// JSONText compares what gremlin and protobuf-go make of a text that may be JSON of a t, by
// generated code and by tables.
func JSONText(t Type, text []byte, known *gremlin.Types) error {
	for _, discard := range []bool{false, true} {
		o := json.Options{Types: known, DiscardUnknown: discard}
		m, want := t.NewMessage().(json.Message), t.New()
		err := json.Unmarshal(text, m, o)
		missing := errors.Is(err, gremlin.MissingRequired)
		wire, terr := jsonrt.ToWire([]byte("x"),
			text, m.GremlinTable().Reader.(jsonrt.Type).GremlinJSON(), o)
		werr := protojson.UnmarshalOptions{AllowPartial: true,
			DiscardUnknown: discard}.Unmarshal(text, want)
		switch {
		case stricter(text, err, werr) || looser(text, werr):
			continue
		case missing && terr == nil && werr == nil:
			err = nil
		case (err != nil) != (terr != nil):
			return fmt.Errorf("errors are %v of the Message, %v of the tables", err, terr)
		case (err != nil) != (werr != nil):
			return fmt.Errorf("errors are %v of gremlin, %v of protobuf-go", err, werr)
		}
		if err != nil {
			var e *gremlin.Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(text) || e.Line < 1 ||
				e.Column < 1 {
				return fmt.Errorf("error of no place: %#v", err)
			}
			if len(m.Marshal()) != 0 || string(wire) != "x" {
				return fmt.Errorf("something is left after %v", err)
			}
			continue
		}
		for _, b := range [][]byte{m.Marshal(), wire[1:]} {
			got := t.New()
			if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(b, got); err != nil {
				return err
			}
			if !proto.Equal(got, want) {
				return fmt.Errorf("got %v\nwant %v", got, want)
			}
		}
	}
	return nil
}
