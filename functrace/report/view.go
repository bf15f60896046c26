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

// MaxPageCalls bounds how many calls a page holds.
const MaxPageCalls = 200_000

//go:embed view.html
var page []byte

// pageMark stands in view.html where the recording belongs.
var pageMark = []byte("/*RECORDING*/null")

// pageData is a recording as the page reads it. Calls are a table in the order of Walk, written as
// varints, a few bytes a call:
//
//	function, depth, start minus that of the call before in the goroutine, duration,
//	outcome | 8 if it has arguments | 16 if it has an error, the numbers of these texts
//
// Times are in nanoseconds.
type pageData struct {
	Program    string          `json:"program"`
	Functions  []string        `json:"functions"`
	Texts      []string        `json:"texts"`
	Goroutines []pageGoroutine `json:"goroutines"`
	Calls      string          `json:"calls"` // base64
	Left       int             `json:"left"`  // calls that are left out
	Dropped    uint64          `json:"dropped"`
}

type pageGoroutine struct {
	Name   string `json:"name"`
	Calls  int    `json:"calls"` // in the table
	From   int    `json:"from"`  // the call whose go statement started it, -1 if it is not known
	Forked int64  `json:"forked"`
}

// WritePage writes one self-contained HTML page: functions, failures, the calls of each goroutine,
// a time axis with all goroutines, and for a chosen function the chains that reached it. The page
// reads its own recording, or a Trace Event file that is opened with it. It returns how many calls
// were left out.
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
		starters: map[*Call]int{}}
	for _, proc := range procs {
		for _, g := range proc.Goroutines {
			if g.From != nil {
				p.starters[g.From] = -1
			}
		}
	}
	for i, proc := range procs {
		if i > 0 {
			p.Program += ", "
		}
		p.Program += proc.Program
		p.Dropped += proc.Dropped
		for _, g := range proc.Goroutines {
			p.goroutine(proc, g, len(procs) > 1)
		}
	}
	for i, from := range p.from {
		p.Goroutines[i].From = -1
		if from != nil {
			p.Goroutines[i].From = p.starters[from]
		}
	}
	p.Calls = base64.StdEncoding.EncodeToString(p.table)
	return &p.pageData
}

// pageWriter is a page's data while it is put together.
type pageWriter struct {
	pageData
	functions, texts map[string]int
	starters         map[*Call]int // where calls are in the table that started goroutines
	from             []*Call       // by goroutine
	table            []byte
	calls            int // in the table
	last             int64
}

func (p *pageWriter) goroutine(proc *Process, g *Goroutine, several bool) {
	if len(g.Calls) == 0 {
		return
	}
	name := "goroutine " + strconv.FormatUint(g.ID, 10)
	if several {
		name = proc.Program + " " + strconv.Itoa(proc.PID) + " " + name
	}
	before := p.calls
	p.last = 0
	p.add(g.Calls, 0)
	p.Goroutines = append(p.Goroutines,
		pageGoroutine{Name: name, Calls: p.calls - before, Forked: int64(g.Forked)})
	p.from = append(p.from, g.From)
}

// add adds calls and those in them, as long as there is room.
func (p *pageWriter) add(calls []*Call, depth int) {
	for _, c := range calls {
		if p.calls == MaxPageCalls {
			p.Left++
			p.add(c.Calls, depth+1)
			continue
		}
		if _, ok := p.starters[c]; ok {
			p.starters[c] = p.calls
		}
		p.calls++
		p.put(number(p.functions, &p.Functions, c.Func.Name))
		p.put(depth)
		p.put(int(int64(c.Start) - p.last))
		p.last = int64(c.Start)
		p.put(int(c.End - c.Start))
		flags := int(c.Outcome)
		if c.Args != "" {
			flags |= 8
		}
		if c.Error != "" {
			flags |= 16
		}
		p.put(flags)
		for _, text := range []string{c.Args, c.Error} {
			if text != "" {
				p.put(number(p.texts, &p.Texts, text))
			}
		}
		p.add(c.Calls, depth+1)
	}
}

func (p *pageWriter) put(v int) { p.table = binary.AppendUvarint(p.table, uint64(max(v, 0))) }

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
