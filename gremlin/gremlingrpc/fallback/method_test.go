package fallback

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// clock is a time that tests move.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

// allSlow has every message count as a slow one.
var allSlow = WithThresholds(Thresholds{SlowAfter: -1})

// table returns a method with the defaults, a clock and what is told of it.
func table(opts ...Option) (*method, *clock, *[]string) {
	c := &clock{time.Unix(1_800_000_000, 0)}
	var told []string
	o := newSettings(append(opts, WithLogger(slog.New(slog.DiscardHandler))))
	o.now, o.jitter = c.now, func(d time.Duration) time.Duration { return d }
	o.onTransition = func(t Transition) {
		text := fmt.Sprintf("%v to %v: %s", t.From, t.To, t.Reason)
		if t.ReportOnly {
			text += " (only told)"
		}
		told = append(told, text)
	}
	return &method{o: &o, hold: o.Hold}, c, &told
}

// messages has calls of one message each, of which every nth fails and every nth is slow; 0 is
// none.
func messages(m *method, count, failed, slow int, knows bool) (binary, json int) {
	for i := 1; i <= count; i++ {
		c := m.begin(knows)
		if c.json {
			json++
		} else {
			binary++
		}
		took := time.Microsecond
		if slow > 0 && i%slow == 0 {
			took = 6 * time.Millisecond
		}
		m.count(c, failed > 0 && i%failed == 0, took)
		m.end(c, nil)
	}
	return binary, json
}

func TestWhatTrips(t *testing.T) {
	const away = "binary to json: binary messages fail"
	for name, c := range map[string]struct {
		count, failed, slow int
		knows               bool
		o                   Option
		want                string
	}{
		"all well":              {count: 1000, knows: true},
		"5 % fail and 5 % slow": {count: 1000, failed: 20, slow: 20, knows: true, want: away},
		"failures alone":        {count: 1000, failed: 20, knows: true},
		"slowness alone":        {count: 1000, slow: 20, knows: true},
		"3 % is not more":       {count: 1000, failed: 34, slow: 20, knows: true},
		"1 % is not more":       {count: 1000, failed: 20, slow: 101, knows: true},
		"too few":               {count: 99, failed: 2, slow: 2, knows: true},
		"enough":                {count: 100, failed: 2, slow: 2, knows: true, want: away},
		"not announced":         {count: 1000, failed: 2, slow: 2},
		"only told": {count: 199, failed: 2, slow: 2, knows: true,
			o: WithReportOnly(), want: away + " (only told)"},
		"slow does not matter": {count: 1000, failed: 20, knows: true, o: allSlow,
			want: away},
		"other bounds": {count: 1000, failed: 20, slow: 20, knows: true,
			o: WithThresholds(Thresholds{Failed: 0.06})},
	} {
		var opts []Option
		if c.o != nil {
			opts = append(opts, c.o)
		}
		m, _, told := table(opts...)
		_, json := messages(m, c.count, c.failed, c.slow, c.knows)
		if got := strings.Join(*told, "; "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if moved := c.want == away; moved != (m.mode == JSON) ||
			(json > 0) != (moved && c.count > 100) {
			t.Errorf("%s: mode %v, %d calls in JSON", name, m.mode, json)
		}
	}
}

// TestWindowSlides: what is more than a minute old does not count.
func TestWindowSlides(t *testing.T) {
	m, c, told := table()
	messages(m, 99, 2, 2, true)
	c.t = c.t.Add(61 * time.Second)
	messages(m, 99, 2, 2, true)
	if len(*told) != 0 {
		t.Error(*told)
	}
	c.t = c.t.Add(30 * time.Second)
	messages(m, 1, 1, 1, true)
	if len(*told) != 1 {
		t.Errorf("%q after 100 messages in 31 seconds", *told)
	}
}

func TestBackToBinary(t *testing.T) {
	m, c, told := table()
	messages(m, 100, 2, 2, true)
	if binary, json := messages(m, 500, 0, 0, true); binary != 0 || json != 500 {
		t.Errorf("%d and %d calls while JSON is kept", binary, json)
	}
	c.t = c.t.Add(60 * time.Second)
	if binary, json := messages(m, 999, 0, 0, true); binary != 49 || json != 950 {
		t.Errorf("%d and %d calls while probing", binary, json)
	}
	messages(m, 21, 0, 0, true)
	want :=
		"binary to json: binary messages fail; json to probing: binary is tried again; probing to binary: binary messages are right again"
	if got := strings.Join(*told, "; "); got != want || m.mode != Binary {
		t.Errorf("%q, mode %v", got, m.mode)
	}
}

// TestProbesAreFew: no more than ten binary calls are under way at a time.
func TestProbesAreFew(t *testing.T) {
	m, c, _ := table()
	messages(m, 100, 2, 2, true)
	c.t = c.t.Add(60 * time.Second)
	probes := 0
	for range 1000 {
		if !m.begin(true).json { // none of them ends
			probes++
		}
	}
	if probes != 10 {
		t.Errorf("%d probes", probes)
	}
}

// TestFlappingIsBounded: a server that goes on failing is tried less and less often.
func TestFlappingIsBounded(t *testing.T) {
	for name, probesFail := range map[string]bool{"probes fail": true, "probes succeed": false} {
		m, c, told := table(allSlow)
		const hours = 6
		binary := 0
		for range hours * 3600 {
			// Binary fails every other time, JSON never; 30 calls a second.
			for range 30 {
				call := m.begin(true)
				if !call.json {
					binary++
				}
				m.count(call, !call.json && binary%2 == 0 &&
					(probesFail || !call.probe), time.Microsecond)
				m.end(call, nil)
			}
			c.t = c.t.Add(time.Second)
		}
		if n := len(*told); n < 10 || n > 3*(hours*6+6) {
			t.Errorf("%s: %d transitions in %d hours", name, n, hours)
		}
		if m.hold != 10*time.Minute {
			t.Errorf("%s: hold %v", name, m.hold)
		}
	}
}

// TestHoldStartsAgain: what trips a long time after it was over is taken for something new.
func TestHoldStartsAgain(t *testing.T) {
	m, c, _ := table()
	for range 2 {
		messages(m, 100, 2, 2, true)
		if m.mode != JSON || m.hold != time.Minute {
			t.Fatalf("mode %v, hold %v", m.mode, m.hold)
		}
		c.t = c.t.Add(time.Minute)
		messages(m, 1001, 0, 0, true)
		if m.mode != Binary {
			t.Fatalf("mode %v", m.mode)
		}
		c.t = c.t.Add(time.Hour)
	}
}

func TestJSONIsWorse(t *testing.T) {
	m, _, told := table(allSlow)
	messages(m, 100, 20, 0, true)
	messages(m, 200, 2, 0, true)
	if m.mode != Binary || !strings.HasSuffix((*told)[1], "JSON does worse than binary did") {
		t.Errorf("mode %v, %q", m.mode, *told)
	}
	if messages(m, 1000, 2, 0, true); m.mode != Binary {
		t.Error("JSON came back")
	}
}

func TestAnnouncementWithdrawn(t *testing.T) {
	m, _, told := table()
	messages(m, 100, 2, 2, true)
	if c := m.begin(false); c.json || m.mode != Binary {
		t.Errorf("JSON to a target that does not know it: %q", *told)
	}
}
