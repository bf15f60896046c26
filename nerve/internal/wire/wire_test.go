package wire

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/lease"
)

// allErrors is one of each type of error that crosses the wire, with a value in every
// field, and those without a type.
func allErrors() []error {
	list := []error{nerve.ErrClosed, nerve.ErrReadOnly, errors.New("nerve: because")}
	for _, err := range Errors() {
		fill(reflect.ValueOf(err).Elem(), new(int))
		list = append(list, err)
	}
	return list
}

// fill sets each field to a value of its own.
func fill(v reflect.Value, n *int) {
	*n++
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case v.Kind() == reflect.String:
		v.SetString(fmt.Sprint("text ", *n))
	case v.CanInt():
		v.SetInt(int64(*n))
	case v.CanUint():
		v.SetUint(uint64(*n))
	case v.Type() == reflect.TypeFor[error]():
		v.Set(reflect.ValueOf(error(&nerve.FutureError{ID: nerve.ID(*n), Next: 1})))
	default:
		panic("a field of another kind: " + v.Type().String())
	}
}

// TestErrors sends every error there and back: type, fields and text are the same.
func TestErrors(t *testing.T) {
	codes := map[code]bool{}
	for _, err := range allErrors() {
		payload := AppendError(nil, err)
		got, bad := ReadError(payload)
		if bad != nil || got.Error() != err.Error() {
			t.Errorf("%v: %v, %v", err, got, bad)
			continue
		}
		codes[describe(err).code] = true
		if !reflect.DeepEqual(got, err) {
			t.Errorf("%#v came as %#v", err, got)
		}
		// Wrapped by others, the type counts.
		if got, bad = ReadError(AppendError(nil, fmt.Errorf("in a call: %w", err))); bad != nil ||
			describe(got).code != describe(err).code {
			t.Errorf("%v wrapped: %v, %v", err, got, bad)
		}
		for n := range payload { // cut off anywhere
			if _, bad := ReadError(payload[:n]); bad == nil {
				t.Errorf("%v: %d of %d bytes are taken for an error", err, n, len(payload))
			}
		}
	}
	if len(codes) != len(errorKinds)+3 {
		t.Errorf("%d codes for %d errors", len(codes), len(errorKinds)+3)
	}
	if got, _ := ReadError(AppendError(nil, context.DeadlineExceeded)); !errors.Is(got,
		context.DeadlineExceeded) {
		t.Errorf("%v", got)
	}
	// Long texts are cut, deep causes end.
	deep := error(&nerve.NotFoundError{Queue: strings.Repeat("x", 1<<17)})
	for range 20 {
		deep = &nerve.FailedError{Cause: deep}
	}
	if b := AppendError(nil, deep); len(b) > 2000 {
		t.Errorf("%d bytes", len(b))
	}
}

// TestLeases reads back what workers are sent and send, and takes nothing that is cut off.
func TestLeases(t *testing.T) {
	leases := []lease.Lease{
		{Record: nerve.Record{ID: 7, UnixNano: 8, Data: []byte("data")}, Attempt: 2,
			Lost: 1, Fence: 1 << 63},
		{Record: nerve.Record{ID: 9, Data: []byte{}}, Attempt: 1,
			Err: &nerve.LostError{First: 9, Last: 9}},
	}
	settlements := []Settlement{{Verb: Ack, ID: 1, Fence: 2},
		{Verb: Fail, ID: 3, Fence: 4, After: 5},
		{Verb: Extend, ID: 6}, {Verb: Release, ID: 8}}
	outcomes := []error{nil, &nerve.LeaseError{ID: 3}, nerve.ErrClosed}
	join := Join{Number: 1, Duration: time.Minute, ByKey: true, Consumer: "all", Name: "me"}
	for _, c := range []struct {
		payload []byte
		read    func(*Fields) any
		want    any
	}{
		{AppendLeases(nil, leases), func(f *Fields) any { return f.Leases() }, leases},
		{AppendSettlements(nil, settlements),
			func(f *Fields) any { return f.Settlements() }, settlements},
		{AppendOutcomes(nil, outcomes), func(f *Fields) any { return f.Outcomes(3) }, outcomes},
		{join.Append(nil), func(f *Fields) any { return f.Join() }, join},
	} {
		f := NewFields(c.payload)
		if got := c.read(f); f.Err(Call) != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v, %v, want %+v", got, f.Err(Call), c.want)
		}
		for n := range c.payload {
			f := NewFields(c.payload[:n])
			if c.read(f); f.Err(Call) == nil {
				t.Errorf("%T: %d of %d bytes are taken", c.want, n, len(c.payload))
			}
		}
	}
	for what, f := range map[string]*Fields{
		"a verb":          NewFields(AppendSettlements(nil, []Settlement{{Verb: Release + 1}})),
		"too many":        NewFields(AppendSettlements(nil, make([]Settlement, MaxSettlements+1))),
		"too many leases": NewFields([]byte{255, 255, 255, 255, 0}),
	} {
		if f.Settlements(); f.Err(Call) == nil {
			t.Errorf("%s that there cannot be is taken", what)
		}
	}
	if f := NewFields(AppendOutcomes(nil, outcomes)); f.Outcomes(2) != nil || f.Err(Call) == nil {
		t.Error("outcomes of others are taken")
	}
}

