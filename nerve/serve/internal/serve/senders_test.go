package serve_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
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
)

var senderKills = flag.Int("senderkills", 6,
	"how often TestKillUnderSenders kills the server, the receiver and the consumer in turn")

// What a child of TestKillUnderSenders is told.
const (
	roleEnv   = "NERVE_TEST_ROLE"   // receiver or consumer
	serverEnv = "NERVE_TEST_SERVER" // a file with the address of the server that runs
)

// playRole is a receiver or a consumer until it dies.
func playRole(role string) error {
	log, err := remote.Open(context.Background(), "nerve://127.0.0.1/spans", remote.Options{
		Create: true, MaxBackoff: 20 * time.Millisecond, Wait: time.Minute,
		Dial: func(network, _ string) (net.Conn, error) {
			address, err := os.ReadFile(os.Getenv(serverEnv))
			if err != nil {
				return nil, err
			}
			return net.Dial(network, string(address))
		},
	})
	if err != nil {
		return err
	}
	queue := nerve.New(log, nerve.Options{SaveInterval: 5 * time.Millisecond})
	if role == "consumer" {
		return consumeAll(queue)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("serving", listener.Addr())
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			_, err = queue.AppendOnce(r.Context(), nerve.DedupIDOf(body), body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	}))
}

// consumeAll takes over from the consumer that was killed, and tells of each record.
func consumeAll(queue *nerve.Queue) error {
	c, err := queue.Consumer("reader", nerve.ConsumerOptions{Wait: time.Minute})
	if err != nil {
		return err
	}
	for rec, err := range c.Records(context.Background()) {
		if err != nil {
			return err
		}
		fmt.Printf("got %d %s\n", rec.ID, rec.Data)
		if err := c.Ack(rec.ID); err != nil {
			return err
		}
	}
	return nil
}

// party is a process that is killed and started again.
type party struct {
	t     *testing.T
	env   []string
	child *exec.Cmd
	tally *tally
	lines func(line string) error // takes what the child says
	read  chan struct{}           // closed when all of that was read
}

func (p *party) start() {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), p.env...)
	out, err := child.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.child, p.read = child, make(chan struct{})
	go func(done chan struct{}) {
		defer close(done)
		for in := bufio.NewScanner(out); in.Scan(); {
			line := in.Text()
			if err := p.lines(line); err != nil || strings.HasPrefix(line, "error") {
				p.t.Errorf("%v: %s, %v", p.env, line, err)
				wake(p.tally.moved)
			}
		}
	}(p.read)
}

func (p *party) kill() {
	_ = p.child.Process.Kill()
	<-p.read
	_ = p.child.Wait()
}

// tally is what senders and consumers saw.
type tally struct {
	mu       sync.Mutex
	moved    *sync.Cond
	acked    map[string]bool
	consumed map[string]string // the id of each
	retries  int
	receiver atomic.Value // string: its address
}

// got notes a line of a consumer, the last of which may be cut off.
func (a *tally) got(line string) error {
	var id, content string
	if n, _ := fmt.Sscanf(line, "got %s %s", &id, &content); n != 2 ||
		!strings.HasSuffix(content, ";") {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if before, ok := a.consumed[content]; ok && before != id {
		return fmt.Errorf("it was consumed as %s before", before)
	}
	a.consumed[content] = id
	a.moved.Broadcast()
	return nil
}

// send sends numbered requests until it is stopped, each again with the same bytes
// until it is answered, as an exporter of OpenTelemetry does over HTTP.
func (a *tally) send(stop <-chan struct{}, number int) {
	client := &http.Client{Timeout: time.Second}
	for i := 0; ; i++ {
		content := fmt.Sprintf("%d-%d-%s;", number, i, strings.Repeat("x", i%700))
		for pause := 2 * time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
			where, _ := a.receiver.Load().(string)
			resp, err := client.Post("http://"+where+"/v1/traces", "application/x-protobuf",
				strings.NewReader(content))
			if err == nil {
				_, _ = io.Copy(io.Discard, resp.Body) // what counts is the status
				resp.Body.Close()
			}
			if err == nil && resp.StatusCode == http.StatusOK {
				break
			}
			a.mu.Lock()
			a.retries++
			a.mu.Unlock()
			select {
			case <-time.After(pause):
			case <-stop:
				return
			}
		}
		a.mu.Lock()
		a.acked[content] = true
		a.moved.Broadcast()
		a.mu.Unlock()
		select {
		case <-stop:
			return
		default:
		}
	}
}

