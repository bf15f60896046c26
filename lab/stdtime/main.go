// Command stdtime measures what started gremlin: 10,000 times in one message, written and read by many goroutines at once, with
// gogo/protobuf's reflection, its generated code, protobuf-go and ours in both shapes and by a Reader.
//
//	go run . -goroutines 1,2,8,64,1000 -messages 400
//	go run . -quick
//
// Each contender marshals, then unmarshals, the same number of messages, shared out among the goroutines, which start the next
// message when the last is done. What they write is compared first. Waiting is what the runtime counts in
// /sync/mutex/wait/total:seconds.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	gogoproto "github.com/gogo/protobuf/proto"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/octopus-framework/octopus/lab/stdtime/gen/gogofaster"
	"github.com/octopus-framework/octopus/lab/stdtime/gen/native"
	"github.com/octopus-framework/octopus/lab/stdtime/gen/ours"
	"github.com/octopus-framework/octopus/lab/stdtime/gen/table"
)

// contender writes one message, where marshal is not nil, and reads it.
type contender struct {
	name      string
	marshal   func() ([]byte, error)
	unmarshal func([]byte) error
}

func main() {
	goroutines := flag.String("goroutines", "1,2,8,64,1000", "numbers of goroutines, with commas between")
	messages := flag.Int("messages", 400, "messages of each measurement")
	quick := flag.Bool("quick", false, "a minute: 1, 2 and 64 goroutines, 40 messages")
	out := flag.String("out", "", "file for the results as JSON")
	values := flag.Int("values", 10000, "times in a message")
	flag.Parse()
	if *quick {
		*goroutines, *messages = "1,2,64", 40
	}
	if err := run(*goroutines, *out, *messages, *values); err != nil {
		fmt.Fprintln(os.Stderr, "stdtime:", err)
		os.Exit(1)
	}
}

func run(list, out string, messages, values int) error {
	contenders := field(values)
	want, err := contenders[0].marshal()
	if err != nil {
		return err
	}
	for _, c := range contenders {
		if c.marshal != nil {
			b, err := c.marshal()
			if err != nil || !bytes.Equal(b, want) {
				return fmt.Errorf("%s writes something else: %d bytes and not %d, %v", c.name, len(b), len(want), err)
			}
		}
		if err := c.unmarshal(want); err != nil {
			return fmt.Errorf("%s does not read: %w", c.name, err)
		}
	}
	fmt.Printf("%d times in a message of %d bytes, %d messages, GOMAXPROCS %d\n\n", values, len(want), messages, runtime.GOMAXPROCS(0))
	fmt.Println("operation  contender      goroutines  messages/s        p50        p99        max  wait/message  allocs  KiB/message")
	var results []result
	for _, op := range []string{"marshal", "unmarshal"} {
		for n := range strings.SplitSeq(list, ",") {
			workers, err := strconv.Atoi(n)
			if err != nil || workers < 1 {
				return errors.New("-goroutines wants numbers above zero")
			}
			for _, c := range contenders {
				if op == "marshal" && c.marshal == nil {
					continue
				}
				do := func() error { return c.unmarshal(want) }
				if op == "marshal" {
					do = func() error { _, err := c.marshal(); return err }
				}
				r, err := measure(workers, messages, do)
				if err != nil {
					return fmt.Errorf("%s: %w", c.name, err)
				}
				results = append(results, result{op, c.name, workers, r})
				fmt.Printf("%-10s %-15s %9d %11.1f %10s %10s %10s %13s %7.0f %12.0f\n", op, c.name, workers, r.MessagesPerSecond,
					r.P50, r.P99, r.Max, r.MutexWait, r.Allocs, r.Bytes/1024)
			}
		}
	}
	if out == "" {
		return nil
	}
	text, err := json.MarshalIndent(results, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(out, text, 0o644)
}

// result is one line of the report. Times are nanoseconds.
type result struct {
	Op, Contender string
	Goroutines    int
	figures
}

type figures struct {
	MessagesPerSecond float64
	P50, P99, Max     time.Duration
	MutexWait         time.Duration // of all goroutines, for one message
	Allocs, Bytes     float64       // of one message
}

// measure lets workers do it until it was done so many times.
func measure(workers, times int, do func() error) (r figures, err error) {
	took := make([]time.Duration, times)
	var next atomic.Int64
	var failed atomic.Pointer[error]
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	waited := mutexWait()
	start := time.Now()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(times); i = next.Add(1) - 1 {
				begin := time.Now()
				if err := do(); err != nil {
					failed.Store(&err)
				}
				took[i] = time.Since(begin)
			}
		})
	}
	wg.Wait()
	elapsed := time.Since(start)
	waited = mutexWait() - waited
	runtime.ReadMemStats(&after)
	if e := failed.Load(); e != nil {
		return r, *e
	}
	slices.Sort(took)
	n := float64(times)
	return figures{
		MessagesPerSecond: n / elapsed.Seconds(), P50: round(took[times/2]), P99: round(took[times*99/100]), Max: round(took[times-1]),
		MutexWait: round(time.Duration(waited / n * float64(time.Second))),
		Allocs:    float64(after.Mallocs-before.Mallocs) / n, Bytes: float64(after.TotalAlloc-before.TotalAlloc) / n,
	}, nil
}

