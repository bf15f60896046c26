package serve

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// TestDescriptors lowers the limits to what the process may open, says so, and does not
// begin when that is too little for the queues that are there.
func TestDescriptors(t *testing.T) {
	for limit := range 30_000 {
		for _, there := range []int{0, 1, 30, 2000} {
			var log bytes.Buffer
			var root core.Options
			options := Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
			err := fitDescriptors(limit, "root", there, &root, &options)
			if _, setup := errors.AsType[*nerve.SetupError](err); setup {
				if limit > 200+there*queueFiles {
					t.Fatalf("%d descriptors for %d queues: %v", limit, there, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if log.Len() == 0 { // unchanged, which are the defaults
				if options.Connections|root.Readers|root.Queues != 0 || limit < 9000 {
					t.Fatalf("%d descriptors for %d queues are enough", limit, there)
				}
				continue
			}
			all := options.Connections + root.Readers*readerFiles + max(1, root.Queues)*queueFiles
			if options.Connections < leastConnections || root.Readers < leastReaders ||
				root.Queues < there || all+otherFiles > limit+queueFiles ||
				!strings.Contains(log.String(), "lowered") {
				t.Fatalf("%d descriptors for %d queues: %d connections, %d readers, %d queues", limit,
					there, options.Connections, root.Readers, root.Queues)
			}
		}
	}
}