// waitUntil waits for what done says, with the lock held.
func (a *tally) waitUntil(t *testing.T, done func() bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	waitUntil(t, a.moved, done)
}

// addressIn returns what takes the address where a child serves. A free port that was
// told it before could be somebody else's by then.
func addressIn(take func(address string) error) func(line string) error {
	return func(line string) error {
		if address, ok := strings.CutPrefix(line, "serving "); ok {
			return take(address)
		}
		return nil
	}
}

// TestKillUnderSenders kills server, receiver and consumer in turn while senders send
// again what was not answered: nothing is lost, and nothing is in the queue twice,
// without a sequence and without an order in the receiver.
func TestKillUnderSenders(t *testing.T) {
	kills := *senderKills
	if testing.Short() {
		kills = min(kills, 3)
	}
	dir, server := t.TempDir(), filepath.Join(t.TempDir(), "address")
	a := &tally{acked: map[string]bool{}, consumed: map[string]string{}}
	a.moved = sync.NewCond(&a.mu)
	where := serverEnv + "=" + server
	parties := []*party{
		{t: t, tally: a, env: []string{killEnv + "=" + dir},
			lines: addressIn(func(address string) error {
				if err := os.WriteFile(server+".new", []byte(address), 0o600); err != nil {
					return err
				}
				return os.Rename(server+".new", server)
			})},
		{t: t, tally: a, env: []string{roleEnv + "=receiver", where},
			lines: addressIn(func(address string) error {
				a.receiver.Store(address)
				return nil
			})},
		{t: t, tally: a, env: []string{roleEnv + "=consumer", where}, lines: a.got},
	}
	for _, p := range parties {
		p.start()
	}
	stop := make(chan struct{})
	var senders sync.WaitGroup
	for number := range 8 {
		senders.Go(func() { a.send(stop, number) })
	}
	for n := range kills {
		a.mu.Lock()
		want := len(a.acked) + 50
		a.mu.Unlock()
		a.waitUntil(t, func() bool { return len(a.acked) >= want })
		parties[n%3].kill()
		parties[n%3].start()
	}
	a.waitUntil(t, func() bool { return len(a.acked) >= 50*kills })
	close(stop)
	senders.Wait()
	a.waitUntil(t, func() bool {
		for content := range a.acked {
			if a.consumed[content] == "" {
				return false
			}
		}
		return true
	})
	for _, p := range parties {
		p.kill()
	}
	a.check(t, filepath.Join(dir, "spans"))
}

// check looks at the log that the servers left.
func (a *tally) check(t *testing.T, dir string) {
	t.Helper()
	log, err := seglog.Open(dir, seglog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cur, err := log.Read(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer cur.Close()
	_, last := log.Bounds()
	seen := map[string]bool{}
	doubled := 0
	var b nerve.Batch
	for next := nerve.ID(1); next <= last; next = b.Last() + 1 {
		if err := cur.Next(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		for rec := range b.All() {
			if seen[string(rec.Data)] {
				doubled++
			}
			seen[string(rec.Data)] = true
		}
	}
	lost := 0
	for content := range a.acked {
		if !seen[content] {
			lost++
		}
	}
	t.Logf("%d requests acknowledged, %d sent again, %d records, %d lost, %d doubled", len(a.acked),
		a.retries, last, lost, doubled)
	if lost > 0 || doubled > 0 || a.retries == 0 {
		t.Errorf("%d lost, %d doubled, %d requests sent again", lost, doubled, a.retries)
	}
}
