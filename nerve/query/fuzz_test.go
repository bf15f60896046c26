package query_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/query"
)

// FuzzProjection compares verdicts and values with dynamicpb.
func FuzzProjection(f *testing.F) {
	s := loadSchema(f, "testdata", "all.proto", "test.query.All")
	g := generator{rand.New(rand.NewPCG(9, 9))}
	for range 20 {
		f.Add(g.message(nil, s.desc, 0))
	}
	paths := allPaths(s.typ, nil, 2)
	f.Fuzz(func(t *testing.T, b []byte) {
		c := newComparer(s, paths)
		c.add(t, b)
		c.flush(t)
	})
}

// FuzzQuestion compiles and answers any text: it ends, without a panic, and errors have a place
// in the text.
func FuzzQuestion(f *testing.F) {
	s := loadSchema(f, "testdata", "all.proto", "test.query.All")
	for _, text := range append(questions,
		"sum(ints[]) by labels[\"k\"], bucket(time, duration('1h'))",
		"top(s, 3) where s.matches('a+') && has(child.next) having count() > 1 order -top limit 5",
		"children[].counts['k'], children[*].nums[*] order by children[].id desc",
		"count( by", "where '") {
		f.Add(text)
	}
	g := generator{rand.New(rand.NewPCG(2, 2))}
	var batch nerve.Batch
	for range 20 {
		batch.Append(g.message(nil, s.desc, 0))
	}
	batch.First = 1
	f.Fuzz(func(t *testing.T, text string) {
		q, err := query.Parse(text)
		if err == nil {
			q.Workers = 1
			_, _, err = tryRun(t.Context(), s, oneBatch{&batch}, q)
		}
		var wrong *query.Error
		var memory *query.MemoryError
		switch {
		case err == nil || errors.As(err, &memory):
		case !errors.As(err, &wrong):
			t.Fatal(err)
		default:
			_ = wrong.Error() + wrong.Caret()
		}
	})
}
