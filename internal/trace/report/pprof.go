package report

import (
	"bufio"
	"compress/gzip"

	"github.com/octopus-framework/octopus/internal/trace/report/profile"
)

// writeProfile writes the chains of calls as a compressed pprof profile with two values for each:
// how many calls had that chain, and the time that was spent in its last function. Chains go on
// over go statements.
func writeProfile(b *bufio.Writer, procs []*Process) error {
	p := profileBuilder{strings: map[string]int64{"": 0}, functions: map[string]uint64{}}
	p.StringTable = []string{""}
	p.SampleType = []profile.ValueType{
		{Type: p.text("calls"), Unit: p.text("count")},
		{Type: p.text("time"), Unit: p.text("nanoseconds")},
	}
	p.DefaultSampleType = p.text("time")
	for i, proc := range procs {
		if start := proc.Start.UnixNano(); i == 0 || start < p.TimeNanos {
			p.TimeNanos = start
		}
		p.DurationNanos = max(p.DurationNanos, int64(proc.End))
	}
	samples := make(map[*node]*[2]int64)
	var order []*node
	walkChains(procs, func(c *Call, at *node) {
		values := samples[at]
		if values == nil {
			values = new([2]int64)
			samples[at] = values
			order = append(order, at)
			p.function(c.Func)
		}
		values[0]++
		values[1] += int64(c.self())
	})
	p.Sample = make([]profile.Sample, len(order))
	for i, at := range order {
		s := &p.Sample[i]
		s.Value = samples[at][:]
		for n := at; n.up != nil; n = n.up {
			if id, ok := p.functions[n.name]; ok { // all but the marks of go statements
				s.LocationId = append(s.LocationId, id)
			}
		}
	}
	z := gzip.NewWriter(b)
	if _, err := z.Write(p.Marshal()); err != nil {
		return err
	}
	return z.Close()
}

// profileBuilder is a profile and where things are in its tables.
type profileBuilder struct {
	profile.Profile
	strings   map[string]int64
	functions map[string]uint64
}

func (p *profileBuilder) text(s string) int64 {
	i, ok := p.strings[s]
	if !ok {
		i = int64(len(p.StringTable))
		p.strings[s] = i
		p.StringTable = append(p.StringTable, s)
	}
	return i
}

// function adds a function and a location for it, which have one number.
func (p *profileBuilder) function(f *Func) {
	if _, ok := p.functions[f.Name]; ok {
		return
	}
	id := uint64(len(p.Function) + 1)
	p.functions[f.Name] = id
	name := p.text(f.Name)
	p.Function = append(p.Function, profile.Function{
		Id: id, Name: name, SystemName: name, Filename: p.text(f.File), StartLine: int64(f.Line),
	})
	p.Location = append(p.Location, profile.Location{
		Id: id, Line: []profile.Line{{FunctionId: id, Line: int64(f.Line)}},
	})
}
