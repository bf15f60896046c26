package seglog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// The state file holds what is not records: how far the log reaches and where
// consumers are. Everything in it has two slots, each in a sector of its own.
// The slot that is known to be on the disk is not written to until the other
// one is, so that a torn write leaves the one before.

const (
	stateName    = "state"
	stateMagic   = "nervestt"
	pointerMagic = "nerveptr"

	slotSize     = vfs.SectorSize
	pointersBase = 2 * slotSize
	pointerSize  = 2 * slotSize

	flagUsed = 1
	flagHold = 2

	// In the slot of a pointer.
	nameAt  = 40
	epochAt = nameAt + nerve.MaxName
	metaAt  = epochAt + 8 + 2 // behind its length
)

// mark says how far the log reaches.
type mark struct {
	seq     uint64
	logID   uint64
	low     nerve.ID // first readable
	visible nerve.ID // last acknowledged, for readers in other processes
	synced  nerve.ID // last durable; to find less after a crash is damage
	entries uint32   // pointers in the file, so that a cut-off file is noticed
	version uint32   // version of the format, 0 is the first: what there may be in batches
}

// encode writes the mark over b, which is as long as a slot.
func (m mark) encode(b []byte) {
	clear(b)
	copy(b, stateMagic)
	little.PutUint32(b[8:], max(m.version, formatVersion))
	little.PutUint64(b[16:], m.seq)
	little.PutUint64(b[24:], m.logID)
	little.PutUint64(b[32:], uint64(m.low))
	little.PutUint64(b[40:], uint64(m.visible))
	little.PutUint64(b[48:], uint64(m.synced))
	little.PutUint32(b[56:], m.entries)
	little.PutUint32(b[12:], checksum(0, b[16:]))
}

// slots is what the file of a log begins with that has mark m alone.
func (m mark) slots() []byte {
	b := make([]byte, pointersBase)
	m.encode(b[:slotSize])
	m.encode(b[slotSize:])
	return b
}

func knownVersion(v uint32) bool { return v >= formatVersion && v <= newestVersion }

func decodeMark(b []byte) (m mark, ok bool) {
	if len(b) < slotSize || string(b[:8]) != stateMagic ||
		little.Uint32(b[12:]) != checksum(0, b[16:slotSize]) {
		return m, false
	}
	version := little.Uint32(b[8:])
	if !knownVersion(version) {
		return m, false
	}
	return mark{
		seq:     little.Uint64(b[16:]),
		logID:   little.Uint64(b[24:]),
		low:     nerve.ID(little.Uint64(b[32:])),
		visible: nerve.ID(little.Uint64(b[40:])),
		synced:  nerve.ID(little.Uint64(b[48:])),
		entries: little.Uint32(b[56:]),
		version: version,
	}, true
}

// pointerSlot is one saved pointer of a consumer.
type pointerSlot struct {
	seq   uint64
	flags uint16
	id    nerve.ID
	saved int64
	name  string
	epoch uint64 // epoch of the last claim
	meta  string // the application's

	progress nerve.Progress
}

func (p pointerSlot) encode() []byte {
	b := make([]byte, slotSize)
	copy(b, pointerMagic)
	little.PutUint16(b[12:], uint16(len(p.name)))
	little.PutUint16(b[14:], p.flags)
	little.PutUint64(b[16:], p.seq)
	little.PutUint64(b[24:], uint64(p.id))
	little.PutUint64(b[32:], uint64(p.saved))
	copy(b[nameAt:], p.name)
	little.PutUint64(b[epochAt:], p.epoch)
	little.PutUint16(b[metaAt-2:], uint16(len(p.meta)))
	copy(b[metaAt:], p.meta)
	putProgress(b, p.progress)
	little.PutUint32(b[8:], checksum(0, b[12:]))
	return b
}

func decodePointer(b []byte) (p pointerSlot, ok bool) {
	if len(b) < slotSize || string(b[:8]) != pointerMagic ||
		little.Uint32(b[8:]) != checksum(0, b[12:slotSize]) {
		return p, false
	}
	n, m := int(little.Uint16(b[12:])), int(little.Uint16(b[metaAt-2:]))
	if n > nerve.MaxName || m > nerve.MaxMeta {
		return p, false
	}
	return pointerSlot{
		flags: little.Uint16(b[14:]),
		seq:   little.Uint64(b[16:]),
		id:    nerve.ID(little.Uint64(b[24:])),
		saved: int64(little.Uint64(b[32:])),
		name:  string(b[nameAt : nameAt+n]),
		epoch: little.Uint64(b[epochAt:]),
		meta:  string(b[metaAt : metaAt+m]),
	}, true
}

// state is the open state file.
type state struct {
	path string
	disk vfs.FS
	file vfs.File
	acks vfs.File // nil until there is progress that fits into no slot

	mu      sync.Mutex
	mark    mark
	slot    [slotSize]byte // slot that is being written
	solid   int            // the slot of the mark that is on the disk
	entries []pointerSlot  // slots by place in the file; flags 0: free
	damaged int            // entries of which neither slot can be read
	bad     []int64        // where slots are that cannot be read
}

