//go:build unix

package serve_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
)

// TestFewDescriptors serves with few descriptors those who make queues and those who open
// connections, as many as they can, and somebody whose queue needs a new segment with
// each append: the former are refused, the latter never.
func TestFewDescriptors(t *testing.T) {
	k := &killed{t: t, dir: t.TempDir(), files: 300}
	k.start()
	defer k.kill()
	orders, err := k.openQueue("orders")
	if err != nil {
		t.Fatal(err)
	}
	defer orders.Close()
	var batch nerve.Batch
	batch.Append(make([]byte, 700<<10))
	roll := func(what string) {
		t.Helper()
		for range 4 {
			if _, err := orders.Append(t.Context(), &batch); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
		}
	}
	roll("alone")
	made := 0
	for ; made < 300; made++ {
		log, err := k.openQueue(fmt.Sprint("x", made))
		if busy, ok := errors.AsType[*nerve.BusyError](err); ok {
			if busy.What != "queues" {
				t.Error(busy)
			}
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		var b nerve.Batch
		b.Append([]byte("x"))
		if _, err := log.Append(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		log.Close()
	}
	if made < 3 || made > 30 {
		t.Errorf("%d queues were made", made)
	}
	roll("beside queues")
	for range 400 {
		c, err := net.Dial("tcp", k.address.Load().(string))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, _ = io.WriteString(c, "GET /nerve HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"+
			"Upgrade: nerve/1\r\n\r\n") // some are refused
	}
	roll("beside connections")
}
