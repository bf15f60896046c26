package fallback

import (
	"log/slog"
	"math/rand/v2"
	"time"
)

// Option changes what a Fallback does.
type Option func(*settings)

// Thresholds are the numbers by which a Fallback decides. A zero field has the default.
type Thresholds struct {
	Window      time.Duration // messages are counted over this time: 60 s
	MinMessages int           // nothing is decided before there are so many: 100
	Failed      float64       // more than this share of messages must fail: 0.03
	Slow        float64       // more than this share of messages must be slow: 0.01
	SlowAfter   time.Duration // a message is slow after this time: 5 ms; below 0 every one is
	Hold        time.Duration // JSON is kept so long, ± 10 %, before binary is tried: 60 s
	MaxHold     time.Duration // Hold is doubled up to this when a try fails: 10 min
	ProbeEvery  int           // while trying, one call in so many is binary: 20
	MaxProbes   int           // so many binary calls are under way at a time while trying: 10
	Probes      int           // so many messages of those calls decide: 50
}

// WithThresholds sets the numbers by which the Fallback decides.
func WithThresholds(t Thresholds) Option { return func(s *settings) { s.Thresholds = t } }

// WithReportOnly makes the Fallback tell what it would change, and change nothing.
func WithReportOnly() Option { return func(s *settings) { s.reportOnly = true } }

// WithTransitions has every change told to f, one at a time for each method.
func WithTransitions(f func(Transition)) Option { return func(s *settings) { s.onTransition = f } }

// WithLogger sets where changes are logged; the default is slog.Default.
func WithLogger(l *slog.Logger) Option { return func(s *settings) { s.logger = l } }

// settings are what the options of a Fallback say.
type settings struct {
	Thresholds
	reportOnly   bool
	onTransition func(Transition) // nil for none
	logger       *slog.Logger
	now          func() time.Time // tests have a clock of their own
	jitter       func(time.Duration) time.Duration
}

func newSettings(opts []Option) settings {
	s := settings{logger: slog.Default(), now: time.Now,
		jitter: func(d time.Duration) time.Duration { return d - d/10 + rand.N(d/5+1) }}
	for _, o := range opts {
		o(&s)
	}
	set(&s.Window, 60*time.Second)
	set(&s.MinMessages, 100)
	set(&s.Failed, 0.03)
	set(&s.Slow, 0.01)
	set(&s.SlowAfter, 5*time.Millisecond)
	set(&s.Hold, 60*time.Second)
	set(&s.MaxHold, 10*time.Minute)
	set(&s.ProbeEvery, 20)
	set(&s.MaxProbes, 10)
	set(&s.Probes, 50)
	return s
}

func set[T comparable](p *T, def T) {
	var zero T
	if *p == zero {
		*p = def
	}
}
