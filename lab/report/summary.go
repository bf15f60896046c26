package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

// WriteSummary writes the results as Markdown: a table for each workload, what changes with goroutines and a fuller heap,
// the fitted lines, sizes, memory, the control, what was wrong, and where we lose.
func WriteSummary(w io.Writer, r *Results) error {
	b := bufio.NewWriter(w)
	p := func(format string, args ...any) { fmt.Fprintf(b, format, args...) }
	p("# The gremlin lab\n\n%s, commit %s. %s, %d cores, %s, %s, %s.\n\n", r.Date, r.Commit, r.Machine.CPU, r.Machine.Cores,
		bytesText(float64(r.Machine.MemBytes)), r.Machine.OS, r.Machine.Go)
	p("Time is the median of interleaved rounds (fastest..slowest round). × is how many times faster than the baseline of\n" +
		"the group. Then bytes and allocations per operation.\n\n")
	writeControl(p, r.Control)
	writeLosses(p, r)
	writeWorkloads(p, r.Measurements)
	writeSettings(p, r.Measurements)
	if err := writeFits(p, r.Sweeps); err != nil {
		return err
	}
	writeSpace(p, r)
	p("## Versions\n\n")
	for _, impl := range slices.Sorted(maps.Keys(r.Versions)) {
		p("- %s: %s\n", impl, cmp.Or(r.Versions[impl], "this commit"))
	}
	return b.Flush()
}

type printf func(format string, args ...any)

func writeControl(p printf, pairs []Control) {
	if len(pairs) == 0 {
		p("No control was run.\n\n")
		return
	}
	pairs = slices.Clone(pairs)
	apart := func(c Control) float64 { return math.Abs(c.NsA/c.NsB - 1) }
	slices.SortFunc(pairs, func(a, b Control) int { return cmp.Compare(apart(a), apart(b)) })
	worst := pairs[len(pairs)-1]
	p("Control, the same thing measured as if it were two: of %d pairs half are less than %.1f %% apart, the worst %.1f %% (%s, %s, %s).\n\n",
		len(pairs), apart(pairs[len(pairs)/2])*100, apart(worst)*100, worst.Workload, worst.Op, worst.Impl)
}

func writeLosses(p printf, r *Results) {
	losses, missing := Losses(r)
	p("## Where we lose\n\n")
	if len(losses) == 0 {
		p("In none of %d comparisons is a peer more than %.0f %% faster than our best form.\n\n", len(bySetting(r.Measurements)), (Tolerance-1)*100)
	} else {
		lost := 0
		for _, l := range losses {
			lost += l.Settings()
		}
		p("In %d of %d comparisons a peer is more than %.0f %% faster than our best form.\n\n", lost, len(bySetting(r.Measurements)), (Tolerance-1)*100)
		p("| workload | operation | our best | | fastest peer | | faster by | other peers |\n|---|---|---|--:|---|--:|--:|---|\n")
	}
	for _, l := range losses {
		first := l.By[0]
		p("| %s | %s | %s | %s | %s | %s | %s | ", first.Workload, opText(first), l.Best.Impl, timeText(l.Best.Ns), first.Impl, timeText(first.Ns), l.faster(first))
		for i, m := range l.By[1:] {
			p("%s%s %s", [2]string{"", ", "}[min(i, 1)], m.Impl, l.faster(m))
		}
		if len(l.Also) > 0 {
			p(" (lost in %d settings)", l.Settings())
		}
		p(" |\n")
	}
	if len(losses) > 0 {
		p("\n")
	}
	if len(missing) > 0 {
		p("Measured for peers and not for us:\n\n")
		for _, m := range missing {
			p("- %s, %s\n", m.Workload, opText(m))
		}
		p("\n")
	}
	if len(r.Wrong) > 0 {
		p("Wrong, and therefore not timed:\n\n")
		for _, w := range r.Wrong {
			p("- %s, %s, %s: %s\n", w.Impl, w.Workload, w.Op, strings.ReplaceAll(w.Difference, "\n", " "))
		}
		p("\n")
	}
}

// faster says by how much a peer is faster, and whether that may be noise.
func (l Loss) faster(m Measurement) string {
	text := fmt.Sprintf("%.0f %%", (l.Best.Ns/m.Ns-1)*100)
	if l.Overlaps(m) {
		text += " (rounds overlap)"
	}
	return text
}

// writeWorkloads writes a table for each workload in the usual setting: a line for each implementation.
func writeWorkloads(p printf, all []Measurement) {
	type place struct{ group, workload string }
	ops := map[place][][]Measurement{}
	var order []place
	for _, same := range bySetting(all) {
		at := place{same[0].Group, same[0].Workload}
		if !same[0].plain() {
			continue
		}
		if ops[at] == nil {
			order = append(order, at)
		}
		ops[at] = append(ops[at], same)
	}
	slices.SortStableFunc(order, func(a, b place) int { return -cmp.Compare(a.group, b.group) }) // protobuf before JSON
	for _, at := range order {
		p("## %s: %s, %s\n\n| |", at.group, at.workload, bytesText(float64(ops[at][0][0].Size)))
		var impls []string
		for _, same := range ops[at] {
			p(" %s |", same[0].Op)
			for _, m := range same {
				if !slices.Contains(impls, m.Impl) {
					impls = append(impls, m.Impl)
				}
			}
		}
		p("\n|---|%s\n", strings.Repeat("--:|", len(ops[at])))
		for _, impl := range impls {
			p("| %s |", impl)
			for _, same := range ops[at] {
				i := slices.IndexFunc(same, func(m Measurement) bool { return m.Impl == impl })
				if i < 0 {
					p(" |")
					continue
				}
				m := same[i]
				p(" %s (%s..%s)%s, %s/%s |", timeText(m.Ns), timeText(m.NsMin), timeText(m.NsMax), timesText(baselineOf(same), m.Ns),
					bytesText(m.Bytes), countText(m.Allocs))
			}
			p("\n")
		}
		p("\n")
	}
}

