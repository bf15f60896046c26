package web

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/serve/core"
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
