package serve_test

import (
	"bufio"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/octopus-framework/octopus/nerve"
)

// A history is a file to which processes append a line before each call and one after it. The order
// of lines is one in time: what is in a file before a call begins was there before it. The lines:
//
//	call WORKER NUMBER take
//	back WORKER NUMBER take ID:FENCE ID:FENCE
//	call WORKER NUMBER VERB ID FENCE           VERB is ack, fail, extend or release
//	back WORKER NUMBER VERB ok                 or late
//	short WORKER                               leases of this worker may end at any time
//	kill WORKER                                it was killed some time after this
type history struct {
	operations map[nerve.ID][]porcupine.Operation
	short      map[string]bool
	acked      map[nerve.ID]int  // how often each was acknowledged
	maybe      map[nerve.ID]bool // acknowledgements whose outcome nobody knows
	late       int               // calls for leases that had ended
	kills      int
}

// leaseCall is the input of an operation on a record.
type leaseCall struct {
	verb   string // take, ack, fail, extend, release or kill
	worker string
	fence  string
	short  bool
}

// The outcomes of operations. Of one whose process was killed nobody knows it.
const (
	outcomeOK      = "ok"
	outcomeLate    = "late"
	outcomeUnknown = "unknown"
)

// recordState is what is true of a record.
type recordState struct {
	done   bool
	fence  string // fence of the lease that goes on, "" if there is none
	holder string
	short  bool // the lease may end at any time
}

// leases is what a record that workers share must do.
var leases = porcupine.Model{
	Init: func() any { return recordState{} },
	Step: func(state, input, output any) (bool, any) {
		s, in, out := state.(recordState), input.(leaseCall), output.(string)
		holds := s.fence == in.fence && !s.done
		switch in.verb {
		case "kill":
			if s.holder == in.worker {
				s.fence, s.holder = "", ""
			}
			return true, s
		case "take":
			free := !s.done && (s.fence == "" || s.short)
			s.fence, s.holder, s.short = in.fence, in.worker, in.short
			return free, s
		}
		if out == outcomeLate || out == outcomeUnknown && !holds {
			return out == outcomeUnknown || !holds || s.short, s
		}
		switch in.verb {
		case "ack":
			s.done, s.fence, s.holder = true, "", ""
		case "fail", "release":
			s.fence, s.holder = "", ""
		}
		return holds, s
	},
}

// readHistory reads the lines of a history.
func readHistory(text string) (*history, error) {
	h := &history{operations: map[nerve.ID][]porcupine.Operation{}, short: map[string]bool{},
		acked: map[nerve.ID]int{}, maybe: map[nerve.ID]bool{}}
	type open struct {
		at    int64
		words []string
	}
	calls := map[string]open{}
	kills := map[string]int64{}
	add := func(id nerve.ID, in leaseCall, call int64, out string, back int64) {
		in.short = h.short[in.worker]
		h.operations[id] = append(h.operations[id], porcupine.Operation{Input: in, Call: call,
			Output: out, Return: back})
	}
	settled := func(c open, out string, back int64) error {
		var id nerve.ID
		if _, err := fmt.Sscan(c.words[4], &id); err != nil {
			return err
		}
		if c.words[3] == "ack" && out == outcomeOK {
			h.acked[id]++
		}
		if c.words[3] == "ack" && out == outcomeUnknown {
			h.maybe[id] = true
		}
		add(id, leaseCall{verb: c.words[3], worker: c.words[1], fence: c.words[5]}, c.at, out, back)
		return nil
	}
	lines := bufio.NewScanner(strings.NewReader(text))
	for at := int64(1); lines.Scan(); at++ {
		words := strings.Fields(lines.Text())
		switch words[0] {
		case "short":
			h.short[words[1]] = true
			continue
		case "kill":
			h.kills++
			kills[words[1]] = at
			continue
		}
		key := words[1] + " " + words[2]
		if words[0] == "call" {
			calls[key] = open{at, words}
			continue
		}
		c := calls[key]
		delete(calls, key)
		if words[3] == "take" {
			for _, given := range words[4:] {
				var id nerve.ID
				text, fence, _ := strings.Cut(given, ":")
				if _, err := fmt.Sscan(text, &id); err != nil {
					return nil, err
				}
				add(id, leaseCall{verb: "take", worker: words[1], fence: fence}, c.at, outcomeOK,
					at)
			}
			continue
		}
		if err := settled(c, words[4], at); err != nil {
			return nil, err
		}
		if words[4] == outcomeLate {
			h.late++
		}
	}
	for _, c := range calls {
		if c.words[3] == "take" {
			continue // whatever it had went back
		}
		if err := settled(c, outcomeUnknown, math.MaxInt64); err != nil {
			return nil, err
		}
	}
	for worker, at := range kills {
		for id := range h.operations {
			add(id, leaseCall{verb: "kill", worker: worker}, at, outcomeOK, math.MaxInt64)
		}
	}
	return h, lines.Err()
}

