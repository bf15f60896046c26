package seglog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/keyed"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// The keys of appends are in the headers of their batches, and ids behind their
// records. So that opening a log need not read them all, the file of keys repeats
// what was remembered when the last segment began, or when the log was closed:
// only the batches after that are looked at. Without the file all are.

const (
	keysName       = "keys"
	keysMagic      = "nervekey"
	keysHeaderSize = 64
	keysEntrySize  = 40 // of a key, and of an id
	maxKeysSize    = keysHeaderSize +
		(keyed.Producers*keyed.Appends+nerve.MaxDedupIDs)*keysEntrySize
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
	if err != nil || before.First > 0 {
		return before, err
	}
	return before, l.reachVersion(keyedVersion)
}

// reachVersion makes the log one of this format at least, which programs refuse
// that do not know it, before the first batch that needs it. The write lock is
// held.
func (l *Log) reachVersion(version uint32) error {
	had := l.state.current().version
	if had >= version {
		return nil
	}
	if had < keyedVersion { // the batches until now have neither keys nor ids
		if err := l.saveKeys(); err != nil {
			return err
		}
	}
	if err := l.state.setMark(func(m *mark) { m.version = version }, true); err != nil {
		return l.fail(err)
	}
	return nil
}

// DedupWindow implements nerve.Deduplicator.
func (l *Log) DedupWindow() nerve.DedupWindow { return l.options.Dedup }

// saveKeys stores what is remembered, as of the last record. All batches with a
// key are durable when it is called.
func (l *Log) saveKeys() error {
	path := join(l.dir, keysName)
	temp := path + tempSuffix
	f, err := l.disk.Create(temp)
	if err != nil {
		return ioError("create", temp, err)
	}
	b := l.encodeKeys(nerve.ID(l.visible.Load()))
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
	l.keys, l.known = keyed.Table{}, keyed.IDs{Window: l.options.Dedup}
	m := l.state.current()
	if m.version < keyedVersion {
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
		l.known.Forget(last)
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
	b := make([]byte, min(size, maxKeysSize))
	if _, err := f.ReadAt(b, 0); err != nil && len(b) > 0 {
		return 0, ioError("read", path, err)
	}
	through, reason := l.decodeKeys(b, logID)
	if reason != "" {
		l.options.Logger.Warn("nerve: the keys are read from the batches", "file", path, "reason",
			reason)
		return 0, nil
	}
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
		var failed error
		stop, _, err := s.walk(f, offset, func(at found) bool {
			if at.first > through && at.last() <= end {
				failed = l.remember(&s, f, at)
			}
			reached = max(reached, at.last())
			return reached < end && failed == nil
		})
		if err = errors.Join(err, failed); err != nil {
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

// remember adds the key or the ids of a batch. Ids that cannot be believed are
// those of a damaged batch.
func (l *Log) remember(s *segment, f vfs.File, at found) error {
	if at.kind == kindKeyed {
		l.keys.Add(at.appended())
	}
	if at.kind != kindIDs {
		return nil
	}
	body := make([]byte, at.stored)
	if _, err := f.ReadAt(body, at.offset+at.size()); err != nil && err != io.EOF {
		return err
	}
	if checksum(s.salt, body) != at.bodyCRC {
		return nil
	}
	for b := body[at.records():]; len(b) >= partSize; b = b[partSize:] {
		first := at.first + nerve.ID(little.Uint32(b[16:]))
		last := first + nerve.ID(little.Uint32(b[20:])) - 1
		l.known.Add(keyed.StoredID{ID: nerve.DedupID(b[:16]), Appended: nerve.Appended{
			First: first, Last: last, UnixNano: at.unixNano}})
	}
	return nil
}

// appendParts appends the ids of a batch and where in it their records are.
func appendParts(b []byte, parts []nerve.Part) []byte {
	for _, p := range parts {
		b = append(b, p.ID[:]...)
		b = little.AppendUint32(b, uint32(p.Start))
		b = little.AppendUint32(b, uint32(p.End-p.Start))
	}
	return b
}

// encodeKeys returns the file of what is remembered, as of record through.
func (l *Log) encodeKeys(through nerve.ID) []byte {
	keys, ids := l.keys.Len(), l.known.Len()
	b := make([]byte, keysHeaderSize, keysHeaderSize+(keys+ids)*keysEntrySize)
	copy(b, keysMagic)
	little.PutUint32(b[8:], keysVersion)
	little.PutUint64(b[16:], l.state.current().logID)
	little.PutUint64(b[24:], uint64(through))
	little.PutUint64(b[32:], uint64(keys))
	if ids > 0 {
		little.PutUint32(b[8:], keysIDsVersion)
		little.PutUint64(b[40:], uint64(ids))
	}
	entry := func(high, low uint64, a nerve.Appended) {
		b = little.AppendUint64(b, high)
		b = little.AppendUint64(b, low)
		b = little.AppendUint64(b, uint64(a.First))
		b = little.AppendUint64(b, uint64(a.UnixNano))
		b = little.AppendUint64(b, uint64(a.Last-a.First+1))
	}
	for a := range l.keys.All() {
		entry(a.Key.Producer, a.Key.Seq, a)
	}
	for a := range l.known.All() {
		entry(little.Uint64(a.ID[:]), little.Uint64(a.ID[8:]), a.Appended)
	}
	little.PutUint32(b[12:], checksum(0, b[16:]))
	return b
}

// The versions of the file of keys: without ids, and with them.
const (
	keysVersion    = 1
	keysIDsVersion = 2
)

// decodeKeys fills the tables and returns how far they go, or the reason why the
// file cannot be believed.
func (l *Log) decodeKeys(b []byte, logID uint64) (through nerve.ID, reason string) {
	switch {
	case len(b) < keysHeaderSize || string(b[:8]) != keysMagic:
		return 0, "this is no file of keys"
	case little.Uint32(b[12:]) != checksum(0, b[16:]):
		return 0, "the checksum is wrong"
	case little.Uint32(b[8:]) != keysVersion && little.Uint32(b[8:]) != keysIDsVersion:
		return 0, fmt.Sprintf("format %d is unknown", little.Uint32(b[8:]))
	case little.Uint64(b[16:]) != logID:
		return 0, "it belongs to another log"
	case little.Uint64(b[32:])+little.Uint64(b[40:]) !=
		uint64(len(b)-keysHeaderSize)/keysEntrySize:
		return 0, "the number of entries is wrong"
	}
	keys := little.Uint64(b[32:])
	for e := b[keysHeaderSize:]; len(e) >= keysEntrySize; e = e[keysEntrySize:] {
		first, count := little.Uint64(e[16:]), little.Uint64(e[32:])
		a := nerve.Appended{First: nerve.ID(first), Last: nerve.ID(first + count - 1),
			UnixNano: int64(little.Uint64(e[24:]))}
		if keys > 0 {
			keys--
			a.Key = nerve.Key{Producer: little.Uint64(e[0:]), Seq: little.Uint64(e[8:])}
			l.keys.Add(a)
			continue
		}
		l.known.Add(keyed.StoredID{ID: nerve.DedupID(e[:16]), Appended: a})
	}
	return nerve.ID(little.Uint64(b[24:])), ""
}
