package worker

import (
	"fmt"
	"slices"
	"strconv"
)

// Probe takes down the result of a loop: what was written, or every value of every message that was read. Values are told
// apart by their path, so that the order in which they come does not matter (maps have none); a field without presence that
// has its zero value is the same as one that is absent.
type Probe struct {
	Out   [][]byte // what was written, one per message
	Sum   uint64   // over all values and their paths
	Lines []string // "path = value", when Listing

	Listing bool
	path    []byte
	marks   []int
	count   int
}

// Begin starts a message; they are numbered.
func (p *Probe) Begin() {
	p.path = strconv.AppendInt(p.path[:0], int64(p.count), 10)
	p.marks = p.marks[:0]
	p.count++
}

// Bytes takes down what was written for a message. It copies b.
func (p *Probe) Bytes(b []byte) { p.Out = append(p.Out, slices.Clone(b)) }

func (p *Probe) step(num, index int) {
	p.marks = append(p.marks, len(p.path))
	p.path = append(p.path, '.')
	p.path = strconv.AppendInt(p.path, int64(num), 10)
	if index >= 0 {
		p.path = append(p.path, '[')
		p.path = strconv.AppendInt(p.path, int64(index), 10)
		p.path = append(p.path, ']')
	}
}

// Leave goes back to where the last In or Key came from.
func (p *Probe) Leave() {
	last := len(p.marks) - 1
	p.path, p.marks = p.path[:p.marks[last]], p.marks[:last]
}

// In enters a message: field num, or item index of it when index is not negative.
func (p *Probe) In(num, index int) {
	p.step(num, index)
	p.note("message")
}

// Key enters a map entry.
func (p *Probe) Key(num int, key any) {
	p.step(num, -1)
	p.path = fmt.Appendf(p.path, "[%v]", key)
	p.note("entry")
}

// Num takes down a number by its bits, as they are summed.
func (p *Probe) Num(num, index int, v uint64) {
	if v == 0 && index < 0 {
		return
	}
	p.step(num, index)
	p.note(strconv.FormatUint(v, 10))
	p.Leave()
}

// Str takes down a string or bytes.
func (p *Probe) Str(num, index int, v string) {
	if v == "" && index < 0 {
		return
	}
	p.step(num, index)
	p.note(v)
	p.Leave()
}

func (p *Probe) note(value string) {
	if p.Listing {
		p.Lines = append(p.Lines, fmt.Sprintf("%s = %q", p.path, value))
	}
	h := uint64(14695981039346656037) // FNV-1a
	for _, c := range p.path {
		h = (h ^ uint64(c)) * 1099511628211
	}
	h = (h ^ '=') * 1099511628211
	for i := range len(value) {
		h = (h ^ uint64(value[i])) * 1099511628211
	}
	p.Sum += h ^ h>>29
}

// Difference tells what want has that got has not, or the other way round, in one line; nothing when they are the same.
func Difference(got, want []string) string {
	slices.Sort(got)
	slices.Sort(want)
	for i := 0; ; i++ {
		switch {
		case i == len(got) && i == len(want):
			return ""
		case i == len(got):
			return "missing " + want[i]
		case i == len(want):
			return "extra " + got[i]
		case got[i] != want[i]:
			return "got " + got[i] + ", want " + want[i]
		}
	}
}
