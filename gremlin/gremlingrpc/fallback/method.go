package fallback

import (
	"sync"
	"time"
)

// Mode is how calls of a method are sent.
type Mode uint8

const (
	// Binary is protobuf, the normal way.
	Binary Mode = iota
	// JSON is the way around.
	JSON
	// Probing is JSON with a few binary calls.
	Probing
)

// String returns "binary", "json" or "probing".
func (m Mode) String() string { return [...]string{"binary", "json", "probing"}[m] }

// slices is how many parts a window has.
const slices = 12

// window counts the messages of the last while, in slices of time.
type window struct {
	counts [slices]Counts
	last   int64 // number of the newest slice
}

// add counts a message at a time and returns the sums of the window.
func (w *window) add(slice int64, failed, slow bool) (sum Counts) {
	if slice-w.last >= slices || slice < w.last {
		w.counts = [slices]Counts{}
		w.last = slice
	}
	for w.last < slice {
		w.last++
		w.counts[w.last%slices] = Counts{}
	}
	c := &w.counts[slice%slices]
	c.Total++
	c.Failed += one(failed)
	c.Slow += one(slow)
	for _, c := range w.counts {
		sum.Total += c.Total
		sum.Failed += c.Failed
		sum.Slow += c.Slow
	}
	return sum
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// share returns n of total.
func share(n, total int) float64 { return float64(n) / float64(max(total, 1)) }

// method is the state of one method of one target.
type method struct {
	o            *settings
	target, name string

	mu       sync.Mutex
	mode     Mode
	gaveUp   bool // JSON did worse: binary for good
	known    bool // the target has announced JSON, as of the last call
	counted  window
	led      Counts // what led to JSON
	until    time.Time
	hold     time.Duration
	back     time.Time // when binary was right again last
	calls    int       // while probing
	inFlight int       // probes
	probed   Counts

	transitions int
}

// begin decides how a call is sent.
func (m *method) begin(knowsJSON bool) *call {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = knowsJSON
	if m.mode != Binary && !knowsJSON {
		m.change(Binary, "the target does not announce JSON any more", Counts{})
	}
	if m.mode == JSON && !m.o.now().Before(m.until) {
		m.calls, m.probed = 0, Counts{}
		m.change(Probing, "binary is tried again", m.led)
	}
	c := &call{of: m, json: m.mode != Binary}
	if m.mode == Probing {
		m.calls++
		if m.calls%m.o.ProbeEvery == 0 && m.inFlight < m.o.MaxProbes {
			m.inFlight++
			c.json, c.probe = false, true
		}
	}
	return c
}

// end notes that a call is over, and whether its server could not decode the request.
func (m *method) end(c *call, err error) {
	if err != nil && !c.failed.Load() && undecoded(err) {
		m.count(c, true, 0)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.probe {
		m.inFlight--
	}
}

// count notes a message and decides.
func (m *method) count(c *call, failed bool, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	slow := took > m.o.SlowAfter || m.o.SlowAfter < 0
	switch {
	case c.probe && m.mode == Probing:
		m.probed.Total++
		m.probed.Failed += one(failed)
		m.probed.Slow += one(slow)
		m.afterProbes()
	case c.probe || c.json != (m.mode != Binary):
		// A call from before the last change says nothing about how it is now.
	default:
		m.decide(m.counted.add(m.o.now().UnixNano()/int64(m.o.Window/slices), failed, slow))
	}
}

// decide looks at the window of the present mode.
func (m *method) decide(sum Counts) {
	switch {
	case sum.Total < m.o.MinMessages:
	case m.mode != Binary:
		if share(sum.Failed, sum.Total) > share(m.led.Failed, m.led.Total) {
			m.leave("JSON does worse than binary did", sum)
		}
	case m.gaveUp || share(sum.Failed, sum.Total) <= m.o.Failed ||
		share(sum.Slow, sum.Total) <= m.o.Slow:
	case m.o.reportOnly:
		m.counted = window{}
		m.tell(Transition{From: Binary, To: JSON, Reason: "binary messages fail", Counted: sum,
			ReportOnly: true})
	case m.known:
		now := m.o.now()
		if m.back.IsZero() || now.Sub(m.back) > m.o.MaxHold {
			m.hold = m.o.Hold
		} else {
			m.hold = min(2*m.hold, m.o.MaxHold) // it was not right for long
		}
		m.led, m.until = sum, now.Add(m.o.jitter(m.hold))
		m.change(JSON, "binary messages fail", sum)
	}
}

// afterProbes goes back to binary, or stays with JSON for twice the time. Going back takes half of
// what led away, so that it does not go to and fro.
func (m *method) afterProbes() {
	p := m.probed
	if p.Total < m.o.Probes {
		return
	}
	if share(p.Failed, p.Total) < m.o.Failed/2 &&
		(m.o.SlowAfter < 0 || share(p.Slow, p.Total) < m.o.Slow/2) {
		m.back = m.o.now()
		m.change(Binary, "binary messages are right again", p)
		return
	}
	m.hold = min(2*m.hold, m.o.MaxHold)
	m.until = m.o.now().Add(m.o.jitter(m.hold))
	m.change(JSON, "binary messages still fail", p)
}

// giveUp leaves JSON for good.
func (m *method) giveUp(reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mode != Binary {
		m.leave(reason, Counts{})
	}
}

func (m *method) leave(reason string, sum Counts) {
	m.gaveUp = true
	m.change(Binary, reason, sum)
}

// change changes the mode and tells.
func (m *method) change(to Mode, reason string, sum Counts) {
	from := m.mode
	m.mode = to
	if from == Binary || to == Binary {
		m.counted = window{}
	}
	m.tell(Transition{From: from, To: to, Reason: reason, Counted: sum})
}

func (m *method) tell(t Transition) {
	t.Target, t.Method = m.target, m.name
	m.transitions++
	m.o.logger.Warn("gRPC encoding changes", "method", t.Method, "target", t.Target, "from",
		t.From.String(), "to", t.To.String(),
		"reason", t.Reason, "messages", t.Counted.Total, "failed", t.Counted.Failed, "slow",
		t.Counted.Slow, "report_only", t.ReportOnly)
	if m.o.onTransition != nil {
		m.o.onTransition(t)
	}
}
