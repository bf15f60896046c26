package seglog

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// damagedSuffix marks what a repair replaced. Nothing reads or removes it.
const damagedSuffix = ".damaged"

// Repair makes a damaged log one that opens and reads, at the price of the
// damaged records: they become a range that readers meet as a LostError, so
// that the ids of all others stay. Nothing is removed: each file that is
// replaced, and each segment file that belongs to no place in this log, stays
// beside the new one, with the suffix ".damaged" and the time.
// A repair that was killed is finished by the next one.
//
// Plan with apply false, which changes nothing; the report's damage is what
// would be lost.
func Repair(dir string, apply bool, o VerifyOptions) (Report, error) {
	v := newSurvey(dir, o)
	if !apply {
		err := v.look()
		return v.report, err
	}
	lock, err := v.disk.Lock(join(dir, lockName))
	if errors.Is(err, fs.ErrNotExist) {
		return v.report, noQueue(v.disk, dir)
	}
	if errors.Is(err, vfs.ErrLocked) {
		return v.report, &nerve.LockedError{Path: dir}
	}
	if err != nil {
		return v.report, ioError("lock", dir, err)
	}
	err = v.look()
	if err == nil && len(v.report.Damage) > 0 {
		err = v.repair(time.Now())
	}
	return v.report, errors.Join(err, lock.Close())
}

func (v *survey) repair(now time.Time) error {
	for _, path := range v.report.Foreign {
		if err := v.setAside(path, now); err != nil {
			return err
		}
	}
	for i := range v.segments {
		if !v.segments[i].rebuild {
			continue
		}
		if err := v.rebuild(i, now); err != nil {
			return err
		}
	}
	if v.newState {
		if err := v.rebuildState(now); err != nil {
			return err
		}
	}
	if err := v.disk.SyncDir(v.dir); err != nil {
		return ioError("sync", v.dir, err)
	}
	return nil
}

// rebuild writes a segment anew: the good batches as they are, a mark for what
// lies between them, a footer.
func (v *survey) rebuild(i int, now time.Time) error {
	s := &v.segments[i]
	b := &rebuilder{s: s, next: s.first, nano: s.created}
	if i > 0 {
		b.prevCRC = v.segments[i-1].lastCRC
	}
	if !s.damaged && !s.missing {
		b.prevCRC = s.prevCRC
	}
	temp := s.path + tempSuffix
	out, err := v.disk.Create(temp)
	if err != nil {
		return ioError("create", temp, err)
	}
	b.out = out
	b.nextCRC, b.nextKnown = v.nextPrevCRC(i)
	err = b.write(v.disk, v.mark.logID)
	if err = errors.Join(err, out.Close()); err != nil {
		return errors.Join(ioError("write", temp, err), v.disk.Remove(temp))
	}
	if !s.missing {
		if err := v.keep(s.path, now); err != nil {
			return err
		}
	}
	if err := v.disk.Rename(temp, s.path); err != nil {
		return ioError("rename", temp, err)
	}
	s.lastCRC = b.lastCRC
	return nil
}

// nextPrevCRC is what the segment after says of the last batch before it.
func (v *survey) nextPrevCRC(i int) (crc uint32, known bool) {
	if i+1 < len(v.segments) {
		if next := v.segments[i+1]; !next.damaged && !next.missing {
			return next.prevCRC, true
		}
	}
	return 0, false
}

// keep gives a file that is about to be replaced a second name. Where the file
// system has no such thing it is moved, and what it holds is missing until the
// new file has the name.
func (v *survey) keep(path string, now time.Time) error {
	if v.disk.Link(path, damagedName(path, now)) == nil {
		return nil
	}
	return v.setAside(path, now)
}

// setAside moves a file out of the way.
func (v *survey) setAside(path string, now time.Time) error {
	if err := v.disk.Rename(path, damagedName(path, now)); err != nil {
		return ioError("rename", path, err)
	}
	return nil
}

func damagedName(path string, now time.Time) string {
	return fmt.Sprintf("%s%s-%d", path, damagedSuffix, now.UnixNano())
}

// rebuilder writes one segment.
type rebuilder struct {
	s       *surveyed
	out     vfs.File
	at      int64
	next    nerve.ID
	nano    int64
	prevCRC uint32 // checksum of the batch before, for the header
	lastCRC uint32
	index   []indexEntry

	nextCRC   uint32 // what the segment after says of the last batch in this one
	nextKnown bool
}

