package seglog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/keyed"
)

// The keys of appends are in the headers of their batches. So that opening a log
// need not read them all, the file of keys repeats what was remembered when the
// last segment began, or when the log was closed: only the batches after that
// are looked at. Without the file all are.

const (
	keysName       = "keys"
	keysMagic      = "nervekey"
	keysHeaderSize = 64
	keysEntrySize  = 40
)

// LastAppended implements nerve.Repeatable.
func (l *Log) LastAppended(ctx context.Context, producer uint64) (nerve.Appended, error) {
	if ctx.Err() != nil {
		return nerve.Appended{}, context.Cause(ctx)
	}
	l.write.Lock()
	defer l.write.Unlock()
	if l.closed.Load() {
		return nerve.Appended{}, nerve.ErrClosed
	}
	if l.options.ReadOnly {
		if _, err := l.lookAtState(); err != nil {
			return nerve.Appended{}, err
		}
		if err := l.loadKeys(); err != nil {
			return nerve.Appended{}, l.orClosed(err)
		}
	}
	return l.keys.Last(producer), nil
}

// repeated returns the append of the key of b, zero if it is a new one. The
// write lock is held.
func (l *Log) repeated(b *nerve.Batch) (nerve.Appended, error) {
	before, err := l.keys.Find(b.Key, b.Len())
	if err != nil || before.First > 0 || l.state.current().keyed {
		return before, err
	}
	// The first key of this log. From here on it is of a format that programs
	// which know no keys refuse. The batches until now have none.
	if err := l.saveKeys(); err != nil {
		return before, err
	}
	if err := l.state.setMark(func(m *mark) { m.keyed = true }, true); err != nil {
		return before, l.fail(err)
	}
	return before, nil
}

