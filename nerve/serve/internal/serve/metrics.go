package serve

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"

	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// metrics writes the text format of Prometheus. Queues with which the one who
// asks may do nothing are left out, and consumers for those who only append.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	m := &metricText{families: make(map[string]*bytes.Buffer)}
	p := core.From(r.Context())
	s.root.Each(r.Context(), func(name string, info core.Info) {
		roles := p.Roles(name)
		if roles == 0 {
			return
		}
		if roles&(core.Read|core.Consume|core.Admin) == 0 { // as with [core.Access.Info]
			info.Consumers, info.Lags = nil, nil
		}
		m.queue(name, info, s.root.Options().ReadOnly)
	})
	c := &s.root.Metrics
	m.add("nerve_connections", "gauge", "Binary connections that are open", "",
		float64(c.Connections.Load()))
	m.add("nerve_in_flight_bytes", "gauge", "Memory of appends that are being received", "",
		float64(s.root.Budget().Held()))
	m.add("nerve_in_flight_waiting", "gauge", "Large frames that wait for memory", "",
		float64(s.root.Budget().Waiting()))
	counter := func(name, help string, n uint64) { m.add(name, "counter", help, "", float64(n)) }
	counter("nerve_auth_failures_total", "Requests without valid credentials", c.AuthFailures.Load())
	counter("nerve_access_denied_total", "Calls without the role they take", c.AccessDenied.Load())
	counter("nerve_frames_refused_total", "Frames that were damaged, too long or unknown",
		c.FramesRefused.Load())
	counter("nerve_slow_clients_total", "Connections closed because they were too slow",
		c.SlowClients.Load())
	counter("nerve_reader_stalls_total", "Times that a reader had to wait for credit",
		c.StalledReaders.Load())
	counter("nerve_limit_refusals_total", "Connections and calls refused beyond a limit",
		c.RefusedByLimits.Load())
	counter("nerve_panics_total", "Faults of the server, each of which ended a connection",
		c.Panics.Load())
	ready := 1.0
	if len(s.problems()) > 0 {
		ready = 0
	}
	m.add("nerve_ready", "gauge", "1 if all queues take appends", "", ready)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	for _, name := range m.order {
		_, _ = w.Write(m.families[name].Bytes())
	}
}

// metricText gathers samples by family, as the format wants them.
type metricText struct {
	families map[string]*bytes.Buffer
	order    []string
}

func (m *metricText) family(name, kind, help string) *bytes.Buffer {
	b := m.families[name]
	if b == nil {
		b = new(bytes.Buffer)
		fmt.Fprintf(b, "# HELP %s %s.\n# TYPE %s %s\n", name, help, name, kind)
		m.families[name] = b
		m.order = append(m.order, name)
	}
	return b
}

// add writes a sample. Labels are those of [queueLabel], or empty.
func (m *metricText) add(name, kind, help, labels string, value float64) {
	sample(m.family(name, kind, help), name, labels, value)
}

func sample(b *bytes.Buffer, name, labels string, value float64) {
	b.WriteString(name)
	if labels != "" {
		b.WriteString("{" + labels + "}")
	}
	b.WriteByte(' ')
	b.WriteString(strconv.FormatFloat(value, 'g', -1, 64))
	b.WriteByte('\n')
}

// queueLabel needs no escapes: names are letters, digits and -_. alone.
func queueLabel(name string) string { return `queue="` + name + `"` }

func (m *metricText) queue(name string, info core.Info, follows bool) {
	label := queueLabel(name)
	count := func(metric, help string, n uint64) {
		m.add(metric, "counter", help, label, float64(n))
	}
	gauge := func(metric, help string, n float64) { m.add(metric, "gauge", help, label, n) }
	count("nerve_append_records_total", "Records appended", info.Log.AppendedRecords)
	if !follows { // else the process that appends knows them alone
		count("nerve_append_bytes_total", "Bytes appended, packed", info.Log.AppendedBytes)
		count("nerve_append_errors_total", "Commits that failed", info.Commits.Errors)
		count("nerve_fsyncs_total", "Syncs of the disk", info.Log.Syncs)
		m.commits(label, info.Commits)
	}
	count("nerve_read_records_total", "Records read", info.Log.ReadRecords)
	count("nerve_read_bytes_total", "Bytes read, uncompressed", info.Log.ReadBytes)
	gauge("nerve_log_records", "Records in the log", float64(info.Last-info.First+1))
	gauge("nerve_log_bytes", "Bytes of the log", float64(info.Log.Bytes))
	gauge("nerve_log_segments", "Files of the log", float64(info.Log.Segments))
	gauge("nerve_log_damage", "Damaged places that were found", float64(len(info.Damage)))
	if info.Free >= 0 {
		gauge("nerve_disk_free_bytes", "Room on the disk", float64(info.Free))
	}
	for _, c := range info.Consumers {
		labels := label + `,consumer="` + c.Name + `"`
		m.add("nerve_consumer_lag_records", "gauge", "Records after the pointer", labels,
			float64(c.Lag))
		m.add("nerve_consumer_pointer", "gauge", "Record up to which all is acknowledged", labels,
			float64(c.Pointer))
		open := 0.0
		if c.Open {
			open = 1
		}
		m.add("nerve_consumer_claimed", "gauge", "1 if somebody has the name", labels, open)
	}
	for _, lag := range info.Lags {
		labels := label + `,consumer="` + lag.Name + `"`
		m.add("nerve_consumer_lag_bytes", "gauge", "Stored bytes after the pointer", labels,
			float64(lag.Bytes))
		m.add("nerve_consumer_lag_seconds", "gauge", "Age of the record after the pointer", labels,
			lag.Age.Seconds())
	}
}

// commits writes the histogram.
func (m *metricText) commits(label string, h core.Histogram) {
	const name = "nerve_commit_seconds"
	b := m.family(name, "histogram", "How long commits took")
	var sum uint64
	for i, n := range h.Counts {
		sum += n
		bound := "+Inf"
		if i < len(h.Bounds) {
			bound = strconv.FormatFloat(h.Bounds[i], 'g', -1, 64)
		}
		sample(b, name+"_bucket", label+`,le="`+bound+`"`, float64(sum))
	}
	sample(b, name+"_sum", label, h.Sum.Seconds())
	sample(b, name+"_count", label, float64(sum))
}
