package serve_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
	"github.com/octopus-framework/octopus/nerve/serve/internal/serve"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// TestDrain stops a server under clients that append without keys and one that
// reads: each append that was accepted is answered, and no outcome is unknown.
func TestDrain(t *testing.T) {
	dir := t.TempDir()
	makeQueue(t, dir, "orders")
	r := start(t, dir, core.Options{}, serve.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var clients sync.WaitGroup
	var acked atomic.Int64
	for i := range 4 {
		log := r.dial(t, "all", "orders")
		clients.Go(func() {
			for n := 0; ; n++ {
				var b nerve.Batch
				b.Append(fmt.Appendf(nil, "%d-%d", i, n))
				_, err := log.Append(ctx, &b)
				if err == nil {
					acked.Add(1)
					continue
				}
				if _, ok := errors.AsType[*nerve.OutcomeError](err); ok {
					t.Errorf("client %d: %v", i, err)
				}
				return
			}
		})
	}
	reader := r.dial(t, "all", "orders")
	cur, err := reader.Read(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer cur.Close()
	clients.Go(func() {
		for {
			if err := cur.Next(ctx, new(nerve.Batch)); err != nil {
				return
			}
		}
	})
	until(t, "100 appends", func() bool { return acked.Load() >= 100 })
	if err := r.stop(); err != nil {
		t.Fatalf("the server did not drain: %v", err)
	}
	cancel() // they wait for a server to connect to
	clients.Wait()
	log, err := seglog.Open(filepath.Join(dir, "orders"), seglog.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if _, last := log.Bounds(); int64(last) != acked.Load()+3 {
		t.Errorf("%d records, %d were acknowledged", last-3, acked.Load())
	}
	if log.Recovery().Unclean {
		t.Error("the queue was not closed")
	}
}

// TestDrainOfThoseWhoStay disconnects clients that do not leave, says so in the log, and
// ends without an error: all that was accepted is committed.
func TestDrainOfThoseWhoStay(t *testing.T) {
	dir := t.TempDir()
	makeQueue(t, dir, "orders")
	r := start(t, dir, core.Options{}, serve.Options{Drain: 50 * time.Millisecond})
	c := rawClient(t, r, "all")
	c.hello(t, "orders", 1)
	c.send(t, appendFrame(1, []byte("\x01\x00\x00\x00x")))
	c.receive(t)
	crawl, err := net.Dial("tcp", r.Addr().String()) // a request whose body does not come
	if err != nil {
		t.Fatal(err)
	}
	defer crawl.Close()
	fmt.Fprintf(crawl, "POST /api/v1/queues/orders/query HTTP/1.1\r\nHost: localhost\r\n"+
		"Authorization: Bearer %s\r\nContent-Length: 10\r\n\r\n", r.tokens["all"])
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	if log := r.log.String(); !strings.Contains(log, "did not leave in time") ||
		!strings.Contains(log, "connections=1") {
		t.Errorf("the log does not say who stayed:\n%s", log)
	}
	if log, err := seglog.Open(filepath.Join(dir, "orders"), seglog.Options{}); err != nil {
		t.Error(err)
	} else if _, last := log.Bounds(); last != 4 || log.Recovery().Unclean || log.Close() != nil {
		t.Errorf("%d records are there, %+v", last, log.Recovery())
	}
}

// fullDisk fails writes while it is full.
type fullDisk struct{ full atomic.Bool }

func (f *fullDisk) Inject(op vfs.Op, _ string, n int) (int, error) {
	if f.full.Load() && (op == vfs.OpWrite || op == vfs.OpAllocate) {
		return 0, syscall.ENOSPC
	}
	return n, nil
}

// TestDiskFull refuses appends with a typed error, says so where readiness is
// asked for, goes on reading, and takes appends again when there is room.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	makeQueue(t, dir, "orders")
	disk := new(fullDisk)
	r := start(t, dir, core.Options{
		Folder: seglog.Options{FS: vfs.WithFaults(vfs.OS{}, disk)},
	}, serve.Options{})
	log := r.dial(t, "all", "orders")
	appendOne, read := verbs[0].call, verbs[3].call
	if err := appendOne(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	disk.full.Store(true)
	err := appendOne(t.Context(), log)
	if e, ok := errors.AsType[*nerve.IOError](err); !ok || strings.Contains(err.Error(), dir) ||
		!strings.Contains(err.Error(), "no space left") || strings.HasPrefix(e.Path, "/") {
		t.Fatalf("an append on a full disk: %v", err)
	}
	if err := read(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	resp, body := r.do(t, http.MethodGet, "/readyz", r.as("all"))
	if resp.StatusCode != http.StatusServiceUnavailable ||
		!strings.Contains(body, "no space left") || !strings.Contains(body, `"orders"`) {
		t.Errorf("readyz: %d %s", resp.StatusCode, body)
	}
	disk.full.Store(false)
	if err := appendOne(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	if resp, body := r.do(t, http.MethodGet, "/readyz",
		r.as("all")); resp.StatusCode != http.StatusOK {
		t.Errorf("readyz: %d %s", resp.StatusCode, body)
	}
	if _, last := log.Bounds(); last != 5 {
		t.Errorf("the last record is %d, want 5", last)
	}
}

// TestDiskFullAtRoll fills the disk when a segment is full: the error of what could
// not be made is joined with others, and keeps its type and the root for itself.
func TestDiskFullAtRoll(t *testing.T) {
	dir := t.TempDir()
	makeQueue(t, dir, "orders")
	disk := new(fullDisk)
	r := start(t, dir, core.Options{Folder: seglog.Options{
		SegmentSize: 128 << 10, FS: vfs.WithFaults(vfs.OS{}, disk)}}, serve.Options{})
	log := r.dial(t, "all", "orders")
	disk.full.Store(true)
	for range 100 {
		var b nerve.Batch
		b.Append(make([]byte, 100<<10))
		_, err := log.Append(t.Context(), &b)
		if e, ok := errors.AsType[*nerve.IOError](err); !ok || strings.Contains(err.Error(), dir) ||
			strings.HasPrefix(e.Path, "/") {
			t.Fatalf("an append: %v", err)
		}
		if strings.Contains(err.Error(), "create") {
			break
		}
		disk.full.Store(false)
		if _, err := log.Append(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		disk.full.Store(true)
	}
	if _, body := r.do(t, http.MethodGet, "/readyz", r.as("all")); strings.Contains(body, dir) ||
		!strings.Contains(body, "create") {
		t.Errorf("readyz: %s", body)
	}
	disk.full.Store(false)
}

// TestReadyToldToWhoMayKnow has queues with a problem: each is named to those who may do
// something with it, and counted for the others.
func TestReadyToldToWhoMayKnow(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"orders", "other-broken", "secret-broken"} {
		makeQueue(t, dir, name)
		if strings.HasSuffix(name, "broken") {
			state := filepath.Join(dir, name, "state")
			if err := os.WriteFile(state, []byte("damaged"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	r := start(t, dir, core.Options{}, serve.Options{})
	for who, want := range map[string][]string{
		"other": {"other-broken", `"others":1`}, "all": {"other-broken", "secret-broken"},
	} {
		resp, body := r.do(t, http.MethodGet, "/readyz", r.as(who))
		if resp.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%s: %d", who, resp.StatusCode)
		}
		for _, part := range want {
			if !strings.Contains(body, part) {
				t.Errorf("%s: %s, want %s", who, body, part)
			}
		}
		if who == "other" && strings.Contains(body, "secret") {
			t.Errorf("%s: %s", who, body)
		}
	}
	// No call tells who may not know it that there is such a queue.
	for _, path := range []string{"/metrics", "/readyz", "/api/v1/queues",
		"/api/v1/queues/secret-broken/records", "/api/v1/queues/secret-broken/storage",
		"/api/v1/queues/secret-broken/consumers"} {
		_, body := r.do(t, http.MethodGet, path, r.as("other"))
		_, absent := r.do(t, http.MethodGet, strings.ReplaceAll(path, "secret-broken",
			"absent-broken"), r.as("other"))
		if strings.HasPrefix(path, "/api/v1/queues/") &&
			strings.ReplaceAll(body, "secret-broken", "absent-broken") != absent {
			t.Errorf("%s: %s, and of one that is absent %s", path, body, absent)
		}
		if !strings.HasPrefix(path, "/api/v1/queues/") && strings.Contains(body, "secret") {
			t.Errorf("%s: %s", path, body)
		}
	}
}

// TestGroupCommit commits the appends of many connections together.
func TestGroupCommit(t *testing.T) {
	dir := t.TempDir()
	makeQueue(t, dir, "orders")
	r := start(t, dir, core.Options{}, serve.Options{})
	const clients, each = 64, 10
	var all sync.WaitGroup
	for range clients {
		log := r.dial(t, "all", "orders")
		all.Go(func() {
			for range each {
				if err := verbs[0].call(t.Context(), log); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	var syncs uint64
	r.root.Each(t.Context(), func(_ string, info core.Info) { syncs = info.Log.Syncs })
	if syncs == 0 || syncs > clients*each/4 {
		t.Errorf("%d appends of %d connections took %d syncs", clients*each, clients, syncs)
	}
}
