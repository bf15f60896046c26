package frame

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// echo answers with the body it gets; /stream flushes after each half.
func echo(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if r.Header.Get(Header) != "" {
		http.Error(w, "the handler sees the frame", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/protobuf")
	if r.URL.Path == "/stream" {
		_, _ = w.Write(b[:len(b)/2])
		_ = http.NewResponseController(w).Flush()
		b = b[len(b)/2:]
	}
	if r.URL.Path == "/created" {
		w.WriteHeader(http.StatusCreated)
	}
	_, _ = w.Write(b)
}

// wire counts the bytes of bodies as they were sent.
type wire struct{ sent, received int64 }

// RoundTrip implements http.RoundTripper.
func (c *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	c.sent = r.ContentLength
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		c.received = answer.ContentLength
	}
	return answer, err
}

func TestHTTP(t *testing.T) {
	server := httptest.NewServer(Handler(http.HandlerFunc(echo), HTTPOptions{Limit: 1 << 20}))
	defer server.Close()
	text := []byte(strings.Repeat("an event of user 17, ", 500))
	for _, c := range Codecs() {
		counted := &wire{}
		client := &http.Client{Transport: Transport(counted, HTTPOptions{Codec: c, Limit: 1 << 20})}
		for _, path := range []string{"/", "/created", "/stream"} {
			answer, err := client.Post(server.URL+path, "application/protobuf",
				bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil || !bytes.Equal(got, text) ||
				answer.Header.Get("Content-Type") != "application/protobuf" {
				t.Errorf("%v %s: %d bytes, %v, %v", c, path, len(got), err, answer.Header)
			}
			if (answer.StatusCode == http.StatusCreated) != (path == "/created") {
				t.Errorf("%v %s: %s", c, path, answer.Status)
			}
			small := c != None
			if small != (counted.sent < 1000) ||
				path != "/stream" && small != (counted.received < 1000) {
				t.Errorf("%v %s: %d bytes were sent, %d received", c, path, counted.sent,
					counted.received)
			}
		}
		_, err := client.Post(server.URL, "", bytes.NewReader(make([]byte, 1<<20+1)))
		if err == nil {
			t.Errorf("%v: a body over the limit is sent", c)
		}
	}
}

func TestHTTPRefuses(t *testing.T) {
	server := httptest.NewServer(Handler(http.HandlerFunc(echo), HTTPOptions{Limit: 1000}))
	defer server.Close()
	for _, c := range []struct {
		name   string
		body   []byte
		framed bool
		status int
	}{
		{"a plain body", []byte("plain"), false, http.StatusOK},
		{"no frame", []byte("plain"), true, http.StatusBadRequest},
		{"an empty body", nil, true, http.StatusBadRequest},
		{"a bomb", Append(nil, make([]byte, 1<<20), Options{Codec: Gzip}), true,
			http.StatusRequestEntityTooLarge},
		{"a long frame", make([]byte, 1<<20), true, http.StatusRequestEntityTooLarge},
	} {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, server.URL,
			bytes.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if c.framed {
			r.Header.Set(Header, "1")
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != c.status || answer.Header.Get(Header) != "" {
			t.Errorf("%s: %s, want %d", c.name, answer.Status, c.status)
		}
	}
}

// TestHTTPLiar has a server that sends what is no frame.
func TestHTTPLiar(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(Header, "1")
		_, _ = w.Write([]byte{200, 1, 2, 3})
	}))
	defer server.Close()
	client := &http.Client{Transport: Transport(nil, HTTPOptions{})}
	_, err := client.Get(server.URL)
	var unknown *CodecError
	if !errors.As(err, &unknown) {
		t.Errorf("%v", err)
	}
}
