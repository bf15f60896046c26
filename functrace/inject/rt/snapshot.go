package rt

import (
	"errors"
	"io"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
)

// ErrNotRunning is returned by Snapshot while nothing is recorded.
var ErrNotRunning = errors.New("functrace: nothing is recorded")

// copyChunks is how many chunks a snapshot writes at once.
const copyChunks = 64

// Snapshot copies what is recorded at this moment into a file beside the recording, PATH.1.snapshot
// and so on, and returns its name. The program goes on meanwhile. The reason is in the file. Safe
// for concurrent use.
func Snapshot(reason string) (path string, err error) {
	r := active.Load()
	if r == nil {
		return "", ErrNotRunning
	}
	return r.snapshot(reason, ticks())
}

// WriteSnapshot is Snapshot to a writer.
func WriteSnapshot(w io.Writer, reason string) error {
	r := active.Load()
	if r == nil {
		return ErrNotRunning
	}
	return r.copyTo(w, reason, ticks())
}

// snapshot writes a file with what was recorded until a time, as of ticks.
func (r *recording) snapshot(reason string, until uint64) (path string, err error) {
	path = r.path + "." + strconv.FormatUint(r.watch.files.Add(1), 10) + ".snapshot"
	err = writeFile(path, func(w io.Writer) error { return r.copyTo(w, reason, until) })
	if r.watch.goTrace == nil {
		return path, err
	}
	return path, errors.Join(err, writeFile(path+".trace", r.watch.goTrace.write))
}

// writeFile makes a file; if it cannot be written in full it is removed.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if err = errors.Join(write(limitedFile{f}), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// limitedFile is a file that refuses to grow where the system would end the program for it.
type limitedFile struct{ f *os.File }

func (l limitedFile) Write(b []byte) (int, error) {
	at, err := l.f.Seek(0, io.SeekCurrent)
	if err == nil {
		err = mayGrow(at + int64(len(b)))
	}
	if err != nil {
		return 0, err
	}
	return l.f.Write(b)
}

// copyTo writes a recording of what was recorded until a time. Chunks with names come last: all
// functions that the others tell of are in them.
func (r *recording) copyTo(w io.Writer, reason string, until uint64) error {
	defer runtime.KeepAlive(r) // the chunks are not the collector's
	var events, names []*slot
	r.mu.Lock()
	for i := range r.slots {
		list := r.slots[i]
		if i == len(r.slots)-1 {
			list = list[:len(list)-len(r.free)]
		}
		for j := range list {
			events = append(events, &list[j])
		}
	}
	head := *events[0].words
	r.mu.Unlock()
	head[HeaderEnd/WordSize] = 0
	head[HeaderCut/WordSize] = max(1, until-r.startTicks)
	putText(bytesOf(head[:])[HeaderReason:], reason)
	if _, err := w.Write(bytesOf(head[:])); err != nil {
		return err
	}
	buf := make([]uint64, 0, copyChunks*chunkWords)
	flush := func() error {
		_, err := w.Write(bytesOf(buf))
		buf = buf[:0]
		return err
	}
	for _, pass := range [...]*[]*slot{&events, &names} {
		for _, s := range *pass {
			if s == events[0] {
				continue
			}
			if pass == &events && s.names.Load() {
				names = append(names, s)
				continue
			}
			if len(buf) == cap(buf) {
				if err := flush(); err != nil {
					return err
				}
			}
			buf = buf[:len(buf)+chunkWords]
			s.copyTo((*[chunkWords]uint64)(buf[len(buf)-chunkWords:]))
		}
	}
	return flush()
}

// copyTo copies a chunk that is written meanwhile: what was there at one moment and perhaps some
// of what came later. A chunk that is emptied all the time is left out.
func (s *slot) copyTo(to *[chunkWords]uint64) {
	for range 4 {
		turn := s.turns.Load()
		for i := range to {
			to[i] = atomic.LoadUint64(&s.words[i])
		}
		if turn%2 == 0 && s.turns.Load() == turn {
			return
		}
	}
	clear(to[:])
}
