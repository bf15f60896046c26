package serve_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
	"github.com/octopus-framework/octopus/nerve/serve/internal/serve"
)

// writePEM writes a certificate and its key, or certificates alone.
func writePEM(t *testing.T, dir, name string, pair tls.Certificate) (cert, key string) {
	t.Helper()
	cert, key = filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key")
	var text []byte
	for _, der := range pair.Certificate {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	if err := os.WriteFile(cert, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if pair.PrivateKey == nil {
		return cert, key
	}
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	text = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	if err := os.WriteFile(key, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return cert, key
}

// TestNamesFollowTheCertificate asks for names before and after a new certificate was
// read: those that it has are the server's, as TLS understands them, and no others.
func TestNamesFollowTheCertificate(t *testing.T) {
	ca, dir := testCertificate(t), t.TempDir()
	cert, key := writePEM(t, dir, "server", ca.issue(t, time.Hour, "a.test,*.wild.test", ""))
	credentials, err := serve.Load(serve.Files{Cert: cert, Key: key, Anonymous: core.All})
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, t.TempDir(), core.Options{}, serve.Options{
		Listen: "0.0.0.0:0", Insecure: true, Auth: credentials.Auth(), TLS: credentials.TLS(),
		Leaf: credentials.Leaf, Hosts: nil})
	port := r.Addr().String()[strings.LastIndex(r.Addr().String(), ":"):]
	if r.URL() != "https://a.test"+port+"/" {
		t.Errorf("the URL is %s", r.URL())
	}
	status := func(host string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			"https://127.0.0.1"+port+"/api/v1/queues", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true,
			TLSClientConfig: &tls.Config{RootCAs: ca.ca}}}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	look := func(want map[string]int) {
		t.Helper()
		for host, want := range want {
			if got := status(host); got != want {
				t.Errorf("%s: %d, want %d", host, got, want)
			}
		}
	}
	look(map[string]int{"a.test": 200, "A.TEST" + port: 200, "q.wild.test": 200, "localhost": 200,
		"127.0.0.1": 200, "wild.test": 421, "x.q.wild.test": 421, "b.test": 421,
		"a.test.evil.example": 421})
	writePEM(t, dir, "server", ca.issue(t, time.Hour, "b.test", ""))
	if err := credentials.Reload(); err != nil {
		t.Fatal(err)
	}
	look(map[string]int{"b.test": 200, "a.test": 421, "q.wild.test": 421, "localhost": 200})
}

// TestNewClientCA takes the trust in an authority away: its certificates are nobody's
// any more, also on connections that are open.
func TestNewClientCA(t *testing.T) {
	ca, other, dir := testCertificate(t), testCertificate(t), t.TempDir()
	cert, key := writePEM(t, dir, "server", ca.issue(t, time.Hour, "localhost", ""))
	authority, _ := writePEM(t, dir, "ca", tls.Certificate{Certificate: [][]byte{ca.cert.Raw}})
	tokens := filepath.Join(dir, "tokens")
	if err := os.WriteFile(tokens, []byte("m cert:spiffe://shop/m all *\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	credentials, err := serve.Load(serve.Files{Cert: cert, Key: key, ClientCA: authority,
		Tokens: tokens})
	if err != nil {
		t.Fatal(err)
	}
	queues := t.TempDir()
	makeQueue(t, queues, "orders")
	r := start(t, queues, core.Options{}, serve.Options{Auth: credentials.Auth(),
		TLS: credentials.TLS(), Leaf: credentials.Leaf})
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: ca.ca,
		Certificates: []tls.Certificate{ca.issue(t, time.Hour, "", "spiffe://shop/m")}}}
	defer transport.CloseIdleConnections()
	get := func(path string) (*http.Response, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			strings.TrimSuffix(r.URL(), "/")+"/api/v1/queues"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return (&http.Client{Transport: transport}).Do(req)
	}
	live, err := get("/orders/live")
	if err != nil || live.StatusCode != http.StatusOK {
		t.Fatal(live, err)
	}
	defer live.Body.Close()
	if resp, err := get(""); err != nil || resp.StatusCode != http.StatusOK { // stays open
		t.Fatal(resp, err)
	}
	writePEM(t, dir, "ca", tls.Certificate{Certificate: [][]byte{other.cert.Raw}})
	if err := credentials.Reload(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 4096)
	for err == nil {
		_, err = live.Body.Read(buf)
	}
	if resp, err := get(""); err == nil && resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a certificate of an authority that is not trusted: %d", resp.StatusCode)
	}
}

// TestRefusalsInTheLog refuses many requests for what they claim to be for: all of them
// are refused, and the first are logged.
func TestRefusalsInTheLog(t *testing.T) {
	r := startOne(t)
	for i := range 40 {
		resp, _ := r.do(t, http.MethodPost, "/logout", func(req *http.Request) {
			if i%2 == 0 {
				req.Host = "evil.example"
			} else {
				req.Header.Set("Origin", "http://evil.example")
			}
		})
		if want := []int{421, 403}[i%2]; resp.StatusCode != want {
			t.Fatalf("request %d: %d", i, resp.StatusCode)
		}
	}
	if n := strings.Count(r.log.String(), "nerve: refused"); n != 10 {
		t.Errorf("%d refusals were logged", n)
	}
}

// TestOrigins changes something as pages of several origins.
func TestOrigins(t *testing.T) {
	for _, secure := range []bool{false, true} {
		var so serve.Options
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		if secure {
			cert := testCertificate(t)
			so.TLS = cert.server
			client.Transport = &http.Transport{DisableKeepAlives: true,
				TLSClientConfig: cert.client}
		}
		r := start(t, t.TempDir(), core.Options{}, so)
		address := r.Addr().String()
		for origin, want := range map[string]int{
			"": 303, "https://" + address: 303, "ftp://" + address: 403, "null": 403,
			"file://" + address: 403, "//" + address: 403, "https://evil.example": 403,
			"http://" + address: map[bool]int{false: 303, true: 403}[secure],
		} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
				r.URL()+"logout", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.as("all")(req)
			if origin != "" {
				req.Header.Set("Origin", origin)
			}
			client.CheckRedirect = func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse
			}
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != want {
				t.Errorf("TLS %v, %q: %d, want %d", secure, origin, resp.StatusCode, want)
			}
		}
	}
}
