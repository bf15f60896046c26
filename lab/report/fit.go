package report

import (
	"errors"
	"math"
)

// Fit is the line ns = Const + Depth*depth + Fields*fields + KiB*kib through the points of one sweep.
//
// It is a least-squares fit of relative errors: each point weighs 1/ns², so that missing a point of 50 ns by 10 % costs as
// much as missing one of a millisecond by 10 %. Unweighted, the largest blob alone would decide all four coefficients.
type Fit struct {
	Impl   string  `json:"impl"`
	Op     string  `json:"op"`
	Const  float64 `json:"const"`  // ns
	Depth  float64 `json:"depth"`  // ns for each level
	Fields float64 `json:"fields"` // ns for each field
	KiB    float64 `json:"kib"`    // ns for each KiB

	// Unknown names the terms that the points say nothing about, because they never vary on their own. Those are 0.
	Unknown []string `json:"unknown,omitempty"`
	// R2 is 1 where the line meets every point and 0 where it is no better than one number for all, both by the weights.
	R2 float64 `json:"r2"`
	// Worst is the largest relative distance of a point from the line: 0.1 is 10 % of the point.
	Worst  float64 `json:"worst"`
	Points int     `json:"points"`
}

var errNoPoints = errors.New("a fit needs at least one point, and times above 0")

// FitSweep fits the line. It fails when there are no points or one has a time that is not positive.
func FitSweep(s Sweep) (Fit, error) {
	fit := Fit{Impl: s.Impl, Op: s.Op, Points: len(s.Points)}
	if len(s.Points) == 0 {
		return fit, errNoPoints
	}
	// Each row is divided by its ns, which is what the weight 1/ns² amounts to; what it should give is then 1.
	var columns [4][]float64
	want := make([]float64, len(s.Points))
	for i, p := range s.Points {
		if !(p.Ns > 0) || math.IsInf(p.Ns, 1) {
			return fit, errNoPoints
		}
		want[i] = 1
		for j, x := range [4]float64{1, float64(p.Depth), float64(p.Fields), float64(p.KiB)} {
			columns[j] = append(columns[j], x/p.Ns)
		}
	}
	coef, known := leastSquares(columns[:], want)
	fit.Const, fit.Depth, fit.Fields, fit.KiB = coef[0], coef[1], coef[2], coef[3]
	for j, name := range [4]string{"const", "depth", "fields", "kib"} {
		if !known[j] {
			fit.Unknown = append(fit.Unknown, name)
		}
	}

	// The mean that a line is compared with has the same weights.
	var sumW, sumWY float64
	for _, p := range s.Points {
		sumW += 1 / (p.Ns * p.Ns)
		sumWY += 1 / p.Ns
	}
	mean := sumWY / sumW
	var missed, spread float64
	for _, p := range s.Points {
		off := (fit.At(p) - p.Ns) / p.Ns
		fit.Worst = max(fit.Worst, math.Abs(off))
		missed += off * off
		spread += (mean/p.Ns - 1) * (mean/p.Ns - 1)
	}
	if fit.R2 = 1; spread > 0 {
		fit.R2 = 1 - missed/spread
	}
	return fit, nil
}

// At is the ns that the line gives for the shape of p.
func (f Fit) At(p Point) float64 {
	return f.Const + f.Depth*float64(p.Depth) + f.Fields*float64(p.Fields) + f.KiB*float64(p.KiB)
}

// leastSquares finds the x that brings the sum of columns[j]*x[j] closest to want, by Gram-Schmidt. A column that the ones
// before it already span is left out: its x is 0 and known is false. It overwrites columns and want.
func leastSquares(columns [][]float64, want []float64) (x []float64, known []bool) {
	n := len(columns)
	x, known = make([]float64, n), make([]bool, n)
	above := make([][]float64, n) // above[j][k] is how much of direction k column j had
	along := make([]float64, n)   // how much of direction j is in want
	for j, col := range columns {
		above[j] = make([]float64, n)
		whole := math.Sqrt(dot(col, col))
		// Twice: what rounding leaves of an earlier direction the first time, the second removes.
		for range 2 {
			for k := range j {
				if known[k] {
					part := dot(columns[k], col)
					above[j][k] += part
					subtract(col, columns[k], part)
				}
			}
		}
		norm := math.Sqrt(dot(col, col))
		if norm <= whole*1e-9 {
			continue
		}
		known[j] = true
		above[j][j] = norm
		for i := range col {
			col[i] /= norm
		}
		along[j] = dot(col, want)
		subtract(want, col, along[j])
	}
	for j := n - 1; j >= 0; j-- {
		if !known[j] {
			continue
		}
		x[j] = along[j]
		for later := j + 1; later < n; later++ {
			x[j] -= above[later][j] * x[later]
		}
		x[j] /= above[j][j]
	}
	return x, known
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func subtract(a, b []float64, times float64) {
	for i := range a {
		a[i] -= b[i] * times
	}
}
