package seglog

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

const blockMask = vfs.DirectBlock - 1

func blockStart(n int64) int64 { return n &^ blockMask }

func blockEnd(n int64) int64 { return (n + blockMask) &^ blockMask }

// ring is the memory that direct writes are made from, and from which cursors
// near the end read what was written last: batches are copied once, into it.
//
// What was written forms a stream of positions without end, of which the memory
// holds the last part. Positions and offsets in a file differ by whole blocks,
// so a block of a file lies in one piece, where direct writes want it.
//
// Appends alone change the ring, under the write lock of the log, and read it
// without mu. Between low and the end of the last span nothing is overwritten.
type ring struct {
	mu     sync.RWMutex // held to change what follows, and by readers
	memory []byte       // nil: none
	free   func()
	low    int64  // positions below may be overwritten
	spans  []span // spans by position; appends go to the last

	// writing says that appends bypass the cache now.
	writing   atomic.Bool
	readBytes atomic.Uint64
}

// span is a part of a segment that was written through the ring.
type span struct {
	segment  nerve.ID // its first record
	base     int64    // position of offset 0
	from, to int64    // offsets: what the ring has had of it
}

// ringBytes is the memory of all rings of the process.
var ringBytes atomic.Int64

// take makes the memory of the ring. It fails if the process has enough of it.
func (r *ring) take(disk vfs.FS, size int64) error {
	if ringBytes.Add(size) > maxTailMemory {
		ringBytes.Add(-size)
		return errTooMuchTail
	}
	memory, free, err := disk.Memory(int(size))
	if err != nil {
		ringBytes.Add(-size)
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.memory, r.free, r.low, r.spans = memory, free, 0, nil
	return nil
}

// release gives the memory back. Readers go to the file then.
func (r *ring) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.memory == nil {
		return
	}
	ringBytes.Add(-int64(len(r.memory)))
	r.free()
	r.memory, r.free, r.spans = nil, nil, nil
}

// piece is how much is written at a time. The rest of the ring is for readers.
func (r *ring) piece() int64 { return blockStart(int64(len(r.memory)) / ringPieces) }

// begin starts a span of a segment behind the bytes head, which begin at the
// block at offset from and are in the file.
func (r *ring) begin(segment nerve.ID, from int64, head []byte) {
	position := int64(0)
	if n := len(r.spans); n > 0 {
		position = blockEnd(r.spans[n-1].base + r.spans[n-1].to)
	}
	r.giveUp(position + vfs.DirectBlock)
	r.fill(position, position+int64(len(head)), [][]byte{head})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spans = append(r.spans, span{segment: segment, base: position - from, from: from,
		to: from + int64(len(head))})
}

// write writes parts at offset at of the file of the last span, where that ends,
// and zeros up to the end of the block. The bytes of the first block that are
// before at are written again, with what they are.
func (r *ring) write(file vfs.File, at int64, parts [][]byte) error {
	base := r.spans[len(r.spans)-1].base
	end := at
	for _, p := range parts {
		end += int64(len(p))
	}
	for block := blockStart(at); block < blockEnd(end); {
		next := min(blockEnd(end), block+r.piece())
		r.giveUp(base + next)
		parts = r.fill(base+max(at, block), base+next, parts)
		if _, err := file.WriteVecAt(r.at(base+block, base+next), block); err != nil {
			return err
		}
		block = next
	}
	return nil
}

// publish lets readers have the last span up to offset to, which is durable, and
// makes room for the next piece, so that most appends lock once.
func (r *ring) publish(to int64) {
	r.mu.Lock()
	last := &r.spans[len(r.spans)-1]
	last.to = to
	end := last.base + to
	r.mu.Unlock()
	r.giveUp(blockEnd(end) + r.piece())
}

// giveUp takes from readers what is in the place of the positions below end.
func (r *ring) giveUp(end int64) {
	low := end - int64(len(r.memory))
	if low <= r.low {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.low = low
	gone := 0
	for gone+1 < len(r.spans) && r.spans[gone].base+r.spans[gone].to <= low {
		gone++
	}
	r.spans = slices.Delete(r.spans, 0, gone)
}

// fill copies parts to the positions from from to to, and zeros behind them, and
// returns what of parts did not fit.
func (r *ring) fill(from, to int64, parts [][]byte) (rest [][]byte) {
	for _, space := range r.at(from, to) {
		for len(space) > 0 && len(parts) > 0 {
			n := copy(space, parts[0])
			space = space[n:]
			if n < len(parts[0]) {
				parts = append([][]byte{parts[0][n:]}, parts[1:]...)
				break
			}
			parts = parts[1:]
		}
		clear(space)
	}
	return parts
}

// at is the memory of the positions from from to to: one piece, or two around the
// end of the memory.
func (r *ring) at(from, to int64) [][]byte {
	size := int64(len(r.memory))
	i, n := from%size, to-from
	if i+n <= size {
		return [][]byte{r.memory[i : i+n]}
	}
	return [][]byte{r.memory[i:], r.memory[:i+n-size]}
}

// read copies what the ring has of a segment from offset on to p, and returns how
// much that is: nothing, if the first byte is not there. It may be called from
// any goroutine.
func (r *ring) read(segment nerve.ID, p []byte, offset int64) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, s := range slices.Backward(r.spans) {
		if s.segment != segment || offset < s.from || offset >= s.to || s.base+offset < r.low {
			continue
		}
		n := min(int64(len(p)), s.to-offset)
		done := 0
		for _, piece := range r.at(s.base+offset, s.base+offset+n) {
			done += copy(p[done:], piece)
		}
		r.readBytes.Add(uint64(n))
		return done
	}
	return 0
}

// size is how much memory the ring has.
func (r *ring) size() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.memory)
}

// tailFile is a segment that is open for reading: what the ring has of it comes
// from there.
type tailFile struct {
	vfs.File
	ring    *ring
	segment nerve.ID
	exact   bool // the system reads what it is asked for alone
}

func (f *tailFile) ReadAt(p []byte, off int64) (int, error) {
	n := f.ring.read(f.segment, p, off)
	if n == len(p) {
		return n, nil
	}
	// While appends bypass the cache the disk has to divide itself. What the
	// system would read ahead keeps the writer waiting for megabytes; at the
	// end, it is not even written yet, and the writer has to drop it again.
	if exact := f.ring.writing.Load(); exact != f.exact {
		f.exact = exact
		f.File.ReadAhead(!exact)
	}
	m, err := f.File.ReadAt(p[n:], off+int64(n))
	return n + m, err
}

// openRead opens a segment for reading.
func (l *Log) openRead(s segment) (vfs.File, error) {
	f, err := l.disk.OpenRead(s.path)
	if err != nil {
		return nil, err
	}
	return &tailFile{File: f, ring: &l.ring, segment: s.first}, nil
}
