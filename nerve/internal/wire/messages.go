package wire

import (
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/fit"
)

// ClientHello is the payload of Hello: the first frame of a connection.
type ClientHello struct {
	Minor   uint16
	Session uint64 // drawn by the client, the same when it connects again
	Queue   string
	Create  bool // make the queue if it is not there
	Name    string
}

// Append appends the payload.
func (h ClientHello) Append(b []byte) []byte {
	b = little.AppendUint16(b, h.Minor)
	flags := uint16(0)
	if h.Create {
		flags = 1
	}
	b = little.AppendUint16(b, flags)
	b = AppendUints(b, h.Session)
	b = AppendBytes(b, h.Queue)
	return AppendBytes(b, h.Name)
}

// ReadHello reads the payload.
func ReadHello(payload []byte) (ClientHello, error) {
	f := NewFields(payload)
	h := ClientHello{Minor: f.Uint16()}
	h.Create = f.Uint16()&1 != 0
	h.Session = f.Uint64()
	h.Queue, h.Name = f.String(), f.String()
	return h, f.Err(Hello)
}

// ServerHello is the payload of Welcome.
type ServerHello struct {
	Minor       uint16
	Incarnation uint64 // incarnation of the server: it remembers what it was sent since
	// Resumed says that the server knows the session: an append that it was
	// sent before gets the answer that it got then.
	Resumed     bool
	Limits      nerve.Limits
	First, Last nerve.ID
	// Dedup is how much the log remembers of ids, from minor 1 on.
	Dedup nerve.DedupWindow
}

// Append appends the payload.
func (h ServerHello) Append(b []byte) []byte {
	b = little.AppendUint16(b, h.Minor)
	resumed := uint16(0)
	if h.Resumed {
		resumed = 1
	}
	b = little.AppendUint16(b, resumed)
	b = AppendUints(b, h.Incarnation, uint64(h.Limits.Record), uint64(h.Limits.Batch),
		uint64(h.First), uint64(h.Last))
	if h.Minor >= 1 {
		b = AppendUints(b, uint64(h.Dedup.IDs), uint64(h.Dedup.Age))
	}
	return b
}

// ReadWelcome reads the payload.
func ReadWelcome(payload []byte) (ServerHello, error) {
	f := NewFields(payload)
	h := ServerHello{Minor: f.Uint16(), Resumed: f.Uint16()&1 != 0, Incarnation: f.Uint64()}
	h.Limits = nerve.Limits{Record: int(f.Uint64()), Batch: int(f.Uint64())}
	h.First, h.Last = nerve.ID(f.Uint64()), nerve.ID(f.Uint64())
	if h.Minor >= 1 {
		h.Dedup = nerve.DedupWindow{IDs: int(f.Uint64()), Age: time.Duration(f.Int64())}
	}
	return h, f.Err(Welcome)
}

// CallCode says what a Call asks for.
type CallCode uint16

// The calls, with what follows the code, and the answers.
const (
	CallSeek         CallCode = iota + 1 // time in ns since 1970; id
	CallTrim                             // id; first id
	CallPointers                         // nothing; pointers
	CallSave                             // pointers; nothing
	CallRemove                           // name; nothing
	CallClaim                            // name, nonce; claim
	CallRenew                            // claim; claim
	CallRelease                          // claim; nothing
	CallLast                             // producer; appended
	CallBounds                           // nothing; first and last id
	CallProgress                         // nothing; pointers with progress; minor version 1
	CallSaveProgress                     // pointers with progress; nothing; minor version 1
	CallJoin                             // join; duration; minor version 2, as the next three
	CallTake                             // number of the worker, how many; leases
	CallSettle                           // number of the worker, settlements; their outcomes
	CallLeave                            // number of the worker; nothing
	callEnd
)

// Known reports whether there is such a call.
func (c CallCode) Known() bool { return c > 0 && c < callEnd }

// MaxProgress bounds the progress of all pointers in a frame, in bytes.
const MaxProgress = MaxControl / 2

// AppendPointers appends pointers without what was done above them.
func AppendPointers(b []byte, list []nerve.Pointer) []byte { return appendPointers(b, list, false) }

// AppendProgress appends pointers with what was done above them, as far as there
// is room for it.
func AppendProgress(b []byte, list []nerve.Pointer) []byte {
	return appendPointers(b, fit.Progress(list, MaxProgress), true)
}

