package web

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// TestHistory takes samples at times of its own: no clock is asked.
func TestHistory(t *testing.T) {
	s := newSampler(nil)
	if text, _ := json.Marshal(s.history("orders", 60)); strings.Contains(string(text), "null") {
		t.Errorf("a queue without samples: %s", text)
	}
	q := &series{fine: ring[sample]{size: fineSize}, coarse: ring[sample]{size: coarseSize},
		lags: map[string]*lagSeries{}}
	s.queues["orders"] = q
	for i := range 700 {
		var info core.Info
		info.Log.AppendedRecords = uint64(100 * i)
		info.Commits = core.Histogram{Bounds: []float64{0.001, 0.01},
			Counts: []uint64{uint64(99 * i), uint64(i), 0}}
		lag := uint64(10_000 - 10*i)
		info.Consumers = []nerve.ConsumerStats{{Name: "billing",
			Pointer: nerve.ID(110 * i), Lag: lag}}
		s.add(q, time.Unix(int64(1000+i), 0), info)
	}
	h := s.history("orders", 60)
	if len(h.Times) != 60 || h.Times[59] != 1699 || h.Records[0] != 100 ||
		len(h.Lags["billing"]) != 60 ||
		h.Lags["billing"][59] != 10_000-6990 || h.P50[1] != 0.001 || h.P99[1] != 0.001 {
		t.Errorf("the last minute: %+v", h)
	}
	if rate, trend := s.pace("orders", "billing"); rate != 110 || trend != -10 {
		t.Errorf("pace %v, trend %v", rate, trend)
	}
	if h := s.history("orders", fineSize); len(h.Times) != fineSize-1 || h.Times[0] != 1101 {
		t.Errorf("ten minutes have %d samples from %d", len(h.Times), h.Times[0])
	}
	if h := s.history("orders", 3600); len(h.Times) != 11 || h.Times[1]-h.Times[0] != coarseEvery ||
		h.Records[3] != 100 {
		t.Errorf("an hour: %+v", h)
	}
	if rate, trend := s.pace("orders", "nobody"); rate != 0 || trend != 0 {
		t.Errorf("a consumer that is not there: %v, %v", rate, trend)
	}
}

// TestHistoryBesideAWriter samples queues that another process writes: rates are those
// of the queue, and what only its writer knows is said to be unknown.
func TestHistoryBesideAWriter(t *testing.T) {
	dir := t.TempDir()
	writer, err := seglog.Open(filepath.Join(dir, "orders"), seglog.Options{NoSpare: true})
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	grow := func(n int) {
		var b nerve.Batch
		for range n {
			b.Append([]byte("x"))
		}
		if _, err := writer.Append(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	grow(5)
	root, err := core.Open(dir, core.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close(t.Context())
	s := newSampler(root)
	for i, n := range []int{7, 30, 0, 12} {
		s.take(t.Context(), time.Unix(int64(1000+i), 0))
		if n > 0 {
			grow(n)
		}
	}
	s.take(t.Context(), time.Unix(1004, 0))
	h := s.history("orders", 60)
	if !slices.Equal(h.Records, []float64{7, 30, 0, 12}) || !h.Follows ||
		len(h.Bytes)+len(h.Commits)+len(h.Syncs)+len(h.P50)+len(h.P99) > 0 {
		t.Errorf("%+v", h)
	}
	p, err := core.NewPrincipal("test", core.Grant{Queues: "*", Roles: core.Read})
	if err != nil {
		t.Fatal(err)
	}
	a, err := root.Access(p, "orders")
	if err != nil {
		t.Fatal(err)
	}
	if _, last := a.Bounds(); last != 54 { // without a read
		t.Errorf("the last record is %d", last)
	}
}