// createState makes the state of a new log. The file is complete before it has
// its name.
func createState(disk vfs.FS, dir string, m mark) error {
	temp := filepath.Join(dir, stateName+tempSuffix)
	f, err := disk.Create(temp)
	if err != nil {
		return ioError("create", temp, err)
	}
	if _, err = f.WriteAt(m.slots(), 0); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = disk.Rename(temp, filepath.Join(dir, stateName))
	}
	if err == nil {
		err = disk.SyncDir(dir)
	}
	if err != nil {
		return ioError("create", temp, err)
	}
	return nil
}

// openState reads the state file. The error is fs.ErrNotExist if there is none.
func openState(disk vfs.FS, dir string, readOnly bool) (*state, error) {
	s := &state{path: filepath.Join(dir, stateName), disk: disk}
	open := disk.Open
	if readOnly {
		open = disk.OpenRead
	}
	var err error
	if s.file, err = open(s.path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return nil, ioError("open", s.path, err)
	}
	if err = s.openAcks(readOnly); err == nil {
		err = s.load()
	}
	if err == nil && !readOnly {
		// What a killed process left may be in memory only, and the slots are
		// chosen by what is on the disk.
		if err = s.file.Sync(); err != nil {
			err = ioError("sync", s.path, err)
		}
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *state) load() error {
	b, err := readAll(s.file)
	if err != nil {
		return ioError("read", s.path, err)
	}
	if s.mark, s.solid, err = pickMark(s.path, b); err != nil {
		return err
	}
	if s.mark.entries > MaxConsumers {
		return &nerve.FormatError{Path: s.path,
			Reason: "it claims more consumers than a log can have"}
	}
	if s.bad = badSlots(b, int(s.mark.entries)); s.torn() {
		s.mark.entries += uint32(unclaimed(b, int(s.mark.entries)))
		s.bad = badSlots(b, int(s.mark.entries))
	}
	s.entries, s.damaged = nil, 0
	for i := range int(s.mark.entries) {
		p, ok := pickPointer(i, b, s.acks)
		if !ok {
			s.damaged++
		}
		s.entries = append(s.entries, p)
	}
	return nil
}

// torn says that one slot of the mark cannot be read: the other may be from before
// the last commit.
func (s *state) torn() bool { return len(s.bad) > 0 && s.bad[0] < pointersBase }

func pickMark(path string, b []byte) (best mark, at int, err error) {
	found := false
	for i := range 2 {
		if len(b) < (i+1)*slotSize {
			break
		}
		slot := b[i*slotSize : (i+1)*slotSize]
		if m, ok := decodeMark(slot); ok && (!found || m.seq > best.seq) {
			best, at, found = m, i, true
		}
	}
	switch {
	case found:
		return best, at, nil
	case len(b) >= slotSize && string(b[:8]) == stateMagic && !knownVersion(little.Uint32(b[8:])) &&
		little.Uint32(b[12:]) == checksum(0, b[16:slotSize]):
		return best, 0, &nerve.FormatError{Path: path, Reason: fmt.Sprintf(
			"format %d is unknown to this version, which reads up to %d; use a newer one",
			little.Uint32(b[8:]), newestVersion)}
	default:
		return best, 0, &nerve.CorruptError{File: path,
			Reason: "neither slot of the mark can be read"}
	}
}

// pickPointer returns the newest slot of a place that can be read with its
// progress, or without if that is so of none. acks is the file, nil if there is
// none.
func pickPointer(place int, b []byte, acks vfs.File) (best pointerSlot, found bool) {
	bestWhole := false
	for i := range 2 {
		from := pointersBase + place*pointerSize + i*slotSize
		if len(b) < from+slotSize {
			break
		}
		p, ok := decodePointer(b[from : from+slotSize])
		if !ok {
			continue
		}
		var whole bool
		p.progress, whole = progressOf(b[from:from+slotSize], acks, 2*place+i)
		if !found || whole && !bestWhole || whole == bestWhole && p.seq > best.seq {
			best, found, bestWhole = p, true, whole
		}
	}
	return best, found
}

// setMark stores how far the log reaches. Without sync it survives the process
// alone; a crash of the machine may bring back the one before.
func (s *state) setMark(change func(*mark), sync bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writeMark(change, sync)
}

func (s *state) writeMark(change func(*mark), sync bool) error {
	next := s.mark
	change(&next)
	next.seq++
	at := 1 - s.solid
	next.encode(s.slot[:])
	if _, err := s.file.WriteAt(s.slot[:], int64(at)*slotSize); err != nil {
		return ioError("write", s.path, err)
	}
	if sync {
		if err := s.file.Sync(); err != nil {
			return ioError("sync", s.path, err)
		}
		s.solid = at
	}
	s.mark = next
	return nil
}

// current returns the mark.
func (s *state) current() mark {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mark
}

// refresh reads again what a writer in another process stored.
func (s *state) refresh() (mark, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.acks == nil { // the writer makes it when there is need for it
		if err := s.openAcks(true); err != nil {
			return s.mark, err
		}
	}
	err := s.load()
	for n := 0; err == nil && s.torn() && n < tornLooks; n++ {
		err = s.load() // the writer may have been at it
	}
	return s.mark, err
}

// pointers returns the consumers.
func (s *state) pointers() []nerve.Pointer {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []nerve.Pointer
	for _, e := range s.entries {
		if e.flags&flagUsed != 0 {
			p := nerve.Pointer{
				Name: e.name, ID: e.id, Hold: e.flags&flagHold != 0, Epoch: e.epoch,
				Progress: e.progress, Saved: time.Unix(0, e.saved),
			}
			if e.meta != "" {
				p.Meta = []byte(e.meta)
			}
			list = append(list, p)
		}
	}
	return list
}

// holdBelow returns the highest id that no holding consumer needs, or limit.
func (s *state) holdBelow(limit nerve.ID) nerve.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.entries {
		if e.flags&flagUsed != 0 && e.flags&flagHold != 0 {
			limit = min(limit, e.id)
		}
	}
	return limit
}

