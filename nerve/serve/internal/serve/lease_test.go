package serve_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
	"github.com/octopus-framework/octopus/nerve/serve/internal/serve"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// readGate is a disk whose reads can be held up.
type readGate struct {
	vfs.FS
	mu      sync.Mutex
	held    chan struct{} // closed to let reads go on, nil if none are held
	arrived chan struct{}
}

// readGateFile is a file of one.
type readGateFile struct {
	vfs.File
	gate *readGate
}

func (g *readGate) OpenRead(path string) (vfs.File, error) {
	f, err := g.FS.OpenRead(path)
	if err != nil {
		return nil, err
	}
	return &readGateFile{f, g}, nil
}

func (f *readGateFile) ReadAt(p []byte, off int64) (int, error) {
	f.gate.mu.Lock()
	held := f.gate.held
	f.gate.mu.Unlock()
	if held != nil {
		select {
		case f.gate.arrived <- struct{}{}:
		default:
		}
		<-held
	}
	return f.File.ReadAt(p, off)
}

// hold holds reads up from now on. What it returns lets them go.
func (g *readGate) hold() (release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	held := make(chan struct{})
	g.held, g.arrived = held, make(chan struct{}, 1)
	return sync.OnceFunc(func() {
		g.mu.Lock()
		g.held = nil
		g.mu.Unlock()
		close(held)
	})
}

// leaseSite is a server with one principal, who is known by one of several proofs.
type leaseSite struct {
	*running
	gate   *readGate
	client *http.Client
	header http.Header
	tls    *tls.Config
	proof  string // of the credential; "" is anonymous
}

var proofs = []string{"token", "session", "certificate", "anonymous"}

