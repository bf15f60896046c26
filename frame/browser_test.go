package frame_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/frame"
	"github.com/octopus-framework/octopus/internal/oracle/chromium"
)

// TestJavaScript reads frames in a browser, and reads here what it made.
func TestJavaScript(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/frame.js" {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte(frame.JavaScript))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>frames</title>"))
	}))
	defer server.Close()
	page := chromium.Start(t)
	page.Open(server.URL)
	page.Eval(`const { decodeFrame, encodeFrame } = await import('/frame.js');
		const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
		globalThis.decode = (text, limit) => decodeFrame(bytes(text), limit)
			.then(b => new TextDecoder().decode(b), error => error.message);
		globalThis.encode = (text, codec) => encodeFrame(new TextEncoder().encode(text), codec)
			.then(b => btoa(String.fromCharCode(...b)));`)
	text := strings.Repeat("an event of user 17, ", 500)
	decode := func(f []byte, limit int) string {
		return page.Eval(fmt.Sprintf("await decode(%q, %d)",
			base64.StdEncoding.EncodeToString(f), limit))
	}
	for _, c := range []frame.Codec{frame.None, frame.Gzip, frame.Deflate} {
		f := frame.Append(nil, []byte(text), frame.Options{Codec: c})
		if frame.Codec(f[0]) != c {
			t.Fatalf("a frame of %v has flag %d", c, f[0])
		}
		if got := decode(f, len(text)); got != text {
			t.Errorf("%v: %.200s", c, got)
		}
		if got := decode(f, len(text)-1); !strings.Contains(got, "over the limit of 10499 bytes") {
			t.Errorf("%v over the limit: %.200s", c, got)
		}
		if got := decode(f[:len(f)/2], 1<<20); c != frame.None && got == text {
			t.Errorf("%v cut in two: %.200s", c, got)
		}
		made := page.Eval(fmt.Sprintf("await encode(%q, %q)", text, c.String()))
		b, err := base64.StdEncoding.DecodeString(made)
		if err != nil {
			t.Fatal(err)
		}
		got, err := frame.Decode(nil, b, len(text))
		if err != nil || string(got) != text || frame.Codec(b[0]) != c {
			t.Errorf("%v made by the browser: flag %d, %d bytes, %v", c, b[0], len(got), err)
		}
	}
	bomb := frame.Append(nil, make([]byte, 64<<20), frame.Options{Codec: frame.Gzip})
	if got := decode(bomb, 1<<20); !strings.Contains(got, "over the limit") {
		t.Errorf("a bomb: %.200s", got)
	}
	for name, f := range map[string][]byte{"nothing": {}, "s2": {1, 0}, "unknown": {200}} {
		if got := decode(f, 1<<20); !strings.HasPrefix(got, "frame: ") {
			t.Errorf("%s: %.200s", name, got)
		}
	}
	if made := page.Eval("await encode('short', 'gzip')"); made != "AHNob3J0" {
		t.Errorf("below the threshold: %s", made)
	}
}
