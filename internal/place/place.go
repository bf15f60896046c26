// Package place reads where in a queue somebody means, as people write it.
package place

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// Forms are those of a place, for errors and help texts.
const Forms = "oldest, newest, an id, a time such as 2026-11-22T18:30:00Z or 2026-11-22, " +
	"or how long ago, such as 90m"

// Place is one between two records: reading goes on with the record behind it.
type Place struct {
	kind  kind
	after nerve.ID // the record before it
	time  time.Time
}

type kind uint8

const (
	oldest kind = iota
	newest
	after
	at
)

// Queue is what a place is looked for in.
type Queue interface {
	Bounds() (first, last nerve.ID)
	Seek(ctx context.Context, t time.Time) (nerve.ID, error)
}

// Error says that a text is no place.
type Error struct{ Text string }

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%q is no place in a queue", e.Text) }

// After is the place behind a record; 0 is before the first one.
func After(id nerve.ID) Place { return Place{kind: after, after: id} }

// Parse reads one of [Forms]; latest is newest. An id is the place before that
// record. Times without a zone are those of zone. The error is an *Error.
func Parse(text string, zone *time.Location) (Place, error) {
	switch text {
	case "oldest":
		return Place{}, nil
	case "newest", "latest":
		return Place{kind: newest}, nil
	}
	if id, err := strconv.ParseUint(text, 10, 64); err == nil {
		return After(nerve.ID(max(id, 1) - 1)), nil
	}
	if t, ok := ParseTime(text, zone); ok {
		return Place{kind: at, time: t}, nil
	}
	return Place{}, &Error{text}
}

// ParseTime reads a time, or how long ago it was. Without a zone it is one of zone.
func ParseTime(text string, zone *time.Location) (t time.Time, ok bool) {
	if age, err := time.ParseDuration(text); err == nil && age >= 0 {
		return time.Now().Add(-age), true
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05",
		"2006-01-02T15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return t, true
		}
	}
	return t, false
}

// First is the record with which reading goes on: one that the queue has, or the
// next that is appended.
func (p Place) First(ctx context.Context, q Queue) (nerve.ID, error) {
	first, last := q.Bounds()
	switch p.kind {
	case newest:
		return last + 1, nil
	case after:
		return max(first, min(p.after, last)+1), nil
	case at:
		return q.Seek(ctx, p.time)
	}
	return first, nil
}

// Pointer is that of a consumer which goes on from here: the record before First, up
// to which everything counts as acknowledged. It is a [nerve.FutureError] if the
// queue ends before the place.
func (p Place) Pointer(ctx context.Context, q Queue) (nerve.ID, error) {
	if _, last := q.Bounds(); p.kind == after && p.after > last {
		return 0, &nerve.FutureError{ID: p.after, Next: last + 1}
	}
	next, err := p.First(ctx, q)
	return next - 1, err
}
