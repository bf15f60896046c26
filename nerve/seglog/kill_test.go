package seglog_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

const (
	killDirEnv  = "NERVE_TEST_KILL_DIR"
	killModeEnv = "NERVE_TEST_KILL_MODE"
	killOnceEnv = "NERVE_TEST_KILL_ONCE"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(killDirEnv); dir != "" {
		killChild(dir, os.Getenv(killModeEnv))
		os.Exit(1) // it runs until it is killed
	}
	os.Exit(m.Run())
}

func killOptions(mode string) seglog.Options {
	o := seglog.Options{SegmentSize: 256 << 10}
	switch mode {
	case "never":
		o.Durability = seglog.SyncNever // SIGKILL loses nothing in any mode
	case "direct":
		o.SetDirect(64<<10, func() bool { return true })
	case "switching":
		o.SetDirect(64<<10, func() bool { return rand.IntN(3) > 0 })
	}
	return o
}

// killChild appends and acks until it dies. It prints "a ID CONTENT" for each
// acknowledged record and "p ID" for each saved pointer, each with one write.
func killChild(dir, mode string) {
	l, err := seglog.Open(dir, killOptions(mode))
	if err != nil {
		fmt.Println("e", err)
		return
	}
	q := nerve.New(l, nerve.Options{SaveInterval: 5 * time.Millisecond})
	ctx := context.Background()
	go killProducer(ctx, l, q)
	go killLate(ctx, q)
	go killSender(ctx, q)
	for w := range 4 {
		go func() {
			for i := 0; ; i++ {
				content := fmt.Sprintf("%d-%d-%d-%s", os.Getpid(), w, i,
					strings.Repeat("x", i*37%500))
				id, err := q.Append(ctx, []byte(content))
				if err != nil {
					fmt.Println("e", err)
					return
				}
				fmt.Println("a", id, content)
			}
		}()
	}
	c, err := q.Consumer("reader", nerve.ConsumerOptions{Hold: true})
	if err != nil {
		fmt.Println("e", err)
		return
	}
	fmt.Println("s", c.Pointer())
	for rec, err := range c.Records(ctx) {
		if err == nil {
			err = c.Ack(rec.ID)
		}
		if err == nil && rec.ID%16 == 0 {
			if err = c.Save(ctx); err == nil {
				fmt.Println("p", rec.ID)
			}
		}
		if err != nil {
			fmt.Println("e", err)
			return
		}
	}
}

// lateBy is how much later than others killLate acknowledges each seventh record.
const lateBy = 700

// killLate acknowledges out of order: each seventh record long after the others. It
// prints "l ID" for each record that it gets, and "L ID" when it has saved that all
// up to ID but seventh ones are done.
func killLate(ctx context.Context, q *nerve.Queue) {
	c, err := q.Consumer("late", nerve.ConsumerOptions{Hold: true})
	if err != nil {
		fmt.Println("e", err)
		return
	}
	var late []nerve.ID
	for rec, err := range c.Records(ctx) {
		fmt.Println("l", rec.ID)
		if rec.ID%7 == 0 {
			late = append(late, rec.ID)
		} else if err == nil {
			err = c.Ack(rec.ID)
		}
		if err == nil && len(late) > 0 && late[0]+lateBy < rec.ID {
			err = c.Ack(late[0])
			late = late[1:]
		}
		if err == nil && rec.ID%32 == 1 {
			if err = c.Save(ctx); err == nil {
				fmt.Println("L", rec.ID)
			}
		}
		if err != nil {
			fmt.Println("e", err)
			return
		}
	}
}

var kills = flag.Int("kills", 15, "how often TestKill kills a process of each kind")

// TestKill kills processes that append and ack, many times, and checks that no
// acknowledged record, no saved pointer and no ack out of order is lost.
func TestKill(t *testing.T) {
	kills := *kills
	if testing.Short() || raceEnabled {
		kills = min(kills, 5)
	}
	for lane, mode := range []string{"always", "never", "direct", "switching"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			lane := killLane{dir: filepath.Join(t.TempDir(), "log"), mode: mode,
				rng: rand.New(rand.NewPCG(uint64(lane), 9)), sent: map[string]nerve.ID{}}
			for range kills {
				lane.round(t)
			}
			if lane.records == 0 || lane.pointer == 0 || lane.keyed == 0 || lane.once == 0 ||
				lane.late == 0 {
				t.Fatalf("%d records, %d with keys, %d with ids, pointer %d, acks up to %d: nothing "+
					"was tested", lane.records, lane.keyed, lane.once, lane.pointer, lane.late)
			}
			isDirect := mode == "direct" || mode == "switching"
			switch {
			case isDirect && lane.refused != "":
				t.Skip(lane.refused)
			case isDirect != lane.direct:
				t.Fatalf("appends bypassed the cache: %t", lane.direct)
			}
		})
	}
}

// killProducer appends one numbered batch after the other, each with its key. It
// begins with the last one that the log knows: a producer that was killed does
// not know whether that was stored.
func killProducer(ctx context.Context, l *seglog.Log, q *nerve.Queue) {
	last, err := l.LastAppended(ctx, 77)
	if err != nil {
		fmt.Println("e", err)
		return
	}
	for seq := max(last.Key.Seq, 1); ; seq++ {
		content := fmt.Sprintf("%s%d", killKeyed, seq)
		b := nerve.Batch{Key: nerve.Key{Producer: 77, Seq: seq}}
		b.Append([]byte(content))
		id, err := q.AppendBatch(ctx, &b)
		if err == nil && seq == last.Key.Seq && id != last.First {
			err = fmt.Errorf("the last append repeated is %d, it was %d", id, last.First)
		}
		if err != nil {
			fmt.Println("e", err)
			return
		}
		if seq > last.Key.Seq { // the first one may have been trimmed
			fmt.Println("a", id, content)
		}
		if s := l.Stats(); s.DirectAppends > 0 {
			fmt.Println("d", s.DirectAppends)
		} else if s.DirectRefused != "" {
			fmt.Println("r", s.DirectRefused)
		}
	}
}

