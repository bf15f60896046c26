//go:build linux

package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/oracle"
	"github.com/octopus-framework/octopus/internal/oracle/sqlservers"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestOutbox runs the example on each server.
func TestOutbox(t *testing.T) {
	for _, kind := range sqlservers.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			if err := kind.Missing(); err != nil {
				oracle.Skip(t, kind.Name, err.Error())
			}
			var out bytes.Buffer
			c := config{server: kind.Name, customers: 8, orders: 40, kills: 2}
			if err := run(context.Background(), c, &out); err != nil {
				t.Fatalf("%v\n%s", err, &out)
			}
			if !strings.HasSuffix(out.String(), "every order was counted once\n") ||
				strings.Count(out.String(), "was killed") != c.kills {
				t.Fatalf("the example says\n%s", &out)
			}
		})
	}
}