// TestFrameBytes pins the bytes: they are a protocol. The checksums were computed
// by another program.
func TestFrameBytes(t *testing.T) {
	for _, c := range []struct {
		frame []byte
		want  string
	}{
		{AppendFrame(nil, Drain, 0, nil), "080000000d000000fd4e309e"},
		{AppendFrame(nil, Hello, 0, ClientHello{Session: 0x0102030405060708, Queue: "q",
			Create: true, Name: "n"}.Append),
			"1a00000001000000d43038cc00000100080706050403020101007101006e"},
		{AppendFrame(nil, Credit, 0x0203, func(b []byte) []byte { return AppendUints(b, 5) }),
			"1000000007000302f041a51f0500000000000000"},
	} {
		if got := hex.EncodeToString(c.frame); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	for want := Type(1); want < typeEnd; want++ {
		if want.String() == "" || strings.HasPrefix(want.String(), "type") {
			t.Errorf("type %d has no name", want)
		}
	}
}

// readFrame reads a frame as both ends do, with a limit.
func readFrame(in io.Reader, limit int) (Header, []byte, error) {
	var head [HeaderSize]byte
	h, err := ReadHeader(in, &head)
	if err != nil {
		return h, nil, err
	}
	if h.Size > limit {
		return h, nil, &nerve.TooLargeError{What: "frame", Size: h.Size, Limit: limit}
	}
	payload := make([]byte, h.Size)
	if _, err := io.ReadFull(in, payload); err != nil {
		return h, nil, err
	}
	return h, payload, h.Check(&head, payload)
}

// TestDamage changes every bit of a frame: none is taken for another one.
func TestDamage(t *testing.T) {
	frame := AppendFrame(nil, Append, 3, func(b []byte) []byte {
		return append(AppendUints(b, 1, 2, 3), "\x03\x00\x00\x00abc"...)
	})
	if _, _, err := readFrame(bytes.NewReader(frame), 1000); err != nil {
		t.Fatal(err)
	}
	for bit := range len(frame) * 8 {
		b := bytes.Clone(frame)
		b[bit/8] ^= 1 << (bit % 8)
		if _, _, err := readFrame(bytes.NewReader(b), 1000); err == nil {
			t.Errorf("bit %d changed, and nobody noticed", bit)
		}
	}
	head := Begin(nil)
	head = AppendUints(head, 1, 2, 3)
	FinishParts(head, Append, 3, frame[HeaderSize+24:])
	if !bytes.Equal(append(head, frame[HeaderSize+24:]...), frame) {
		t.Error("a frame in parts is another one")
	}
}

// FuzzFrame reads anything as a frame and its payload as everything that there
// is: no panic, no more memory than a few times the input.
func FuzzFrame(f *testing.F) {
	for _, err := range allErrors() {
		f.Add(AppendFrame(nil, Error, 1, func(b []byte) []byte { return AppendError(b, err) }))
	}
	f.Add(AppendFrame(nil, Hello, 0, ClientHello{Session: 1, Queue: "q", Name: "n"}.Append))
	f.Add(AppendFrame(nil, Welcome, 0, ServerHello{Incarnation: 1, Limits: nerve.Limits{Record: 1,
		Batch: 2}}.Append))
	f.Add(AppendFrame(nil, Answer, 9, func(b []byte) []byte {
		return AppendPointers(b,
			[]nerve.Pointer{{Name: "c", ID: 1, Meta: []byte("m")}, {Name: "d"}})
	}))
	f.Add(AppendFrame(nil, Call, 9, func(b []byte) []byte {
		done := nerve.MakeProgress(slices.Values([]nerve.Span{{First: 3, Last: 4}}))
		return AppendProgress(b, []nerve.Pointer{{Name: "c", ID: 1, Progress: done}})
	}))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		h, payload, err := readFrame(bytes.NewReader(in), len(in))
		if err == nil {
			again := AppendFrame(nil, h.Type, h.Stream, func(b []byte) []byte {
				return append(b, payload...)
			})
			if !bytes.Equal(again, in[:len(again)]) {
				t.Fatalf("%x was read as %x", in, again)
			}
		} else {
			payload = in // whatever the checksum says
		}
		if hello, err := ReadHello(payload); err == nil {
			if again, err := ReadHello(hello.Append(nil)); err != nil || again != hello {
				t.Fatalf("%+v, %+v, %v", hello, again, err)
			}
		}
		_, _ = ReadWelcome(payload)
		if told, err := ReadError(payload); err == nil {
			_ = told.Error()
			if again, err := ReadError(AppendError(nil, told)); err != nil {
				t.Fatalf("%v, then %v, %v", told, again, err)
			}
		}
		fields := NewFields(payload)
		if list := fields.Pointers(); len(list) > len(payload)/pointerMin {
			t.Fatalf("%d pointers of %d bytes", len(list), len(payload))
		}
		fields = NewFields(payload)
		if list := fields.Progress(); len(list) > len(payload)/pointerMin {
			t.Fatalf("%d pointers with progress of %d bytes", len(list), len(payload))
		} else if fields.Err(Call) == nil {
			again := NewFields(AppendProgress(nil, list)).Progress()
			if !slices.EqualFunc(list, again, func(a, b nerve.Pointer) bool {
				return a.Name == b.Name && a.Progress == b.Progress
			}) {
				t.Fatalf("%v, then %v", list, again)
			}
		}
		fields.Claim()
		fields.Appended()
	})
}

// TestErrorBytes pins how errors are sent: clients and servers of different versions
// talk to each other. A new type is a new line of the file.
func TestErrorBytes(t *testing.T) {
	var got strings.Builder
	for _, err := range allErrors() {
		fmt.Fprintf(&got, "%T %x\n", err, AppendError(nil, err))
	}
	const file = "testdata/errors.txt"
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("not as in %s:\n%s", file, &got)
	}
}
