package seglog

import (
	"errors"
	"io/fs"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// survey is everything that a complete reading of a folder finds. Verify
// reports it, Repair works from it.
type survey struct {
	disk     vfs.FS
	dir      string
	mark     mark
	pointers []pointerSlot
	newState bool // the state cannot be used as it is
	segments []surveyed
	report   Report
	total    int64
	progress func(done, total int64)
}

// surveyed is one segment, or the place of one that is missing.
type surveyed struct {
	segment
	missing bool
	rebuild bool
	runs    []run // what is good in it, in order
	created int64
}

// run is a stretch of good batches.
type run struct {
	segmentScan
	start int64
	first nerve.ID
}

func (v *survey) note(d *nerve.CorruptError) { v.report.Damage = append(v.report.Damage, d) }

// look reads the whole folder.
func (v *survey) look() error {
	names, err := v.disk.List(v.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return noQueue(v.disk, v.dir)
	}
	if err != nil {
		return ioError("list", v.dir, err)
	}
	firsts := segmentsAmong(names)
	if err := v.lookState(firsts); err != nil {
		return err
	}
	if err := v.lookHeaders(firsts); err != nil {
		return err
	}
	v.fillGaps()
	var done int64
	for i := range v.segments {
		if err := v.lookSegment(i); err != nil {
			return err
		}
		done += v.segments[i].size
		if v.progress != nil {
			v.progress(min(done, v.total), v.total)
		}
	}
	return nil
}

// lookState reads the state, and makes up for it from the segments where it
// cannot be read.
func (v *survey) lookState(firsts []nerve.ID) error {
	s, err := openState(v.disk, v.dir, true)
	if err == nil {
		defer s.close()
		v.mark, v.pointers = s.mark, s.entries
		v.report.Consumers = len(s.pointers())
		for _, damage := range s.slotDamage() {
			v.newState = true
			v.note(damage)
		}
		if s.damaged > 0 {
			v.note(s.lostConsumers())
		}
		return nil
	}
	var corrupt *nerve.CorruptError
	switch {
	case errors.As(err, &corrupt):
		v.note(corrupt)
	case errors.Is(err, fs.ErrNotExist) && len(firsts) > 0:
		v.note(&nerve.CorruptError{File: join(v.dir, stateName),
			Reason: "the file is missing beside segments"})
	case errors.Is(err, fs.ErrNotExist):
		return noQueue(v.disk, v.dir)
	default:
		return err
	}
	v.newState = true
	return v.rescueState(firsts)
}

// rescueState takes the log's id from the first segment that has a header, and
// consumers from the slots that can be read.
func (v *survey) rescueState(firsts []nerve.ID) error {
	for _, first := range firsts {
		h, reason, err := v.header(first)
		if err != nil {
			return err
		}
		if reason == "" && h.first == first {
			// There may be keys and ids: what the state said is not known.
			v.mark = mark{logID: h.logID, low: first, version: newestVersion}
			break
		}
	}
	if v.mark.logID == 0 {
		return &nerve.CorruptError{File: join(v.dir, stateName),
			Reason: "neither it nor any segment tells the id of the log"}
	}
	f, err := v.disk.OpenRead(join(v.dir, stateName))
	if err != nil {
		return nil
	}
	defer f.Close()
	b, err := readAll(f)
	if err != nil {
		return ioError("read", join(v.dir, stateName), err)
	}
	for place := 0; pointersBase+place*pointerSize+slotSize <= len(b); place++ {
		if p, ok := pickPointer(place, b, nil); ok {
			v.pointers = append(v.pointers, p)
		}
	}
	return nil
}

func (v *survey) header(first nerve.ID) (h segmentHeader, reason string, err error) {
	path := join(v.dir, segmentName(first))
	f, err := v.disk.OpenRead(path)
	if err != nil {
		return h, "", ioError("open", path, err)
	}
	defer f.Close()
	b := make([]byte, segmentHeaderSize)
	n, _ := f.ReadAt(b, 0)
	h, reason = decodeSegmentHeader(b[:n])
	return h, reason, nil
}

func (v *survey) lookHeaders(firsts []nerve.ID) error {
	for _, first := range firsts {
		h, reason, err := v.header(first)
		if err != nil {
			return err
		}
		path := join(v.dir, segmentName(first))
		if reason == "" && (h.logID != v.mark.logID || h.first != first) {
			v.report.Foreign = append(v.report.Foreign, path)
			v.note(&nerve.CorruptError{File: path,
				Reason: "the file belongs to another log or is a copy of another segment"})
			continue
		}
		s := surveyed{segment: segment{first: first, last: first - 1, path: path,
			salt: saltOf(v.mark.logID, first), size: segmentHeaderSize, prevCRC: h.prevCRC},
			created: h.created}
		s.damaged, s.rebuild = reason != "", reason != ""
		f, err := v.disk.OpenRead(path)
		if err != nil {
			return ioError("open", path, err)
		}
		_, err = s.readFooter(f)
		size, sizeErr := f.Size()
		ours, oursErr := s.isOurs(f)
		f.Close()
		if err = errors.Join(err, sizeErr, oursErr); err != nil {
			return ioError("read", path, err)
		}
		if !ours {
			v.report.Foreign = append(v.report.Foreign, path)
			v.note(&nerve.CorruptError{File: path, Reason: notASegment})
			continue
		}
		if s.damaged {
			v.note(&nerve.CorruptError{File: path, First: first, Last: first - 1, Reason: reason})
		}
		if !s.sealed {
			s.size = size
		}
		v.total += s.size
		v.segments = append(v.segments, s)
	}
	for len(v.segments) > 1 && v.segments[1].first <= v.mark.low {
		v.segments = v.segments[1:]
	}
	return nil
}

// fillGaps puts a place where segments are missing.
func (v *survey) fillGaps() {
	var whole []surveyed
	next := v.mark.low
	add := func(last nerve.ID) {
		path := join(v.dir, segmentName(next))
		v.note(&nerve.CorruptError{File: path, First: next, Last: last,
			Reason: "the segment is missing"})
		whole = append(whole, surveyed{missing: true, rebuild: true, segment: segment{
			first: next, last: last, path: path, salt: saltOf(v.mark.logID, next),
			size: segmentHeaderSize,
		}})
	}
	for i, s := range v.segments {
		// An unsealed segment that has a successor is damaged, not short.
		if s.first > next && (i == 0 || v.segments[i-1].sealed) {
			add(s.first - 1)
		}
		whole = append(whole, s)
		next = s.last + 1
	}
	if len(v.segments) == 0 && v.mark.synced >= next {
		add(v.mark.synced)
	}
	v.segments = whole
}

// lookSegment reads every batch of one segment and notes what lies between the
// good ones.
func (v *survey) lookSegment(i int) error {
	s := &v.segments[i]
	v.report.Segments++
	if s.missing {
		return nil
	}
	f, err := v.disk.OpenRead(s.path)
	if err != nil {
		return ioError("open", s.path, err)
	}
	defer f.Close()
	lastSegment := i == len(v.segments)-1
	if !lastSegment {
		if !s.sealed {
			size, err := f.Size()
			if err != nil {
				return ioError("stat", s.path, err)
			}
			s.rebuild = true
			v.note(&nerve.CorruptError{File: s.path, Offset: size, First: v.segments[i+1].first,
				Last: v.segments[i+1].first - 1, Reason: "the footer is missing or damaged"})
		}
		s.last = v.segments[i+1].first - 1
	}
	end := s.last // the last id that must be there
	if lastSegment {
		end = max(end, v.mark.synced)
	}
	from := scanStart{offset: segmentHeaderSize, want: s.first, prevCRC: s.prevCRC,
		chained: !s.damaged}
	for {
		scan, err := scanSegment(&s.segment, f, from)
		if err != nil {
			return err
		}
		v.count(s, scan, from)
		if scan.last >= end && (s.sealed || !lastSegment) {
			break
		}
		next, ok, err := v.resync(s, f, scan)
		if err != nil {
			return err
		}
		if !ok {
			v.lookTail(s, scan, end)
			break
		}
		s.rebuild = true
		v.note(&nerve.CorruptError{File: s.path, Offset: scan.end, First: scan.last + 1,
			Last: next.first - 1, Reason: scan.reason})
		from = scanStart{offset: next.offset, want: next.first}
	}
	if lastSegment {
		s.last = end
		if n := len(s.runs); n > 0 {
			s.last = max(end, s.runs[n-1].last)
		}
	}
	return nil
}

// lookTail judges what comes after the last good batch of a segment.
func (v *survey) lookTail(s *surveyed, scan segmentScan, end nerve.ID) {
	switch {
	case scan.last < end:
		s.rebuild = true
		reason := scan.reason
		if reason == "" {
			reason = "acknowledged records are missing"
		}
		v.note(&nerve.CorruptError{File: s.path, Offset: scan.end, First: scan.last + 1, Last: end,
			Reason: reason})
	case scan.reason != "" && !s.sealed:
		v.report.TornBytes += max(0, s.size-scan.end)
	}
}

// count adds a good run to the segment and the report.
func (v *survey) count(s *surveyed, scan segmentScan, from scanStart) {
	if scan.end > from.offset {
		s.runs = append(s.runs, run{segmentScan: scan, start: from.offset, first: from.want})
	}
	v.report.Batches += scan.batches
	v.report.Records += uint64(scan.last + 1 - from.want)
	v.report.Bytes += scan.end - from.offset
	for _, lost := range scan.lost {
		v.report.Records -= uint64(lost.Last + 1 - lost.First)
		v.report.Lost = append(v.report.Lost, lost)
	}
}

// resync finds the next whole batch after the end of a scan that can follow.
func (v *survey) resync(s *surveyed, f vfs.File, scan segmentScan) (found, bool, error) {
	for offset := scan.end + 1; ; {
		at, ok, err := s.nextBatch(f, offset)
		if err != nil {
			return at, false, ioError("read", s.path, err)
		}
		if !ok {
			return at, false, nil
		}
		if at.first > scan.last {
			probe, err := scanSegment(&s.segment, f, scanStart{offset: at.offset, want: at.first})
			if err != nil {
				return at, false, err
			}
			if probe.end > at.offset {
				return at, true, nil
			}
		}
		offset = at.offset + 1
	}
}
