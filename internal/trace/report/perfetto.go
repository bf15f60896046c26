package report

import (
	"bufio"
	"fmt"

	"github.com/octopus-framework/octopus/internal/trace/report/perfetto"
)

// Flags of packets: the names that were given numbers before are forgotten; the packet needs them.
const (
	perfettoCleared = 1
	perfettoNeeds   = 2
)

// perfettoSequence is the number of the one sequence of packets that we write.
const perfettoSequence = 1

// writePerfetto writes Perfetto's own trace format: a track for each goroutine below one for its
// process, a slice for each call, and a flow for each go statement. A trace is packets in a row, so
// each is written by itself.
func writePerfetto(b *bufio.Writer, procs []*Process) error {
	w := perfettoWriter{b: b, names: make(map[string]uint64), flags: perfettoCleared}
	for _, p := range procs {
		w.process(p)
	}
	return w.err
}

type perfettoWriter struct {
	b     *bufio.Writer
	names map[string]uint64 // the number of each name
	track uint64            // the last one given
	flow  uint64
	flags uint32
	trace perfetto.Trace // it holds the packet that is written
	out   []byte
	err   error
}

func (w *perfettoWriter) put(p perfetto.TracePacket) {
	p.TrustedPacketSequenceId, p.SequenceFlags = perfettoSequence, w.flags
	w.flags = perfettoNeeds
	w.trace.Packet = append(w.trace.Packet[:0], p)
	w.out = w.trace.MarshalAppend(w.out[:0])
	if _, err := w.b.Write(w.out); err != nil {
		w.err = err
	}
}

func (w *perfettoWriter) newTrack(d perfetto.TrackDescriptor) uint64 {
	w.track++
	d.Uuid = w.track
	w.put(perfetto.TracePacket{TrackDescriptor: &d})
	return w.track
}

func (w *perfettoWriter) process(p *Process) {
	process := w.newTrack(perfetto.TrackDescriptor{
		Process: &perfetto.ProcessDescriptor{Pid: int32(p.PID), ProcessName: p.Program}})
	tracks := make(map[*Goroutine]uint64)
	for _, g := range p.Goroutines {
		tracks[g] = w.newTrack(perfetto.TrackDescriptor{ParentUuid: process,
			Name: fmt.Sprintf("goroutine %d", g.ID)})
	}
	for _, g := range p.Goroutines {
		var flow []uint64
		if g.From != nil && len(g.Calls) > 0 {
			w.flow++
			flow = []uint64{w.flow}
			w.event(p, int64(g.Forked), "go", perfetto.TrackEvent{
				Type:      perfetto.TrackEvent_TYPE_INSTANT,
				TrackUuid: tracks[g.FromGoroutine], FlowIds: flow})
		}
		for _, c := range g.Calls {
			w.call(p, c, tracks[g], flow)
			flow = nil
		}
	}
}

// event writes an event that has a name.
func (w *perfettoWriter) event(p *Process, at int64, name string, e perfetto.TrackEvent) {
	packet := perfetto.TracePacket{TrackEvent: &e, Timestamp: uint64(p.Start.UnixNano() + at)}
	number, ok := w.names[name]
	if !ok {
		number = uint64(len(w.names) + 1)
		w.names[name] = number
		packet.InternedData = &perfetto.InternedData{
			EventNames: []perfetto.EventName{{Iid: number, Name: name}}}
	}
	e.NameIid = number
	w.put(packet)
}

// call writes a call and those in it; its depth is that of the recorded calls.
func (w *perfettoWriter) call(p *Process, c *Call, track uint64, flow []uint64) {
	begin := perfetto.TrackEvent{Type: perfetto.TrackEvent_TYPE_SLICE_BEGIN, TrackUuid: track,
		TerminatingFlowIds: flow, Categories: []string{"call"}}
	for _, note := range c.notes() {
		begin.DebugAnnotations = append(begin.DebugAnnotations,
			perfetto.DebugAnnotation{Name: note.name, StringValue: note.text})
	}
	w.event(p, int64(c.Start), c.Func.Name, begin)
	for _, inner := range c.Calls {
		w.call(p, inner, track, nil)
	}
	w.put(perfetto.TracePacket{Timestamp: uint64(p.Start.UnixNano() + int64(c.End)),
		TrackEvent: &perfetto.TrackEvent{Type: perfetto.TrackEvent_TYPE_SLICE_END,
			TrackUuid: track}})
}
