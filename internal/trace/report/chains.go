package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// Chain is one distinct chain of calls that reached a function.
type Chain struct {
	Funcs    []string      `json:"chain"` // the outermost first; "go" stands between goroutines
	Calls    int           `json:"calls"`
	Returned int           `json:"returned"`
	Failed   int           `json:"failed"`
	Panicked int           `json:"panicked"`
	Other    int           `json:"other"` // exited the goroutine or did not finish
	Total    time.Duration `json:"total_ns"`
	P50      time.Duration `json:"p50_ns"`
	P99      time.Duration `json:"p99_ns"`
	Args     string        `json:"args,omitempty"`  // arguments of the first (failed) call
	Error    string        `json:"error,omitempty"` // error of the first failed call
	times    []time.Duration
	example  *Call // the first failed call, or the first
}

// GoMark stands in a chain between a call and what ran in a goroutine that it started.
const GoMark = "go"

// MaxGoroutineLinks bounds how many go statements a chain is followed back over.
const MaxGoroutineLinks = 64

// NoMatchError says that no recorded function has the name asked for.
type NoMatchError struct {
	Name   string
	Called []string // some functions that were called
	Total  int      // how many were
}

// Error implements error.
func (e *NoMatchError) Error() string {
	return fmt.Sprintf("no recorded function matches %q; %d were called, such as %s", e.Name,
		e.Total, strings.Join(e.Called, ", "))
}

// Matches reports whether name asks for a function: it is the full name, or its end after a "/" or
// a ".". For methods the receiver may be written T.M.
func Matches(full, name string) bool {
	plain := strings.NewReplacer("(*", "", ")", "", "[...]", "").Replace
	for _, f := range []string{full, plain(full)} {
		if f == name {
			return true
		}
		if rest, ok := strings.CutSuffix(f, name); ok && name != "" &&
			strings.HasSuffix(rest, ".") || ok && strings.HasSuffix(rest, "/") {
			return true
		}
	}
	return false
}

// Path returns the chain that led to c, a call in g, over the go statements that are known; c comes
// last. For nil it is the chain that started g, which ends with GoMark, or nil.
func Path(g *Goroutine, c *Call) []string {
	var names []string
	for range MaxGoroutineLinks {
		for ; c != nil; c = c.Parent {
			names = append(names, c.Func.Name)
		}
		if g == nil || g.From == nil {
			break
		}
		names = append(names, GoMark)
		c, g = g.From, g.FromGoroutine
	}
	slices.Reverse(names)
	return names
}

// node is a chain in the tree of all chains: that of up, and name. A recording has many calls but
// few chains.
type node struct {
	name  string
	up    *node
	down  map[string]*node
	chain *Chain        // if it was asked for
	own   time.Duration // spent in the last function of the chain, outside of the calls in it
}

func (n *node) next(name string) *node {
	d := n.down[name]
	if d == nil {
		if n.down == nil {
			n.down = make(map[string]*node)
		}
		d = &node{name: name, up: n}
		n.down[name] = d
	}
	return d
}

func (n *node) path() []string {
	var names []string
	for ; n.up != nil; n = n.up {
		names = append(names, n.name)
	}
	slices.Reverse(names)
	return names
}

// walkChains calls f for every call with its chain in the tree, whose root it returns.
func walkChains(procs []*Process, f func(c *Call, at *node)) *node {
	root := new(node)
	for _, p := range procs {
		var last *Goroutine
		var above []*node // by depth: the chain that leads to a call there
		p.Walk(func(g *Goroutine, c *Call, depth int) {
			if g != last {
				last = g
				from := root
				for _, name := range Path(g, nil) {
					from = from.next(name)
				}
				above = append(above[:0], from)
			}
			at := above[depth].next(c.Func.Name)
			above = append(above[:depth+1], at)
			f(c, at)
		})
	}
	return root
}

// Chains returns the distinct chains that reached the functions which match name, the ones with
// failures first, then by total time.
func Chains(procs []*Process, name string) ([]*Chain, error) {
	matches := make(map[string]bool) // by the name of every function that was called
	var list []*Chain
	walkChains(procs, func(c *Call, at *node) {
		match, known := matches[c.Func.Name]
		if !known {
			match = Matches(c.Func.Name, name)
			matches[c.Func.Name] = match
		}
		if !match {
			return
		}
		if at.chain == nil {
			at.chain = &Chain{Funcs: at.path()}
			list = append(list, at.chain)
		}
		at.chain.add(c)
	})
	if len(list) == 0 {
		names := slices.Sorted(maps.Keys(matches))
		return nil, &NoMatchError{name, names[:min(5, len(names))], len(names)}
	}
	for _, ch := range list {
		slices.Sort(ch.times)
		ch.P50, ch.P99 = quantile(ch.times, 50), quantile(ch.times, 99)
		ch.times = nil
	}
	slices.SortStableFunc(list, compareChains)
	return list, nil
}

// compareChains puts chains with more failures first, then those that took longer.
func compareChains(a, b *Chain) int {
	return cmp.Or(cmp.Compare(b.Panicked+b.Failed, a.Panicked+a.Failed),
		cmp.Compare(b.Total, a.Total))
}

func (ch *Chain) add(c *Call) {
	if ch.example == nil || c.Outcome.Bad() && ch.Failed+ch.Panicked == 0 {
		ch.example, ch.Args, ch.Error = c, c.Args, c.Error
	}
	ch.Calls++
	switch c.Outcome {
	case Returned:
		ch.Returned++
	case Failed:
		ch.Failed++
	case Panicked:
		ch.Panicked++
	default:
		ch.Other++
	}
	ch.Total += c.End - c.Start
	ch.times = append(ch.times, c.End-c.Start)
}

// quantile returns the nearest-rank percentile of sorted times, of which there is at least one.
func quantile(sorted []time.Duration, percent int) time.Duration {
	return sorted[(len(sorted)*percent+99)/100-1]
}

// String returns the chain as "main.A -> main.B => main.C", with => for a go statement.
func (ch *Chain) String() string {
	return strings.ReplaceAll(strings.Join(ch.Funcs, " -> "), " -> "+GoMark+" -> ", " => ")
}

// WriteChains writes chains as text, a few lines each.
func WriteChains(w io.Writer, chains []*Chain) error {
	var b strings.Builder
	for i, ch := range chains {
		fmt.Fprintf(&b, "%d. %s\n   %d calls: %d returned", i+1, ch, ch.Calls, ch.Returned)
		for _, x := range []struct {
			n    int
			what string
		}{
			{ch.Failed, "FAILED with an error"}, {ch.Panicked, "PANICKED"},
			{ch.Other, "did not finish"}} {
			if x.n > 0 {
				fmt.Fprintf(&b, ", %d %s", x.n, x.what)
			}
		}
		fmt.Fprintf(&b, "; total %v, p50 %v, p99 %v\n", ch.Total, ch.P50, ch.P99)
		if ch.Args != "" {
			fmt.Fprintf(&b, "   arguments: %s\n", ch.Args)
		}
		if ch.Error != "" {
			fmt.Fprintf(&b, "   error: %s\n", ch.Error)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