// savePointers stores pointers with one sync. A failed write leaves the other
// slots as they were; the same slots are written at the next attempt.
func (s *state) savePointers(pointers []nerve.Pointer, now int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := slices.Clone(s.entries)
	for _, p := range pointers {
		slot := pointerSlot{
			flags: flagUsed, id: p.ID, saved: now, name: p.Name, epoch: p.Epoch,
			meta: string(p.Meta), progress: p.Progress,
		}
		if p.Hold {
			slot.flags |= flagHold
		}
		i := find(next, p.Name)
		if i >= 0 {
			slot.epoch = max(slot.epoch, next[i].epoch)
		} else {
			if s.damaged > 0 {
				return &nerve.CorruptError{
					File: s.path, Offset: pointersBase,
					Reason: fmt.Sprintf(
						"%d consumers cannot be read, %q may be one of them; repair the log before adding it anew", s.damaged, p.Name),
				}
			}
			i = slices.IndexFunc(next, func(e pointerSlot) bool { return e.flags&flagUsed == 0 })
		}
		if i < 0 {
			if len(next) >= MaxConsumers {
				return &nerve.TooLargeError{What: "consumers", Size: len(next) + 1,
					Limit: MaxConsumers}
			}
			i = len(next)
			next = append(next, pointerSlot{})
		}
		slot.seq = next[i].seq + 1
		next[i] = slot
	}
	return s.writePointers(next)
}

func (s *state) removePointer(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := slices.Clone(s.entries)
	i := find(next, name)
	if i < 0 {
		return nil
	}
	next[i] = pointerSlot{seq: next[i].seq + 1}
	return s.writePointers(next)
}

// find returns the place of a consumer, -1 if there is none.
func find(entries []pointerSlot, name string) int {
	return slices.IndexFunc(entries, func(e pointerSlot) bool {
		return e.flags&flagUsed != 0 && e.name == name
	})
}

// epoch returns that of the last claim of a consumer with a pointer.
func (s *state) epoch(name string) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := find(s.entries, name); i >= 0 {
		return s.entries[i].epoch
	}
	return 0
}

// setEpoch stores the epoch of a claim with the pointer of the consumer, if it
// has one. Without one there is nothing yet that a claim protects.
func (s *state) setEpoch(name string, epoch uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := slices.Clone(s.entries)
	i := find(next, name)
	if i < 0 {
		return nil
	}
	next[i].epoch = epoch
	next[i].seq++
	return s.writePointers(next)
}

// writePointers stores the entries that differ from the present ones.
func (s *state) writePointers(next []pointerSlot) error {
	if err := s.saveProgress(next); err != nil {
		return err
	}
	for i, e := range next {
		if i < len(s.entries) && e == s.entries[i] {
			continue
		}
		at := int64(pointersBase + i*pointerSize)
		b := e.encode()
		if i >= len(s.entries) {
			b = append(b, b...) // both slots of a new place
		} else {
			at += int64(e.seq%2) * slotSize
		}
		if _, err := s.file.WriteAt(b, at); err != nil {
			return ioError("write", s.path, err)
		}
	}
	if err := s.file.Sync(); err != nil {
		return ioError("sync", s.path, err)
	}
	if len(next) > len(s.entries) {
		// The count may only claim entries that are durable.
		if err := s.writeMark(func(m *mark) { m.entries = uint32(len(next)) }, true); err != nil {
			return err
		}
	}
	s.entries = next
	return nil
}

// readAll returns the content of a small file.
func readAll(f vfs.File) ([]byte, error) {
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	b := make([]byte, min(size, pointersBase+MaxConsumers*pointerSize))
	n, err := f.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return b[:n], nil
}

func ioError(op, path string, err error) error {
	var done *nerve.IOError
	if errors.As(err, &done) {
		return err
	}
	if e, ok := err.(*fs.PathError); ok && e.Path == path {
		err = e.Err // the path is said once
	}
	return &nerve.IOError{Op: op, Path: path, Err: err}
}
