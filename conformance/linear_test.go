package conformance

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/conformance/internal/gen/p3"
	"github.com/octopus-framework/octopus/gremlin"
)

// TestTimeIsLinear compares what the same bytes cost to encode and to decode when they lie below few and below many levels
// of messages. The levels themselves are a few dozen kilobytes; work that is done once a level and byte would show as a
// factor of twenty.
func TestTimeIsLinear(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector's own costs are not linear")
	}
	const (
		size    = 2 << 20
		few     = 400
		many    = 8000
		factor  = 8
		atLeast = 150 * time.Millisecond // for what the levels cost and a busy machine; moving all bytes once a level takes seconds
	)
	label := make([]byte, size)
	for i := range label {
		label[i] = 'a' + byte(rand.IntN(26))
	}
	nest := map[string]func(*p3.Tree) *p3.Tree{
		"messages": func(x *p3.Tree) *p3.Tree { return &p3.Tree{Left: x} },
		"lists":    func(x *p3.Tree) *p3.Tree { return &p3.Tree{Children: []p3.Tree{*x}} },
		"maps":     func(x *p3.Tree) *p3.Tree { return &p3.Tree{Named: map[string]p3.Tree{"k": *x}} },
		"oneofs":   func(x *p3.Tree) *p3.Tree { return &p3.Tree{Either: &p3.Tree_A{A: x}} },
	}
	best := func(f func()) time.Duration {
		least := time.Hour
		for range 5 {
			start := time.Now()
			f()
			least = min(least, time.Since(start))
		}
		return least
	}
	for what, wrap := range nest {
		build := func(levels int) *p3.Tree {
			if what == "maps" {
				levels /= 2 // an entry is a level too
			}
			x := &p3.Tree{Label: string(label)}
			for range levels {
				x = wrap(x)
			}
			return x
		}
		flat, deep := build(few), build(many)
		b, deepBytes := flat.Marshal(), deep.Marshal()
		var m p3.Tree
		if err := m.Unmarshal(deepBytes); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			what       string
			flat, deep func()
		}{
			{"Marshal", func() { flat.Marshal() }, func() { deep.Marshal() }},
			{"MarshalAppend", func() { b = flat.MarshalAppend(b[:0]) }, func() { deepBytes = deep.MarshalAppend(deepBytes[:0]) }},
			{"MarshalStable", func() { b = flat.MarshalStable(b[:0]) }, func() { deepBytes = deep.MarshalStable(deepBytes[:0]) }},
			{"Unmarshal", func() { _ = m.Unmarshal(b) }, func() { _ = m.Unmarshal(deepBytes) }},
			{"UnmarshalWithin", func() { _ = gremlin.UnmarshalWithin(b, &m, int(1<<(strconv.IntSize-2))) }, func() { _ = gremlin.UnmarshalWithin(deepBytes, &m, int(1<<(strconv.IntSize-2))) }},
			{"CheckEncoding", func() { validate(t, b) }, func() { validate(t, deepBytes) }},
		} {
			if f, d := best(c.flat), best(c.deep); d > factor*f+atLeast {
				t.Errorf("%s, %s: %v below %d levels, %v below %d", what, c.what, f, few, d, many)
			}
		}
	}
}

func validate(t *testing.T, b []byte) {
	var r p3.TreeReader
	if err := r.Unmarshal(b); err != nil {
		t.Fatal(err)
	}
	if err := r.CheckEncoding(); err != nil {
		t.Fatal(err)
	}
}