func (b *rebuilder) write(disk vfs.FS, logID uint64) error {
	header := segmentHeader{logID: logID, first: b.s.first, prevCRC: b.prevCRC,
		created: b.s.created}
	if _, err := b.out.WriteAt(header.encode(), 0); err != nil {
		return err
	}
	b.at, b.lastCRC = segmentHeaderSize, b.prevCRC
	if len(b.s.runs) > 0 {
		in, err := disk.OpenRead(b.s.path)
		if err != nil {
			return err
		}
		defer in.Close()
		for _, r := range b.s.runs {
			if err := b.lost(r.first - 1); err != nil {
				return err
			}
			if err := b.copy(in, r); err != nil {
				return err
			}
		}
	}
	if err := b.lost(b.s.last); err != nil {
		return err
	}
	if b.nextKnown {
		b.lastCRC = b.nextCRC
	}
	t := trailer{first: b.s.first, last: b.next - 1, lastNano: b.nano, dataEnd: b.at,
		lastCRC: b.lastCRC}
	if _, err := b.out.WriteAt(encodeFooter(b.s.salt, b.index, t), b.at); err != nil {
		return err
	}
	return b.out.Sync()
}

// lost writes the mark that stands for the records from next to last.
func (b *rebuilder) lost(last nerve.ID) error {
	if b.next > last {
		return nil
	}
	h := batchHeader{
		first: b.next, synced: last, unixNano: b.nano, prevCRC: b.lastCRC, kind: kindLost,
		count: 1, bodyCRC: checksum(b.s.salt, nil),
	}
	var space [keyedHeaderSize]byte
	if _, err := b.out.WriteAt(h.encode(b.s.salt, &space), b.at); err != nil {
		return err
	}
	b.index = append(b.index, indexEntry{first: h.first, unixNano: h.unixNano, offset: b.at})
	b.at += batchHeaderSize
	b.next, b.lastCRC = last+1, h.crc
	return nil
}

// copy takes over a run of good batches.
func (b *rebuilder) copy(in vfs.File, r run) error {
	for _, e := range r.index {
		e.offset += b.at - r.start
		b.index = append(b.index, e)
	}
	buf := make([]byte, readChunk)
	for from := r.start; from < r.end; {
		p := buf[:min(int64(len(buf)), r.end-from)]
		if _, err := in.ReadAt(p, from); err != nil {
			return err
		}
		if _, err := b.out.WriteAt(p, b.at); err != nil {
			return err
		}
		from += int64(len(p))
		b.at += int64(len(p))
	}
	b.next, b.nano, b.lastCRC = r.last+1, r.lastNano, r.lastCRC
	return nil
}

// rebuildState writes a state with what is known: the ends of the log from its
// segments, and the consumers that could be read.
func (v *survey) rebuildState(now time.Time) error {
	path := join(v.dir, stateName)
	last := v.mark.low - 1
	if n := len(v.segments); n > 0 {
		last = v.segments[n-1].last
	}
	pointers := slices.DeleteFunc(slices.Clone(v.pointers), func(p pointerSlot) bool {
		return p.flags&flagUsed == 0
	})
	m := v.mark
	m.seq++
	m.visible, m.synced, m.entries = last, last, uint32(len(pointers))
	b := m.slots()
	for _, p := range pointers {
		p.id = min(p.id, last)
		if p.progress = p.progress.Within(p.id+1, last); p.progress.Size() > maxInline {
			p.progress = nerve.Progress{} // which belongs to another place; the records come again
		}
		b = append(b, p.encode()...)
		b = append(b, p.encode()...)
	}
	temp := path + tempSuffix
	f, err := v.disk.Create(temp)
	if err != nil {
		return ioError("create", temp, err)
	}
	if _, err = f.WriteAt(b, 0); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return ioError("write", temp, err)
	}
	if names, err := v.disk.List(v.dir); err == nil && slices.Contains(names, stateName) {
		if err := v.keep(path, now); err != nil {
			return err
		}
	}
	if err := v.disk.Rename(temp, path); err != nil {
		return ioError("rename", temp, err)
	}
	return nil
}
