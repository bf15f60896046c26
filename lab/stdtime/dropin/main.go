// Command dropin compares code in the shape of gogo/protobuf with that of protoc-gen-gogofaster, on the lab's workloads.
//
//	(cd .. && go run ./cmd/workloads -out /tmp/workloads) && go run ./dropin -workloads /tmp/workloads
//
// Both are measured in turns, a few milliseconds each, in one process; the ratio is that of the medians. Append writes into a
// buffer that is used again: Size and MarshalToSizedBuffer. What both write and read is compared first.
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/octopus-framework/octopus/lab/stdtime/dropin/gen/gogofaster"
	"github.com/octopus-framework/octopus/lab/stdtime/dropin/gen/ours"
)

// message is what both generators make.
type message interface {
	Reset()
	Marshal() ([]byte, error)
	MarshalToSizedBuffer([]byte) (int, error)
	Size() int
	Unmarshal([]byte) error
}

// types make a message of each, by name.
var types = map[string]struct{ old, new func() message }{
	"Submit":        {func() message { return new(gogofaster.Submit) }, func() message { return new(ours.Submit) }},
	"Deposit":       {func() message { return new(gogofaster.Deposit) }, func() message { return new(ours.Deposit) }},
	"DeepNested":    {func() message { return new(gogofaster.DeepNested) }, func() message { return new(ours.DeepNested) }},
	"AllTypes":      {func() message { return new(gogofaster.AllTypes) }, func() message { return new(ours.AllTypes) }},
	"Moments":       {func() message { return new(gogofaster.Moments) }, func() message { return new(ours.Moments) }},
	"PackedInts":    {func() message { return new(gogofaster.PackedInts) }, func() message { return new(ours.PackedInts) }},
	"PackedDoubles": {func() message { return new(gogofaster.PackedDoubles) }, func() message { return new(ours.PackedDoubles) }},
	"TenInts":       {func() message { return new(gogofaster.TenInts) }, func() message { return new(ours.TenInts) }},
	"TenDoubles":    {func() message { return new(gogofaster.TenDoubles) }, func() message { return new(ours.TenDoubles) }},
	"TenStrings":    {func() message { return new(gogofaster.TenStrings) }, func() message { return new(ours.TenStrings) }},
	"Smalls":        {func() message { return new(gogofaster.Smalls) }, func() message { return new(ours.Smalls) }},
	"OneString":     {func() message { return new(gogofaster.OneString) }, func() message { return new(ours.OneString) }},
	"Blob":          {func() message { return new(gogofaster.Blob) }, func() message { return new(ours.Blob) }},
	"Node":          {func() message { return new(gogofaster.Node) }, func() message { return new(ours.Node) }},
}

func main() {
	dir := flag.String("workloads", "", "folder with the workloads")
	only := flag.String("only", "", "names of workloads, with commas between; all when empty")
	rounds := flag.Int("rounds", 30, "rounds of each measurement")
	slice := flag.Duration("slice", 4*time.Millisecond, "how long one round of one side is")
	out := flag.String("out", "", "file for the results as JSON")
	quick := flag.Bool("quick", false, "in a minute: fewer and shorter rounds")
	flag.Parse()
	if *quick {
		*rounds, *slice = 15, 2*time.Millisecond
	}
	if err := run(*dir, *only, *out, *rounds, *slice); err != nil {
		fmt.Fprintln(os.Stderr, "dropin:", err)
		os.Exit(1)
	}
}

// row is one result.
type row struct {
	Workload, Op         string
	GogofasterNs, OursNs float64
	Ratio                float64 // of throughput: above 1 ours is faster
}

