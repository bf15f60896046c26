package oracle_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/octopus-framework/octopus/internal/oracle"
)

// witness is a test that writes down how it ended.
type witness struct {
	testing.TB
	said string
}

func (w *witness) Helper() {}

func (w *witness) Fatalf(format string, args ...any) {
	w.said = "fatal: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (w *witness) Errorf(format string, args ...any) {
	w.said = "error: " + fmt.Sprintf(format, args...)
}

func (w *witness) Logf(format string, args ...any) {
	w.said = "log: " + fmt.Sprintf(format, args...)
}

func (w *witness) Skipf(format string, args ...any) {
	w.said = "skip: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestMissing(t *testing.T) {
	const skip, log = "skip: protoc: make tools", "log: protoc: make tools"
	const fatal = "fatal: protoc: make tools; OCTOPUS_REQUIRE asks for it"
	const failed = "error: protoc: make tools; OCTOPUS_REQUIRE asks for it"
	for _, c := range []struct{ value, skip, log string }{
		{"", skip, log},
		{"buf", skip, log},
		{"protoc-gen-go", skip, log},
		{"protoc", fatal, failed},
		{"buf,protoc", fatal, failed},
		{"buf, protoc", fatal, failed},
		{"all", fatal, failed},
	} {
		t.Setenv(oracle.Variable, c.value)
		for want, call := range map[string]func(testing.TB, string, string){
			c.skip: oracle.Skip, c.log: oracle.Missing,
		} {
			w := &witness{}
			done := make(chan struct{})
			go func() { defer close(done); call(w, "protoc", "make tools") }()
			<-done
			if w.said != want {
				t.Errorf("%q: %q, want %q", c.value, w.said, want)
			}
		}
	}
}
