package wire

import (
	"time"

	"github.com/octopus-framework/octopus/nerve"
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
	Incarnation uint64 // of the server: it remembers what it was sent since
	// Resumed says that the server knows the session: an append that it was
	// sent before gets the answer that it got then.
	Resumed     bool
	Limits      nerve.Limits
	First, Last nerve.ID
}

// Append appends the payload.
func (h ServerHello) Append(b []byte) []byte {
	b = little.AppendUint16(b, h.Minor)
	resumed := uint16(0)
	if h.Resumed {
		resumed = 1
	}
	b = little.AppendUint16(b, resumed)
	return AppendUints(b, h.Incarnation, uint64(h.Limits.Record), uint64(h.Limits.Batch),
		uint64(h.First), uint64(h.Last))
}

// ReadWelcome reads the payload.
func ReadWelcome(payload []byte) (ServerHello, error) {
	f := NewFields(payload)
	h := ServerHello{Minor: f.Uint16(), Resumed: f.Uint16()&1 != 0, Incarnation: f.Uint64()}
	h.Limits = nerve.Limits{Record: int(f.Uint64()), Batch: int(f.Uint64())}
	h.First, h.Last = nerve.ID(f.Uint64()), nerve.ID(f.Uint64())
	return h, f.Err(Welcome)
}

// CallCode says what a Call asks for.
type CallCode uint16

// The calls, with what follows the code, and the answers.
const (
	CallSeek     CallCode = iota + 1 // time in ns since 1970; id
	CallTrim                         // id; first id
	CallPointers                     // nothing; pointers
	CallSave                         // pointers; nothing
	CallRemove                       // name; nothing
	CallClaim                        // name, nonce; claim
	CallRenew                        // claim; claim
	CallRelease                      // claim; nothing
	CallLast                         // producer; appended
	CallBounds                       // nothing; first and last id
	callEnd
)

// Known reports whether there is such a call.
func (c CallCode) Known() bool { return c > 0 && c < callEnd }

// AppendPointers appends pointers.
func AppendPointers(b []byte, list []nerve.Pointer) []byte {
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
	}
	return b
}

// pointerMin is the length of the shortest pointer: no count makes the reader
// take more memory than a few times the payload.
const pointerMin = 2 + 4*8 + 2

// Pointers reads pointers.
func (f *Fields) Pointers() []nerve.Pointer {
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
