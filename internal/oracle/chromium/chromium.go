// Package chromium drives a headless Chromium for tests: by its DevTools protocol, over a pipe, so
// that no port is opened.
package chromium

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/oracle"
)

// patience bounds how long anything may take that a test waits for.
const patience = 60 * time.Second

// Page is a tab of a browser. It is for one goroutine.
type Page struct {
	t       testing.TB
	to      io.Writer
	session string

	mu      sync.Mutex
	next    int
	waiting map[int]chan answer
	ended   error
}

type answer struct {
	result json.RawMessage
	err    error
}

// Find returns the path of a browser, or skips the test.
func Find(t testing.TB) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	oracle.Skip(t, "chromium", "there is no Chromium on this machine")
	return ""
}

// Start starts a browser with an empty page, which ends with the test.
func Start(t testing.TB) *Page {
	t.Helper()
	path := Find(t)
	dir := t.TempDir()
	hear, say := pipe(t), pipe(t)
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu",
		"--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars",
		"--enable-precise-memory-info", "--remote-debugging-pipe",
		"--user-data-dir="+filepath.Join(dir, "profile"), "about:blank")
	cmd.ExtraFiles = []*os.File{hear.r, say.w} // 3 and 4
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = hear.r.Close(), say.w.Close()
	p := &Page{t: t, to: hear.w, waiting: map[int]chan answer{}}
	go p.listen(say.r)
	t.Cleanup(func() {
		_, _ = p.call("", "Browser.close", nil)
		killer := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		killer.Stop()
		_, _ = hear.w.Close(), say.r.Close()
		removeProfile(filepath.Join(dir, "profile"))
	})
	var target struct{ TargetID string }
	p.must("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct{ SessionID string }
	p.must("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID,
		"flatten": true}, &session)
	p.session = session.SessionID
	p.Do("Page.enable", nil)
	p.Do("Runtime.enable", nil)
	return p
}

