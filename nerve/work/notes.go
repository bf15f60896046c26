package work

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// notesMark begins the metadata of a pointer that a Group wrote.
var notesMark = []byte("nerve/work 1 ")

// crashNotes remembers in the metadata of the consumer's pointer that records are being handled. A
// process that ends cleanly takes the note away; one that finds a note for where its pointer still
// stands knows that the one before ended without any progress. It then handles as many records as
// may have been under way one at a time, with a note for each.
type crashNotes struct {
	consumer *nerve.Consumer
	at       nerve.ID // the pointer that the number is for
	crashes  int      // in a row that ended there
	careful  int      // how many records are still to be handled one at a time
}

// readNotes looks for the note of a run before, which had at most underWay records to handle. The
// metadata of somebody else is an error.
func readNotes(c *nerve.Consumer, underWay int) (*crashNotes, error) {
	n := &crashNotes{consumer: c, at: c.Pointer()}
	meta := c.Meta()
	if len(meta) == 0 {
		return n, nil
	}
	numbers, ok := bytes.CutPrefix(meta, notesMark)
	at, k := binary.Uvarint(numbers)
	crashes, k2 := binary.Uvarint(numbers[max(k, 0):])
	if !ok || k <= 0 || k2 <= 0 {
		return nil,
			errors.New("work: the metadata of the consumer's pointer is in use by somebody else")
	}
	if nerve.ID(at) == n.at {
		n.crashes = int(min(crashes, 1<<30))
		n.careful = underWay
	}
	return n, nil
}

// crashesAt returns how often the process ended with the pointer at an id.
func (n *crashNotes) crashesAt(pointer nerve.ID) int {
	if n.at != pointer {
		n.at, n.crashes = pointer, 0
	}
	return n.crashes
}

// save writes down that records are being handled from here on.
func (n *crashNotes) save() error {
	meta := binary.AppendUvarint(bytes.Clone(notesMark), uint64(n.at))
	meta = binary.AppendUvarint(meta, uint64(n.crashes+1))
	return n.write(meta)
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
