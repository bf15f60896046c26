package report

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"strconv"
)

// MaxPageCalls bounds how many calls the tree of a page holds. Its sums count all.
const MaxPageCalls = 200_000

//go:embed view.html
var page []byte

// pageMark stands in view.html where the recording belongs.
var pageMark = []byte("/*RECORDING*/null")

// pageData is a recording as the page reads it: sums over all calls, and a tree of the first ones.
// Calls are a table in the order of Walk, written as varints, a few bytes a call:
//
//	function, depth, start minus that of the call before in the goroutine, duration,
//	outcome | 8 if it has arguments | 16 if it has an error, the numbers of these texts
//
// Chains are a table, too, callers before what they called:
//
//	1 + the chain of the caller, 1 + function, 0 for a go statement, calls, failed, total,
//	1 + an example in the table of calls
//
// Times are in nanoseconds. A chain that is only there for what it called has no calls.
type pageData struct {
	Program    string          `json:"program"`
	Functions  []string        `json:"functions"`
	Sums       []pageSum       `json:"sums"` // one for each function
	Failures   []*pageFailure  `json:"failures"`
	Texts      []string        `json:"texts"`
	Goroutines []pageGoroutine `json:"goroutines"`
	Calls      string          `json:"calls"`  // base64
	Chains     string          `json:"chains"` // base64
	Cuts       [][2]int        `json:"cuts"`   // calls of the table, and how many in them it lacks

	All            int    `json:"all"`            // calls of the recording
	Left           int    `json:"left"`           // calls that are not in the table
	LeftGoroutines int    `json:"leftGoroutines"` // goroutines without a call in the table
	LeftFailures   int    `json:"leftFailures"`   // kinds of failures that are not in Failures
	Dropped        uint64 `json:"dropped"`
}

type pageGoroutine struct {
	Name  string `json:"name"`
	Calls int    `json:"calls"` // number of calls in the table
	Left  int    `json:"left"`  // root calls, and calls in them, that are not in the table
	Chain int    `json:"chain"` // the chain whose go statement started it, -1 if it is not known
}

// WritePage writes one self-contained HTML page: functions, failures, the calls of each goroutine,
// a time axis with all goroutines, and for a chosen function the chains that reached it. The page
// reads its own recording, or a Trace Event file that is opened with it. All calls are counted; the
// tree of calls has the first MaxPageCalls, and one example of each failure and chain. WritePage
// returns how many calls the tree lacks.
func WritePage(w io.Writer, procs []*Process) (left int, err error) {
	data := newPage(procs)
	text, err := json.Marshal(data)
	if err != nil {
		return 0, err
	}
	// encoding/json escapes <, > and &, so the data cannot end the script it stands in.
	_, err = w.Write(bytes.Replace(page, pageMark, text, 1))
	return data.Left, err
}

func newPage(procs []*Process) *pageData {
	p := &pageWriter{functions: map[string]int{}, texts: map[string]int{},
		examples: map[*Call]int{}, keep: map[*Call]bool{}}
	p.pageData = pageData{Functions: []string{}, Sums: []pageSum{}, Failures: []*pageFailure{},
		Goroutines: []pageGoroutine{}, Cuts: [][2]int{}} // not null, which has no length
	p.addSums(procs)
	p.addFailures(procs)
	chains := p.chooseChains(procs)
	p.room = MaxPageCalls - len(p.keep)
	for i, proc := range procs {
		if i > 0 {
			p.Program += ", "
		}
		p.Program += proc.Program
		p.Dropped += proc.Dropped
		for _, g := range proc.Goroutines {
			p.goroutine(proc, g, chains.startOf(g), len(procs) > 1)
		}
	}
	p.Calls = base64.StdEncoding.EncodeToString(p.table)
	p.Chains = base64.StdEncoding.EncodeToString(p.chainTable(chains))
	for _, f := range p.Failures {
		f.Example = p.example(f.example)
	}
	return &p.pageData
}

// pageWriter is a page's data while it is put together.
type pageWriter struct {
	pageData
	functions, texts map[string]int
	examples         map[*Call]int  // where the calls to keep are in the table
	keep             map[*Call]bool // examples, and the calls that they are in
	room             int            // number of other calls that there is room for
	table            []byte
	calls            int // number of calls in the table
	last             int64
}

// keepExample makes sure that c comes into the table, unless there are too many such calls.
func (p *pageWriter) keepExample(c *Call) {
	path := 0
	for up := c; up != nil && !p.keep[up]; up = up.Parent {
		path++
	}
	if len(p.keep)+path > MaxPageCalls/2 {
		return
	}
	for up := c; up != nil && !p.keep[up]; up = up.Parent {
		p.keep[up] = true
	}
}

// example returns where a call is in the table, -1 if it is not there.
func (p *pageWriter) example(c *Call) int {
	if i, ok := p.examples[c]; ok {
		return i
	}
	return -1
}

func (p *pageWriter) goroutine(proc *Process, g *Goroutine, chain int, several bool) {
	if len(g.Calls) == 0 {
		return
	}
	name := "goroutine " + strconv.FormatUint(g.ID, 10)
	if several {
		name = proc.Program + " " + strconv.Itoa(proc.PID) + " " + name
	}
	before := p.calls
	p.last = 0
	left := p.add(g.Calls, 0)
	if p.calls == before {
		p.LeftGoroutines++
		return
	}
	p.Goroutines = append(p.Goroutines,
		pageGoroutine{Name: name, Calls: p.calls - before, Left: left, Chain: chain})
}

// add adds calls and those in them, as long as there is room. It returns how many are left out,
// other than in calls which are in the table: those know it themselves.
func (p *pageWriter) add(calls []*Call, depth int) (left int) {
	for _, c := range calls {
		keep := p.keep[c]
		if !keep {
			if p.room == 0 {
				left += 1 + count(c.Calls)
				continue
			}
			p.room--
		}
		if keep {
			p.examples[c] = p.calls
		}
		at := p.calls
		p.put(c, depth)
		if cut := p.add(c.Calls, depth+1); cut > 0 {
			p.Cuts = append(p.Cuts, [2]int{at, cut})
		}
	}
	p.Left += left
	return left
}

// put adds one call to the table.
func (p *pageWriter) put(c *Call, depth int) {
	p.calls++
	flags := int(c.Outcome)
	if c.Args != "" {
		flags |= 8
	}
	if c.Error != "" {
		flags |= 16
	}
	trace := c.traceID()
	if trace != "" {
		flags |= 32
	}
	p.table = appendNumbers(p.table, p.function(c.Func.Name), depth, int(int64(c.Start)-p.last),
		int(c.End-c.Start), flags)
	p.last = int64(c.Start)
	for _, text := range []string{c.Args, c.Error, trace} {
		if text != "" {
			p.table = appendNumbers(p.table, p.text(text))
		}
	}
}

func (p *pageWriter) function(name string) int { return number(p.functions, &p.Functions, name) }

func (p *pageWriter) text(text string) int { return number(p.texts, &p.Texts, text) }

// count returns how many calls there are, with those in them.
func count(calls []*Call) int {
	n := len(calls)
	for _, c := range calls {
		n += count(c.Calls)
	}
	return n
}

func appendNumbers(b []byte, numbers ...int) []byte {
	for _, v := range numbers {
		b = binary.AppendUvarint(b, uint64(max(v, 0)))
	}
	return b
}

// number returns the number of a text in a list without repetitions.
func number(numbers map[string]int, list *[]string, text string) int {
	n, ok := numbers[text]
	if !ok {
		n = len(*list)
		numbers[text] = n
		*list = append(*list, text)
	}
	return n
}
