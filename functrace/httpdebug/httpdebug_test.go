package httpdebug

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/functrace"
)

//go:noinline
func work() {
	if functrace.Enabled {
		defer functrace.Trace()()
	}
}

// get asks the handler that the package has put into the default mux.
func get(method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	http.DefaultServeMux.ServeHTTP(w, httptest.NewRequest(method, Path+path, nil))
	return w
}

func TestWithoutTheTag(t *testing.T) {
	if functrace.Enabled {
		t.Skip("the tag is set")
	}
	if w := get("GET", ""); w.Code != http.StatusNotImplemented {
		t.Error(w.Code, w.Body)
	}
}

func TestHandler(t *testing.T) {
	if !functrace.Enabled {
		t.Skip("it needs the tag trace")
	}
	o := functrace.Options{Path: filepath.Join(t.TempDir(), "x"), Ring: true}
	if err := functrace.Start(o); err != nil {
		t.Fatal(err)
	}
	work()
	const me = "github.com/octopus-framework/octopus/functrace/httpdebug"
	for _, test := range []struct {
		method, path string
		code         int
		want         string
	}{
		{"GET", "", 200, "snapshot"},
		{"GET", "/snapshot?reason=mine", 200, "mine"},
		{"POST", "/off?func=" + me, 200, "1 functions"},
		{"POST", "/off", 400, ""},
		{"GET", "/off?func=x", 405, ""},
		{"POST", "/share?of=x", 400, ""},
		{"POST", "/share?of=1", 200, ""},
		{"GET", "/nothing", 404, ""},
	} {
		w := get(test.method, test.path)
		if w.Code != test.code || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s %s: %d %.200q", test.method, test.path, w.Code, w.Body)
		}
	}
	off := get("GET", "/snapshot").Body.Len()
	for range 10_000 {
		work()
	}
	if n := get("GET", "/snapshot").Body.Len(); n != off {
		t.Errorf("%d bytes are recorded of a function that is off", n-off)
	}
	get("POST", "/on?func="+me)
	for range 10_000 {
		work()
	}
	if n := get("GET", "/snapshot").Body.Len(); n < off+10_000*15 {
		t.Errorf("%d bytes are recorded of a function that is on again", n-off)
	}
	if _, err := functrace.Stop(); err != nil {
		t.Fatal(err)
	}
	if w := get("GET", "/snapshot"); w.Code != http.StatusServiceUnavailable {
		t.Error(w.Code, w.Body)
	}
}
