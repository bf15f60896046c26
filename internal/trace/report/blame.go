package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/bits"
	"regexp"
	"slices"
	"strings"
)

// Case is something that went well or not: a run of a program, a test, a request.
type Case struct {
	Bad   bool
	calls []*Call // outermost ones; those in goroutines that they started among them
}

// ProcessCases makes each process a case.
func ProcessCases(procs []*Process, bad bool) (list []Case) {
	for _, p := range procs {
		c := Case{Bad: bad}
		for _, g := range p.Goroutines {
			c.calls = append(c.calls, g.Calls...)
		}
		list = append(list, c)
	}
	return list
}

// CallCases makes each call of a function whose name matches a case, with all that it called and
// the goroutines that it started. It is a bad one if the call failed or exited its goroutine, as
// tests that fail do.
func CallCases(procs []*Process, name *regexp.Regexp) (list []Case) {
	for _, p := range procs {
		started := make(map[*Call][]*Goroutine)
		for _, g := range p.Goroutines {
			if g.From != nil {
				started[g.From] = append(started[g.From], g)
			}
		}
		matches := make(map[string]bool)
		p.Walk(func(_ *Goroutine, c *Call, _ int) {
			match, known := matches[c.Func.Name]
			if !known {
				match = name.MatchString(c.Func.Name)
				matches[c.Func.Name] = match
			}
			if !match {
				return
			}
			one := Case{Bad: c.Outcome.Bad() || c.Outcome == Goexit, calls: []*Call{c}}
			seen := map[*Goroutine]bool{}
			for i := 0; i < len(one.calls); i++ {
				walkCalls(one.calls[i:i+1], func(c *Call) {
					for _, g := range started[c] {
						if !seen[g] {
							seen[g] = true
							one.calls = append(one.calls, g.Calls...)
						}
					}
				})
			}
			list = append(list, one)
		})
	}
	return list
}

func walkCalls(calls []*Call, f func(*Call)) {
	for _, c := range calls {
		f(c)
		walkCalls(c.Calls, f)
	}
}

// FactKind says what a Reason is about.
type FactKind string

// The kinds of facts that cases are compared by.
const (
	FactFails   FactKind = "fails"   // it failed, and nothing that it called did
	FactCalled  FactKind = "called"  // it was called
	FactFrom    FactKind = "from"    // it was called by this function
	FactLacks   FactKind = "lacks"   // it did not call this function, which it calls elsewhere
	FactNext    FactKind = "next"    // it called these two, one after the other
	FactCount   FactKind = "count"   // it was called about so often
	FactArgs    FactKind = "args"    // it was called with these arguments
	FactPassing FactKind = "passing" // it returned an error that came from something it called
)

// factWeights is how much each kind of fact counts. A failure is worth more where it began, and
// arguments differ for many reasons.
var factWeights = map[FactKind]float64{FactFails: 1, FactCalled: 0.9, FactLacks: 0.9,
	FactNext: 0.85, FactFrom: 0.85, FactCount: 0.8, FactArgs: 0.7, FactPassing: 0.5}

// Reason is a fact that is true of bad cases more than of good ones.
type Reason struct {
	Kind  FactKind `json:"kind"`
	What  string   `json:"what,omitempty"` // the other function, the arguments, the error
	Bad   int      `json:"bad"`            // number of bad cases it is true of
	Good  int      `json:"good"`           // number of good ones
	Score float64  `json:"score"`          // Ochiai's coefficient, times the weight of the kind
}

// Suspect is a function that may be to blame.
type Suspect struct {
	Func    string   `json:"func"`
	Score   float64  `json:"score"`
	Reasons []Reason `json:"reasons"` // the best first
}

// maxReasons bounds the reasons of a suspect.
const maxReasons = 3

// fact is something that is true of a function in a case.
type fact struct {
	function string
	kind     FactKind
	what     string
}

