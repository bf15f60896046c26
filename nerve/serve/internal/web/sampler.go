package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// Samples are taken once for all who look: every second for ten minutes back, and
// every minute for a day.
const (
	sampleEvery = time.Second
	fineSize    = 600
	coarseEvery = 60 // of the fine samples
	coarseSize  = 1440
	maxSampled  = 256  // queues; further ones have no history
	maxSeries   = 1024 // consumers in all queues
	paceSamples = 30   // over which rates are taken
)

// sample is what a queue did up to a moment. Counters only grow.
type sample struct {
	at                    int64 // seconds of Unix time
	records, bytes, reads uint64
	commits, syncs        uint64
	p50, p99              float32 // times of commits since the sample before, in seconds
}

// ring keeps the newest values.
type ring[T any] struct {
	values []T
	next   int // where the next one goes, once it is full
	size   int
}

func (r *ring[T]) add(v T) {
	if len(r.values) < r.size {
		r.values = append(r.values, v)
		return
	}
	r.values[r.next] = v
	r.next = (r.next + 1) % r.size
}

// list returns the newest n values, the oldest first.
func (r *ring[T]) list(n int) []T {
	all := append(append([]T(nil), r.values[r.next:]...), r.values[:r.next]...)
	return all[max(0, len(all)-n):]
}

// series is the history of one queue.
type series struct {
	fine, coarse ring[sample]
	lags         map[string]*lagSeries
	histogram    []uint64 // histogram of the commits, at the last sample
	count        int
}

type lagSeries struct {
	fine, coarse ring[lagSample]
}

type lagSample struct {
	at      int64
	lag     uint64
	pointer uint64
}

// sampler asks all queues, once a second, whoever looks.
type sampler struct {
	root   *core.Queues
	mu     sync.Mutex
	queues map[string]*series
	lags   int // series of consumers
}

func newSampler(root *core.Queues) *sampler {
	return &sampler{root: root, queues: map[string]*series{}}
}