// check returns the first record whose operations have no order in which all of them are right.
func (h *history) check() (bad nerve.ID, ok bool) {
	for id, operations := range h.operations {
		if !porcupine.CheckOperations(leases, operations) {
			return id, false
		}
	}
	return 0, true
}

// TestHistories shows what the check of histories takes and what it refuses.
func TestHistories(t *testing.T) {
	const taken = "call a 1 take;back a 1 take 7:x;"
	for _, test := range []struct {
		name, lines string
		ok          bool
	}{
		{"taken and done", taken + "call a 2 ack 7 x;back a 2 ack ok", true},
		{"done twice", taken + "call a 2 ack 7 x;back a 2 ack ok;call a 3 ack 7 x;back a 3 ack ok", false},
		{"taken by two", taken + "call b 1 take;back b 1 take 7:y", false},
		{"taken by two, one of them was killed", taken +
			"kill a;call b 1 take;back b 1 take 7:y", true},
		{"taken by two, the other one was killed", taken +
			"call b 1 take;back b 1 take 7:y;kill b", false},
		{"taken before the kill", taken + "call b 1 take;back b 1 take 7:y;kill a", false},
		{"short", "short a;" + taken + "call b 1 take;back b 1 take 7:y", true},
		{"an old fence is heard", "short a;" + taken +
			"call b 1 take;back b 1 take 7:y;call a 2 ack 7 x;back a 2 ack ok", false},
		{"an old fence is late", "short a;" + taken +
			"call b 1 take;back b 1 take 7:y;call a 2 ack 7 x;back a 2 ack late", true},
		{"a lease that goes on is late", taken + "call a 2 ack 7 x;back a 2 ack late", false},
		{"given back", taken + "call a 2 fail 7 x;back a 2 fail ok;call b 1 take;" +
			"back b 1 take 7:y", true},
		{"given back and done", taken + "call a 2 fail 7 x;back a 2 fail ok;" +
			"call a 3 ack 7 x;back a 3 ack ok", false},
		{"taken when done", taken + "call a 2 ack 7 x;back a 2 ack ok;call b 1 take;" +
			"back b 1 take 7:y", false},
		{"an ack without an answer was done", taken + "call a 2 ack 7 x;kill a", true},
		{"an ack without an answer was not done", taken + "call a 2 ack 7 x;kill a;" +
			"call b 1 take;back b 1 take 7:y;call b 2 ack 7 y;back b 2 ack ok", true},
		{"an ack without an answer is heard late", taken + "call a 2 ack 7 x;kill a;" +
			"call b 1 take;back b 1 take 7:y;call b 2 ack 7 y;back b 2 ack late", false},
		{"at once", "call b 1 take;" + taken + "call a 2 fail 7 x;back b 1 take 7:y;" +
			"back a 2 fail ok", true},
	} {
		h, err := readHistory(strings.ReplaceAll(test.lines, ";", "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := h.check(); ok != test.ok {
			t.Errorf("%s: %v", test.name, ok)
		}
	}
}
