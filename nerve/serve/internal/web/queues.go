package web

import (
	"net/http"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// queueLine is a queue in the list of all.
type queueLine struct {
	Name      string    `json:"name"`
	Roles     string    `json:"roles"`
	Error     string    `json:"error,omitempty"` // why it is not open
	First     nerve.ID  `json:"first"`
	Last      nerve.ID  `json:"last"`
	Records   uint64    `json:"records"`
	Bytes     int64     `json:"bytes"` // bytes on the disk
	Oldest    float64   `json:"oldest_seconds"`
	Consumers int       `json:"consumers"`
	WorstLag  uint64    `json:"worst_lag"`
	Worst     string    `json:"worst,omitempty"` // the consumer that has it
	Type      string    `json:"type,omitempty"`
	Problem   string    `json:"problem,omitempty"` // what is not as it should be
	Rates     []float64 `json:"rates"`             // appended a second, over the last minute
}

const sparkline = 60 // seconds

// queues lists the queues that who asks may use.
func (a *App) queues(w http.ResponseWriter, r *http.Request) {
	p := core.From(r.Context())
	list := []queueLine{}
	for _, name := range a.root.List(p) {
		list = append(list, a.queueLine(r, p, name))
	}
	name := ""
	if p != nil {
		name = p.Name()
	}
	_ = respond(w, map[string]any{"queues": list, "who": name,
		"read_only": a.root.Options().ReadOnly})
}

func (a *App) queueLine(r *http.Request, p *core.Principal, name string) queueLine {
	line := queueLine{Name: name, Roles: p.Roles(name).String()}
	q, err := a.root.Access(p, name)
	if err == nil {
		var info core.Info
		if info, err = q.Info(); err == nil {
			line.describe(info)
		}
	}
	if err != nil {
		line.Error = problemOf(a.root.Public(err)).Error
		return line
	}
	if line.Records > 0 {
		if age, err := ageOf(r, q, line.First); err == nil {
			line.Oldest = age.Seconds()
		}
	}
	s := a.schemas.of(r.Context(), name)
	if t := s.typeOf(); t != nil {
		line.Type = t.Name
	} else if s != nil && line.Problem == "" {
		line.Problem = "the schema does not load"
	}
	line.Rates = a.sampler.history(name, sparkline).Records
	return line
}

func (l *queueLine) describe(info core.Info) {
	l.First, l.Last, l.Bytes = info.First, info.Last, info.Log.Bytes
	l.Records = uint64(info.Last - info.First + 1)
	l.Consumers = len(info.Consumers)
	for _, c := range info.Consumers {
		if c.Lag > l.WorstLag {
			l.WorstLag, l.Worst = c.Lag, c.Name
		}
	}
	switch {
	case info.Failed != nil:
		l.Problem = problemOf(info.Failed).Error
	case len(info.Damage) > 0:
		l.Problem = problemOf(info.Damage[0]).Error
	}
}

// ageOf is that of a record.
func ageOf(r *http.Request, q *core.Access, id nerve.ID) (age time.Duration, err error) {
	if q.Need(core.Read|core.Consume) != nil {
		return 0, err
	}
	err = each(r.Context(), q, id, id, func(rec nerve.Record) bool {
		age = max(0, time.Since(time.Unix(0, rec.UnixNano)))
		return false
	})
	return age, err
}

// storage is what lies on the disk, and what is wrong with it.
type storage struct {
	queueLine
	Segments int         `json:"segments"`
	Free     int64       `json:"free"` // bytes on the disk, -1 if not known
	Failed   string      `json:"failed,omitempty"`
	Damage   []string    `json:"damage"`
	Since    counts      `json:"since_start"`
	Schema   *schemaView `json:"schema,omitempty"`
	Follows  bool        `json:"follows,omitempty"` // another process appends, see history
}

type counts struct {
	Records  uint64 `json:"records"`
	Bytes    uint64 `json:"bytes"`
	Commits  uint64 `json:"commits"`
	Errors   uint64 `json:"errors"`
	Syncs    uint64 `json:"syncs"`
	Segments uint64 `json:"segments"`
	Removed  uint64 `json:"removed"`
	Reads    uint64 `json:"reads"`
}

// storage answers with what is stored, and of what type it is.
func (a *App) storage(w http.ResponseWriter, r *http.Request, q *core.Access) error {
	info, err := q.Info()
	if err != nil {
		return err
	}
	st := storage{queueLine: a.queueLine(r, q.Principal(), q.Name()), Segments: info.Log.Segments,
		Free: info.Free, Damage: []string{}, Since: counts{info.Log.AppendedRecords,
			info.Log.AppendedBytes, info.Log.Appends, info.Log.AppendErrors, info.Log.Syncs,
			info.Log.Rolls, info.Log.Removed, info.Log.ReadRecords}}
	if info.Failed != nil {
		st.Failed = problemOf(info.Failed).Error
	}
	for _, d := range info.Damage {
		st.Damage = append(st.Damage, problemOf(d).Error)
	}
	st.Follows = a.root.Options().ReadOnly
	st.Schema = viewOf(a.schemas.of(r.Context(), q.Name()))
	return respond(w, st)
}
