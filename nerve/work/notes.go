package work

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// notesMark begins the metadata of a pointer that a Group wrote; notesMark1 did before acks above
// the pointer were saved, and is read still.
var (
	notesMark  = []byte("nerve/work 2 ")
	notesMark1 = []byte("nerve/work 1 ")
)

// crashNotes remembers in the metadata of the consumer's pointer that records are being handled. A
// process that ends cleanly takes the note away; one that finds a note, and no record acknowledged
// since it was written, knows that the one before ended without any progress. It then handles as
// many records as may have been under way one at a time, and saves each attempt before it is made.
type crashNotes struct {
	consumer *nerve.Consumer
	careful  int // how many records are still to be handled one at a time
}

// readNotes looks for the note of a run before, which had at most underWay records to handle. The
// metadata of somebody else is an error.
func readNotes(c *nerve.Consumer, underWay int) (*crashNotes, error) {
	n := &crashNotes{consumer: c}
	meta := c.Meta()
	if len(meta) == 0 {
		return n, nil
	}
	number, ok := bytes.CutPrefix(meta, notesMark)
	if !ok {
		number, ok = bytes.CutPrefix(meta, notesMark1)
	}
	acknowledged, k := binary.Uvarint(number)
	if !ok || k <= 0 {
		return nil,
			errors.New("work: the metadata of the consumer's pointer is in use by somebody else")
	}
	if acknowledged == n.acknowledged() {
		n.careful = underWay
	}
	return n, nil
}

// acknowledged is how many records are, of all.
func (n *crashNotes) acknowledged() uint64 {
	return uint64(n.consumer.Pointer()) + uint64(n.consumer.Acked())
}

// save writes down that records are being handled from here on.
func (n *crashNotes) save() error {
	return n.write(binary.AppendUvarint(bytes.Clone(notesMark), n.acknowledged()))
}

// clear takes the note away: the run ended cleanly.
func (n *crashNotes) clear() error {
	err := n.write(nil)
	var fenced *nerve.FencedError
	if errors.Is(err, nerve.ErrClosed) || errors.As(err, &fenced) {
		return nil // the pointer is not ours any more
	}
	return err
}

// saveTimeout bounds a save, which belongs to no context of the caller.
const saveTimeout = 30 * time.Second

func (n *crashNotes) write(meta []byte) error {
	if err := n.consumer.SetMeta(meta); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), saveTimeout)
	defer stop()
	return n.consumer.Save(ctx)
}
