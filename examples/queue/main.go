// Queue is the quick start of package nerve: it appends events to a queue in a
// folder and consumes them with a durable pointer. Interrupt or kill it at any
// point and start it again: it goes on where it was, and the totals at the end
// are complete and counted once.
//
//	go run ./examples/queue -dir events
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

func main() {
	dir := flag.String("dir", "queue-example", "folder of the queue")
	n := flag.Int("n", 200_000, "events in all")
	stop := flag.Int("stop-after", 0,
		"die without cleaning up after this many events, like a killed process")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, os.Stdout, *dir, *n, *stop); err != nil {
		fmt.Fprintln(os.Stderr, "queue:", err)
		os.Exit(1)
	}
}

// errStopped stands for the death of the process.
var errStopped = errors.New("stopped in the middle, on purpose; run again without -stop-after")

func run(ctx context.Context, out io.Writer, dir string, n, stop int) error {
	log, err := seglog.Open(filepath.Join(dir, "log"), seglog.Options{})
	if err != nil {
		return err
	}
	queue := nerve.New(log, nerve.Options{})
	if err := produce(ctx, queue, n); err != nil {
		return errors.Join(err, queue.Close())
	}
	t, err := consume(ctx, queue, filepath.Join(dir, "totals.json"), n, stop)
	if errors.Is(err, errStopped) {
		return err // nothing is closed or saved
	}
	if err == nil {
		fmt.Fprintf(out, "%d events, sum %d\n", t.Events, t.Sum)
	}
	return errors.Join(err, queue.Close())
}

// produce appends what is not in the queue yet: event i has the id i.
func produce(ctx context.Context, queue *nerve.Queue, n int) error {
	_, last := queue.Bounds()
	var batch nerve.Batch
	for i := int(last) + 1; i <= n; i++ {
		batch.Append(fmt.Appendf(nil, "%d", i))
		if batch.Len() == 1000 || i == n {
			if _, err := queue.AppendBatch(ctx, &batch); err != nil {
				return err
			}
			batch.Reset()
		}
	}
	return nil
}

// totals are the effect of consuming. Last is kept with them, in one file that
// is replaced as a whole: that makes each event count once.
type totals struct {
	Last   nerve.ID
	Events int
	Sum    int
}

// saveEvery is how many events go between two saves of the totals.
const saveEvery = 10_000

func consume(ctx context.Context, queue *nerve.Queue, file string, n, stop int) (totals, error) {
	t, err := loadTotals(file)
	if err != nil {
		return t, err
	}
	consumer, err := queue.Consumer("totals", nerve.ConsumerOptions{Hold: true})
	if err != nil {
		return t, err
	}
	// The pointer may be behind the totals, never ahead: events are acked
	// after their totals are saved.
	if err := consumer.Seek(nerve.StartAfter(t.Last)); err != nil {
		return t, err
	}
	for t.Events < n {
		for rec, err := range consumer.Records(ctx) {
			if err != nil {
				return t, err
			}
			value := 0
			if _, err := fmt.Sscan(string(rec.Data), &value); err != nil {
				return t, err
			}
			t.Last, t.Events, t.Sum = rec.ID, t.Events+1, t.Sum+value
			if t.Events == stop {
				return t, errStopped
			}
			if t.Events%saveEvery == 0 || t.Events == n {
				break
			}
		}
		if err := saveTotals(file, t); err != nil {
			return t, err
		}
		if err := consumer.AckThrough(t.Last); err != nil {
			return t, err
		}
	}
	return t, nil
}

func loadTotals(file string) (t totals, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return t, err
	}
	return t, json.Unmarshal(text, &t)
}

func saveTotals(file string, t totals) error {
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}
