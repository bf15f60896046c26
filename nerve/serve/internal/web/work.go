package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/lease"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// Bounds of the calls about leases.
const (
	defaultWait = 20 * time.Second
	maxWait     = time.Minute
	maxSettled  = 1000
)

// leaseLine is a record that a worker has.
type leaseLine struct {
	ID      nerve.ID `json:"id"`
	Fence   string   `json:"fence"` // 16 hexadecimal digits: a number of JavaScript loses some
	Attempt int      `json:"attempt"`
	Lost    int      `json:"lost"`
	Time    string   `json:"time"`
	Data    []byte   `json:"data"`            // record in base64
	Error   string   `json:"error,omitempty"` // why the record cannot be used
}

// next takes records under the name of a consumer, and waits for the first one.
func (a *App) next(w http.ResponseWriter, r *http.Request, q *core.Access) error {
	most, wait, o, err := nextOptions(r)
	if err != nil {
		return err
	}
	worker, err := q.Guest(r.PathValue("consumer"), o)
	if err != nil {
		return err
	}
	defer worker.Close()
	ctx, stop := a.until(r.Context())
	defer stop()
	waiting, over := context.WithTimeout(ctx, wait)
	defer over()
	leases, err := worker.Take(waiting, most)
	if err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
		return err
	}
	if r.Context().Err() != nil { // nobody would get them
		for _, l := range leases {
			_ = worker.Release(ctx, l) // or its time ends
		}
	}
	lines := []leaseLine{}
	for _, l := range leases {
		line := leaseLine{ID: l.ID, Fence: strconv.FormatUint(l.Fence, 16), Attempt: l.Attempt,
			Lost: l.Lost, Time: timeText(l.UnixNano), Data: l.Data}
		if l.Err != nil {
			line.Error = problemOf(l.Err).Error
		}
		lines = append(lines, line)
	}
	return respond(w, map[string]any{"leases": lines})
}

// nextOptions reads the parameters of next.
func nextOptions(r *http.Request) (most int, wait time.Duration, o core.WorkOptions, err error) {
	o = core.WorkOptions{Name: "HTTP from " + r.RemoteAddr, Duration: lease.DefaultDuration}
	most, wait = 1, defaultWait
	if text := r.FormValue("max"); text != "" {
		most, err = strconv.Atoi(text)
		if err != nil || most < 1 || most > lease.DefaultMaxLeases {
			return 0, 0, o, &badRequest{Message: "max is a number from 1 to " +
				strconv.Itoa(lease.DefaultMaxLeases)}
		}
	}
	if text := r.FormValue("wait"); text != "" {
		wait, err = time.ParseDuration(text)
		if err != nil || wait < 0 || wait > maxWait {
			return 0, 0, o, &badRequest{Message: "wait is a duration up to 60s, such as 20s"}
		}
	}
	if text := r.FormValue("lease"); text != "" {
		o.Duration, err = time.ParseDuration(text)
		if err != nil || o.Duration < time.Second || o.Duration > lease.MaxDuration {
			return 0, 0, o, &badRequest{Message: "lease is a duration from 1s to 24h, such as 30s"}
		}
	}
	switch order := r.FormValue("order"); order {
	case "", "none":
	case "key":
		o.ByKey = true
	default:
		return 0, 0, o, &badRequest{Message: "order is none or key"}
	}
	return most, wait, o, nil
}

// settled is what became of what was asked for a lease.
type settled struct {
	ID    nerve.ID `json:"id"`
	Error string   `json:"error,omitempty"`
	Type  string   `json:"type,omitempty"`
}

// settle returns a handler that asks for the same of each lease in the body. Of one alone an error
// is the answer.
func (a *App) settle(
	ask func(ctx context.Context, w lease.Worker, l lease.Lease, after time.Duration) error,
) handler {
	return func(w http.ResponseWriter, r *http.Request, q *core.Access) error {
		var request struct {
			Leases []struct {
				ID    nerve.ID `json:"id"`
				Fence string   `json:"fence"`
			} `json:"leases"`
			After string `json:"after"`
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			return &badRequest{
				Message: "the body is not the JSON that was expected: " + err.Error()}
		}
		if n := len(request.Leases); n == 0 || n > maxSettled {
			return &badRequest{Message: "leases are between 1 and " + strconv.Itoa(maxSettled)}
		}
		var after time.Duration
		if request.After != "" {
			var err error
			if after, err = time.ParseDuration(request.After); err != nil || after < 0 {
				return &badRequest{Message: "after is a duration, such as 30s"}
			}
		}
		list := make([]lease.Lease, len(request.Leases))
		for i, named := range request.Leases {
			fence, err := strconv.ParseUint(named.Fence, 16, 64)
			if err != nil {
				return &badRequest{Message: "a fence is up to 16 hexadecimal digits"}
			}
			list[i].ID, list[i].Fence = named.ID, fence
		}
		outcomes := make([]settled, len(list))
		for i, l := range list {
			outcomes[i].ID = l.ID
			err := q.Settle(r.PathValue("consumer"), l.ID, func(worker lease.Worker) error {
				return ask(r.Context(), worker, l, after)
			})
			if err != nil && len(list) == 1 {
				return err
			}
			if err != nil {
				p := problemOf(err)
				outcomes[i].Error, outcomes[i].Type = p.Error, p.Type
			}
		}
		return respond(w, map[string]any{"settled": outcomes})
	}
}

func ackLease(ctx context.Context, w lease.Worker, l lease.Lease, _ time.Duration) error {
	return w.Ack(ctx, l)
}

func extendLease(ctx context.Context, w lease.Worker, l lease.Lease, _ time.Duration) error {
	return w.Extend(ctx, l)
}

func failLease(ctx context.Context, w lease.Worker, l lease.Lease, after time.Duration) error {
	return w.Fail(ctx, l, after)
}
