package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
	"github.com/octopus-framework/octopus/nerve/serve/internal/serve"
)

// hangTime is how long tests wait for a server that hangs, and for no other.
const hangTime = 2 * time.Minute

// errHangs says that a server did not end what it should have ended.
var errHangs = errors.New("the server hangs")

// running is a server under test with the tokens of some principals.
type running struct {
	*serve.Server
	root   *core.Queues
	auth   *core.Auth
	tokens map[string]string // by name
	log    *syncBuffer
	stop   func() error
}

// syncBuffer is what a server logs.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// makeQueue makes a queue with three records.
func makeQueue(t testing.TB, dir, name string) {
	t.Helper()
	log, err := seglog.Open(filepath.Join(dir, name), seglog.Options{NoSpare: true})
	if err != nil {
		t.Fatal(err)
	}
	var b nerve.Batch
	for _, text := range []string{"one", "two", "three"} {
		b.Append([]byte(text))
	}
	if _, err := log.Append(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}

// grants of the principals of the tests.
var grants = map[string]core.Grant{
	"reader":   {Queues: "*", Roles: core.Read},
	"appender": {Queues: "*", Roles: core.Append},
	"consumer": {Queues: "*", Roles: core.Consume},
	"admin":    {Queues: "*", Roles: core.Admin},
	"all":      {Queues: "*", Roles: core.All},
	"other":    {Queues: "other*", Roles: core.All},
}

// start serves the queues below dir with a token for each of grants.
func start(t testing.TB, dir string, ro core.Options, so serve.Options) *running {
	t.Helper()
	r := &running{tokens: make(map[string]string), log: new(syncBuffer)}
	var list []core.Credential
	for name, grant := range grants {
		token, digest := core.NewToken()
		r.tokens[name] = token
		list = append(list, core.Credential{Name: name, Proof: digest, Grant: grant})
	}
	var err error
	if so.Auth == nil {
		if so.Auth, err = core.NewAuth(list, 0); err != nil {
			t.Fatal(err)
		}
	}
	r.auth = so.Auth
	logger := slog.New(slog.NewTextHandler(r.log, nil))
	ro.Logger, so.Logger = logger, logger
	ro.Folder.NoSpare = true
	if r.root, err = core.Open(dir, ro); err != nil {
		t.Fatal(err)
	}
	if so.Listen == "" {
		so.Listen = "127.0.0.1:0"
	}
	if r.Server, err = serve.New(r.root, so); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	r.stop = sync.OnceValue(func() error {
		cancel()
		limit, done := context.WithTimeoutCause(context.Background(), hangTime, errHangs)
		defer done()
		select {
		case err := <-ended:
			return errors.Join(err, r.root.Close(limit))
		case <-limit.Done():
			return errHangs
		}
	})
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Errorf("the server ended with %v\n%s", err, r.log)
		}
	})
	return r
}

func startOne(t testing.TB, queues ...string) *running {
	t.Helper()
	dir := t.TempDir()
	for _, q := range queues {
		makeQueue(t, dir, q)
	}
	return start(t, dir, core.Options{}, serve.Options{})
}