// saveKeys stores what is remembered, as of the last record. All batches with a
// key are durable when it is called.
func (l *Log) saveKeys() error {
	path := join(l.dir, keysName)
	temp := path + tempSuffix
	f, err := l.disk.Create(temp)
	if err != nil {
		return ioError("create", temp, err)
	}
	b := encodeKeys(&l.keys, l.state.current().logID, nerve.ID(l.visible.Load()))
	if _, err = f.WriteAt(b, 0); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = l.disk.Rename(temp, path)
	}
	if err == nil {
		err = l.disk.SyncDir(l.dir)
	}
	if err != nil {
		return errors.Join(ioError("write", temp, err), ignoreMissing(l.disk.Remove(temp)))
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// loadKeys fills the table from the file and the batches after it.
func (l *Log) loadKeys() error {
	l.keys = keyed.Table{}
	m := l.state.current()
	if !m.keyed {
		return nil
	}
	through, err := l.readKeys(m.logID)
	if err != nil {
		return err
	}
	if l.options.ReadOnly { // the file goes no further than what is visible now
		if err := l.refresh(); err != nil {
			return err
		}
	}
	_, last := l.Bounds()
	if through > last {
		// A power cut or a repair took the end. Other batches will have those
		// ids, and the file must not say that they are in it.
		l.keys.Forget(last)
		through = last
		if !l.options.ReadOnly {
			if err := l.saveKeys(); err != nil {
				return err
			}
		}
	}
	l.mu.RLock()
	segments, tail := l.segments, l.index
	l.mu.RUnlock()
	for i, s := range segments {
		end := s.last
		if i == len(segments)-1 {
			end = last
		}
		if end <= through {
			continue
		}
		if err := l.collectKeys(s, tail, through, end); err != nil {
			return err
		}
	}
	return nil
}

// readKeys fills the table from the file and returns the record up to which that
// goes, 0 if there is no such file that can be believed.
func (l *Log) readKeys(logID uint64) (through nerve.ID, err error) {
	path := join(l.dir, keysName)
	f, err := l.disk.OpenRead(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, ioError("open", path, err)
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return 0, ioError("stat", path, err)
	}
	b := make([]byte, min(size, keysHeaderSize+keyed.Producers*keyed.Appends*keysEntrySize))
	if _, err := f.ReadAt(b, 0); err != nil && len(b) > 0 {
		return 0, ioError("read", path, err)
	}
	table, through, reason := decodeKeys(b, logID)
	if reason != "" {
		l.options.Logger.Warn("nerve: the keys are read from the batches", "file", path, "reason",
			reason)
		return 0, nil
	}
	l.keys = table
	return through, nil
}

// collectKeys adds the keys of a segment after through and up to end.
func (l *Log) collectKeys(s segment, index []indexEntry, through, end nerve.ID) error {
	f, err := l.disk.OpenRead(s.path)
	if err != nil {
		return ioError("open", s.path, err)
	}
	defer f.Close()
	if s.sealed {
		index = s.readIndex(f)
	}
	offset := int64(segmentHeaderSize)
	for _, e := range index {
		if e.first > through+1 {
			break
		}
		offset = e.offset
	}
	for reached := through; reached < end; {
		stop, _, err := s.walk(f, offset, func(at found) bool {
			if at.kind == kindKeyed && at.first > through && at.last() <= end {
				l.keys.Add(at.appended())
			}
			reached = max(reached, at.last())
			return reached < end
		})
		if err != nil {
			return ioError("read", s.path, err)
		}
		if reached >= end {
			break
		}
		next, ok, err := s.nextBatch(f, stop+1)
		if err != nil {
			return ioError("read", s.path, err)
		}
		if !ok {
			break // what comes after is damaged, and so are its keys
		}
		offset = next.offset
	}
	return nil
}

func encodeKeys(t *keyed.Table, logID uint64, through nerve.ID) []byte {
	b := make([]byte, keysHeaderSize, keysHeaderSize+t.Len()*keysEntrySize)
	copy(b, keysMagic)
	little.PutUint32(b[8:], keysVersion)
	little.PutUint64(b[16:], logID)
	little.PutUint64(b[24:], uint64(through))
	for a := range t.All() {
		b = little.AppendUint64(b, a.Key.Producer)
		b = little.AppendUint64(b, a.Key.Seq)
		b = little.AppendUint64(b, uint64(a.First))
		b = little.AppendUint64(b, uint64(a.UnixNano))
		b = little.AppendUint64(b, uint64(a.Last-a.First+1))
	}
	little.PutUint64(b[32:], uint64(len(b)-keysHeaderSize)/keysEntrySize)
	little.PutUint32(b[12:], checksum(0, b[16:]))
	return b
}

// keysVersion is the version of the file of keys.
const keysVersion = 1

// decodeKeys returns the table and how far it goes, or the reason why it cannot
// be believed.
func decodeKeys(b []byte, logID uint64) (t keyed.Table, through nerve.ID, reason string) {
	switch {
	case len(b) < keysHeaderSize || string(b[:8]) != keysMagic:
		return t, 0, "this is no file of keys"
	case little.Uint32(b[12:]) != checksum(0, b[16:]):
		return t, 0, "the checksum is wrong"
	case little.Uint32(b[8:]) != keysVersion:
		return t, 0, fmt.Sprintf("format %d is unknown", little.Uint32(b[8:]))
	case little.Uint64(b[16:]) != logID:
		return t, 0, "it belongs to another log"
	case little.Uint64(b[32:]) != uint64(len(b)-keysHeaderSize)/keysEntrySize:
		return t, 0, "the number of entries is wrong"
	}
	for e := b[keysHeaderSize:]; len(e) >= keysEntrySize; e = e[keysEntrySize:] {
		first, count := little.Uint64(e[16:]), little.Uint64(e[32:])
		t.Add(nerve.Appended{
			Key:   nerve.Key{Producer: little.Uint64(e[0:]), Seq: little.Uint64(e[8:])},
			First: nerve.ID(first), Last: nerve.ID(first + count - 1),
			UnixNano: int64(little.Uint64(e[24:])),
		})
	}
	return t, nerve.ID(little.Uint64(b[24:])), ""
}
