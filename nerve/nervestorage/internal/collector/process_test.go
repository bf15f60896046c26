package collector

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// patience bounds waits for what must come. Only a hang takes that long.
const patience = 2 * time.Minute

// backend is where the collector sends: it counts how often each record came, and can be away.
type backend struct {
	*httptest.Server
	away atomic.Bool

	mu      sync.Mutex
	came    map[string]int
	order   []string      // of those that came for the first time
	arrived chan struct{} // has a value after records came
}

var ids = regexp.MustCompile(`id=\d+;`)

func newBackend(t *testing.T) *backend {
	b := &backend{came: map[string]int{}, arrived: make(chan struct{}, 1)}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || b.away.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		b.mu.Lock()
		for _, id := range ids.FindAllString(string(body), -1) {
			if b.came[id]++; b.came[id] == 1 {
				b.order = append(b.order, id)
			}
		}
		b.mu.Unlock()
		select {
		case b.arrived <- struct{}{}:
		default:
		}
	}))
	t.Cleanup(b.Close)
	return b
}

// missing returns which of the records have not come.
func (b *backend) missing(accepted []string) (absent []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range accepted {
		if b.came[id] == 0 {
			absent = append(absent, id)
		}
	}
	return absent
}

// repeated returns how many records came more than once, counted as often as they came again.
func (b *backend) repeated() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, times := range b.came {
		n += times - 1
	}
	return n
}

// total returns how many records came, each counted once.
func (b *backend) total() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.came)
}

// waitFor waits until done reports true, and looks whenever records came.
func (b *backend) waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	late := time.After(patience)
	for !done() {
		select {
		case <-b.arrived:
		case <-late:
			t.Fatalf("%s: waited for %v; %d records came", what, patience, b.total())
		}
	}
}

// collector is a process, and what is needed to start it again.
type collector struct {
	t        *testing.T
	config   string
	receiver string // address of its OTLP receiver
	cmd      *exec.Cmd
	log      bytes.Buffer
	ended    chan error
}

// stored has nerve_storage under the sending queue.
const stored = `receivers:
  otlp:
    protocols:
      http:
        endpoint: %[1]s
exporters:
  otlp_http:
    endpoint: %[2]s
    compression: none
    retry_on_failure:
      initial_interval: 20ms
      max_interval: 100ms
      max_elapsed_time: 0s
    sending_queue:
      storage: nerve_storage
      num_consumers: 4
      queue_size: 100000
extensions:
  nerve_storage:
    directory: %[3]s
    create_directory: true
    fsync: always
    ack_interval: 0s
service:
  extensions: [nerve_storage]
  telemetry:
    metrics:
      level: none
  pipelines:
    logs:
      receivers: [otlp]
      exporters: [otlp_http]
`

// piped has a queue between two pipelines.
const piped = `receivers:
  otlp:
    protocols:
      http:
        endpoint: %[1]s
  nerve:
    queue: %[3]s/{signal}
    consumer: backend
    max_backoff: 100ms
exporters:
  otlp_http:
    endpoint: %[2]s
    compression: none
    sending_queue:
      enabled: false
  nerve:
    queue: %[3]s/{signal}
service:
  telemetry:
    metrics:
      level: none
  pipelines:
    logs/in:
      receivers: [otlp]
      exporters: [nerve]
    logs/out:
      receivers: [nerve]
      exporters: [otlp_http]
`

// consumers is how many requests are on their way at a time.
const consumers = 4

// newCollector prepares a collector that sends to a URL. It is not started.
func newCollector(t *testing.T, config, url string) *collector {
	t.Helper()
	dir := t.TempDir()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &collector{t: t, config: filepath.Join(dir, "config.yaml"), receiver: free.Addr().String()}
	free.Close()
	text := fmt.Sprintf(config, c.receiver, url, filepath.Join(dir, "queue"))
	if err := os.WriteFile(c.config, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if c.cmd != nil {
			c.kill()
		}
		if t.Failed() {
			t.Logf("the collector's log:\n%s", c.log.String())
		}
	})
	return c
}

// start starts the process and waits until it receives.
func (c *collector) start() {
	c.t.Helper()
	c.cmd = exec.Command(built(c.t), "--config", c.config)
	c.cmd.Stdout, c.cmd.Stderr = &c.log, &c.log
	if err := c.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	ended, cmd := make(chan error, 1), c.cmd
	go func() { ended <- cmd.Wait() }()
	c.ended = ended
	late := time.After(patience)
	for {
		conn, err := net.Dial("tcp", c.receiver)
		if err == nil {
			conn.Close()
			return
		}
		select {
		case err := <-ended:
			c.cmd = nil
			c.t.Fatalf("the collector ended: %v", err)
		case <-late:
			c.t.Fatalf("the collector does not receive: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// kill ends the process at once.
func (c *collector) kill() {
	if err := c.cmd.Process.Kill(); err != nil {
		c.t.Error(err)
	}
	if err := <-c.ended; err == nil {
		c.t.Error("the collector had ended by itself")
	}
	c.cmd = nil
}

// shutdown asks the process to end, as a system does, and waits for it.
func (c *collector) shutdown() {
	c.t.Helper()
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		c.t.Fatal(err)
	}
	select {
	case err := <-c.ended:
		c.cmd = nil
		if err != nil {
			c.t.Fatalf("the collector ended: %v", err)
		}
	case <-time.After(patience):
		c.t.Fatal("the collector does not end")
	}
}

// sender sends records, each in a request of its own, and remembers which of them were accepted.
type sender struct {
	client   http.Client
	url      string
	next     int
	accepted []string
}

func newSender(c *collector) *sender {
	return &sender{client: http.Client{Timeout: patience}, url: "http://" + c.receiver + "/v1/logs"}
}

// send sends a record and reports whether it was accepted.
func (s *sender) send() bool {
	id := fmt.Sprintf("id=%d;", s.next)
	s.next++
	body := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"` + id + `"}}]}]}]}`
	resp, err := s.client.Post(s.url, "application/json", strings.NewReader(body))
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		return false
	}
	s.accepted = append(s.accepted, id)
	return true
}