// run takes samples until ctx ends.
func (s *sampler) run(ctx context.Context) {
	ticker := time.NewTicker(sampleEvery)
	defer ticker.Stop()
	for {
		s.take(ctx, time.Now())
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// take takes one sample of each queue.
func (s *sampler) take(ctx context.Context, now time.Time) {
	s.root.Each(ctx, func(name string, info core.Info) {
		s.mu.Lock()
		defer s.mu.Unlock()
		q := s.queues[name]
		if q == nil {
			if len(s.queues) >= maxSampled {
				return
			}
			q = &series{fine: ring[sample]{size: fineSize}, coarse: ring[sample]{size: coarseSize},
				lags: map[string]*lagSeries{}}
			s.queues[name] = q
		}
		s.add(q, now, info)
	})
}

func (s *sampler) add(q *series, now time.Time, info core.Info) {
	v := sample{at: now.Unix(), records: info.Log.AppendedRecords, bytes: info.Log.AppendedBytes,
		reads: info.Log.ReadRecords, commits: info.Log.Appends, syncs: info.Log.Syncs}
	since := make([]uint64, len(info.Commits.Counts))
	for i, n := range info.Commits.Counts {
		since[i] = n
		if i < len(q.histogram) {
			since[i] -= q.histogram[i]
		}
	}
	q.histogram = info.Commits.Counts
	v.p50 = quantile(info.Commits.Bounds, since, 0.5)
	v.p99 = quantile(info.Commits.Bounds, since, 0.99)
	q.fine.add(v)
	coarse := q.count%coarseEvery == 0
	if coarse {
		q.coarse.add(v)
	}
	q.count++
	for _, c := range info.Consumers {
		l := q.lags[c.Name]
		if l == nil {
			if s.lags >= maxSeries {
				continue
			}
			s.lags++
			l = &lagSeries{fine: ring[lagSample]{size: fineSize},
				coarse: ring[lagSample]{size: coarseSize}}
			q.lags[c.Name] = l
		}
		at := lagSample{v.at, c.Lag, uint64(c.Pointer)}
		l.fine.add(at)
		if coarse {
			l.coarse.add(at)
		}
	}
}

// quantile returns the upper bound of the bucket that has it, in seconds.
func quantile(bounds []float64, counts []uint64, q float64) float32 {
	var total, sum uint64
	for _, n := range counts {
		total += n
	}
	if total == 0 {
		return 0
	}
	for i, n := range counts {
		if sum += n; float64(sum) >= q*float64(total) {
			return float32(bounds[min(i, len(bounds)-1)])
		}
	}
	return 0
}

// history is a queue over time. Each list has an element for each time.
type history struct {
	Times   []int64             `json:"times"`   // seconds of Unix time
	Records []float64           `json:"records"` // appended a second
	Bytes   []float64           `json:"bytes"`
	Reads   []float64           `json:"reads"` // records read a second, by all
	Commits []float64           `json:"commits"`
	Syncs   []float64           `json:"syncs"`
	P50     []float32           `json:"p50"` // times of commits, in seconds
	P99     []float32           `json:"p99"`
	Lags    map[string][]uint64 `json:"lags"` // lags of consumers, in records
	// Follows says that another process appends. Bytes, commits, syncs and latencies
	// are known there alone: these lists are empty.
	Follows bool `json:"follows,omitempty"`
}

// history returns the samples of about the last seconds.
func (s *sampler) history(queue string, seconds int) history {
	s.mu.Lock()
	defer s.mu.Unlock()
	// In JSON an empty list is not null.
	none := []float64{}
	h := history{Times: []int64{}, Records: none, Bytes: none, Reads: none, Commits: none,
		Syncs: none, P50: []float32{}, P99: []float32{}, Lags: map[string][]uint64{},
		Follows: s.root != nil && s.root.Options().ReadOnly}
	q := s.queues[queue]
	if q == nil {
		return h
	}
	fine := seconds <= fineSize
	n := seconds + 1
	samples := &q.fine
	if !fine {
		samples, n = &q.coarse, seconds/coarseEvery+1
	}
	list := samples.list(n)
	for i := 1; i < len(list); i++ {
		from, to := list[i-1], list[i]
		took := float64(max(1, to.at-from.at))
		rate := func(a, b uint64) float64 { return float64(b-a) / took }
		h.Times = append(h.Times, to.at)
		h.Records = append(h.Records, rate(from.records, to.records))
		h.Reads = append(h.Reads, rate(from.reads, to.reads))
		if h.Follows {
			continue
		}
		h.Bytes = append(h.Bytes, rate(from.bytes, to.bytes))
		h.Commits = append(h.Commits, rate(from.commits, to.commits))
		h.Syncs = append(h.Syncs, rate(from.syncs, to.syncs))
		h.P50, h.P99 = append(h.P50, to.p50), append(h.P99, to.p99)
	}
	for name, l := range q.lags {
		lags := &l.fine
		if !fine {
			lags = &l.coarse
		}
		// A consumer that came later was not behind before.
		values := make([]uint64, len(h.Times))
		list := lags.list(len(values))
		for i, v := range list {
			values[len(values)-len(list)+i] = v.lag
		}
		h.Lags[name] = values
	}
	return h
}

// pace returns how many records a second a consumer acknowledges, and by how many
// its lag grows, over the last half minute.
func (s *sampler) pace(queue, consumer string) (rate, trend float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.queues[queue]
	if q == nil || q.lags[consumer] == nil {
		return 0, 0
	}
	list := q.lags[consumer].fine.list(paceSamples)
	from, to := list[0], list[len(list)-1]
	took := float64(to.at - from.at)
	if took <= 0 {
		return 0, 0
	}
	return float64(int64(to.pointer-from.pointer)) / took, float64(int64(to.lag-from.lag)) / took
}

// span is the time that a request wants to look back, in seconds.
func span(r *http.Request) int {
	switch r.FormValue("span") {
	case "1h":
		return 3600
	case "24h":
		return 24 * 3600
	}
	return fineSize
}

// throughput answers with the history of a queue.
func (a *App) throughput(w http.ResponseWriter, r *http.Request, q *core.Access) error {
	if err := q.Need(core.Read | core.Consume | core.Admin); err != nil {
		return err
	}
	return respond(w, a.sampler.history(q.Name(), span(r)))
}