// Blame ranks the functions by how what they did differs between bad and good cases, the most
// suspicious first. A fact counts by Ochiai's coefficient, which is 1 if it is true of all bad
// cases and of no other. A function has the score of its best fact; among equals the one with the
// better others is first.
func Blame(cases []Case) []*Suspect {
	callees := make(map[string]map[string]bool)
	for _, c := range cases {
		walkCalls(c.calls, func(c *Call) {
			if c.Parent == nil {
				return
			}
			up := c.Parent.Func.Name
			if callees[up] == nil {
				callees[up] = make(map[string]bool)
			}
			callees[up][c.Func.Name] = true
		})
	}
	counts := make(map[fact]*[2]int)
	bad := 0
	for _, c := range cases {
		side := 0
		if c.Bad {
			side, bad = 1, bad+1
		}
		for f := range c.facts(callees) {
			n := counts[f]
			if n == nil {
				n = new([2]int)
				counts[f] = n
			}
			n[side]++
		}
	}
	suspects := make(map[string]*Suspect)
	for f, n := range counts {
		if n[1] == 0 {
			continue
		}
		s := suspects[f.function]
		if s == nil {
			s = &Suspect{Func: f.function}
			suspects[f.function] = s
		}
		s.Reasons = append(s.Reasons, Reason{f.kind, f.what, n[1], n[0],
			factWeights[f.kind] * ochiai(n[1], n[0], bad)})
	}
	list := make([]*Suspect, 0, len(suspects))
	for _, s := range suspects {
		slices.SortFunc(s.Reasons, func(a, b Reason) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Kind, b.Kind),
				cmp.Compare(a.What, b.What))
		})
		s.Reasons = s.Reasons[:min(len(s.Reasons), maxReasons)]
		s.Score = s.Reasons[0].Score
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *Suspect) int {
		return cmp.Or(slices.CompareFunc(a.Reasons, b.Reasons, func(a, b Reason) int {
			return cmp.Compare(b.Score, a.Score)
		}), cmp.Compare(a.Func, b.Func))
	})
	return list
}

// ochiai is 1 for what is true of all bad cases and no good one.
func ochiai(trueOfBad, trueOfGood, bad int) float64 {
	return float64(trueOfBad) / math.Sqrt(float64(bad)*float64(trueOfBad+trueOfGood))
}

// facts are those of a case. callees has for each function those that it calls in any case.
func (c *Case) facts(callees map[string]map[string]bool) map[fact]bool {
	facts := make(map[fact]bool)
	times := make(map[string]uint)
	called := make(map[string]map[string]bool)
	walkCalls(c.calls, func(c *Call) {
		name := c.Func.Name
		add := func(kind FactKind, what string) { facts[fact{name, kind, what}] = true }
		times[name]++
		add(FactCalled, "")
		if c.Parent != nil {
			add(FactFrom, c.Parent.Func.Name)
		}
		if c.Args != "" {
			add(FactArgs, c.Args)
		}
		if c.Outcome.Bad() {
			kind := FactFails
			if slices.ContainsFunc(c.Calls, func(c *Call) bool { return c.Outcome.Bad() }) {
				kind = FactPassing
			}
			add(kind, cmp.Or(c.Error, c.Outcome.String()))
		}
		if called[name] == nil {
			called[name] = make(map[string]bool)
		}
		for i, inner := range c.Calls {
			called[name][inner.Func.Name] = true
			if i > 0 {
				add(FactNext, c.Calls[i-1].Func.Name+", "+inner.Func.Name)
			}
		}
	})
	for name, n := range times {
		facts[fact{name, FactCount, fmt.Sprintf("%d or more", 1<<(bits.Len(n)-1))}] = true
		for callee := range callees[name] {
			if !called[name][callee] {
				facts[fact{name, FactLacks, callee}] = true
			}
		}
	}
	return facts
}

// String says the reason in words.
func (r Reason) String() string {
	text := map[FactKind]string{
		FactFails: "fails, and nothing that it calls does: %s", FactCalled: "is called%s",
		FactFrom: "is called by %s", FactLacks: "does not call %s",
		FactNext: "calls one after the other: %s", FactCount: "is called %s times",
		FactArgs: "gets the arguments %s", FactPassing: "passes on a failure: %s",
	}[r.Kind]
	return fmt.Sprintf(text+" (%d bad cases, %d good)", r.What, r.Bad, r.Good)
}

// WriteSuspects writes suspects as text, with their reasons.
func WriteSuspects(w io.Writer, list []*Suspect) error {
	var b strings.Builder
	for i, s := range list {
		fmt.Fprintf(&b, "%d. %s  %.2f\n", i+1, s.Func, s.Score)
		for _, r := range s.Reasons {
			fmt.Fprintf(&b, "   %s\n", r)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