// do sends a request and returns the answer with its whole body.
func (r *running) do(
	t testing.TB, method, path string, change func(*http.Request),
) (*http.Response, string) {
	t.Helper()
	target := strings.TrimSuffix(r.URL(), "/") + path
	req, err := http.NewRequestWithContext(t.Context(), method, target, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(req)
	}
	client := http.Client{
		Timeout:   hangTime,
		Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func (r *running) as(name string) func(*http.Request) {
	return func(req *http.Request) { req.Header.Set("Authorization", "Bearer "+r.tokens[name]) }
}

// TestAddresses refuses to be reached by others without protection.
func TestAddresses(t *testing.T) {
	dir := t.TempDir()
	root, err := core.Open(dir, core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close(context.Background())
	auth, err := core.NewAuth(nil, core.All)
	if err != nil {
		t.Fatal(err)
	}
	cert := testCertificate(t)
	for _, c := range []struct {
		listen  string
		options serve.Options
		missing string // in the error, "" if there is none
	}{
		{"127.0.0.1:0", serve.Options{}, ""},
		{"[::1]:0", serve.Options{}, ""},
		{"localhost:0", serve.Options{}, ""},
		{"0.0.0.0:0", serve.Options{}, "no TLS (--tls-cert and --tls-key) and no authentication"},
		{":0", serve.Options{}, "no TLS"},
		{"[::]:0", serve.Options{Authenticates: true}, "no TLS"},
		{"0.0.0.0:0", serve.Options{TLS: cert.server}, "no authentication"},
		{"0.0.0.0:0", serve.Options{TLS: cert.server, Authenticates: true}, ""},
		{"0.0.0.0:0", serve.Options{Insecure: true}, ""},
	} {
		c.options.Listen, c.options.Auth = c.listen, auth
		s, err := serve.New(root, c.options)
		if c.missing != "" {
			if e, ok := errors.AsType[*nerve.SetupError](err); !ok ||
				!strings.Contains(e.Reason, c.missing) {
				t.Errorf("%s: %v, want %q", c.listen, err, c.missing)
			}
			continue
		}
		if err != nil {
			if strings.Contains(c.listen, "::1") {
				continue // a machine without IPv6
			}
			t.Errorf("%s: %v", c.listen, err)
			continue
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Run(ctx); err != nil && !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("%s: %v", c.listen, err)
		}
	}
	if _, port, err := net.SplitHostPort(serve.DefaultListen); err != nil || port == "" ||
		!strings.HasPrefix(serve.DefaultListen, "127.0.0.1:") {
		t.Fatalf("the default is %s", serve.DefaultListen)
	}
}

// TestWhoMayAsk tries every path of HTTP without credentials, with wrong ones and
// with right ones.
func TestWhoMayAsk(t *testing.T) {
	r := startOne(t, "orders")
	for _, path := range []string{"/", "/metrics", "/readyz", "/api/v1/queues", "/nowhere"} {
		for what, change := range map[string]func(*http.Request){
			"nothing": nil,
			"a wrong token": func(req *http.Request) {
				req.Header.Set("Authorization", "Bearer nerve_wrong")
			},
			"another scheme": func(req *http.Request) { req.SetBasicAuth("all", r.tokens["all"]) },
			"a wrong cookie": func(req *http.Request) {
				req.AddCookie(&http.Cookie{Name: "nerve_session", Value: "x"})
			},
		} {
			resp, body := r.do(t, http.MethodGet, path, change)
			limited := resp.StatusCode == http.StatusTooManyRequests
			if resp.StatusCode != http.StatusUnauthorized && !limited ||
				strings.Contains(body, "orders") {
				t.Errorf("%s with %s: %d %s", path, what, resp.StatusCode, body)
			}
			var e struct{ Error string }
			if err := json.Unmarshal([]byte(body), &e); err != nil || e.Error == "" {
				t.Errorf("%s with %s: %q is no error in JSON", path, what, body)
			}
		}
	}
	resp, body := r.do(t, http.MethodGet, "/livez", nil)
	if resp.StatusCode != http.StatusOK || body != "ok\n" {
		t.Fatalf("livez: %d %q", resp.StatusCode, body)
	}
	// Whoever has a token is let in although others at his address failed.
	if resp, body = r.do(t, http.MethodGet, "/api/v1/queues",
		r.as("reader")); resp.StatusCode != http.StatusOK || !strings.Contains(body, "orders") {
		t.Fatalf("with a token: %d %s", resp.StatusCode, body)
	}
	if resp, body = r.do(t, http.MethodGet, "/api/v1/queues",
		r.as("other")); resp.StatusCode != http.StatusOK || strings.Contains(body, "orders") {
		t.Fatalf("somebody else's queue: %d %s", resp.StatusCode, body)
	}
	for name, token := range r.tokens {
		if strings.Contains(r.log.String(), token) {
			t.Errorf("the token of %s is in the log", name)
		}
	}
	if n := r.root.Metrics.AuthFailures.Load(); n < 20 {
		t.Errorf("%d failures were counted", n)
	}
}

// TestFailuresAreLimited answers 429 after ten failures of an address.
func TestFailuresAreLimited(t *testing.T) {
	r := startOne(t)
	statuses := make(map[int]int)
	for range 14 {
		resp, _ := r.do(t, http.MethodGet, "/metrics", nil)
		statuses[resp.StatusCode]++
		if resp.StatusCode == http.StatusTooManyRequests && resp.Header.Get("Retry-After") == "" {
			t.Error("nobody says when to come back")
		}
	}
	if statuses[http.StatusUnauthorized] != 10 || statuses[http.StatusTooManyRequests] != 4 {
		t.Fatalf("%v", statuses)
	}
	if n := strings.Count(r.log.String(), "refused"); n != 10 {
		t.Fatalf("%d lines in the log, want one for each of the first ten", n)
	}
}

// TestHostAndOrigin refuses names that are not the server's, and pages of others.
func TestHostAndOrigin(t *testing.T) {
	dir := t.TempDir()
	r := start(t, dir, core.Options{}, serve.Options{Hosts: []string{"queues.example"}})
	_, port, err := net.SplitHostPort(r.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{
		"127.0.0.1:" + port: 200, "localhost:" + port: 200, "LOCALHOST": 200, "[::1]:" + port: 200,
		"queues.example": 200, "queues.example.:80": 200,
		"evil.example": 421, "127.0.0.1.evil.example": 421, "localhost.evil.example:" + port: 421,
		"": 421,
	} {
		for _, path := range []string{"/metrics", "/login"} {
			resp, body := r.do(t, http.MethodGet, path, func(req *http.Request) {
				r.as("all")(req)
				req.Host = host
				if host == "" {
					req.Host = " "
				}
			})
			if got := resp.StatusCode; got != want && (host != "" || got != 400) {
				t.Errorf("%s of host %q: %d %s", path, host, got, body)
			}
		}
	}
	for origin, want := range map[string]int{
		"http://127.0.0.1:" + port: 303, "https://127.0.0.1:" + port: 303,
		"http://evil.example": 403, "null": 403, "http://127.0.0.1:1": 403, "://": 403,
	} {
		resp, body := r.do(t, http.MethodPost, "/logout", func(req *http.Request) {
			r.as("all")(req)
			req.Header.Set("Origin", origin)
		})
		if resp.StatusCode != want {
			t.Errorf("POST from %q: %d %s", origin, resp.StatusCode, body)
		}
	}
	resp, _ := r.do(t, http.MethodPost, "/logout", func(req *http.Request) {
		r.as("all")(req)
		req.Header.Set("Sec-Fetch-Site", "cross-site")
	})
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("a cross-site POST: %d", resp.StatusCode)
	}
	resp, _ = r.do(t, http.MethodGet, "/metrics", r.as("all"))
	if resp.Header.Get("Access-Control-Allow-Origin") != "" ||
		!strings.Contains(resp.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%v", resp.Header)
	}
}

// TestLogin opens sessions by link and by token.
func TestLogin(t *testing.T) {
	r := startOne(t, "orders")
	p, err := r.auth.Token(r.tokens["reader"])
	if err != nil {
		t.Fatal(err)
	}
	page := func(req *http.Request) { req.Header.Set("Accept", "text/html") }
	resp, _ := r.do(t, http.MethodGet, "/", page)
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/login" {
		t.Fatalf("a browser without session: %d", resp.StatusCode)
	}
	link := strings.TrimPrefix(r.LoginURL(p), strings.TrimSuffix(r.URL(), "/"))
	resp, _ = r.do(t, http.MethodGet, link, page)
	cookies := resp.Cookies()
	if resp.StatusCode != http.StatusSeeOther || len(cookies) != 1 || !cookies[0].HttpOnly ||
		cookies[0].SameSite != http.SameSiteStrictMode {
		t.Fatalf("%d %v", resp.StatusCode, cookies)
	}
	if resp, _ = r.do(t, http.MethodGet, link, nil); resp.StatusCode != http.StatusUnauthorized {
		t.Fatalf("the link again: %d", resp.StatusCode)
	}
	with := func(req *http.Request) { req.AddCookie(cookies[0]) }
	resp, body := r.do(t, http.MethodGet, "/api/v1/queues", with)
	if resp.StatusCode != http.StatusOK || !strings.Contains(body, "orders") {
		t.Fatalf("with a session: %d %s", resp.StatusCode, body)
	}
	resp, _ = r.do(t, http.MethodPost, "/login", func(req *http.Request) {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		form := "token=" + r.tokens["admin"]
		req.Body, req.ContentLength = io.NopCloser(strings.NewReader(form)), int64(len(form))
	})
	if resp.StatusCode != http.StatusSeeOther || len(resp.Cookies()) != 1 {
		t.Fatalf("login with a token: %d", resp.StatusCode)
	}
	admin := func(req *http.Request) { req.AddCookie(resp.Cookies()[0]) }
	for _, c := range []struct {
		method, path string
		want         int
	}{
		{http.MethodGet, "/api/v1/queues", http.StatusOK},
		{http.MethodPost, "/logout", http.StatusSeeOther},
		{http.MethodGet, "/api/v1/queues", http.StatusUnauthorized},
		{http.MethodPost, "/logout", http.StatusSeeOther}, // as from another window
	} {
		if resp, _ := r.do(t, c.method, c.path, admin); resp.StatusCode != c.want {
			t.Errorf("%s %s: %d, want %d", c.method, c.path, resp.StatusCode, c.want)
		}
	}
	// A reload that takes the token away ends the session.
	if err := r.auth.Replace(nil, 0); err != nil {
		t.Fatal(err)
	}
	if err := r.Reload(); err != nil {
		t.Fatal(err)
	}
	if resp, _ = r.do(t, http.MethodGet, "/api/v1/queues",
		with); resp.StatusCode != http.StatusUnauthorized {
		t.Fatalf("a session of who is no longer known: %d", resp.StatusCode)
	}
}

// TestReadyAndMetrics looks at what monitoring gets.
func TestReadyAndMetrics(t *testing.T) {
	r := startOne(t, "orders", "other")
	resp, body := r.do(t, http.MethodGet, "/readyz", r.as("reader"))
	if resp.StatusCode != http.StatusOK || !strings.Contains(body, `"ready":true`) {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	p, err := core.NewPrincipal("test", core.Grant{Queues: "*", Roles: core.All})
	if err != nil {
		t.Fatal(err)
	}
	a, err := r.root.Access(p, "orders")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.SavePointers(t.Context(), []nerve.Pointer{{Name: "billing", ID: 1}}); err != nil {
		t.Fatal(err)
	}
	var b nerve.Batch
	b.Append([]byte("four"))
	h, err := a.AppendAsync(t.Context(), &b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, body = r.do(t, http.MethodGet, "/metrics", r.as("reader"))
	for _, want := range []string{
		"# TYPE nerve_commit_seconds histogram\n",
		`nerve_append_records_total{queue="orders"} 1` + "\n",
		`nerve_log_records{queue="orders"} 4` + "\n",
		`nerve_consumer_lag_records{queue="orders",consumer="billing"} 3` + "\n",
		`nerve_consumer_lag_bytes{queue="orders",consumer="billing"} `,
		`nerve_consumer_lag_seconds{queue="orders",consumer="billing"} `,
		`nerve_commit_seconds_bucket{queue="orders",le="+Inf"} 1` + "\n",
		`nerve_commit_seconds_count{queue="orders"} 1` + "\n", "nerve_ready 1\n",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is missing in\n%s", want, body)
		}
	}
	if n := strings.Count(body, "# TYPE nerve_log_records "); n != 1 {
		t.Errorf("a family is said %d times", n)
	}
	if _, body = r.do(t, http.MethodGet, "/metrics", r.as("other")); strings.Contains(body,
		`queue="orders"`) {
		t.Errorf("metrics of a queue of others:\n%s", body)
	}
}

// TestSilentConnections lets those go that say nothing, and others in meanwhile.
func TestSilentConnections(t *testing.T) {
	dir := t.TempDir()
	r := start(t, dir, core.Options{}, serve.Options{Connections: 8})
	var quiet []net.Conn
	for range 7 {
		c, err := net.Dial("tcp", r.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		quiet = append(quiet, c)
	}
	if resp, _ := r.do(t, http.MethodGet, "/livez", nil); resp.StatusCode != http.StatusOK {
		t.Fatalf("%d", resp.StatusCode)
	}
	for len(quiet) < 20 { // beyond the limit: closed at once
		c, err := net.Dial("tcp", r.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		quiet = append(quiet, c)
	}
	buf := make([]byte, 100)
	for i, c := range quiet { // all are closed in the end, the first by the time to send a header
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := c.Read(buf); err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("connection %d: %v", i, err)
		}
	}
	if n := r.root.Metrics.RefusedByLimits.Load(); n == 0 {
		t.Error("nothing was refused")
	}
	// A header over the limit.
	c, err := net.Dial("tcp", r.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: localhost\r\nX: %s\r\n\r\n", strings.Repeat("x", 64<<10))
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	n, _ := c.Read(buf)
	if !strings.Contains(string(buf[:n]), "431") {
		t.Errorf("a header of 64 KiB: %q", buf[:n])
	}
}

// TestLongParameters takes a filter of the longest length also when all of it is escaped.
func TestLongParameters(t *testing.T) {
	r := startOne(t, "orders")
	filter := "true || '" + strings.Repeat("%", 4<<10-10) + "'"
	resp, body := r.do(t, http.MethodGet, "/api/v1/queues/orders/scan?columns=a,b,c&where="+
		url.QueryEscape(filter), r.as("reader"))
	if resp.StatusCode == http.StatusRequestHeaderFieldsTooLarge || len(filter) != 4<<10 {
		t.Errorf("a filter of %d characters: %d %.200s", len(filter), resp.StatusCode, body)
	}
}
