package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// line makes the points of three sweeps along the axes, as the lab does, of a known line.
func line(a, b, c, d float64, noise func() float64) Sweep {
	s := Sweep{Impl: "x", Op: "read all"}
	add := func(depth, fields, kib int) {
		s.Points = append(s.Points, Point{depth, fields, kib, (a + b*float64(depth) + c*float64(fields) + d*float64(kib)) * (1 + noise())})
	}
	for depth := 1; depth <= 20; depth++ {
		add(depth, 4, 0)
	}
	for fields := 1; fields <= 256; fields *= 2 {
		add(1, fields, 0)
	}
	for kib := 1; kib <= 4096; kib *= 4 {
		add(1, 4, kib)
	}
	return s
}

func TestFitRecoversKnownCoefficients(t *testing.T) {
	exact := func() float64 { return 0 }
	for _, c := range [][4]float64{{5, 7, 2, 30}, {100, 0, 1, 0}, {0, 1, 1, 1}, {40, 500, 0.5, 0.001}} {
		fit, err := FitSweep(line(c[0], c[1], c[2], c[3], exact))
		if err != nil {
			t.Fatal(err)
		}
		for j, got := range [4]float64{fit.Const, fit.Depth, fit.Fields, fit.KiB} {
			if math.Abs(got-c[j]) > 1e-6 {
				t.Errorf("line %v: term %d is %v", c, j, got)
			}
		}
		if fit.R2 < 1-1e-9 || fit.Worst > 1e-6 || fit.Unknown != nil {
			t.Errorf("line %v: %+v", c, fit)
		}
	}
}

// The small points have to survive beside blobs that take ten thousand times as long, also when these are off by 5 %.
func TestFitIsNotDrownedByBigPoints(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	fit, err := FitSweep(line(20, 7, 2, 30, func() float64 { return (random.Float64() - 0.5) / 10 }))
	if err != nil {
		t.Fatal(err)
	}
	for _, term := range []struct{ got, want float64 }{{fit.Const, 20}, {fit.Depth, 7}, {fit.Fields, 2}, {fit.KiB, 30}} {
		if math.Abs(term.got-term.want) > term.want*0.1 {
			t.Errorf("%v, want about %v: %+v", term.got, term.want, fit)
		}
	}
	if fit.R2 < 0.98 || fit.R2 > 1 || fit.Worst < 0.01 || fit.Worst > 0.1 {
		t.Errorf("R² %v, worst %v", fit.R2, fit.Worst)
	}
}

func TestFitSaysWhatItCannotKnow(t *testing.T) {
	s := Sweep{Points: []Point{{1, 4, 0, 10}, {2, 4, 0, 12}, {3, 4, 0, 14}}}
	fit, err := FitSweep(s)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(fit.Unknown, []string{"fields", "kib"}) || math.Abs(fit.Const-8) > 1e-9 || math.Abs(fit.Depth-2) > 1e-9 {
		t.Errorf("%+v", fit)
	}
	for _, bad := range []Sweep{{}, {Points: []Point{{1, 1, 1, 0}}}, {Points: []Point{{1, 1, 1, math.NaN()}}}} {
		if _, err := FitSweep(bad); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}
