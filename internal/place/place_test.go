package place_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/place"
	"github.com/octopus-framework/octopus/nerve"
)

// queue has the records 10 to 20, a minute apart, from noon on.
type queue struct{ base time.Time }

func (queue) Bounds() (first, last nerve.ID) { return 10, 20 }

func (q queue) Seek(_ context.Context, t time.Time) (nerve.ID, error) {
	for i := range 11 {
		if !q.base.Add(time.Duration(i) * time.Minute).Before(t) {
			return nerve.ID(10 + i), nil
		}
	}
	return 21, nil
}

// TestForms reads a place in all its forms, as the first record of a list and as the
// pointer of a consumer: what comes next for it is never acknowledged.
func TestForms(t *testing.T) {
	zone := time.FixedZone("east", 3600)
	q := queue{time.Date(2026, 11, 23, 12, 0, 0, 0, zone)}
	for _, c := range []struct {
		text  string
		first nerve.ID
		none  bool // there is no such pointer; else it is first-1
	}{
		{"oldest", 10, false}, {"newest", 21, false}, {"latest", 21, false},
		{"0", 10, false}, {"1", 10, false}, {"3", 10, false}, {"10", 10, false},
		{"11", 11, false}, {"20", 20, false},
		{"21", 21, false}, {"22", 21, true},
		{"18446744073709551615", 21, true},
		{"2026-11-22", 10, false}, {"2026-11-23", 10, false}, {"2026-11-24", 21, false},
		{"2099-01-01", 21, false}, {"2099-01-01T00:00:00Z", 21, false}, {"1970-01-01", 10, false},
		{"2026-11-23T12:00:00", 10, false}, {"2026-11-23 12:00:00", 10, false},
		{"2026-11-23T12:00", 10, false},
		{"2026-11-23T12:05", 15, false}, {"2026-11-23T12:05:00.5", 16, false},
		{"2026-11-23T12:05:00+01:00", 15, false}, {"2026-11-23T11:05:00Z", 15, false},
		{"2026-11-23T11:05:00.000000001Z", 16, false}, {"876000h", 10, false}, {"0s", 0, false},
	} {
		p, err := place.Parse(c.text, zone)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if c.text == "0s" { // depends on when this is run
			continue
		}
		if id, err := p.First(t.Context(), q); err != nil || id != c.first {
			t.Errorf("%s: first %d, %v; want %d", c.text, id, err, c.first)
		}
		id, err := p.Pointer(t.Context(), q)
		if c.none {
			var future *nerve.FutureError
			if !errors.As(err, &future) || future.Next != 21 {
				t.Errorf("%s: pointer %d, %v", c.text, id, err)
			}
		} else if err != nil || id != c.first-1 {
			t.Errorf("%s: pointer %d, %v; want %d", c.text, id, err, c.first-1)
		}
	}
	for after, want := range map[nerve.ID]nerve.ID{0: 9, 3: 9, 9: 9, 10: 10, 19: 19, 20: 20} {
		if id, err := place.After(after).Pointer(t.Context(), q); err != nil || id != want {
			t.Errorf("after %d: pointer %d, %v; want %d", after, id, err, want)
		}
	}
	for _, text := range []string{"", "yesterday", "-1", "-5m", "18446744073709551616", "1e3",
		"2026-13-01", "2026-11-23T25:00"} {
		if p, err := place.Parse(text, zone); err == nil {
			t.Errorf("%q is %+v", text, p)
		}
	}
}
