package query_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/query"
)

// chosen makes an encoding of test.query.Chosen with numbers that the closed enum has, 0 to 2,
// and others; entries have key and value in any order, more than once, or not at all.
func (g generator) chosen() (b []byte) {
	number := func() uint64 { return []uint64{1, 2, 5, 3, 1 << 32, 1<<32 + 2}[g.IntN(6)] }
	for range g.IntN(6) {
		field := protowire.Number(1 + g.IntN(4))
		if field > 2 {
			b = protowire.AppendTag(b, field, protowire.VarintType)
			b = protowire.AppendVarint(b, number())
			continue
		}
		var entry []byte
		for range g.IntN(4) {
			switch {
			case g.IntN(2) == 0:
				entry = protowire.AppendTag(entry, 2, protowire.VarintType)
				entry = protowire.AppendVarint(entry, number())
			case field == 1:
				entry = protowire.AppendTag(entry, 1, protowire.BytesType)
				entry = protowire.AppendString(entry, []string{"k", ""}[g.IntN(2)])
			default:
				entry = protowire.AppendTag(entry, 1, protowire.VarintType)
				entry = protowire.AppendVarint(entry, g.Uint64N(2))
			}
		}
		b = protowire.AppendTag(b, field, protowire.BytesType)
		b = protowire.AppendBytes(b, entry)
	}
	return b
}

// TestClosedEnumsLikeGremlin compares fields of closed enums with what gremlin's messages have:
// a number that the enum does not have is an unknown field, and so is a map's entry with it.
func TestClosedEnumsLikeGremlin(t *testing.T) {
	s := loadSchema(t, "testdata", "all.proto", "test.query.Chosen")
	named, numbered, many := s.typ.FieldNamed("named"), s.typ.FieldNamed("numbered"),
		s.typ.FieldNamed("many")
	g := generator{rand.New(rand.NewPCG(11, 11))}
	var batch nerve.Batch
	var messages []*dynamic.Message
	for range 3000 {
		b := g.chosen()
		m := dynamic.New(s.typ)
		if err := m.Unmarshal(b); err != nil {
			t.Fatal(err)
		}
		batch.Append(b)
		messages = append(messages, m)
	}
	batch.First = 1
	k, one := dynamic.Scalar{Text: "k"}, dynamic.Scalar{Bits: 1}
	conditions := map[string]func(m *dynamic.Message) bool{
		`size(named) == 1`: func(m *dynamic.Message) bool { return len(m.Map(named)) == 1 },
		`"k" in named && named["k"] == CHOICE_TWO`: func(m *dynamic.Message) bool {
			return m.Map(named)[k].Bits == 2
		},
		`1 in numbered`: func(m *dynamic.Message) bool {
			_, found := m.Map(numbered)[one]
			return found
		},
		`one == CHOICE_TWO`: func(m *dynamic.Message) bool {
			return m.Get(s.typ.FieldNamed("one")).Bits == 2
		},
		`size(many) == 2`: func(m *dynamic.Message) bool { return len(m.List(many)) == 2 },
	}
	for text, holds := range conditions {
		for _, text := range []string{text, "[" + text + "][0]"} {
			f, err := query.CompileFilter(s.typ, text)
			if err != nil {
				t.Fatal(err)
			}
			want := make([]string, len(messages))
			count := 0
			for i, m := range messages {
				if want[i] = fmt.Sprint(holds(m)); holds(m) {
					count++
				}
			}
			if count < 100 || count > len(messages)-100 {
				t.Errorf("%s: holds for %d messages", text, count)
			}
			compareConditions(t, text, f, &batch, want)
		}
	}
	// The same as columns.
	got, _ := run(t, s, oneBatch{&batch}, query.Query{
		Select: []string{`named["k"] as k`, `numbered[1] as one`, "named"}})
	var want strings.Builder
	for _, m := range messages {
		value := func(v dynamic.Value, found bool) string {
			if !found {
				return "null"
			}
			return []string{`"CHOICE_NONE"`, `"CHOICE_ONE"`, `"CHOICE_TWO"`}[v.Bits]
		}
		x, hasX := m.Map(named)[k]
		y, hasY := m.Map(numbered)[one]
		var entries []string
		for _, key := range []string{"", "k"} {
			if v, found := m.Map(named)[dynamic.Scalar{Text: key}]; found {
				entries = append(entries, fmt.Sprintf("%q:%s", key, value(v, true)))
			}
		}
		fmt.Fprintf(&want, "{\"k\":%s,\"one\":%s,\"named\":{%s}}\n", value(x, hasX),
			value(y, hasY), strings.Join(entries, ","))
	}
	if got != want.String() {
		t.Errorf("%.300s\nwant\n%.300s", got, want.String())
	}
}