func run(dir, only, out string, rounds int, slice time.Duration) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.*"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("there are no workloads in %q: cd lab && go run ./cmd/workloads -out DIR", dir)
	}
	fmt.Printf("%-18s %-10s %12s %12s %7s\n", "workload", "operation", "gogofaster", "ours", "ratio")
	var rows []row
	for _, file := range files {
		name, typ, _ := strings.Cut(filepath.Base(file), ".")
		make, ok := types[typ]
		if !ok || only != "" && !slices.Contains(strings.Split(only, ","), name) {
			continue
		}
		data, err := messages(file)
		if err != nil {
			return err
		}
		a, err := load(data, make.old)
		if err != nil {
			return err
		}
		b, err := load(data, make.new)
		if err != nil {
			return err
		}
		if err := same(name, a, b); err != nil {
			return err
		}
		for _, op := range []string{"append", "marshal", "unmarshal"} {
			r := row{Workload: name, Op: op}
			r.GogofasterNs, r.OursNs = pair(a.loop(op), b.loop(op), rounds, slice)
			r.Ratio = r.GogofasterNs / r.OursNs
			rows = append(rows, r)
			fmt.Printf("%-18s %-10s %9.1f ns %9.1f ns %7.2f\n", name, op, r.GogofasterNs, r.OursNs, r.Ratio)
		}
	}
	for _, op := range []string{"append", "marshal", "unmarshal"} {
		logs, n, worst := 0.0, 0, math.Inf(1)
		for _, r := range rows {
			if r.Op == op {
				logs, n, worst = logs+math.Log(r.Ratio), n+1, min(worst, r.Ratio)
			}
		}
		fmt.Printf("%-18s %-10s geometric mean %.2f, worst %.2f\n", "all", op, math.Exp(logs/float64(n)), worst)
	}
	if out == "" {
		return nil
	}
	text, err := json.MarshalIndent(rows, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(out, text, 0o644)
}

// messages reads messages, each after its length.
func messages(file string) (all [][]byte, err error) {
	b, err := os.ReadFile(file)
	for err == nil && len(b) > 0 {
		n, at := binary.Uvarint(b)
		if at <= 0 || n > uint64(len(b)-at) {
			return nil, fmt.Errorf("%s ends within a message", file)
		}
		all, b = append(all, b[at:at+int(n)]), b[at+int(n):]
	}
	return all, err
}

// side is the messages of a workload in the code of one generator.
type side struct {
	data     [][]byte
	messages []message
	fresh    func() message
	buf      []byte
}

func load(data [][]byte, fresh func() message) (*side, error) {
	s := &side{data: data, fresh: fresh}
	for _, b := range data {
		m := fresh()
		if err := m.Unmarshal(b); err != nil {
			return nil, err
		}
		s.messages = append(s.messages, m)
		s.buf = append(s.buf, make([]byte, m.Size())...)
	}
	return s, nil
}

// same compares what both write. Maps come in any order: then lengths.
func same(name string, a, b *side) error {
	for i := range a.messages {
		x, err := a.messages[i].Marshal()
		if err != nil {
			return err
		}
		y, err := b.messages[i].Marshal()
		if err != nil {
			return err
		}
		slices.Sort(x)
		slices.Sort(y)
		if !bytes.Equal(x, y) {
			return fmt.Errorf("%s: ours writes something else", name)
		}
	}
	return nil
}

// loop returns what does an operation n times.
func (s *side) loop(op string) func(n int) {
	at := 0
	next := func() int {
		if at++; at >= len(s.messages) {
			at = 0
		}
		return at
	}
	switch op {
	case "append":
		return func(n int) {
			for range n {
				m := s.messages[next()]
				if _, err := m.MarshalToSizedBuffer(s.buf[:m.Size()]); err != nil {
					panic(err)
				}
			}
		}
	case "marshal":
		return func(n int) {
			for range n {
				b, err := s.messages[next()].Marshal()
				if err != nil {
					panic(err)
				}
				sink = b
			}
		}
	}
	return func(n int) {
		for range n {
			m := s.fresh()
			if err := m.Unmarshal(s.data[next()]); err != nil {
				panic(err)
			}
			sinkMessage = m
		}
	}
}

var (
	sink        []byte
	sinkMessage message
)

// pair returns the median time of one call of each.
func pair(a, b func(n int), rounds int, slice time.Duration) (x, y float64) {
	n := 1
	for {
		start := time.Now()
		a(n)
		if time.Since(start) > slice {
			break
		}
		n *= 2
	}
	b(n)
	var as, bs []float64
	for i := range rounds {
		once := func(f func(n int)) float64 {
			start := time.Now()
			f(n)
			return float64(time.Since(start)) / float64(n)
		}
		if i%2 == 0 {
			as, bs = append(as, once(a)), append(bs, once(b))
		} else {
			bs, as = append(bs, once(b)), append(as, once(a))
		}
	}
	slices.Sort(as)
	slices.Sort(bs)
	return as[rounds/2], bs[rounds/2]
}
