package report

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
)

// WriteBrief writes what is quoted in the documentation: of the usual setting alone, for each workload and operation our
// best form beside the baseline and the fastest peer; where we lose; sizes, memory and versions.
func WriteBrief(w io.Writer, r *Results) error {
	b := bufio.NewWriter(w)
	p := func(format string, args ...any) { fmt.Fprintf(b, format, args...) }
	p("# Benchmarks\n\nThe last full run of [the lab](lab.md), written by it and not by hand: `make lab`, then `go run ./cmd/report -brief\n" +
		"../docs/benchmarks.md` in `lab`.\n\n")
	p("%s, commit %s. %s, %d cores, %s, %s, %s.\n\n", r.Date, r.Commit, r.Machine.CPU, r.Machine.Cores, bytesText(float64(r.Machine.MemBytes)),
		r.Machine.OS, r.Machine.Go)
	writeControl(p, r.Control)
	usual := *r
	usual.Measurements = slices.DeleteFunc(slices.Clone(r.Measurements), func(m Measurement) bool { return !m.plain() })
	p("One goroutine, median of %s. × is how many times as fast as the baseline ours is, and as the fastest peer of the\n"+
		"operation; below 1 the peer is faster.\n\n", rounds(usual.Measurements))
	group := ""
	for _, same := range bySetting(usual.Measurements) {
		best, peers := bestOfOurs(same)
		if best == nil || len(peers) == 0 {
			continue
		}
		if best.Group != group {
			group = best.Group
			p("\n## %s\n\n| workload | operation | our best form | | allocations | × %s | fastest peer | | × it |\n|---|---|---|--:|--:|--:|---|--:|--:|\n",
				group, Baseline(group))
		}
		p("| %s, %s | %s | %s | %s | %s |%s | %s | %s |%s |\n", best.Workload, bytesText(float64(best.Size)), best.Op, best.Impl,
			timeText(best.Ns), countText(best.Allocs), timesText(baselineOf(same), best.Ns), peers[0].Impl, timeText(peers[0].Ns),
			timesText(peers[0].Ns, best.Ns))
	}
	p("\n")
	writeLosses(p, &usual)
	writeSpace(p, r)
	p("## Versions\n\n")
	for _, impl := range slices.Sorted(maps.Keys(r.Versions)) {
		if r.Versions[impl] != "" {
			p("- %s %s\n", impl, r.Versions[impl])
		}
	}
	return b.Flush()
}

// rounds says how many rounds the measurements had.
func rounds(all []Measurement) string {
	fewest, most := 0, 0
	for i, m := range all {
		if i == 0 || m.Rounds < fewest {
			fewest = m.Rounds
		}
		most = max(most, m.Rounds)
	}
	if fewest == most {
		return fmt.Sprint(most, " rounds")
	}
	return fmt.Sprint(fewest, " to ", most, " rounds")
}