// removeProfile waits for the browser's helpers, which write there until they end, too.
func removeProfile(dir string) {
	for range 50 {
		if os.RemoveAll(dir) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

type ends struct{ r, w *os.File }

func pipe(t testing.TB) ends {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return ends{r, w}
}

// listen hands answers to those who wait. Messages end with a zero byte.
func (p *Page) listen(from io.Reader) {
	in := bufio.NewReaderSize(from, 1<<20)
	for {
		message, err := in.ReadBytes(0)
		if err != nil {
			p.mu.Lock()
			p.ended = fmt.Errorf("the browser ended: %w", err)
			for _, c := range p.waiting {
				c <- answer{err: p.ended}
			}
			p.waiting = nil
			p.mu.Unlock()
			return
		}
		var m struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if json.Unmarshal(bytes.TrimRight(message, "\x00"), &m) != nil || m.ID == 0 {
			continue // an event
		}
		a := answer{result: m.Result}
		if m.Error != nil {
			a.err = errors.New(m.Error.Message)
		}
		p.mu.Lock()
		c := p.waiting[m.ID]
		delete(p.waiting, m.ID)
		p.mu.Unlock()
		if c != nil {
			c <- a
		}
	}
}

func (p *Page) call(session, method string, parameters any) (json.RawMessage, error) {
	c := make(chan answer, 1)
	p.mu.Lock()
	if p.ended != nil {
		p.mu.Unlock()
		return nil, p.ended
	}
	p.next++
	id := p.next
	p.waiting[id] = c
	p.mu.Unlock()
	if parameters == nil {
		parameters = struct{}{}
	}
	message, err := json.Marshal(map[string]any{"id": id, "method": method, "params": parameters,
		"sessionId": session})
	if session == "" {
		message, err = json.Marshal(map[string]any{"id": id, "method": method,
			"params": parameters})
	}
	if err != nil {
		return nil, err
	}
	if _, err := p.to.Write(append(message, 0)); err != nil {
		return nil, err
	}
	select {
	case a := <-c:
		return a.result, a.err
	case <-time.After(patience):
		return nil, fmt.Errorf("%s: no answer for %v", method, patience)
	}
}

func (p *Page) must(session, method string, parameters, result any) {
	p.t.Helper()
	text, err := p.call(session, method, parameters)
	if err == nil && result != nil {
		err = json.Unmarshal(text, result)
	}
	if err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
}

// Do calls a method of the protocol on the page.
func (p *Page) Do(method string, parameters any) {
	p.t.Helper()
	p.must(p.session, method, parameters, nil)
}

// Open opens an address and waits until it is loaded.
func (p *Page) Open(url string) {
	p.t.Helper()
	var result struct{ ErrorText string }
	p.must(p.session, "Page.navigate", map[string]any{"url": url}, &result)
	if result.ErrorText != "" {
		p.t.Fatalf("%s: %s", url, result.ErrorText)
	}
	p.Wait("document.readyState === 'complete'")
}

// Eval runs a script, waits for its promise if it is one, and returns what it gives as text.
func (p *Page) Eval(script string) string {
	p.t.Helper()
	text, err := p.try(script)
	if err != nil {
		p.t.Fatalf("%v\nof %s", err, script)
	}
	return text
}

func (p *Page) try(script string) (string, error) {
	message, err := p.call(p.session, "Runtime.evaluate", map[string]any{
		"expression": script, "awaitPromise": true, "returnByValue": true, "replMode": true})
	if err != nil {
		return "", err
	}
	var result struct {
		Result           struct{ Value any }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if err := json.Unmarshal(message, &result); err != nil {
		return "", err
	}
	if e := result.ExceptionDetails; e != nil {
		return "", fmt.Errorf("%s %s", e.Text, e.Exception.Description)
	}
	if s, ok := result.Result.Value.(string); ok {
		return s, nil
	}
	text, err := json.Marshal(result.Result.Value)
	return string(text), err
}

// Wait waits until a script gives true.
func (p *Page) Wait(script string) {
	p.t.Helper()
	var last string
	var err error
	for began := time.Now(); time.Since(began) < patience; time.Sleep(20 * time.Millisecond) {
		// A page that is being left has no answer.
		if last, err = p.try("Boolean(" + script + ")"); err == nil && last == "true" {
			return
		}
	}
	body, _ := p.try("document.body.innerText.slice(0, 2000)")
	p.t.Fatalf("%s did not come true (%s, %v); the page shows\n%s", script, last, err, body)
}

// Type writes a text where the focus is.
func (p *Page) Type(text string) {
	p.t.Helper()
	p.Do("Input.insertText", map[string]any{"text": text})
}

// Key presses a key: a character, or a name such as Enter or ArrowDown.
func (p *Page) Key(key string) {
	p.t.Helper()
	press := map[string]any{"type": "keyDown", "key": key, "code": key}
	codes := map[string]int{"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38,
		"ArrowLeft": 37, "ArrowRight": 39}
	if code, ok := codes[key]; ok {
		press["windowsVirtualKeyCode"] = code
	}
	if key == "Enter" {
		press["text"] = "\r"
	} else if len(key) == 1 {
		press["text"] = key
	}
	p.Do("Input.dispatchKeyEvent", press)
	delete(press, "text")
	press["type"] = "keyUp"
	p.Do("Input.dispatchKeyEvent", press)
}

// Size sets what the page is shown on.
func (p *Page) Size(width, height int, dark bool) {
	p.t.Helper()
	p.Do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height,
		"deviceScaleFactor": 1, "mobile": width < 500})
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	p.Do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{
		{"name": "prefers-color-scheme", "value": scheme}}})
}

// Screenshot returns what the page shows, as a PNG.
func (p *Page) Screenshot() []byte {
	p.t.Helper()
	var result struct{ Data string }
	p.must(p.session, "Page.captureScreenshot", map[string]any{"format": "png"}, &result)
	png, err := base64.StdEncoding.DecodeString(result.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	return png
}

// Heap returns how many bytes of JavaScript are in use after a collection.
func (p *Page) Heap() int {
	p.t.Helper()
	p.Do("HeapProfiler.collectGarbage", nil)
	var usage struct{ UsedSize float64 }
	p.must(p.session, "Runtime.getHeapUsage", nil, &usage)
	return int(usage.UsedSize)
}
