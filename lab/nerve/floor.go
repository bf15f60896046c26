package main

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
)

// floor is no engine: it is what any log in a file has to do at least. An
// append is one write into a part of a file that held zeros before, and one
// sync; a read fills a window, checks it, and walks over the lengths. No
// format, no recovery, no concurrency, no pointers.
type floor struct {
	file   *os.File
	path   string
	at     int64 // end of the events
	zeroed int64 // end of what was written before
	buf    []byte
}

const (
	floorWindow = 256 << 10
	floorZeros  = 256 << 20
	floorEvent  = 512 // more than an event takes on average
)

func openFloor(path string) (engine, error) {
	f, err := os.OpenFile(path+".floor", os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	e := &floor{file: f, path: path}
	end, err := os.ReadFile(path + ".end")
	switch {
	case err == nil:
		e.at = int64(binary.LittleEndian.Uint64(end))
		return e, nil
	case errors.Is(err, fs.ErrNotExist):
		return e, e.fill()
	}
	return nil, err
}

// fill writes zeros behind what there is: work that a real log cannot leave to
// somebody else.
func (e *floor) fill() error {
	zeros := make([]byte, 1<<20)
	for end := e.zeroed + floorZeros; e.zeroed < end; e.zeroed += int64(len(zeros)) {
		if _, err := e.file.WriteAt(zeros, e.zeroed); err != nil {
			return err
		}
	}
	return e.file.Sync()
}

// prepare is called before the clock runs.
func (e *floor) prepare(bytes int64) error {
	for e.at+bytes > e.zeroed {
		if err := e.fill(); err != nil {
			return err
		}
	}
	return nil
}

// append pads the last window with a length that nothing has, so that windows
// can be walked alone.
func (e *floor) append(events [][]byte) error {
	e.buf = e.buf[:0]
	for _, event := range events {
		used := (e.at + int64(len(e.buf))) % floorWindow
		if used+4+int64(len(event))+4 > floorWindow {
			e.buf = binary.LittleEndian.AppendUint32(e.buf, 0)
			e.buf = append(e.buf, make([]byte, floorWindow-used-4)...)
		}
		e.buf = binary.LittleEndian.AppendUint32(e.buf, uint32(len(event)))
		e.buf = append(e.buf, event...)
	}
	sink += uint64(crc32.Checksum(e.buf, castagnoli))
	if _, err := e.file.WriteAt(e.buf, e.at); err != nil {
		return err
	}
	e.at += int64(len(e.buf))
	return datasync(e.file)
}

func (e *floor) read(each func([]byte)) error {
	window := make([]byte, floorWindow)
	for at := int64(0); at < e.at; at += floorWindow {
		n, err := e.file.ReadAt(window, at)
		if err != nil && err != io.EOF {
			return err
		}
		p := window[:min(int64(n), e.at-at)]
		sink += uint64(crc32.Checksum(p, castagnoli))
		for len(p) >= 4 {
			size := binary.LittleEndian.Uint32(p)
			if size == 0 {
				break
			}
			each(p[4 : 4+size])
			p = p[4+size:]
		}
	}
	return nil
}

func (e *floor) close() error {
	end := binary.LittleEndian.AppendUint64(nil, uint64(e.at))
	return errors.Join(os.WriteFile(e.path+".end", end, 0o644), e.file.Close())
}
