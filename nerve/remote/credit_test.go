package remote

import (
	"bufio"
	"bytes"
	"errors"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
)

// TestServerBeyondCredit sends a reader that does not read one frame after another: its memory is
// bounded by its window and one frame, and the connection ends.
func TestServerBeyondCredit(t *testing.T) {
	const frame, window = 1000, 2500
	one := wire.AppendFrame(nil, wire.Batch, 1, func(b []byte) []byte {
		return append(b, make([]byte, frame)...)
	})
	l := &Log{options: Options{Window: window}}
	k := &link{log: l, in: bufio.NewReader(bytes.NewReader(bytes.Repeat(one, 10))),
		readers: map[uint16]*cursor{}}
	c := &cursor{log: l, on: k, left: window, more: make(chan struct{}, 1)}
	k.readers[1] = c
	var err error
	for n := 0; err == nil && n < 10; n++ {
		var head [wire.HeaderSize]byte
		h, readErr := wire.ReadHeader(k.in, &head)
		if readErr != nil {
			t.Fatal(readErr)
		}
		err = k.batches(h, &head)
	}
	var protocol *nerve.ProtocolError
	if !errors.As(err, &protocol) || len(c.queue) != 3 {
		t.Errorf("%d frames, %v; want 3 and a ProtocolError", len(c.queue), err)
	}
}
