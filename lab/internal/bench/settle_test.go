package bench

import (
	"math"
	"testing"

	"github.com/octopus-framework/octopus/lab/worker"
)

// TestSettle slows most rounds down for some and others for others, as a machine does whose pace changes in the middle of a
// round, and finds what the implementations take at one pace.
func TestSettle(t *testing.T) {
	takes := []float64{100, 30, 70, 10, 55}
	pace := []float64{1, 1, 2, 2, 2, 1.1, 2, 1, 1}
	field := make([]*entrant, len(takes))
	for i := range field {
		field[i] = &entrant{}
		for round, p := range pace {
			if round == 6 && i >= 2 {
				p = 1 // the machine recovers in the middle of this round
			}
			if round == 2 && i == 1 {
				p *= 3 // something of its own
			}
			field[i].answers = append(field[i].answers, worker.Answer{Ns: takes[i] * p})
		}
	}
	settle(field, len(pace))
	for i, e := range field {
		got := median(times(e.answers)) / median(times(field[0].answers))
		if want := takes[i] / takes[0]; math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%d takes %.3f of the first one's time, not %.3f", i, got, want)
		}
	}
	if own := field[1].answers[2].Ns / median(times(field[1].answers)); own < 2.9 {
		t.Errorf("what slowed one down alone came out as %.2f of its median: it must stay", own)
	}
}

// TestSettleFew leaves alone what cannot be told apart.
func TestSettleFew(t *testing.T) {
	field := []*entrant{{answers: []worker.Answer{{Ns: 1}, {Ns: 2}}}, {answers: []worker.Answer{{Ns: 3}, {Ns: 3}}}}
	settle(field, 2)
	if a := field[0].answers; a[0].Ns != 1 || a[1].Ns != 2 {
		t.Errorf("changed: %v", a)
	}
}
