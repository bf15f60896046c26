package serve_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/remote"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
	"github.com/octopus-framework/octopus/nerve/serve/internal/serve"
)

const killEnv = "NERVE_TEST_SERVE_DIR"

func TestMain(m *testing.M) {
	if name := os.Getenv(workerEnv); name != "" {
		fmt.Println("error", playWorker(name))
		os.Exit(1) // it works until it is killed
	}
	if role := os.Getenv(roleEnv); role != "" {
		fmt.Println("error", playRole(role))
		os.Exit(1) // it runs until it is killed
	}
	if dir := os.Getenv(killEnv); dir != "" {
		fmt.Println("error", killServer(dir))
		os.Exit(1) // it runs until it is killed
	}
	os.Exit(m.Run())
}

// killServer serves to everybody until it dies, and says where.
func killServer(dir string) error {
	options := serve.Options{Listen: "127.0.0.1:0"}
	folder := core.Options{Create: true, Lease: time.Second, // a consumer that is killed has one
		Folder: seglog.Options{SegmentSize: 1 << 20}}
	if err := serve.FitDescriptors(dir, &folder, &options); err != nil {
		return err
	}
	root, err := core.Open(dir, folder)
	if err != nil {
		return err
	}
	if options.Auth, err = core.NewAuth(nil, core.All); err != nil {
		return err
	}
	s, err := serve.New(root, options)
	if err != nil {
		return err
	}
	fmt.Println("serving", s.Addr())
	return s.Run(context.Background())
}

// killed is a server that is killed and started again, and its clients.
type killed struct {
	t       *testing.T
	dir     string
	files   int          // descriptors that the server may have, 0 for all
	address atomic.Value // string
	child   *exec.Cmd
	stop    chan struct{}

	mu    sync.Mutex
	acked map[nerve.ID]string
	done  int // acknowledged since the server was started
	moved *sync.Cond
}

func (k *killed) start() {
	k.t.Helper()
	child := exec.Command(os.Args[0])
	if k.files > 0 {
		script := fmt.Sprintf(`ulimit -n %d; exec "$0"`, k.files)
		child = exec.Command("sh", "-c", script, os.Args[0])
	}
	child.Env = append(os.Environ(), killEnv+"="+k.dir)
	out, err := child.StdoutPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		k.t.Fatal(err)
	}
	k.child = child
	line, err := bufio.NewReader(out).ReadString('\n')
	where, ok := strings.CutPrefix(strings.TrimSpace(line), "serving ")
	if err != nil || !ok {
		k.t.Fatalf("the server says %q, %v", line, err)
	}
	k.address.Store(where)
}

func (k *killed) kill() {
	_ = k.child.Process.Kill()
	_ = k.child.Wait()
}

func (k *killed) open() *remote.Log {
	log, err := k.openQueue("events")
	if err != nil {
		k.t.Error(err)
		return nil
	}
	return log
}

func (k *killed) openQueue(name string) (*remote.Log, error) {
	return remote.Open(context.Background(), "nerve://127.0.0.1/"+name, remote.Options{
		Create: true, MaxBackoff: 50 * time.Millisecond,
		Dial: func(network, _ string) (net.Conn, error) {
			return net.Dial(network, k.address.Load().(string))
		},
	})
}

func (k *killed) stopped() bool {
	select {
	case <-k.stop:
		return true
	default:
		return false
	}
}

func (k *killed) note(id nerve.ID, content string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if before, ok := k.acked[id]; ok {
		k.t.Errorf("record %d was acknowledged as %q and as %q", id, before, content)
	}
	k.acked[id] = content
	k.done++
	k.moved.Broadcast()
}

// client appends until it is stopped, with keys, with ids or without. What it was not
// told the outcome of without either it does not append again; with ids it sends
// everything twice.
func (k *killed) client(number int, log *remote.Log) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	defer wake(k.moved)
	for i := uint64(1); !k.stopped(); i++ {
		content := fmt.Sprintf("%d-%d", number, i)
		var b nerve.Batch
		b.Append([]byte(content))
		switch {
		case number%2 == 0:
			b.Key = nerve.Key{Producer: uint64(number) + 1, Seq: i}
		case number%4 == 1:
			b.Once(nerve.DedupIDOf([]byte(content)))
		}
		id, err := log.Append(ctx, &b)
		unknown, isUnknown := errors.AsType[*nerve.OutcomeError](err)
		switch {
		case err == nil && b.Parts() != nil:
			again, err := log.Append(ctx, &b)
			if err != nil || again != id {
				k.t.Errorf("client %d: the append of %d repeated is %d, %v", number, id, again, err)
				return
			}
			k.note(id, content)
		case err == nil:
			k.note(id, content)
		case isUnknown && unknown.Key == (nerve.Key{}) && b.Parts() == nil:
		default:
			k.t.Errorf("client %d: %v", number, err)
			return
		}
	}
}

