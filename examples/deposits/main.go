// Deposits writes a million deposit events to a file and answers "what did each user deposit?" from
// the encoded bytes: a Reader touches the three fields that the question is about and leaves the
// rest alone. The answer is then checked against one from decoding every event whole.
//
// With -json N it prints the first N events as JSON, straight from their bytes.
//
// With -queue DIR the events go through nerve instead, to two consumers that count by user and by
// country. Kill it anywhere, or let it die by itself with -stop-after, and start it again: the
// results are complete and counted once.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/gremlin/json"
)

//go:generate go run ../../cmd/gremlin generate

func main() {
	n := flag.Int("n", 1_000_000, "events to write")
	file := flag.String("file", "",
		"where to write them (default: a temporary file that is removed)")
	first := flag.Int("json", 0, "print so many events as JSON and do nothing else")
	queue := flag.String("queue", "", "folder of a queue to send the events through")
	stop := flag.Int("stop-after", 0, "with -queue: die without cleaning up after this many events")
	compare := flag.Bool("compare", false, "with -queue: compare the totals of all users,"+
		" lines like 7,250 on standard input, with those that were counted, and do nothing else")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	var err error
	if *first > 0 {
		err = printJSON(os.Stdout, *first)
	} else if *compare {
		err = compareTotals(os.Stdout, os.Stdin, *queue)
	} else if *queue != "" {
		err = runQueue(ctx, os.Stdout, *queue, *n, *stop)
	} else {
		err = run(os.Stdout, *n, *file)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "deposits:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, n int, file string) error {
	if file == "" {
		dir, err := os.MkdirTemp("", "deposits")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		file = filepath.Join(dir, "events.bin")
	}
	var write measurement
	if err := write.run(n, func() error { return writeEvents(file, n) }); err != nil {
		return err
	}
	log, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d events, %.0f MB, written in %s\n\n", n, float64(len(log))/1e6, write)

	var lazy, eager totals
	var read, decode measurement
	if err := read.run(n, func() (err error) {
		lazy, err = totalsByReader(log)
		return err
	}); err != nil {
		return err
	}
	if err := decode.run(n, func() (err error) {
		eager, err = totalsByMessage(log)
		return err
	}); err != nil {
		return err
	}
	fmt.Fprintf(w, "%-32s %s\n", "Reader, three fields of each:", read)
	fmt.Fprintf(w, "%-32s %s\n\n", "Message, everything decoded:", decode)
	if !lazy.equal(eager) {
		return errors.New("the two answers differ")
	}
	lazy.print(w)
	return nil
}

// printJSON prints the first n events, one a line. No Message is made of their bytes, and the
// buffer for the text is reused.
func printJSON(w io.Writer, n int) error {
	gen := newGenerator()
	var event, text []byte
	var deposit shopv1.DepositReader
	for i := range n {
		event = gen.event(i).MarshalAppend(event[:0])
		err := deposit.Unmarshal(event)
		if err != nil {
			return err
		}
		if text, err = deposit.AppendJSON(text[:0], json.Options{}); err != nil {
			return err
		}
		if _, err = w.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// writeEvents writes n events, each behind its length.
func writeEvents(file string, n int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	gen := newGenerator()
	var buf, head []byte // reused: MarshalAppend allocates nothing when there is room
	for i := range n {
		buf = gen.event(i).MarshalAppend(buf[:0])
		head = binary.AppendUvarint(head[:0], uint64(len(buf)))
		_, _ = w.Write(head)
		_, _ = w.Write(buf)
	}
	return errors.Join(w.Flush(), f.Close())
}

// next cuts the first event off the log.
func next(log []byte) (event, rest []byte, err error) {
	size, n := binary.Uvarint(log)
	if n <= 0 || size > uint64(len(log)-n) {
		return nil, nil, errors.New("the file is cut off")
	}
	return log[n:][:size], log[n:][size:], nil
}

// totalsByReader reads three fields of each event: type, amount and the user's id.
func totalsByReader(log []byte) (totals, error) {
	t := newTotals()
	var deposit shopv1.DepositReader
	for len(log) > 0 {
		event, rest, err := next(log)
		if err != nil {
			return t, err
		}
		if err := deposit.Unmarshal(event); err != nil {
			return t, err
		}
		t.add(deposit.GetType(), deposit.GetUser().GetId(), deposit.GetAmount())
		log = rest
	}
	return t, nil
}

// totalsByMessage decodes every event whole.
func totalsByMessage(log []byte) (totals, error) {
	t := newTotals()
	var deposit shopv1.Deposit
	for len(log) > 0 {
		event, rest, err := next(log)
		if err != nil {
			return t, err
		}
		if err := deposit.Unmarshal(event); err != nil {
			return t, err
		}
		t.add(deposit.Type, deposit.GetUser().GetId(), deposit.Amount)
		log = rest
	}
	return t, nil
}

// totals is the answer: what each user deposited, and what came in by each way.
type totals struct {
	user map[int64]int64
	by   [4]int64
}

func newTotals() totals { return totals{user: make(map[int64]int64, users)} }

func (t *totals) add(kind shopv1.DepositType, user, amount int64) {
	t.user[user] += amount
	t.by[int(kind)%len(t.by)] += amount
}

func (t *totals) equal(x totals) bool {
	if len(t.user) != len(x.user) || t.by != x.by {
		return false
	}
	for id, sum := range t.user {
		if x.user[id] != sum {
			return false
		}
	}
	return true
}

func (t *totals) print(w io.Writer) {
	ids := make([]int64, 0, len(t.user))
	all := int64(0)
	for id, sum := range t.user {
		ids = append(ids, id)
		all += sum
	}
	slices.SortFunc(ids, func(a, b int64) int {
		if d := t.user[b] - t.user[a]; d != 0 {
			return int(d)
		}
		return int(a - b)
	})
	fmt.Fprintf(w, "%-12s %16s\n", "user", "deposited")
	for _, id := range ids[:min(5, len(ids))] {
		fmt.Fprintf(w, "%-12d %16.2f\n", id, float64(t.user[id])/100)
	}
	fmt.Fprintf(w, "%-12s %16.2f by %d users, the same both ways\n", "all", float64(all)/100,
		len(ids))
	for i, sum := range t.by[1:] {
		fmt.Fprintf(w, "  %-24s %12.2f\n", shopv1.DepositType(i+1), float64(sum)/100)
	}
}

// measurement is the cost of handling n events.
type measurement struct {
	n       int
	elapsed time.Duration
	mallocs uint64
}

func (m *measurement) run(n int, f func() error) error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	err := f()
	m.n, m.elapsed = n, time.Since(start)
	runtime.ReadMemStats(&after)
	m.mallocs = after.Mallocs - before.Mallocs
	return err
}

// String returns "0.09 s, 11.6 million/s, 0.00 allocations each".
func (m measurement) String() string {
	return fmt.Sprintf("%.2f s, %5.2f million/s, %.2f allocations each", m.elapsed.Seconds(),
		float64(m.n)/m.elapsed.Seconds()/1e6, float64(m.mallocs)/float64(m.n))
}
