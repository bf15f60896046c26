// Command stdtime measures what started gremlin: 10,000 times in one message, written and read by many goroutines at once, with
// gogo/protobuf's reflection, its generated code, protobuf-go and ours.
//
//	go run . -goroutines 1,2,8,64,1000 -messages 400
//
// Each contender marshals, then unmarshals, the same number of messages, shared out among the goroutines, which start the next
// message when the last is done. What they write is compared first. Waiting is what the runtime counts in
// /sync/mutex/wait/total:seconds.
package main

import (
	"bytes"
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
	"github.com/octopus-framework/octopus/lab/stdtime/gen/ours"
	"github.com/octopus-framework/octopus/lab/stdtime/gen/table"
)

// contender writes one message and reads it.
type contender struct {
	name      string
	marshal   func() ([]byte, error)
	unmarshal func([]byte) error
}

func main() {
	goroutines := flag.String("goroutines", "1,2,8,64,1000", "numbers of goroutines, with commas between")
	messages := flag.Int("messages", 400, "messages of each measurement")
	values := flag.Int("values", 10000, "times in a message")
	flag.Parse()
	if err := run(*goroutines, *messages, *values); err != nil {
		fmt.Fprintln(os.Stderr, "stdtime:", err)
		os.Exit(1)
	}
}

func run(list string, messages, values int) error {
	contenders := field(values)
	want, err := contenders[0].marshal()
	if err != nil {
		return err
	}
	for _, c := range contenders {
		b, err := c.marshal()
		if err != nil || !bytes.Equal(b, want) {
			return fmt.Errorf("%s writes something else: %d bytes and not %d, %v", c.name, len(b), len(want), err)
		}
		if err := c.unmarshal(want); err != nil {
			return fmt.Errorf("%s does not read: %w", c.name, err)
		}
	}
	fmt.Printf("%d times in a message of %d bytes, %d messages, GOMAXPROCS %d\n\n", values, len(want), messages, runtime.GOMAXPROCS(0))
	fmt.Println("operation  contender      goroutines  messages/s        p50        p99        max  wait/message  allocs  KiB/message")
	for _, op := range []string{"marshal", "unmarshal"} {
		for n := range strings.SplitSeq(list, ",") {
			workers, err := strconv.Atoi(n)
			if err != nil || workers < 1 {
				return errors.New("-goroutines wants numbers above zero")
			}
			for _, c := range contenders {
				do := func() error { return c.unmarshal(want) }
				if op == "marshal" {
					do = func() error { _, err := c.marshal(); return err }
				}
				r, err := measure(workers, messages, do)
				if err != nil {
					return fmt.Errorf("%s: %w", c.name, err)
				}
				fmt.Printf("%-10s %-15s %9d %11.1f %10s %10s %10s %13s %7.0f %12.0f\n", op, c.name, workers, r.rate,
					r.p50, r.p99, r.max, r.wait, r.allocs, r.bytes/1024)
			}
		}
	}
	return nil
}

type result struct {
	rate          float64
	p50, p99, max time.Duration
	wait          time.Duration // for mutexes, of all goroutines, for one message
	allocs, bytes float64
}

// measure lets workers do it until it was done so many times.
func measure(workers, times int, do func() error) (r result, err error) {
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
	return result{
		rate: n / elapsed.Seconds(), p50: round(took[times/2]), p99: round(took[times*99/100]), max: round(took[times-1]),
		wait:   round(time.Duration(waited / n * float64(time.Second))),
		allocs: float64(after.Mallocs-before.Mallocs) / n, bytes: float64(after.TotalAlloc-before.TotalAlloc) / n,
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
	return []contender{
		{"gogo-table", func() ([]byte, error) { return gogoproto.Marshal(slow) },
			func(b []byte) error { return gogoproto.Unmarshal(b, new(table.Beat)) }},
		{"gogofaster", fast.Marshal, func(b []byte) error { return new(gogofaster.Beat).Unmarshal(b) }},
		{"protobuf-go", func() ([]byte, error) { return marshalStamps(stamps) }, unmarshalStamps},
		{"gremlin", our.Marshal, func(b []byte) error { return new(ours.Beat).Unmarshal(b) }},
	}
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
