package agg

import (
	"math"
	"math/bits"
	"slices"
)

// distinct counts different values by their hashes: exactly while they are few, then by HyperLogLog
// with 4,096 registers, whose standard error is 1.6 %.
type distinct struct {
	few       []uint64 // hashes, in order
	registers []uint8
}

const (
	registerBits = 12
	maxFew       = 256
)

func (d *distinct) add(h uint64) {
	if d.registers == nil {
		i, found := slices.BinarySearch(d.few, h)
		if found {
			return
		}
		if len(d.few) < maxFew {
			d.few = slices.Insert(d.few, i, h)
			return
		}
		d.spread()
	}
	r := h >> (64 - registerBits)
	rank := uint8(bits.LeadingZeros64(h<<registerBits|1<<(registerBits-1))) + 1
	d.registers[r] = max(d.registers[r], rank)
}

func (d *distinct) spread() {
	few := d.few
	d.few, d.registers = nil, make([]uint8, 1<<registerBits)
	for _, h := range few {
		d.add(h)
	}
}

func (d *distinct) merge(o *distinct) {
	for _, h := range o.few {
		d.add(h)
	}
	if o.registers == nil {
		return
	}
	if d.registers == nil {
		d.spread()
	}
	for i, r := range o.registers {
		d.registers[i] = max(d.registers[i], r)
	}
}

func (d *distinct) bytes() int64 { return int64(cap(d.few)*8 + cap(d.registers)) }

func (d *distinct) estimate() int64 {
	if d.registers == nil {
		return int64(len(d.few))
	}
	const m = 1 << registerBits
	sum, zeros := 0.0, 0
	for _, r := range d.registers {
		sum += math.Ldexp(1, -int(r))
		if r == 0 {
			zeros++
		}
	}
	estimate := 0.7213 / (1 + 1.079/m) * m * m / sum
	if estimate <= 2.5*m && zeros > 0 {
		estimate = m * math.Log(m/float64(zeros))
	}
	return int64(math.Round(estimate))
}

// hashText is FNV-1a, mixed: the same in every run, as estimates are part of results.
func hashText(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mix(h)
}

// quantiles is a DDSketch: counts of values by logarithmic bins, so that a quantile is off by 1 %
// of its value at most. Of more bins than maxBins the smallest values' become one.
type quantiles struct {
	positive, negative bins
	zeros, n           uint64
}

type bins struct {
	counts []uint64
	first  int // index of counts[0]
}

const (
	accuracy = 0.01
	maxBins  = 1024
)

var (
	gamma    = (1 + accuracy) / (1 - accuracy)
	logGamma = math.Log(gamma)
)

func (b *bins) add(index int, n uint64) {
	if len(b.counts) == 0 {
		b.counts, b.first = make([]uint64, 1, 8), index
	}
	if last := b.first + len(b.counts) - 1; index > last {
		b.counts = append(b.counts, make([]uint64, index-last)...)
		b.collapse()
	}
	if index < b.first {
		room := maxBins - len(b.counts)
		grow := min(b.first-index, room)
		b.counts = slices.Insert(b.counts, 0, make([]uint64, grow)...)
		b.first -= grow
	}
	b.counts[max(index-b.first, 0)] += n
}

// collapse joins the lowest bins when there are too many.
func (b *bins) collapse() {
	over := len(b.counts) - maxBins
	if over <= 0 {
		return
	}
	sum := uint64(0)
	for _, c := range b.counts[:over+1] {
		sum += c
	}
	b.counts = slices.Delete(b.counts, 0, over)
	b.counts[0] = sum
	b.first += over
}

func (b *bins) merge(o *bins) {
	for i, n := range o.counts {
		if n > 0 {
			b.add(o.first+i, n)
		}
	}
}

const tiny = 1e-300 // below, values count as zero

func (q *quantiles) add(x float64) {
	if x != x {
		return
	}
	q.n++
	switch size := math.Min(math.Abs(x), math.MaxFloat64); {
	case size < tiny:
		q.zeros++
	case x > 0:
		q.positive.add(binOf(size), 1)
	default:
		q.negative.add(binOf(size), 1)
	}
}

func binOf(x float64) int { return int(math.Ceil(math.Log(x) / logGamma)) }

func valueOf(index int) float64 {
	return 2 * math.Exp(float64(index)*logGamma) / (gamma + 1)
}

func (q *quantiles) merge(o *quantiles) {
	q.positive.merge(&o.positive)
	q.negative.merge(&o.negative)
	q.zeros += o.zeros
	q.n += o.n
}

func (q *quantiles) bytes() int64 {
	return int64(cap(q.positive.counts)+cap(q.negative.counts)) * 8
}

// at returns the value below which the part p, from 0 to 1, of the values is.
func (q *quantiles) at(p float64) (float64, bool) {
	if q.n == 0 {
		return 0, false
	}
	rank := uint64(p * float64(q.n-1))
	for i := len(q.negative.counts) - 1; i >= 0; i-- {
		if c := q.negative.counts[i]; rank < c {
			return -valueOf(q.negative.first + i), true
		} else {
			rank -= c
		}
	}
	if rank < q.zeros {
		return 0, true
	}
	rank -= q.zeros
	for i, c := range q.positive.counts {
		if rank < c {
			return valueOf(q.positive.first + i), true
		}
		rank -= c
	}
	return 0, true
}
