package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

const (
	scanEvery = 150 * time.Millisecond // between two reports of progress
	scanHits  = 500                    // that are sent; a search goes on from there
	scanBlock = 1 << 14                // records that are read forwards in a search backwards
)

// scanEvent is how far a search is.
type scanEvent struct {
	Scanned uint64       `json:"scanned"`
	Total   uint64       `json:"total"` // records to look at
	Bytes   uint64       `json:"bytes"`
	Hits    uint64       `json:"hits"`
	Errors  uint64       `json:"errors"` // records that the filter failed for
	First   string       `json:"first_error,omitempty"`
	Seconds float64      `json:"seconds"`
	Records []recordLine `json:"records"` // hits since the last event
	Next    nerve.ID     `json:"next"`    // where to go on
	// End is why there are no more events: all, limit, damage or an error; empty
	// while there are.
	End   string `json:"end,omitempty"`
	Error string `json:"error,omitempty"`
}

// scan looks at all records between two places, or from the newest one backwards,
// and sends those that match. It ends when the client closes it.
func (a *App) scan(w http.ResponseWriter, r *http.Request, q *core.Access) error {
	if err := q.Need(core.Read | core.Consume); err != nil {
		return err
	}
	s := a.schemas.of(r.Context(), q.Name())
	f, err := filterOf(r, s)
	if err != nil {
		return err
	}
	columns, err := columnsOf(r)
	if err != nil {
		return err
	}
	limit, err := number(r, "limit", scanHits, 1, maxRecords)
	if err != nil {
		return err
	}
	ctx, cancel := a.until(r.Context())
	defer cancel()
	first, last := q.Bounds()
	backwards := r.FormValue("at") == "" || r.FormValue("at") == "newest"
	if !backwards {
		if first, err = startOf(ctx, q, r.FormValue("at"), 1); err != nil {
			return err
		}
	}
	if before, err := number(r, "before", 0, 0, 1<<62); err != nil {
		return err
	} else if backwards && before > 0 {
		last = min(last, nerve.ID(before)-1)
	}
	sc := &search{events: startEvents(w), queue: q, schema: s, columns: columns, filter: f,
		limit: limit, began: time.Now()}
	sc.state.Total = uint64(max(last, first-1) - first + 1)
	if backwards {
		err = sc.backwards(ctx, first, last)
	} else {
		err = sc.forwards(ctx, first, last)
	}
	sc.end(ctx, err)
	return nil
}

// search is one scan.
type search struct {
	events  *events
	queue   *core.Access
	schema  *schema
	columns []string
	filter  filter
	limit   int
	began   time.Time
	sent    time.Time
	state   scanEvent
}

// errEnough ends a search that has as many hits as are sent.
var errEnough = errors.New("enough")

func (s *search) forwards(ctx context.Context, first, last nerve.ID) error {
	var gone error
	err := each(ctx, s.queue, first, last, func(rec nerve.Record) bool {
		var wanted bool
		if wanted, gone = s.look(ctx, rec); gone != nil {
			return false
		}
		if wanted {
			s.state.Hits++
			s.state.Records = append(s.state.Records, s.schema.line(rec, s.columns))
		}
		s.state.Next = rec.ID + 1
		if gone = s.report(); gone == nil && int(s.state.Hits) >= s.limit {
			gone = errEnough
		}
		return gone == nil
	})
	return errors.Join(gone, err)
}

// backwards reads blocks of records, the newest block first, and turns each of them
// around.
func (s *search) backwards(ctx context.Context, first, last nerve.ID) error {
	for last >= first {
		from := nerve.ID(max(int64(first), int64(last)-scanBlock+1))
		var hits []recordLine
		var gone error
		err := each(ctx, s.queue, from, last, func(rec nerve.Record) bool {
			var wanted bool
			if wanted, gone = s.look(ctx, rec); gone != nil {
				return false
			}
			if wanted {
				hits = append(hits, s.schema.line(rec, s.columns))
				// Of a block only its newest hits can be wanted.
				if len(hits) > 2*s.limit {
					hits = append(hits[:0], hits[len(hits)-s.limit:]...)
				}
			}
			gone = s.report()
			return gone == nil
		})
		if err := errors.Join(gone, err); err != nil {
			return err
		}
		slices.Reverse(hits)
		s.state.Next = from
		if room := s.limit - int(s.state.Hits); len(hits) >= room {
			hits = hits[:room]
			s.state.Next = hits[room-1].ID
		}
		s.state.Hits += uint64(len(hits))
		s.state.Records = append(s.state.Records, hits...)
		if int(s.state.Hits) >= s.limit {
			return errEnough
		}
		last = from - 1
	}
	return nil
}

// look counts a record and reports whether it matches. Hits are counted where they
// are taken.
func (s *search) look(ctx context.Context, rec nerve.Record) (bool, error) {
	s.state.Scanned++
	s.state.Bytes += uint64(len(rec.Data))
	return s.filter.match(ctx, rec)
}

// report tells the client how far it is, now and then. Looking at the clock for each
// record would cost more than most filters.
func (s *search) report() error {
	if s.state.Scanned%256 != 0 || time.Since(s.sent) < scanEvery {
		return nil
	}
	return s.send()
}

func (s *search) send() error {
	s.sent = time.Now()
	s.state.Errors, s.state.First = s.filter.failed()
	s.state.Seconds = s.sent.Sub(s.began).Seconds()
	if s.state.Records == nil {
		s.state.Records = []recordLine{}
	}
	err := s.events.send("progress", &s.state)
	s.state.Records = s.state.Records[:0]
	return err
}

func (s *search) end(ctx context.Context, err error) {
	var corrupt *nerve.CorruptError
	switch {
	case ctx.Err() != nil:
		return // nobody listens
	case err == nil:
		s.state.End = "all"
	case errors.Is(err, errEnough):
		s.state.End = "limit"
	case errors.As(err, &corrupt):
		s.state.End, s.state.Error = "damage", problemOf(corrupt).Error
	default:
		s.state.End, s.state.Error = "error", problemOf(err).Error
	}
	_ = s.send() // the last event: nobody is left to be told
}
