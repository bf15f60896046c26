package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/octopus-framework/octopus/internal/place"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// consumerLine is a consumer with its lag.
type consumerLine struct {
	Name     string   `json:"name"`
	Pointer  nerve.ID `json:"pointer"`
	Lag      uint64   `json:"lag"`         // records
	LagBytes int64    `json:"lag_bytes"`   // stored
	LagTime  float64  `json:"lag_seconds"` // age of the oldest record behind
	Unacked  uint64   `json:"unacked"`
	Hold     bool     `json:"hold"`
	Where    string   `json:"where,omitempty"` // who has it, if somebody has
	Saved    string   `json:"saved,omitempty"`
	Rate     float64  `json:"rate"`  // records a second, acknowledged
	Trend    float64  `json:"trend"` // records a second by which the lag grows
	// ETA is in how many seconds the lag is gone, if all goes on as now; absent if
	// it is not.
	ETA  *float64 `json:"eta_seconds,omitempty"`
	Lags []uint64 `json:"lags"` // lags at the times of the history
}

type consumerList struct {
	Now       string         `json:"now"`
	Last      nerve.ID       `json:"last"`
	Move      bool           `json:"may_move"`
	Times     []int64        `json:"times"` // times of the samples, in seconds of Unix time
	Consumers []consumerLine `json:"consumers"`
}

// consumers lists the consumers of a queue.
func (a *App) consumers(w http.ResponseWriter, r *http.Request, q *core.Access) error {
	info, err := q.Info()
	if err != nil {
		return err
	}
	lags, err := q.Lags(r.Context())
	if err != nil {
		return err
	}
	list := consumerList{Now: timeText(time.Now().UnixNano()), Last: info.Last,
		Move: q.Roles()&core.Admin != 0 && !a.root.Options().ReadOnly, Consumers: []consumerLine{}}
	history := a.sampler.history(q.Name(), span(r))
	list.Times = history.Times
	for i, c := range info.Consumers {
		line := consumerLine{Name: c.Name, Pointer: c.Pointer, Lag: c.Lag, Unacked: c.Unacked,
			Hold: c.Hold, Where: info.Claimed[c.Name], Lags: history.Lags[c.Name]}
		if line.Lags == nil {
			line.Lags = []uint64{}
		}
		if i < len(lags) && lags[i].Name == c.Name {
			line.LagBytes, line.LagTime = lags[i].Bytes, lags[i].Age.Seconds()
		}
		if !c.Saved.IsZero() {
			line.Saved = timeText(c.Saved.UnixNano())
		}
		if c.Lag == 0 {
			line.LagTime = 0
		}
		line.Rate, line.Trend = a.sampler.pace(q.Name(), c.Name)
		if line.Trend < 0 && c.Lag > 0 {
			eta := float64(c.Lag) / -line.Trend
			line.ETA = &eta
		}
		list.Consumers = append(list.Consumers, line)
	}
	return respond(w, list)
}

// move sets the pointer of a consumer that nobody has. Pointer is an id, up to
// which everything counts as acknowledged, or another place: what comes behind it
// is still to do.
func (a *App) move(w http.ResponseWriter, r *http.Request, q *core.Access) error {
	var request struct {
		Pointer string `json:"pointer"`
		Hold    bool   `json:"hold"`
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		return &badRequest{Message: "the body is not the JSON that was expected: " + err.Error()}
	}
	if err := q.Need(core.Admin); err != nil {
		return err
	}
	if request.Pointer == "" {
		return &badRequest{Message: "pointer is missing"}
	}
	var to place.Place
	if id, err := strconv.ParseUint(request.Pointer, 10, 64); err == nil {
		to = place.After(nerve.ID(id))
	} else if to, err = placeOf(request.Pointer); err != nil {
		return err
	}
	id, err := to.Pointer(r.Context(), q)
	var future *nerve.FutureError
	if errors.As(err, &future) {
		return &badRequest{Message: fmt.Sprintf("the queue ends at record %d", future.Next-1)}
	}
	if err != nil {
		return err
	}
	name := r.PathValue("consumer")
	if err := q.MovePointer(r.Context(), name, id, request.Hold); err != nil {
		return err
	}
	return respond(w, map[string]any{"name": name, "pointer": id})
}

// forget removes a consumer that nobody has.
func (a *App) forget(w http.ResponseWriter, r *http.Request, q *core.Access) error {
	if err := q.RemovePointer(r.Context(), r.PathValue("consumer")); err != nil {
		return err
	}
	return respond(w, map[string]any{})
}