func newLeaseSite(t *testing.T, how string) *leaseSite {
	t.Helper()
	dir := t.TempDir()
	makeQueue(t, dir, "orders")
	for name, text := range map[string]string{
		"nerve.yaml": "proto: m.proto\ntype: M\n",
		"m.proto":    "syntax = \"proto3\";\nmessage M { string s = 1; }\n",
	} {
		file := filepath.Join(dir, "orders", name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := &leaseSite{gate: &readGate{FS: vfs.OS{}}, header: http.Header{}, client: &http.Client{}}
	var so serve.Options
	transport := &http.Transport{ExpectContinueTimeout: time.Hour}
	token, digest := core.NewToken()
	s.proof = digest
	switch how {
	case "certificate":
		cert := testCertificate(t)
		so.TLS = cert.server.Clone()
		so.TLS.ClientCAs, so.TLS.ClientAuth = cert.ca, tls.VerifyClientCertIfGiven
		s.tls = cert.client.Clone()
		s.tls.Certificates = []tls.Certificate{cert.issue(t, time.Hour, "", "spiffe://shop/m")}
		s.tls.ServerName = "localhost"
		transport.TLSClientConfig = s.tls
		s.proof = "cert:spiffe://shop/m"
	case "anonymous":
		s.proof = ""
	}
	var err error
	if so.Auth, err = core.NewAuth(nil, 0); err != nil {
		t.Fatal(err)
	}
	s.running = start(t, dir, core.Options{Folder: seglog.Options{FS: s.gate}}, so)
	s.client.Transport = transport
	s.grant(t, "eve", "orders", core.All)
	switch how {
	case "token":
		s.header.Set("Authorization", "Bearer "+token)
	case "session":
		resp, _ := s.do(t, http.MethodPost, "/login", func(req *http.Request) {
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			form := "token=" + token
			req.Body, req.ContentLength = io.NopCloser(strings.NewReader(form)), int64(len(form))
		})
		s.header.Set("Cookie", "nerve_session="+resp.Cookies()[0].Value)
	}
	t.Cleanup(transport.CloseIdleConnections)
	return s
}

// grant makes the principal what he is from now on, 0 to take him away.
func (s *leaseSite) grant(t *testing.T, name, queues string, roles core.Role,
	more ...core.Credential) {
	t.Helper()
	list, anonymous := more, core.Role(0)
	switch {
	case s.proof == "":
		anonymous = roles
	case roles != 0:
		list = append(list, core.Credential{Name: name, Proof: s.proof,
			Grant: core.Grant{Queues: queues, Roles: roles}})
	}
	if err := s.auth.Replace(list, anonymous); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
}

// secret appends what must not be read any more.
func (s *leaseSite) secret(t *testing.T) {
	t.Helper()
	p, err := core.NewPrincipal("test", core.Grant{Queues: "*", Roles: core.All})
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.root.Access(p, "orders")
	if err != nil {
		t.Fatal(err)
	}
	var b nerve.Batch
	b.Append([]byte("\x0a\x06SECRET"))
	h, err := a.AppendAsync(t.Context(), &b)
	if err == nil {
		_, err = h.Wait(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// answer is what came of a request.
type answer struct {
	body string
	err  error // it was cut off, or never came
}

// request is one that was sent.
type request struct {
	first chan struct{} // closed when the first bytes of the answer came
	ended chan struct{} // closed when nothing more comes of it
	answer
}

// send begins a request.
func (s *leaseSite) send(t *testing.T, method, path string, body io.Reader,
	change func(*http.Request) *http.Request) *request {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), hangTime, errHangs)
	req, err := http.NewRequestWithContext(ctx, method,
		strings.TrimSuffix(s.URL(), "/")+"/api/v1/queues/orders/"+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = s.header.Clone()
	if change != nil {
		req = change(req)
	}
	sent := &request{first: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer cancel()
		defer close(sent.ended)
		sent.answer = s.answerTo(req, sent.first)
	}()
	return sent
}

// answerTo sends a request and reads the answer, and closes first within it.
func (s *leaseSite) answerTo(req *http.Request, first chan struct{}) (a answer) {
	defer func() {
		if req.Context().Err() != nil {
			a.err = context.Cause(req.Context())
		}
	}()
	resp, err := s.client.Do(req)
	if err != nil {
		return answer{"", err}
	}
	defer resp.Body.Close()
	head := make([]byte, 512)
	n, err := resp.Body.Read(head)
	close(first)
	var rest []byte
	if err == nil {
		rest, err = io.ReadAll(resp.Body)
	}
	return answer{string(head[:n]) + string(rest), err}
}

// until waits for an event of the request.
func (r *request) until(t *testing.T, event <-chan struct{}) {
	t.Helper()
	select {
	case <-event:
	case <-r.ended:
		t.Fatalf("the request ended too early: %+v", r.answer)
	}
}

// wantCut waits until the answer is cut off without having told a secret.
func (r *request) wantCut(t *testing.T, secret string) {
	t.Helper()
	<-r.ended
	if r.err == nil || errors.Is(r.err, errHangs) || strings.Contains(r.body, secret) {
		t.Errorf("%+v", r.answer)
	}
}

// dial upgrades a connection.
func (s *leaseSite) dial(t *testing.T) *raw {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if s.tls != nil {
		conn = tls.Client(conn, s.tls)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetReadDeadline(time.Now().Add(hangTime))
	fmt.Fprint(conn, "GET /nerve HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"+
		"Upgrade: nerve/1\r\n")
	_ = s.header.Write(conn)
	fmt.Fprint(conn, "\r\n")
	c := &raw{conn, bufio.NewReader(conn)}
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("upgrade: %v, %v", resp, err)
	}
	return c
}

// wantEnd reads until the connection ends. Before that may come bounds, and that something
// was refused.
func (c *raw) wantEnd(t *testing.T) {
	t.Helper()
	for {
		h, payload, err := c.next()
		if err != nil {
			if strings.Contains(err.Error(), "timeout") {
				t.Error("the connection goes on")
			}
			return
		}
		if h.Type != wire.Bounds && h.Type != wire.Error && h.Type != wire.Refused {
			t.Errorf("%v came afterwards: %q", h.Type, payload)
		}
	}
}

// kindsOfRequest that run, and of connection: each begins something, calls change, and
// looks that nothing came of it afterwards.
var kindsOfRequest = map[string]func(t *testing.T, s *leaseSite, change func()){
	"live": func(t *testing.T, s *leaseSite, change func()) {
		sent := s.send(t, http.MethodGet, "live", nil, nil)
		sent.until(t, sent.first)
		change()
		s.secret(t)
		sent.wantCut(t, "SECRET")
	},
	"scan":         heldUp(http.MethodGet, "scan?contains=o", ""),
	"scan onwards": heldUp(http.MethodGet, "scan?at=oldest", ""),
	"export jsonl": heldUp(http.MethodGet, "export?format=jsonl", ""),
	"export csv":   heldUp(http.MethodGet, "export?format=csv", ""),
	"export raw":   heldUp(http.MethodGet, "export?format=raw", ""),
	"records":      heldUp(http.MethodGet, "records?at=oldest", ""),
	"record":       heldUp(http.MethodGet, "records/1", ""),
	"bytes":        heldUp(http.MethodGet, "records/1/bytes", ""),
	"query":        heldUp(http.MethodPost, "query", `{"text": "record.id, s"}`),
	"move": func(t *testing.T, s *leaseSite, change func()) {
		body, in := io.Pipe()
		asked := make(chan struct{})
		sent := s.send(t, http.MethodPut, "consumers/c", body,
			func(r *http.Request) *http.Request {
				r.Header.Set("Expect", "100-continue")
				return r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
					Got100Continue: func() { close(asked) }}))
			})
		sent.until(t, asked) // the handler reads the body
		change()
		_, _ = io.WriteString(in, `{"pointer": "1"}`) // a server that hung up takes nothing
		in.Close()
		sent.wantCut(t, "pointer")
		if s.pointers(t) != 0 {
			t.Error("a pointer was made")
		}
	},
	"frames, upgraded": func(t *testing.T, s *leaseSite, change func()) {
		c := s.dial(t)
		change()
		_, _ = c.Write(wire.AppendFrame(nil, wire.Hello, 0,
			wire.ClientHello{Session: 1, Queue: "orders", Name: "raw"}.Append))
		c.wantEnd(t)
	},
	"frames, append": func(t *testing.T, s *leaseSite, change func()) {
		c := s.dial(t)
		c.hello(t, "orders", 1)
		change()
		_, _ = c.Write(appendFrame(1, []byte("\x01\x00\x00\x00x")))
		c.wantEnd(t)
		if _, last := s.bounds(t); last != 3 {
			t.Errorf("the last record is %d", last)
		}
	},
	"frames, call": func(t *testing.T, s *leaseSite, change func()) {
		c := s.dial(t)
		c.hello(t, "orders", 1)
		change()
		_, _ = c.Write(wire.AppendFrame(nil, wire.Call, 1, func(b []byte) []byte {
			b = append(b, byte(wire.CallSave), 0)
			return wire.AppendPointers(b, []nerve.Pointer{{Name: "c", ID: 1}})
		}))
		c.wantEnd(t)
		if s.pointers(t) != 0 {
			t.Error("a pointer was made")
		}
	},
	"frames, reader": func(t *testing.T, s *leaseSite, change func()) {
		c := s.dial(t)
		c.hello(t, "orders", 1)
		c.send(t, wire.AppendFrame(nil, wire.Read, 1, func(b []byte) []byte {
			return wire.AppendUints(b, 4, 1<<20)
		}))
		if h, _ := c.receive(t); h.Type != wire.Answer {
			t.Fatal(h.Type)
		}
		change()
		s.secret(t)
		c.wantEnd(t)
	},
	"frames, reader in the disk": func(t *testing.T, s *leaseSite, change func()) {
		c := s.dial(t)
		c.hello(t, "orders", 1)
		release := s.gate.hold()
		defer release()
		c.send(t, wire.AppendFrame(nil, wire.Read, 1, func(b []byte) []byte {
			return wire.AppendUints(b, 1, 1<<20)
		}))
		if h, _ := c.receive(t); h.Type != wire.Answer {
			t.Fatal(h.Type)
		}
		select {
		case <-s.gate.arrived:
		case <-time.After(hangTime):
			t.Fatal("the reader reads nothing")
		}
		change()
		release()
		c.wantEnd(t)
	},
}

// heldUp is a request that waits for the disk when the change comes.
func heldUp(method, path, body string) func(*testing.T, *leaseSite, func()) {
	return func(t *testing.T, s *leaseSite, change func()) {
		release := s.gate.hold()
		defer release()
		sent := s.send(t, method, path, strings.NewReader(body), nil)
		sent.until(t, s.gate.arrived)
		change()
		release()
		sent.wantCut(t, "one")
	}
}

func (s *leaseSite) access(t *testing.T) *core.Access {
	t.Helper()
	p, err := core.NewPrincipal("test", core.Grant{Queues: "*", Roles: core.All})
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.root.Access(p, "orders")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (s *leaseSite) bounds(t *testing.T) (first, last nerve.ID) { return s.access(t).Bounds() }

func (s *leaseSite) pointers(t *testing.T) int {
	t.Helper()
	list, err := s.access(t).Pointers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// TestReloadEndsWhatRuns takes rights away under every kind of request and
// connection, of principals of every kind.
func TestReloadEndsWhatRuns(t *testing.T) {
	changes := map[string]func(t *testing.T, s *leaseSite){
		"gone":       func(t *testing.T, s *leaseSite) { s.grant(t, "eve", "orders", 0) },
		"fewer":      func(t *testing.T, s *leaseSite) { s.grant(t, "eve", "orders", core.Append) },
		"elsewhere":  func(t *testing.T, s *leaseSite) { s.grant(t, "eve", "other", core.All) },
		"other name": func(t *testing.T, s *leaseSite) { s.grant(t, "adam", "orders", core.All) },
		"logout": func(t *testing.T, s *leaseSite) {
			s.do(t, http.MethodPost, "/logout", func(r *http.Request) {
				r.Header = s.header.Clone()
			})
		},
		"other authority": func(_ *testing.T, s *leaseSite) {
			s.auth.Trust(x509.NewCertPool())
		},
	}
	only := map[string]string{"logout": "session", "other authority": "certificate"}
	for _, how := range proofs {
		for _, what := range slices.Sorted(maps.Keys(changes)) {
			if of := only[what]; of != "" && of != how ||
				how == "anonymous" && (what == "elsewhere" || what == "other name") {
				continue
			}
			for _, kind := range slices.Sorted(maps.Keys(kindsOfRequest)) {
				t.Run(how+"/"+what+"/"+kind, func(t *testing.T) {
					t.Parallel()
					s := newLeaseSite(t, how)
					kindsOfRequest[kind](t, s, func() { changes[what](t, s) })
				})
			}
		}
	}
}

// TestReloadLeavesWhatIsKept changes what others may do, and what somebody may do
// elsewhere, under a live view and a connection.
func TestReloadLeavesWhatIsKept(t *testing.T) {
	for _, how := range proofs {
		t.Run(how, func(t *testing.T) {
			s := newLeaseSite(t, how)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
				strings.TrimSuffix(s.URL(), "/")+"/api/v1/queues/orders/live", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header = s.header.Clone()
			resp, err := s.client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			view := bufio.NewReader(resp.Body)
			if _, err := view.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			c := s.dial(t)
			c.hello(t, "orders", 1)
			_, digest := core.NewToken()
			s.grant(t, "eve", "orders", core.All, core.Credential{Name: "eve", Proof: digest,
				Grant: core.Grant{Queues: "other", Roles: core.All}},
				core.Credential{Name: "adam", Proof: digest,
					Grant: core.Grant{Queues: "*", Roles: core.All}})
			c.send(t, appendFrame(1, []byte("\x01\x00\x00\x00x")))
			if h, payload := c.receive(t); h.Type != wire.Appended {
				t.Errorf("%v %q", h.Type, payload)
			}
			s.secret(t)
			for {
				line, err := view.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(line, "SECRET") {
					break
				}
			}
		})
	}
}

// TestReloadCutsWhatIsWritten takes rights away under a client that reads an export
// slowly: it is cut off, and not sent to the end.
func TestReloadCutsWhatIsWritten(t *testing.T) {
	s := newLeaseSite(t, "token")
	a := s.access(t)
	var b nerve.Batch
	for range 64 {
		b.Append(make([]byte, 64<<10))
	}
	for range 16 { // 64 MiB, more than sockets hold
		h, err := a.AppendAsync(t.Context(), &b)
		if err == nil {
			_, err = h.Wait(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet,
		strings.TrimSuffix(s.URL(), "/")+"/api/v1/queues/orders/export?format=raw", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = s.header.Clone()
	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	s.grant(t, "eve", "orders", 0)
	n, err := io.Copy(io.Discard, resp.Body)
	if err == nil || n >= 63<<20 {
		t.Errorf("%d bytes more, %v", n, err)
	}
}