// writeSettings writes for each unusual setting how many times faster than in the usual one the baseline and our forms are.
func writeSettings(p printf, all []Measurement) {
	usual := map[string]float64{}
	key := func(m Measurement) string { return strings.Join([]string{m.Group, m.Workload, m.Op, m.Impl}, "\n") }
	for _, m := range all {
		if m.plain() {
			usual[key(m)] = m.Ns
		}
	}
	first := true
	for _, same := range bySetting(all) {
		var cells []string
		for _, m := range same {
			if was := usual[key(m)]; was > 0 && !m.plain() && (Ours(m.Impl) || m.Impl == Baseline(m.Group)) {
				cells = append(cells, fmt.Sprintf("%s%s", m.Impl, timesText(was, m.Ns)))
			}
		}
		if len(cells) == 0 {
			continue
		}
		if first {
			p("## More goroutines, a fuller heap\n\nHow many times faster than with one goroutine and an empty heap.\n\n| workload | operation | |\n|---|---|---|\n")
			first = false
		}
		p("| %s | %s | %s |\n", same[0].Workload, opText(same[0]), strings.Join(cells, ", "))
	}
	if !first {
		p("\n")
	}
}

func writeFits(p printf, sweeps []Sweep) error {
	if len(sweeps) == 0 {
		return nil
	}
	p("## What a shape costs\n\nns = a + b*depth + c*fields + d*KiB, least squares, each point weighed by 1/ns². \"?\": the points do not tell.\n\n")
	p("| operation | | a | b | c | d | R² | farthest point |\n|---|---|--:|--:|--:|--:|--:|--:|\n")
	for _, s := range sweeps {
		fit, err := FitSweep(s)
		if err != nil {
			return fmt.Errorf("sweep of %s, %s: %w", s.Impl, s.Op, err)
		}
		term := func(name string, x float64) string {
			if slices.Contains(fit.Unknown, name) {
				return "?"
			}
			return fmt.Sprintf("%.3g", x)
		}
		p("| %s | %s | %s | %s | %s | %s | %.3f | %.0f %% |\n", s.Op, s.Impl, term("const", fit.Const), term("depth", fit.Depth), term("fields", fit.Fields),
			term("kib", fit.KiB), fit.R2, fit.Worst*100)
	}
	p("\n")
	return nil
}

func writeSpace(p printf, r *Results) {
	if len(r.Sizes) > 0 {
		p("## Size\n\n| | smallest program | generated lines per field |\n|---|--:|--:|\n")
		for _, s := range r.Sizes {
			lines := ""
			if s.LinesPerField > 0 {
				lines = fmt.Sprintf("%.1f", s.LinesPerField)
			}
			p("| %s | %s | %s |\n", s.Impl, bytesText(float64(s.BinaryBytes)), lines)
		}
		p("\n")
	}
	if len(r.RSS) > 0 {
		p("## Peak resident memory, a million messages\n\n| workload | operation | | |\n|---|---|---|--:|\n")
		for _, s := range r.RSS {
			p("| %s | %s | %s | %s |\n", s.Workload, s.Op, s.Impl, bytesText(float64(s.PeakBytes)))
		}
		p("\n")
	}
}

// opText names an operation together with what is unusual about its setting.
func opText(m Measurement) string {
	text := m.Op
	if m.Goroutines > 1 {
		text += fmt.Sprintf(", %d goroutines", m.Goroutines)
	}
	if m.BallastMiB > 0 {
		text += fmt.Sprintf(", %d MiB held", m.BallastMiB)
	}
	return text
}

func timeText(ns float64) string   { return scaled(ns, 1000, "ns", "µs", "ms", "s") }
func bytesText(n float64) string   { return scaled(n, 1024, "B", "KiB", "MiB", "GiB") }
func countText(n float64) string   { return strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0") }
func threeDigits(x float64) string { return fmt.Sprintf("%.*f", digitsBehind(x), x) }
func timesText(base, ns float64) string {
	if base == 0 || ns == 0 {
		return ""
	}
	return " " + threeDigits(base/ns) + "×"
}

func digitsBehind(x float64) int {
	switch {
	case x >= 100 || x == math.Trunc(x):
		return 0
	case x >= 10:
		return 1
	}
	return 2
}

func scaled(x, by float64, units ...string) string {
	i := 0
	for ; x >= by && i < len(units)-1; i++ {
		x /= by
	}
	return threeDigits(x) + " " + units[i]
}