const (
	killKeyed = "keyed-"
	killOnce  = "once-"
)

// killSender sends numbered records with ids, from two goroutines each, as one that
// retries does, and begins with some of those that the process before it sent.
func killSender(ctx context.Context, q *nerve.Queue) {
	var from int
	_, _ = fmt.Sscan(os.Getenv(killOnceEnv), &from) // 0 where the process is the first one
	for range 2 {
		go func() {
			for n := max(1, from-100); ; n++ {
				content := fmt.Sprintf("%s%d", killOnce, n)
				var b nerve.Batch
				b.Append([]byte(content))
				b.Once(nerve.DedupIDOf([]byte(content)))
				id, err := q.AppendBatch(ctx, &b)
				if err != nil {
					fmt.Println("e", err)
					return
				}
				if !b.Parts()[0].Repeated { // what was there before may have been trimmed
					fmt.Println("a", id, content)
				}
				fmt.Println("o", n)
			}
		}()
	}
}

type killLane struct {
	dir, mode string
	rng       *rand.Rand
	acked     map[nerve.ID]string // of the last round
	pointer   nerve.ID
	late      nerve.ID // all up to here but each seventh is acknowledged
	records   int
	direct    bool     // some appends were
	refused   string   // why they were not
	keyed     int      // batches with keys that were seen
	checked   nerve.ID // up to here
	once      int      // the highest number of a sender that was acknowledged
	sent      map[string]nerve.ID
}

func (k *killLane) round(t *testing.T) {
	k.acked = map[nerve.ID]string{}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), killDirEnv+"="+k.dir, killModeEnv+"="+k.mode,
		killOnceEnv+"="+fmt.Sprint(k.once))
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var kill sync.Once
	delay := time.Duration(5+k.rng.IntN(60)) * time.Millisecond
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		// The clock runs from the first sign of life: the machine may be busy.
		kill.Do(func() { time.AfterFunc(delay, func() { _ = child.Process.Kill() }) })
		k.note(t, lines.Text())
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	if t.Failed() {
		t.FailNow()
	}
	k.check(t)
}

func (k *killLane) note(t *testing.T, line string) {
	kind, rest, _ := strings.Cut(line, " ")
	var id nerve.ID
	switch kind {
	case "e":
		t.Errorf("child: %s", rest)
	case "a":
		number, content, whole := strings.Cut(rest, " ")
		if _, err := fmt.Sscan(number, &id); err == nil && whole {
			k.acked[id] = content
			k.records++
		}
	case "p":
		if _, err := fmt.Sscan(rest, &id); err == nil {
			k.pointer = max(k.pointer, id)
		}
	case "l":
		if _, err := fmt.Sscan(rest, &id); err == nil && id <= k.late && id%7 != 0 {
			t.Errorf("record %d comes again, and acks up to %d were saved", id, k.late)
		}
	case "L":
		if _, err := fmt.Sscan(rest, &id); err == nil {
			k.late = max(k.late, id)
		}
	case "o":
		var n int
		if _, err := fmt.Sscan(rest, &n); err == nil {
			k.once = max(k.once, n)
		}
	case "d":
		k.direct = true
	case "r":
		k.refused = rest
	case "s":
		if _, err := fmt.Sscan(rest, &id); err != nil || id < k.pointer {
			t.Errorf("the consumer begins at %d, saved was %d", id, k.pointer)
		}
	}
}

func (k *killLane) check(t *testing.T) {
	t.Helper()
	l := open(t, k.dir, killOptions(k.mode))
	defer l.Close()
	first, last := l.Bounds()
	seen := 0
	var b nerve.Batch
	err := readFrom(l, first, &b, func(rec nerve.Record) {
		number, isKeyed := strings.CutPrefix(string(rec.Data), killKeyed)
		if isKeyed && rec.ID > k.checked { // else it is held by the consumer
			if k.keyed++; number != fmt.Sprint(k.keyed) {
				t.Fatalf("record %d is append %s of the producer, want %d", rec.ID, number, k.keyed)
			}
		}
		if strings.HasPrefix(string(rec.Data), killOnce) {
			if before := k.sent[string(rec.Data)]; before > 0 && before != rec.ID {
				t.Fatalf("%s is in the log as %d and as %d", rec.Data, before, rec.ID)
			}
			k.sent[string(rec.Data)] = rec.ID
		}
		content, ok := k.acked[rec.ID]
		if !ok {
			return
		}
		seen++
		// The last line may have been cut off by the death of its writer.
		if !strings.HasPrefix(string(rec.Data), content) {
			t.Fatalf("record %d is %q, acknowledged was %q", rec.ID, rec.Data, content)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	k.checked = last
	if seen != len(k.acked) {
		t.Fatalf("%d of %d acknowledged records are there, %d to %d", seen, len(k.acked), first,
			last)
	}
	if d := l.Damage(); len(d) > 0 {
		t.Fatalf("a kill is taken for damage: %v", d[0])
	}
	if _, err := l.Trim(context.Background(), last+1); err != nil {
		t.Fatal(err)
	}
}
