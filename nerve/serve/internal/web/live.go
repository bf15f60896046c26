package web

import (
	"context"
	"net/http"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

const (
	liveEvery   = 100 * time.Millisecond // between two events
	liveRecords = 50                     // in one event; a screen holds no more
)

// liveEvent is what a live view gets ten times a second at most.
type liveEvent struct {
	Records []recordLine `json:"records"`
	Seen    uint64       `json:"seen"`    // records since the view began
	Matched uint64       `json:"matched"` // how many of them the filter let through
	Dropped uint64       `json:"dropped"` // how many were left out: more than a screen holds
	Errors  uint64       `json:"errors"`  // records that the filter failed for
	Last    nerve.ID     `json:"last"`    // where the view is
	Behind  uint64       `json:"behind"`  // records between there and the end
	Error   string       `json:"error,omitempty"`
}

// live sends records as they are appended, from the end of the queue on. What
// matches is counted; of it, as many records are sent as somebody can see. A
// client that reads slowly holds up nothing but its own view.
func (a *App) live(w http.ResponseWriter, r *http.Request, q *core.Access) error {
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
	ctx, cancel := a.until(r.Context())
	defer cancel()
	_, last := q.Bounds()
	cursor, err := q.Read(ctx, last+1)
	if err != nil {
		return err
	}
	defer cursor.Close()

	view := &liveView{events: startEvents(w), queue: q, schema: s, columns: columns, filter: f}
	view.state.Last = last
	return view.run(ctx, cursor)
}

// liveView is one live view.
type liveView struct {
	events  *events
	queue   *core.Access
	schema  *schema
	columns []string
	filter  filter
	state   liveEvent
}

// run returns nil: the answer has begun, and errors are part of it.
func (v *liveView) run(ctx context.Context, cursor nerve.Cursor) error {
	var b nerve.Batch
	next := time.Now()
	if v.flush() != nil {
		return nil
	}
	for {
		wait, cancel := context.WithTimeout(ctx, beat)
		if len(v.state.Records) > 0 {
			cancel()
			wait, cancel = context.WithDeadline(ctx, next)
		}
		err := cursor.Next(wait, &b)
		timedOut := wait.Err() != nil
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && timedOut:
		case err != nil:
			v.state.Error = problemOf(err).Error
			_ = v.flush()
			return nil
		default:
			if err := v.take(ctx, &b); err != nil {
				v.state.Error = problemOf(err).Error
				_ = v.flush()
				return nil
			}
			if time.Now().Before(next) {
				continue
			}
		}
		if v.flush() != nil {
			return nil
		}
		next = time.Now().Add(liveEvery)
	}
}

// take counts the records of a batch and keeps those that are to be sent.
func (v *liveView) take(ctx context.Context, b *nerve.Batch) error {
	for rec := range b.All() {
		wanted, err := v.filter.match(ctx, rec)
		if err != nil {
			return err
		}
		v.state.Seen++
		switch {
		case !wanted:
		case len(v.state.Records) < liveRecords:
			v.state.Matched++
			v.state.Records = append(v.state.Records, v.schema.line(rec, v.columns))
		default:
			v.state.Matched++
			v.state.Dropped++
		}
	}
	v.state.Last = b.Last()
	v.state.Errors, _ = v.filter.failed()
	return nil
}

func (v *liveView) flush() error {
	_, last := v.queue.Bounds()
	v.state.Behind = uint64(max(last, v.state.Last) - v.state.Last)
	if v.state.Records == nil {
		v.state.Records = []recordLine{}
	}
	err := v.events.send("records", &v.state)
	v.state.Records = v.state.Records[:0]
	return err
}