func appendPointers(b []byte, list []nerve.Pointer, progress bool) []byte {
	b = little.AppendUint32(b, uint32(len(list)))
	for _, p := range list {
		b = AppendBytes(b, p.Name)
		hold := uint64(0)
		if p.Hold {
			hold = 1
		}
		saved := int64(0)
		if !p.Saved.IsZero() {
			saved = p.Saved.UnixNano()
		}
		b = AppendUints(b, uint64(p.ID), hold, p.Epoch, uint64(saved))
		b = AppendBytes(b, p.Meta)
		if progress {
			b = AppendBytes(b, p.Progress.Packed())
		}
	}
	return b
}

// pointerMin is the length of the shortest pointer: no count makes the reader
// take more memory than a few times the payload.
const pointerMin = 2 + 4*8 + 2

// Pointers reads pointers without progress.
func (f *Fields) Pointers() []nerve.Pointer { return f.pointers(false) }

// Progress reads pointers with progress.
func (f *Fields) Progress() []nerve.Pointer { return f.pointers(true) }

func (f *Fields) pointers(progress bool) []nerve.Pointer {
	n := int(f.Uint32())
	if n > f.Left()/pointerMin {
		f.bad = true
		return nil
	}
	list := make([]nerve.Pointer, 0, n)
	for range n {
		p := nerve.Pointer{Name: f.String(), ID: nerve.ID(f.Uint64()), Hold: f.Uint64() != 0,
			Epoch: f.Uint64()}
		if saved := f.Int64(); saved != 0 {
			p.Saved = time.Unix(0, saved)
		}
		if meta := f.Bytes(); len(meta) > 0 {
			p.Meta = append([]byte(nil), meta...)
		}
		if progress {
			// What is not understood is as good as none.
			p.Progress, _ = nerve.ParseProgress(f.Bytes())
		}
		list = append(list, p)
	}
	return list
}

// AppendClaim appends a claim.
func AppendClaim(b []byte, c nerve.Claim) []byte {
	b = AppendBytes(b, c.Name)
	return AppendUints(b, c.Epoch, uint64(c.Lease))
}

// Claim reads a claim.
func (f *Fields) Claim() nerve.Claim {
	return nerve.Claim{Name: f.String(), Epoch: f.Uint64(), Lease: time.Duration(f.Int64())}
}

// AppendAppended appends where an append is.
func AppendAppended(b []byte, a nerve.Appended) []byte {
	return AppendUints(b, a.Key.Producer, a.Key.Seq, uint64(a.First), uint64(a.Last),
		uint64(a.UnixNano))
}

// Appended reads where an append is.
func (f *Fields) Appended() nerve.Appended {
	return nerve.Appended{Key: nerve.Key{Producer: f.Uint64(), Seq: f.Uint64()},
		First: nerve.ID(f.Uint64()), Last: nerve.ID(f.Uint64()), UnixNano: f.Int64()}
}

// AppendParts appends the ids of a batch and the records that have them.
func AppendParts(b []byte, parts []nerve.Part) []byte {
	b = little.AppendUint32(b, uint32(len(parts)))
	for _, p := range parts {
		b = append(b, p.ID[:]...)
		b = little.AppendUint32(b, uint32(p.Start))
		b = little.AppendUint32(b, uint32(p.End))
	}
	return b
}

// Parts reads the ids of a batch.
func (f *Fields) Parts() []nerve.Part {
	n := int(f.Uint32())
	if n > nerve.MaxParts || n > f.Left()/PartSize {
		f.bad = true
		return nil
	}
	parts := make([]nerve.Part, n)
	for i := range parts {
		parts[i] = nerve.Part{ID: nerve.DedupID(f.take(16)), Start: int(f.Uint32()),
			End: int(f.Uint32())}
	}
	return parts
}

// repeatedSize is the length of a part in an answer.
const repeatedSize = 3*8 + 2*4

// AppendRepeated appends those parts that were there before.
func AppendRepeated(b []byte, parts []nerve.Part) []byte {
	for i, p := range parts {
		if p.Repeated {
			b = little.AppendUint32(b, uint32(i))
			b = little.AppendUint32(b, 0)
			b = AppendUints(b, uint64(p.Stored.First), uint64(p.Stored.Last),
				uint64(p.Stored.UnixNano))
		}
	}
	return b
}

// Repeated reads which parts were there before, and where.
func (f *Fields) Repeated() map[int]nerve.Appended {
	if f.Left()%repeatedSize != 0 {
		f.bad = true
		return nil
	}
	at := make(map[int]nerve.Appended, f.Left()/repeatedSize)
	for f.Left() > 0 {
		i := int(f.Uint32())
		f.Uint32()
		at[i] = nerve.Appended{First: nerve.ID(f.Uint64()), Last: nerve.ID(f.Uint64()),
			UnixNano: f.Int64()}
	}
	return at
}
