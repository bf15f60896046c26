package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func checkTraceEvents(t *testing.T, data []byte, calls int) {
	t.Helper()
	complete, err := validateTraceEvents(data)
	if err != nil {
		t.Fatal(err)
	}
	if complete != calls {
		t.Errorf("%d complete events, want %d", complete, calls)
	}
}

// traceFields are the fields that the Trace Event format documents for each of the phases that we
// write; those in upper case must be there.
var traceFields = map[string]string{
	"X": "NAME CAT PH TS DUR PID TID args",
	"M": "NAME cat PH ts PID TID ARGS",
	"s": "NAME CAT PH TS PID TID ID args",
	"f": "NAME CAT PH TS PID TID ID BP args",
}

type validEvent struct {
	Name, Ph, Cat, BP string
	TS, Dur           float64
	PID, TID, ID      int64
	Args              map[string]any
}

func (e validEvent) track() string { return fmt.Sprint(e.PID, " ", e.TID) }

// rounding is the error of adding microseconds as floating point numbers, which is how viewers do
// it.
const rounding = 1e-6

// validateTraceEvents checks a file against the Trace Event format, in its JSON object form: the
// fields of each event and their types, complete events in order and nested on their track, flows
// in pairs that bind to events, names for every track. It returns how many complete events there
// are.
func validateTraceEvents(data []byte) (complete int, err error) {
	var file struct {
		DisplayTimeUnit string            `json:"displayTimeUnit"`
		TraceEvents     []json.RawMessage `json:"traceEvents"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return 0, err
	}
	if file.DisplayTimeUnit != "ns" && file.DisplayTimeUnit != "ms" {
		return 0, fmt.Errorf("displayTimeUnit is %q", file.DisplayTimeUnit)
	}
	open := map[string][]validEvent{}
	slices := map[string][]validEvent{}
	named := map[string]bool{}
	begun := map[int64]validEvent{}
	ended := map[int64]validEvent{}
	for i, raw := range file.TraceEvents {
		var fields map[string]json.RawMessage
		var e validEvent
		if err := json.Unmarshal(raw, &fields); err != nil {
			return 0, fmt.Errorf("event %d: %w", i, err)
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			return 0, fmt.Errorf("event %d: %w", i, err)
		}
		documented, ok := traceFields[e.Ph]
		if !ok {
			return 0, fmt.Errorf("event %d has the phase %q", i, e.Ph)
		}
		allowed := strings.Fields(strings.ToLower(documented))
		for _, f := range strings.Fields(documented) {
			if _, ok := fields[strings.ToLower(f)]; !ok && f == strings.ToUpper(f) {
				return 0, fmt.Errorf("event %d, phase %s, lacks %s", i, e.Ph, strings.ToLower(f))
			}
		}
		for f := range fields {
			if !strings.Contains(" "+strings.Join(allowed, " ")+" ", " "+f+" ") {
				return 0, fmt.Errorf("event %d, phase %s, has the field %q", i, e.Ph, f)
			}
		}
		if e.Name == "" || e.TS < 0 || e.Dur < 0 {
			return 0, fmt.Errorf("event %d: an empty name or a negative time: %s", i, raw)
		}
		switch e.Ph {
		case "M":
			if text, ok := e.Args["name"].(string); !ok || text == "" || e.Name != "process_name" &&
				e.Name != "thread_name" {
				return 0, fmt.Errorf("event %d: metadata %s", i, raw)
			}
			if e.Name == "thread_name" {
				named[e.track()] = true
			}
		case "s", "f":
			ends := map[string]map[int64]validEvent{"s": begun, "f": ended}[e.Ph]
			if _, twice := ends[e.ID]; twice {
				return 0, fmt.Errorf("event %d: flow %d begins or ends twice", i, e.ID)
			}
			if ends[e.ID] = e; e.Ph == "f" && e.BP != "e" {
				return 0, fmt.Errorf("event %d: binding point %q", i, e.BP)
			}
		case "X":
			complete++
			stack := open[e.track()]
			if before := slices[e.track()]; len(before) > 0 && before[len(before)-1].TS > e.TS {
				return 0, fmt.Errorf("event %d starts before the one above it on its track", i)
			}
			for len(stack) > 0 && stack[len(stack)-1].TS+stack[len(stack)-1].Dur <= e.TS+rounding {
				stack = stack[:len(stack)-1]
			}
			if n := len(stack); n > 0 && e.TS+e.Dur > stack[n-1].TS+stack[n-1].Dur+rounding {
				return 0, fmt.Errorf("event %d ends after the one it is in", i)
			}
			open[e.track()] = append(stack, e)
			slices[e.track()] = append(slices[e.track()], e)
		}
	}
	bound := func(e validEvent) bool {
		for _, x := range slices[e.track()] {
			if x.TS-rounding <= e.TS && e.TS <= x.TS+x.Dur+rounding {
				return true
			}
		}
		return false
	}
	for id, s := range begun {
		f, ok := ended[id]
		if !ok || f.TS < s.TS || f.Name != s.Name || f.Cat != s.Cat || !bound(s) || !bound(f) {
			return 0, fmt.Errorf("flow %d does not lead from one event to a later one", id)
		}
		delete(ended, id)
	}
	if len(ended) > 0 {
		return 0, fmt.Errorf("%d flows have no beginning", len(ended))
	}
	for track := range slices {
		if !named[track] {
			return 0, fmt.Errorf("track %s has no name", track)
		}
	}
	return complete, nil
}

// The validator finds what is wrong: each damage to a good file is one mistake.
func TestValidateTraceEvents(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, []*Process{exampleProcess()}, TraceEvent, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	for _, damage := range [][2]string{
		{`"ph":"X"`, `"ph":"Q"`}, {`"ph":"X",`, ``}, {`"dur":`, `"duration":`},
		{`"ts":10.000`, `"ts":"10"`}, {`"pid":7`, `"pid":7.5`},
		{`"ts":10.000`, `"ts":-1`}, {`"ts":11.000,"dur":7.000`, `"ts":11.000,"dur":70.000`},
		{`"ts":12.000`, `"ts":9.000`},
		{`"ph":"f"`, `"ph":"s"`}, {`"bp":"e"`, `"bp":"x"`},
		{`"name":"thread_name"`, `"name":"thread"`},
		{`"displayTimeUnit":"ns"`, `"displayTimeUnit":"s"`},
		{`"traceEvents"`, `"events"`}, {`"ph":"s","ts":2.500`, `"ph":"s","ts":250`}, {`]}`, `]`},
		{`"cat":"call",`, ``},
	} {
		if !strings.Contains(good, damage[0]) {
			t.Errorf("the file has no %s:\n%s", damage[0], good)
		}
		if _, err := validateTraceEvents([]byte(strings.Replace(good, damage[0], damage[1],
			1))); err == nil {
			t.Errorf("%s for %s is not found", damage[1], damage[0])
		}
	}
}
