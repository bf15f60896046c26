package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Function is what a recording knows of one function.
type Function struct {
	Name   string        `json:"func"`
	Calls  int           `json:"calls"`
	Failed int           `json:"failed"`   // calls that returned an error or panicked
	Total  time.Duration `json:"total_ns"` // time in it and its callees; recursion counts once
	Self   time.Duration `json:"self_ns"`  // time in it alone
	P50    time.Duration `json:"p50_ns"`   // median of the times of its calls
	P99    time.Duration `json:"p99_ns"`
}

// functionOrders are the columns that functions are sorted by, each with the largest value first.
var functionOrders = map[string]func(a, b *Function) int{
	"calls":  func(a, b *Function) int { return cmp.Compare(b.Calls, a.Calls) },
	"total":  func(a, b *Function) int { return cmp.Compare(b.Total, a.Total) },
	"self":   func(a, b *Function) int { return cmp.Compare(b.Self, a.Self) },
	"p50":    func(a, b *Function) int { return cmp.Compare(b.P50, a.P50) },
	"p99":    func(a, b *Function) int { return cmp.Compare(b.P99, a.P99) },
	"failed": func(a, b *Function) int { return cmp.Compare(b.Failed, a.Failed) },
	"name":   func(a, b *Function) int { return cmp.Compare(a.Name, b.Name) },
}

// Functions adds up the calls of each function, over all processes. The order is calls, total,
// self, p50, p99, failed (the largest first) or name.
func Functions(procs []*Process, order string) ([]*Function, error) {
	compare, ok := functionOrders[order]
	if !ok {
		return nil, fmt.Errorf("unknown order %q (calls, total, self, p50, p99, failed, name)",
			order)
	}
	all := make(map[string]*functionSum)
	for _, p := range procs {
		for _, g := range p.Goroutines {
			addFunctions(all, g.Calls)
		}
	}
	list := make([]*Function, 0, len(all))
	for _, s := range all {
		slices.Sort(s.times)
		s.P50, s.P99 = quantile(s.times, 50), quantile(s.times, 99)
		list = append(list, &s.Function)
	}
	slices.SortFunc(list, func(a, b *Function) int {
		return cmp.Or(compare(a, b), cmp.Compare(a.Name, b.Name))
	})
	return list, nil
}

// functionSum is a function while its calls are added up.
type functionSum struct {
	Function
	times []time.Duration
	open  int // calls of it that the walk is in
}

func addFunctions(all map[string]*functionSum, calls []*Call) {
	for _, c := range calls {
		s := all[c.Func.Name]
		if s == nil {
			s = &functionSum{Function: Function{Name: c.Func.Name}}
			all[c.Func.Name] = s
		}
		took := c.End - c.Start
		s.Calls++
		if c.Outcome.Bad() {
			s.Failed++
		}
		if s.open == 0 {
			s.Total += took
		}
		s.Self += c.self()
		s.times = append(s.times, took)
		s.open++
		addFunctions(all, c.Calls)
		s.open--
	}
}

// self returns the time that c spent outside of the calls in it.
func (c *Call) self() time.Duration {
	self := c.End - c.Start
	for _, inner := range c.Calls {
		self -= inner.End - inner.Start
	}
	return max(0, self)
}

// ShortName returns the name of a function without the path of its package: pkg.(*T).M.
func ShortName(name string) string {
	end := len(name)
	if i := strings.IndexByte(name, '['); i >= 0 { // type arguments have paths of their own
		end = i
	}
	return name[strings.LastIndexByte(name[:end], '/')+1:]
}

// WriteFunctions writes functions as a table.
func WriteFunctions(w io.Writer, functions []*Function) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "calls\ttotal\tself\tp50\tp99\tfailed\t  function")
	for _, f := range functions {
		fmt.Fprintf(t, "%d\t%v\t%v\t%v\t%v\t%d\t  %s\n", f.Calls, round(f.Total), round(f.Self),
			round(f.P50), round(f.P99), f.Failed, f.Name)
	}
	return t.Flush()
}

// round leaves four digits of a time, which is more than a recording is exact to.
func round(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 10_000 {
		unit *= 10
	}
	return d.Round(unit)
}
