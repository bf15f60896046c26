package report

import (
	"cmp"
	"slices"
	"time"
)

// Bounds of a page. What is left out is counted and said.
const (
	maxPageFailures    = 1_000   // kinds of failures
	maxFunctionChains  = 200     // chains that reached one function
	maxPageChainsTotal = 100_000 // chains, with those that lead to them
)

// pageSum is what a recording knows of one function.
type pageSum struct {
	Calls  int           `json:"calls"`
	Failed int           `json:"failed"`
	Total  time.Duration `json:"total"`
	Self   time.Duration `json:"self"`
	P50    time.Duration `json:"p50"`
	P99    time.Duration `json:"p99"`
	Chains int           `json:"chains"` // how many reached it
}

// addSums adds up all calls by function.
func (p *pageWriter) addSums(procs []*Process) {
	list, err := Functions(procs, "self")
	if err != nil {
		panic(err) // the order exists
	}
	for _, f := range list {
		p.function(f.Name)
		p.Sums = append(p.Sums, pageSum{Calls: f.Calls, Failed: f.Failed, Total: f.Total,
			Self: f.Self, P50: f.P50, P99: f.P99})
		p.All += f.Calls
	}
}

// pageFailure is one kind of failure, where it began.
type pageFailure struct {
	Func    int           `json:"func"`
	Outcome Outcome       `json:"outcome"`
	Error   int           `json:"error"` // the number of its text, -1 if it is not known
	Calls   int           `json:"calls"`
	First   time.Duration `json:"first"`   // when the first began
	Example int           `json:"example"` // row in the table of calls, -1 if it is not there

	text    string
	example *Call
}

// addFailures groups the failed calls without a failed call in them: there it began.
func (p *pageWriter) addFailures(procs []*Process) {
	type kind struct {
		function, text string
		outcome        Outcome
	}
	kinds := make(map[kind]*pageFailure)
	for _, proc := range procs {
		proc.Walk(func(_ *Goroutine, c *Call, _ int) {
			failed := func(c *Call) bool { return c.Outcome.Bad() }
			if !failed(c) || slices.ContainsFunc(c.Calls, failed) {
				return
			}
			k := kind{c.Func.Name, c.Error, c.Outcome}
			f := kinds[k]
			if f == nil {
				f = &pageFailure{Func: p.function(c.Func.Name), Outcome: c.Outcome, Error: -1,
					First: c.Start, text: c.Error, example: c}
				kinds[k] = f
				p.Failures = append(p.Failures, f)
			}
			f.Calls++
			f.First = min(f.First, c.Start)
		})
	}
	slices.SortStableFunc(p.Failures, func(a, b *pageFailure) int {
		return cmp.Compare(b.Calls, a.Calls)
	})
	p.LeftFailures = max(0, len(p.Failures)-maxPageFailures)
	p.Failures = p.Failures[:len(p.Failures)-p.LeftFailures]
	for _, f := range p.Failures {
		if f.text != "" {
			f.Error = p.text(f.text)
		}
		p.keepExample(f.example)
	}
}

// pageChains are the chains that a page has, callers before what they called.
type pageChains struct {
	root    *node
	list    []*node
	numbers map[*node]int
}

// chooseChains chooses chains: for each function those with the most failures, then with the most
// time. One call of each is an example.
func (p *pageWriter) chooseChains(procs []*Process) *pageChains {
	byFunction := make([][]*node, len(p.Functions))
	root := walkChains(procs, func(c *Call, at *node) {
		if at.chain == nil {
			at.chain = new(Chain)
			f := p.function(c.Func.Name)
			byFunction[f] = append(byFunction[f], at)
		}
		at.chain.add(c)
	})
	chains := &pageChains{root: root, numbers: map[*node]int{root: -1}}
	for f, nodes := range byFunction {
		p.Sums[f].Chains = len(nodes)
		slices.SortStableFunc(nodes, func(a, b *node) int {
			return compareChains(a.chain, b.chain)
		})
		for _, n := range nodes[:min(len(nodes), maxFunctionChains)] {
			if chains.add(n) {
				p.keepExample(n.chain.example)
			}
		}
	}
	return chains
}

// add adds a chain and those that lead to it, unless there are too many.
func (c *pageChains) add(n *node) bool {
	var path []*node
	for ; ; n = n.up {
		if _, ok := c.numbers[n]; ok {
			break
		}
		path = append(path, n)
	}
	if len(c.list)+len(path) > maxPageChainsTotal {
		return false
	}
	for _, n := range slices.Backward(path) {
		c.numbers[n] = len(c.list)
		c.list = append(c.list, n)
	}
	return true
}

// startOf returns the number of the chain that started a goroutine, -1 if it is not known.
func (c *pageChains) startOf(g *Goroutine) int {
	at := c.root
	for _, name := range Path(g, nil) {
		if at = at.down[name]; at == nil {
			return -1
		}
	}
	if !c.add(at) {
		return -1
	}
	return c.numbers[at]
}

// chainTable writes the table of chains.
func (p *pageWriter) chainTable(chains *pageChains) (table []byte) {
	for _, n := range chains.list {
		table = appendNumbers(table, 1+chains.numbers[n.up])
		switch ch := n.chain; {
		case n.name == GoMark:
			table = appendNumbers(table, 0, 0, 0, 0, 0)
		case ch == nil:
			table = appendNumbers(table, 1+p.function(n.name), 0, 0, 0, 0)
		default:
			table = appendNumbers(table, 1+p.function(n.name), ch.Calls, ch.Failed+ch.Panicked,
				int(ch.Total), 1+p.example(ch.example))
		}
	}
	return table
}
