package seglog

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// The progress of a consumer lies in the slot of its pointer if it is short, as
// that of workers who are done with their records soon. A longer one lies in the
// file acks, where each slot has a place of its own, and the slot has its
// checksum: a slot counts only with the progress that belongs to it.

const acksName = "acks"

const (
	// In the slot of a pointer.
	progressAt = metaAt + nerve.MaxMeta // its length
	inlineAt   = progressAt + 2         // itself, or the checksum if it is elsewhere
	maxInline  = slotSize - inlineAt
)

// putProgress writes the part of a slot that is about the progress.
func putProgress(b []byte, p nerve.Progress) {
	packed := p.Packed()
	little.PutUint16(b[progressAt:], uint16(len(packed)))
	if len(packed) <= maxInline {
		copy(b[inlineAt:], packed)
	} else {
		little.PutUint32(b[inlineAt:], checksum(0, packed))
	}
}

// progressOf reads the progress of a slot, which is number of those in the file.
// It returns false if it is not whole. f is nil if there is no file acks.
func progressOf(b []byte, f vfs.File, number int) (p nerve.Progress, whole bool) {
	n := int(little.Uint16(b[progressAt:]))
	var packed []byte
	switch {
	case n <= maxInline:
		packed = b[inlineAt : inlineAt+n]
	case f == nil || n > nerve.MaxProgress:
		return p, false
	default:
		packed = make([]byte, n)
		if got, _ := f.ReadAt(packed, int64(number)*nerve.MaxProgress); got < n ||
			checksum(0, packed) != little.Uint32(b[inlineAt:]) {
			return p, false
		}
	}
	p, err := nerve.ParseProgress(packed)
	return p, err == nil
}

// openAcks opens the file acks if it is there.
func (s *state) openAcks(readOnly bool) error {
	open := s.disk.Open
	if readOnly {
		open = s.disk.OpenRead
	}
	path := s.acksPath()
	f, err := open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return ioError("open", path, err)
	}
	s.acks = f
	return nil
}

func (s *state) acksPath() string { return filepath.Join(filepath.Dir(s.path), acksName) }

// saveProgress stores what does not fit into the slots that are about to be
// written. Those of next are changed that differ from the present ones.
func (s *state) saveProgress(next []pointerSlot) error {
	path, written := s.acksPath(), false
	for i, e := range next {
		if e.progress.Size() <= maxInline || i < len(s.entries) && e == s.entries[i] {
			continue
		}
		if s.acks == nil {
			f, err := s.disk.Create(path)
			if err != nil {
				return ioError("create", path, err)
			}
			s.acks = f
			if err := s.disk.SyncDir(filepath.Dir(path)); err != nil {
				return ioError("sync", filepath.Dir(path), err)
			}
		}
		for slot := range 2 {
			if i < len(s.entries) && slot != int(e.seq%2) {
				continue // only a new place has both written
			}
			at := int64(2*i+slot) * nerve.MaxProgress
			if _, err := s.acks.WriteAt(e.progress.Packed(), at); err != nil {
				return ioError("write", path, err)
			}
		}
		written = true
	}
	if !written {
		return nil
	}
	if err := s.acks.Sync(); err != nil {
		return ioError("sync", path, err)
	}
	return nil
}

// close closes the files.
func (s *state) close() error {
	err := s.file.Close()
	if s.acks != nil {
		err = errors.Join(err, s.acks.Close())
	}
	return err
}
