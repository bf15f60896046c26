package report

import (
	"cmp"
	"slices"
)

// Tolerance is how much faster than our best form a peer has to be before it counts as a loss: 1.1 is 10 %.
const Tolerance = 1.10

// setting is everything that has to be equal for two measurements to be compared.
type setting struct {
	group, workload, op string
	goroutines, ballast int
}

func (m Measurement) setting() setting {
	return setting{m.Group, m.Workload, m.Op, m.Goroutines, m.BallastMiB}
}

// plain tells whether this is the usual setting: one goroutine, an empty heap.
func (m Measurement) plain() bool { return m.Goroutines <= 1 && m.BallastMiB == 0 }

// Loss is a workload and operation where a peer is faster than our best form by more than Tolerance.
type Loss struct {
	Best Measurement   `json:"best"` // ours
	By   []Measurement `json:"by"`   // the peers that are faster, fastest first
	Also []Measurement `json:"also"` // our best form in other settings of the same operation that are lost too
}

// Settings is in how many settings the operation is lost.
func (l Loss) Settings() int { return 1 + len(l.Also) }

// Overlaps tells whether the slowest round of a peer was no faster than the fastest round of our best form, so that the
// loss may be noise.
func (l Loss) Overlaps(peer Measurement) bool { return peer.NsMax >= l.Best.NsMin }

// Losses compares all measurements, each with those of the same setting alone, and returns also the settings in which peers
// were measured and none of ours. The order is that of the raw file; an operation on a workload that is lost in several
// settings is one Loss, of the first of them.
func Losses(r *Results) (losses []Loss, missing []Measurement) {
	lost := map[setting]int{}
	for _, same := range bySetting(r.Measurements) {
		best, peers := bestOfOurs(same)
		if len(peers) == 0 {
			continue
		}
		if best == nil {
			missing = append(missing, peers[0])
			continue
		}
		loss := Loss{Best: *best}
		for _, m := range peers {
			if m.Ns*Tolerance < best.Ns {
				loss.By = append(loss.By, m)
			}
		}
		if len(loss.By) == 0 {
			continue
		}
		first := setting{group: best.Group, workload: best.Workload, op: best.Op}
		if i, ok := lost[first]; ok {
			losses[i].Also = append(losses[i].Also, *best)
			continue
		}
		lost[first] = len(losses)
		losses = append(losses, loss)
	}
	return losses, missing
}

// bestOfOurs returns the fastest form of ours, or nil, and all peers, fastest first. References are neither.
func bestOfOurs(same []Measurement) (best *Measurement, peers []Measurement) {
	for i, m := range same {
		switch {
		case Reference(m.Impl):
		case !Ours(m.Impl):
			peers = append(peers, m)
		case best == nil || m.Ns < best.Ns:
			best = &same[i]
		}
	}
	slices.SortStableFunc(peers, func(a, b Measurement) int { return cmp.Compare(a.Ns, b.Ns) })
	return best, peers
}

// bySetting groups measurements that can be compared, in the order in which the groups begin.
func bySetting(all []Measurement) [][]Measurement {
	var groups [][]Measurement
	index := map[setting]int{}
	for _, m := range all {
		i, ok := index[m.setting()]
		if !ok {
			i = len(groups)
			index[m.setting()] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], m)
	}
	return groups
}

// baselineOf returns the time that others of the same setting are divided by, or 0 when the baseline was not measured.
func baselineOf(same []Measurement) float64 {
	for _, m := range same {
		if m.Impl == Baseline(m.Group) {
			return m.Ns
		}
	}
	return 0
}