// consume reads all records in order and acknowledges them, over all restarts.
func (k *killed) consume(queue *nerve.Queue) {
	defer wake(k.moved)
	c, err := queue.Consumer("reader", nerve.ConsumerOptions{Hold: true})
	if err != nil {
		k.t.Error(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { <-k.stop; cancel() }()
	next := nerve.ID(1)
	for rec, err := range c.Records(ctx) {
		switch {
		case err != nil && ctx.Err() != nil:
		case err != nil:
			k.t.Errorf("consumer at %d: %v", next, err)
			return
		case rec.ID != next:
			k.t.Errorf("the consumer got %d, want %d", rec.ID, next)
			return
		default:
			next++
			if err := c.Ack(rec.ID); err != nil {
				k.t.Errorf("ack of %d: %v", rec.ID, err)
			}
		}
	}
	if next < 100 {
		k.t.Errorf("the consumer got %d records", next-1)
	}
}

// TestKillServer kills the server 20 times under 8 clients and a consumer: every
// acknowledged record is there once, at its id, and of appends with keys or ids none
// is missing or there twice.
func TestKillServer(t *testing.T) {
	k := &killed{t: t, dir: t.TempDir(), stop: make(chan struct{}), acked: map[nerve.ID]string{}}
	k.moved = sync.NewCond(&k.mu)
	k.start()
	kills := 20
	if testing.Short() {
		kills = 4
	}
	var clients sync.WaitGroup
	for number := range 8 {
		log := k.open()
		if log == nil {
			k.kill()
			return
		}
		defer log.Close()
		clients.Go(func() { k.client(number, log) })
	}
	queue := nerve.New(k.open(), nerve.Options{SaveInterval: 5 * time.Millisecond})
	clients.Go(func() { k.consume(queue) })
	for range kills {
		k.waitFor(20 + rand.IntN(200))
		k.kill()
		k.start()
		if t.Failed() {
			break
		}
	}
	k.waitFor(20)
	close(k.stop)
	clients.Wait()
	if err := queue.Close(); err != nil { // which saves pointers on the server
		t.Error(err)
	}
	k.kill()
	k.check()
}

// waitFor waits until n records were acknowledged since it was called.
func (k *killed) waitFor(n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.done = 0
	waitUntil(k.t, k.moved, func() bool { return k.done >= n })
}

// waitUntil waits for what done says, which is called with the lock of moved held, until the
// test has failed.
func waitUntil(t *testing.T, moved *sync.Cond, done func() bool) {
	hangs := time.AfterFunc(hangTime, func() {
		t.Error("what was waited for does not happen")
		wake(moved)
	})
	defer hangs.Stop()
	for !done() && !t.Failed() {
		moved.Wait()
	}
}

// wake has those who wait look again.
func wake(moved *sync.Cond) {
	moved.L.Lock()
	defer moved.L.Unlock()
	moved.Broadcast()
}

// check looks at the log that the servers left.
func (k *killed) check() {
	log, err := seglog.Open(filepath.Join(k.dir, "events"), seglog.Options{ReadOnly: true})
	if err != nil {
		k.t.Fatal(err)
	}
	defer log.Close()
	_, last := log.Bounds()
	cur, err := log.Read(context.Background(), 1)
	if err != nil {
		k.t.Fatal(err)
	}
	defer cur.Close()
	seen := map[string]nerve.ID{}
	keyed := map[int]uint64{} // the last of each client with keys or ids
	found := 0
	var b nerve.Batch
	for next := nerve.ID(1); next <= last; next = b.Last() + 1 {
		if err := cur.Next(context.Background(), &b); err != nil {
			k.t.Fatal(err)
		}
		for rec := range b.All() {
			content := string(rec.Data)
			if at, twice := seen[content]; twice {
				k.t.Errorf("%s is there twice: %d and %d", content, at, rec.ID)
			}
			seen[content] = rec.ID
			var number int
			var i uint64
			if _, err := fmt.Sscanf(content, "%d-%d", &number, &i); err != nil {
				k.t.Fatal(err)
			}
			if number%4 != 3 {
				if keyed[number]++; keyed[number] != i {
					k.t.Fatalf("client %d: %d comes as append %d", number, i, keyed[number])
				}
			}
			if want, ok := k.acked[rec.ID]; ok {
				found++
				if want != content {
					k.t.Errorf("record %d is %q, acknowledged was %q", rec.ID, content, want)
				}
			}
		}
	}
	if found != len(k.acked) || found < 100 || len(keyed) != 6 {
		k.t.Errorf("%d of %d acknowledged records are there, %d clients with keys or ids", found,
			len(k.acked), len(keyed))
	}
	k.t.Logf("%d records, %d acknowledged", last, len(k.acked))
}
