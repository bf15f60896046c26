package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"time"
)

type speedscopeFrame struct {
	Name string `json:"name"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// speedscopeProfile is one goroutine. Its events are written apart.
type speedscopeProfile struct {
	Type  string        `json:"type"`
	Name  string        `json:"name"`
	Unit  string        `json:"unit"`
	Start time.Duration `json:"startValue"`
	End   time.Duration `json:"endValue"`
}

// writeSpeedscope writes speedscope's file format: a profile for each goroutine, in which calls are
// opened and closed.
func writeSpeedscope(b *bufio.Writer, procs []*Process) error {
	b.WriteString(`{"$schema":"https://www.speedscope.app/file-format-schema.json",` +
		`"exporter":"functrace","shared":{"frames":`)
	numbers := make(map[*Func]int)
	var frames []speedscopeFrame
	for _, p := range procs {
		p.Walk(func(_ *Goroutine, c *Call, _ int) {
			if _, ok := numbers[c.Func]; !ok {
				numbers[c.Func] = len(frames)
				frames = append(frames, speedscopeFrame{c.Func.Name, c.Func.File, c.Func.Line})
			}
		})
	}
	if err := writeList(b, frames, func(f speedscopeFrame) error {
		text, err := json.Marshal(f)
		b.Write(text)
		return err
	}); err != nil {
		return err
	}
	b.WriteString("},\"profiles\":[")
	separator := ""
	for _, p := range procs {
		for _, g := range p.Goroutines {
			if len(g.Calls) == 0 {
				continue
			}
			b.WriteString(separator)
			separator = ",\n"
			profile := speedscopeProfile{"evented", fmt.Sprintf("%s %d goroutine %d", p.Program,
				p.PID, g.ID), "nanoseconds", g.Calls[0].Start, p.End}
			if err := writeObject(b, profile, "events", func() error {
				writeSpeedscopeEvents(b, g.Calls, numbers)
				return nil
			}); err != nil {
				return err
			}
		}
	}
	_, err := b.WriteString("]}\n")
	return err
}

func writeSpeedscopeEvents(b *bufio.Writer, calls []*Call, numbers map[*Func]int) {
	event := func(separator, kind string, c *Call, at time.Duration) {
		fmt.Fprintf(b, `%s{"type":%q,"frame":%d,"at":%d}`, separator, kind, numbers[c.Func], at)
	}
	var write func(calls []*Call, separator string)
	write = func(calls []*Call, separator string) {
		for _, c := range calls {
			event(separator, "O", c, c.Start)
			separator = ","
			write(c.Calls, separator)
			event(separator, "C", c, c.End)
		}
	}
	b.WriteByte('[')
	write(calls, "")
	b.WriteByte(']')
}
