package nerve

import (
	"encoding/binary"
	"errors"
	"iter"
)

// MaxProgress is the size of the largest [Progress], in bytes. It has room for some 10,000 records
// that are scattered among others, and for any number that lie together. Of more the lowest are
// kept; the others are as if nothing had been done with them, and come again after a restart.
const MaxProgress = 32 << 10

// Progress is what a consumer did above its pointer: which records are acknowledged, and how often
// the handling of others was tried. The zero value is none. A Progress is immutable, so that it may
// be copied, and two that say the same compare equal with ==.
type Progress struct{ packed string }

// Span is a run of records that a [Progress] says the same of.
type Span struct {
	First, Last ID
	// Attempts is how often it was tried to handle each of them; 0 if they are acknowledged.
	Attempts uint32
}

// Acked tells whether the records are acknowledged.
func (s Span) Acked() bool { return s.Attempts == 0 }

// The packed form is a byte for the version, the first id, and then runs until nothing is left:
// the length of a run and its kind in one number, and behind those of attempts how many.
const (
	progressVersion = 1

	kindNothing  = 0
	kindAcked    = 1
	kindAttempts = 2
	kindBits     = 2
)

// MakeProgress packs spans in ascending order. What a span has in common with the ones before is
// left out, and so is what comes after [MaxProgress] bytes.
func MakeProgress(spans iter.Seq[Span]) Progress {
	var w progressWriter
	for s := range spans {
		if !w.add(s) {
			break
		}
	}
	return w.progress()
}

// progressWriter packs spans.
type progressWriter struct {
	packed []byte
	next   ID   // after what is packed
	span   Span // span to be packed; spans that follow may continue it
	full   bool
}

// add takes the next span. It returns false when there is no room for any more.
func (w *progressWriter) add(s Span) bool {
	s.First = max(s.First, w.span.Last+1)
	switch {
	case s.First > s.Last || s.Last > maxID:
		return !w.full
	case w.span.Last > 0 && s.First == w.span.Last+1 && s.Attempts == w.span.Attempts:
		w.span.Last = s.Last
		return !w.full
	}
	w.flush()
	w.span = s
	return !w.full
}

// flush packs the span, if there is room for it.
func (w *progressWriter) flush() {
	if w.span.Last == 0 || w.full {
		return
	}
	var room [4 * binary.MaxVarintLen64]byte
	b := room[:0]
	if len(w.packed) == 0 {
		b = binary.AppendUvarint(append(b, progressVersion), uint64(w.span.First))
	} else if gap := w.span.First - w.next; gap > 0 {
		b = appendRun(b, gap, kindNothing)
	}
	if n := w.span.Last - w.span.First + 1; w.span.Acked() {
		b = appendRun(b, n, kindAcked)
	} else {
		b = binary.AppendUvarint(appendRun(b, n, kindAttempts), uint64(w.span.Attempts))
	}
	if len(w.packed)+len(b) > MaxProgress {
		w.full = true
		return
	}
	w.packed = append(w.packed, b...)
	w.next = w.span.Last + 1
}

// appendRun packs the length of a run and its kind.
func appendRun(b []byte, n ID, kind uint64) []byte {
	return binary.AppendUvarint(b, uint64(n)<<kindBits|kind)
}

// maxID is more than any log reaches: a length up to it has room for the kind.
const maxID = ID(1)<<(64-kindBits) - 1

func (w *progressWriter) progress() Progress {
	w.flush()
	return Progress{string(w.packed)}
}

// ParseProgress reads what [Progress.Packed] returned. Anything else is an error, and so is what a
// newer version of this package packed; a log then knows of no progress.
func ParseProgress(packed []byte) (Progress, error) {
	if len(packed) > MaxProgress {
		return Progress{}, &TooLargeError{What: "progress", Size: len(packed), Limit: MaxProgress}
	}
	p := Progress{string(packed)}
	r := progressReader{rest: p.packed}
	for {
		if _, ok := r.next(); !ok {
			break
		}
	}
	if r.bad {
		return Progress{}, errors.New("nerve: these bytes are no progress of a consumer")
	}
	return p, nil
}

// Packed is the progress as bytes, to be stored: at most MaxProgress of them, none if there is no
// progress. [ParseProgress] reads them.
func (p Progress) Packed() []byte {
	if p.packed == "" {
		return nil
	}
	return []byte(p.packed)
}

// Size is the length of the packed form.
func (p Progress) Size() int { return len(p.packed) }

// All yields the spans in ascending order.
func (p Progress) All() iter.Seq[Span] {
	return func(yield func(Span) bool) {
		r := progressReader{rest: p.packed}
		for {
			s, ok := r.next()
			if !ok || !yield(s) {
				return
			}
		}
	}
}

// Last is the highest record that p says something of, 0 if there is none.
func (p Progress) Last() (last ID) {
	for s := range p.All() {
		last = s.Last
	}
	return last
}

// Within is what p says of records first to last.
func (p Progress) Within(first, last ID) Progress {
	return MakeProgress(func(yield func(Span) bool) {
		for s := range p.All() {
			s.First, s.Last = max(s.First, first), min(s.Last, last)
			if s.First <= s.Last && !yield(s) {
				return
			}
		}
	})
}

// progressReader reads the packed form.
type progressReader struct {
	rest  string
	at    ID // id of the next run
	begun bool
	bad   bool // what was read is not what a writer packs
}

// next returns the next span. It returns false at the end, and where the form is broken.
func (r *progressReader) next() (s Span, ok bool) {
	if !r.begun && r.rest != "" {
		r.begun = true
		r.bad = r.rest[0] != progressVersion
		r.rest = r.rest[1:]
		r.at = ID(r.number())
		r.bad = r.bad || r.at == 0 || r.at > maxID || r.rest == ""
	}
	for r.rest != "" && !r.bad {
		head := r.number()
		kind, n := head&(1<<kindBits-1), ID(head>>kindBits)
		s = Span{First: r.at, Last: r.at + n - 1}
		r.at += n
		if r.bad = r.bad || n == 0 || s.Last > maxID; r.bad {
			break
		}
		switch kind {
		case kindAcked:
			return s, true
		case kindAttempts:
			attempts := r.number()
			s.Attempts = uint32(attempts)
			r.bad = r.bad || attempts == 0 || attempts != uint64(s.Attempts)
			return s, !r.bad
		default:
			r.bad = kind != kindNothing || r.rest == ""
		}
	}
	return Span{}, false
}

func (r *progressReader) number() uint64 {
	var head [binary.MaxVarintLen64]byte
	v, n := binary.Uvarint(head[:copy(head[:], r.rest)])
	if n <= 0 {
		r.bad, r.rest = true, ""
		return 0
	}
	r.rest = r.rest[n:]
	return v
}
