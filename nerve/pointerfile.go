package nerve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// elsewhere tells whether the pointer is not in the log.
func (o *ConsumerOptions) elsewhere() bool { return o.Ephemeral || o.PointerFile != "" }

func (o *ConsumerOptions) check() error {
	switch {
	case o.Ephemeral && o.PointerFile != "":
		return errors.New("nerve: a consumer that is ephemeral has no pointer file")
	case o.Hold && o.elsewhere():
		return errors.New("nerve: a consumer can hold only with a pointer in the log: " +
			"leave out Hold, or Ephemeral and PointerFile")
	}
	return nil
}

// ReadOnlyConsumerError says that a consumer would have nowhere to save its
// pointer. It wraps [ErrReadOnly].
type ReadOnlyConsumerError struct{ Name string }

// Error implements error.
func (e *ReadOnlyConsumerError) Error() string {
	return fmt.Sprintf("nerve: the log is open read-only and cannot keep the pointer of consumer %s: "+
		"set ConsumerOptions.PointerFile to a file for it, or Ephemeral to go without", e.Name)
}

// Unwrap returns ErrReadOnly.
func (e *ReadOnlyConsumerError) Unwrap() error { return ErrReadOnly }

// maxPointerFile is the size of the largest pointer file that is read, in bytes.
const maxPointerFile = 64 << 10

// filePointer is the content of a pointer file.
type filePointer struct {
	Consumer string    `json:"consumer"`
	Pointer  ID        `json:"pointer"`
	Meta     []byte    `json:"meta,omitempty"`
	Progress []byte    `json:"progress,omitempty"`
	Saved    time.Time `json:"saved"`
}

// pointers returns the saved pointers among which that of c is, if there is one.
func (c *Consumer) pointers(ctx context.Context) ([]Pointer, error) {
	if !c.options.elsewhere() {
		return c.queue.log.Pointers(ctx)
	}
	if c.options.Ephemeral {
		return nil, nil
	}
	file := c.options.PointerFile
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("nerve: the pointer of consumer %s: %w", c.name, err)
	}
	var p filePointer
	if len(text) > maxPointerFile {
		err = errors.New("it is too large")
	} else {
		err = json.Unmarshal(text, &p)
	}
	if err == nil {
		err = Pointer{Name: p.Consumer, Meta: p.Meta}.Check()
	}
	if err != nil {
		return nil, &FormatError{Path: file, Reason: "no pointer file: " + err.Error()}
	}
	progress, err := ParseProgress(p.Progress)
	if err != nil {
		return nil, &FormatError{Path: file, Reason: "no pointer file: " + err.Error()}
	}
	if p.Consumer != c.name {
		return nil, &FormatError{Path: file, Reason: fmt.Sprintf("the pointer in it is that of "+
			"consumer %s, not of %s", p.Consumer, c.name)}
	}
	saved := Pointer{Name: c.name, ID: p.Pointer, Meta: p.Meta, Progress: progress, Saved: p.Saved}
	if _, last := c.queue.log.Bounds(); saved.Highest() > last {
		return nil, &FormatError{Path: file, Reason: fmt.Sprintf("the pointer in it is %d, and the "+
			"last record is %d: it is of another queue", saved.Highest(), last)}
	}
	return []Pointer{saved}, nil
}

// saveFiles stores the pointers that are in files and moved. r.saving is held.
func (r *registry) saveFiles(list []*Consumer) (all error) {
	for _, c := range list {
		if c.options.PointerFile == "" {
			continue
		}
		p, _ := c.pointer()
		if c.isSaved(p) {
			continue
		}
		if err := writePointer(c.options.PointerFile, p); err != nil {
			all = errors.Join(all, fmt.Errorf("nerve: the pointer of consumer %s: %w", c.name, err))
			continue
		}
		c.saved = p
	}
	return all
}

// writePointer replaces a file by one with the pointer, so that there is always a
// whole one.
func writePointer(file string, p Pointer) error {
	text, err := json.Marshal(filePointer{Consumer: p.Name, Pointer: p.ID, Meta: p.Meta,
		Progress: p.Progress.Packed(), Saved: time.Now().UTC()})
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(append(bytes.TrimSpace(text), '\n'))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // what failed before is what matters
	}
	return err
}
