package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Difference is a chain of calls that two recordings do not have alike.
type Difference struct {
	Kind  DifferenceKind `json:"kind"`
	Funcs []string       `json:"chain"` // the outermost first; "go" stands between goroutines
	Old   ChainCount     `json:"old"`
	New   ChainCount     `json:"new"`
}

// ChainCount is how often a chain was called in one recording.
type ChainCount struct {
	Calls  int           `json:"calls"`
	Failed int           `json:"failed"` // returned an error or panicked
	Total  time.Duration `json:"total_ns"`
	Error  string        `json:"error,omitempty"` // error of the first failed call
}

// DifferenceKind says what is different.
type DifferenceKind string

// The kinds of differences, in the order of a report.
const (
	FailsNow       DifferenceKind = "fails now"
	FailsNoMore    DifferenceKind = "fails no more"
	FailsElsewise  DifferenceKind = "fails another number of times"
	NewChain       DifferenceKind = "new"
	GoneChain      DifferenceKind = "gone"
	CalledElsewise DifferenceKind = "called another number of times"
)

var differenceOrder = []DifferenceKind{FailsNow, FailsNoMore, FailsElsewise, NewChain, GoneChain,
	CalledElsewise}

// Diff compares two recordings by their chains of calls. It returns the chains that were called or
// failed another number of times; times alone are no difference, for they are never the same.
//
// What follows from another difference is left out: an error that came from a call further down,
// what a new or gone chain called, and calls that are more or fewer because their caller's are.
func Diff(old, now []*Process) []*Difference {
	before, after := countChains(old), countChains(now)
	all := make(map[string]*Difference)
	for _, side := range []map[string]ChainCount{before, after} {
		for chain := range side {
			all[chain] = &Difference{Old: before[chain], New: after[chain]}
		}
	}
	var list []*Difference
	for chain, d := range all {
		if d.Kind = d.kind(); d.Kind != "" && !d.follows(all[callerOf(chain)]) {
			d.Funcs = strings.Split(chain, chainSeparator)
			list = append(list, d)
		}
	}
	above := make(map[string]bool) // chains that fail because a call further down does
	for _, d := range list {
		for i := len(d.Funcs) - 1; i > 0 && d.New.Failed != d.Old.Failed; i-- {
			chain := strings.Join(d.Funcs[:i], chainSeparator)
			if up := all[chain]; up != nil && up.failsAs(d) {
				above[chain] = true
			}
		}
	}
	list = slices.DeleteFunc(list, func(d *Difference) bool {
		return above[strings.Join(d.Funcs, chainSeparator)]
	})
	slices.SortFunc(list, func(a, b *Difference) int {
		return cmp.Or(
			cmp.Compare(slices.Index(differenceOrder, a.Kind),
				slices.Index(differenceOrder, b.Kind)),
			cmp.Compare(len(a.Funcs), len(b.Funcs)),
			slices.Compare(a.Funcs, b.Funcs))
	})
	return list
}

// chainSeparator stands between the names of a chain where it is the key of a map.
const chainSeparator = "\x00"

func countChains(procs []*Process) map[string]ChainCount {
	byNode := make(map[*node]*ChainCount)
	walkChains(procs, func(c *Call, at *node) {
		n := byNode[at]
		if n == nil {
			n = new(ChainCount)
			byNode[at] = n
		}
		n.Calls++
		n.Total += c.End - c.Start
		if c.Outcome.Bad() {
			if n.Failed++; n.Failed == 1 {
				n.Error = c.Error
			}
		}
	})
	byChain := make(map[string]ChainCount, len(byNode))
	for at, n := range byNode {
		byChain[strings.Join(at.path(), chainSeparator)] = *n
	}
	return byChain
}

// callerOf returns the chain that led to a chain.
func callerOf(chain string) string {
	names := strings.Split(chain, chainSeparator)
	names = names[:len(names)-1]
	if len(names) > 0 && names[len(names)-1] == GoMark {
		names = names[:len(names)-1]
	}
	return strings.Join(names, chainSeparator)
}

func (d *Difference) kind() DifferenceKind {
	switch {
	case d.New.Failed > 0 && d.Old.Failed == 0:
		return FailsNow
	case d.New.Failed == 0 && d.Old.Failed > 0 && d.New.Calls > 0:
		return FailsNoMore
	case d.New.Failed != d.Old.Failed && d.New.Calls > 0:
		return FailsElsewise
	case d.Old.Calls == 0:
		return NewChain
	case d.New.Calls == 0:
		return GoneChain
	case d.New.Calls != d.Old.Calls:
		return CalledElsewise
	}
	return ""
}

// follows reports whether d is as it is because its caller, which may be nil, is.
func (d *Difference) follows(caller *Difference) bool {
	if caller == nil {
		return false
	}
	switch d.Kind {
	case NewChain:
		return caller.Old.Calls == 0
	case GoneChain:
		return caller.New.Calls == 0
	case CalledElsewise:
		return d.New.Calls*caller.Old.Calls == d.Old.Calls*caller.New.Calls
	}
	return false
}

// failsAs reports whether d fails in the same way as often as other.
func (d *Difference) failsAs(other *Difference) bool {
	return d.Kind == other.Kind && d.New.Failed == other.New.Failed &&
		d.Old.Failed == other.Old.Failed
}

// WriteDiff writes differences as text, two or three lines each.
func WriteDiff(w io.Writer, list []*Difference) error {
	var b strings.Builder
	if len(list) == 0 {
		b.WriteString("every chain was called and failed as often in both\n")
	}
	for i, d := range list {
		ch := Chain{Funcs: d.Funcs}
		fmt.Fprintf(&b, "%d. %s: %s\n   calls %d, now %d; failed %d, now %d; total %v, now %v\n",
			i+1,
			strings.ToUpper(string(d.Kind)), &ch, d.Old.Calls, d.New.Calls, d.Old.Failed,
			d.New.Failed, round(d.Old.Total), round(d.New.Total))
		if text := cmp.Or(d.New.Error, d.Old.Error); text != "" {
			fmt.Fprintf(&b, "   error: %s\n", text)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