func round(d time.Duration) time.Duration { return d.Round(max(d/1000, time.Nanosecond)) }

func mutexWait() float64 {
	s := []metrics.Sample{{Name: "/sync/mutex/wait/total:seconds"}}
	metrics.Read(s)
	return s[0].Value.Float64()
}

// field returns who takes part.
func field(values int) []contender {
	at := make([]time.Time, values)
	stamps := make([]*timestamppb.Timestamp, values)
	for i := range at {
		at[i] = time.Date(2026, 1, 1, 0, 0, i, 123456789+i, time.UTC)
		stamps[i] = timestamppb.New(at[i])
	}
	slow, fast, our := &table.Beat{At: at}, &gogofaster.Beat{At: at}, &ours.Beat{At: at}
	own := &native.Beat{At: at}
	return []contender{
		{"gogo-table", func() ([]byte, error) { return gogoproto.Marshal(slow) },
			func(b []byte) error { return gogoproto.Unmarshal(b, new(table.Beat)) }},
		{"gogofaster", fast.Marshal, func(b []byte) error { return new(gogofaster.Beat).Unmarshal(b) }},
		{"protobuf-go", func() ([]byte, error) { return marshalStamps(stamps) }, unmarshalStamps},
		{"gremlin-gogo", our.Marshal, func(b []byte) error { return new(ours.Beat).Unmarshal(b) }},
		{"gremlin-native", func() ([]byte, error) { return own.Marshal(), nil },
			func(b []byte) error { return new(native.Beat).Unmarshal(b) }},
		{"gremlin-reader", nil, readAll},
	}
}

// readAll reads every time of a message where it lies.
func readAll(b []byte) error {
	var r native.BeatReader
	if err := r.Unmarshal(b); err != nil {
		return err
	}
	for t := range r.At() {
		if t.IsZero() {
			return errors.New("a time is zero")
		}
	}
	return nil
}

// marshalStamps writes the list that Beat is by protobuf-go's Timestamps: the message itself is too simple to matter.
func marshalStamps(stamps []*timestamppb.Timestamp) (b []byte, err error) {
	for _, s := range stamps {
		b = protowire.AppendTag(b, 1, protowire.BytesType)
		b = protowire.AppendVarint(b, uint64(proto.Size(s)))
		if b, err = (proto.MarshalOptions{UseCachedSize: true}).MarshalAppend(b, s); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func unmarshalStamps(b []byte) error {
	var stamps []*timestamppb.Timestamp
	for len(b) > 0 {
		_, _, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		v, m := protowire.ConsumeBytes(b[n:])
		if m < 0 {
			return protowire.ParseError(m)
		}
		s := new(timestamppb.Timestamp)
		if err := proto.Unmarshal(v, s); err != nil {
			return err
		}
		stamps, b = append(stamps, s), b[n+m:]
	}
	return nil
}
