package conformance

import (
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/octopus-framework/octopus/conformance/internal/check"
	"github.com/octopus-framework/octopus/conformance/internal/gen/p2"
	pb2 "github.com/octopus-framework/octopus/conformance/internal/pb/p2"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// sameExtension compares one extension of m and r with want, and sets it in fresh, which starts
// empty.
func sameExtension[T, W any](t *testing.T, x *rt.Extension[*p2.Extendable, *p2.ExtendableReader, T],
	xt protoreflect.ExtensionType,
	m, fresh *p2.Extendable, r *p2.ExtendableReader, want *pb2.Extendable, equal func(T, W) bool) {
	t.Helper()
	w := proto.GetExtension(want, xt).(W)
	if has := proto.HasExtension(want, xt); x.Has(m) != has || x.HasIn(r) != has {
		t.Errorf("%s: Has %v, HasIn %v, want %v", x.Field.Name, x.Has(m), x.HasIn(r), has)
	} else if has {
		x.Set(fresh, x.Get(m))
	}
	if !equal(x.Get(m), w) || !equal(x.GetFrom(r), w) {
		t.Errorf("%s: Get %v, GetFrom %v, want %v", x.Field.Name, x.Get(m), x.GetFrom(r), w)
	}
	c := m.Clone()
	x.Clear(c)
	if x.Has(c) {
		t.Errorf("%s: Clear leaves a value", x.Field.Name)
	}
}

func sameMessage(x *p2.Inner, y *pb2.Inner) bool {
	got := &pb2.Inner{}
	err := proto.Unmarshal(check.Demote(x.Marshal(), got.ProtoReflect().Descriptor(), nil), got)
	return err == nil && (proto.Equal(got, y) || y == nil && proto.Equal(got, &pb2.Inner{}))
}

// TestExtensions compares the accessors with those of protobuf-go for random values and what
// mutations leave of them.
func TestExtensions(t *testing.T) {
	desc := (&pb2.Extendable{}).ProtoReflect().Descriptor()
	rng := seed(desc)
	types := []protoreflect.ExtensionType{pb2.E_ExtInt, pb2.E_ExtString, pb2.E_ExtMessage,
		pb2.E_ExtPacked, pb2.E_ExtStrings,
		pb2.E_ExtMessages, pb2.E_ExtShade, pb2.E_ExtTones, pb2.E_ExtDouble}
	for range 200 * *times {
		m := &pb2.Extendable{}
		for _, xt := range types {
			if rng.IntN(2) == 0 {
				check.FillField(rng, m.ProtoReflect(), xt.TypeDescriptor(), 0.5, 2)
			}
		}
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		sameExtensions(t, b)
		for range 4 {
			if c := check.Mutate(rng, b, desc); proto.Unmarshal(c, &pb2.Extendable{}) == nil {
				sameExtensions(t, c)
			}
		}
	}
}

// sameExtensions compares the extensions in b, which protobuf-go accepts.
func sameExtensions(t *testing.T, b []byte) {
	t.Helper()
	want := &pb2.Extendable{}
	if err := proto.Unmarshal(check.Demote(b, want.ProtoReflect().Descriptor(),
		protoregistry.GlobalTypes), want); err != nil {
		t.Fatal(err)
	}
	var m, fresh p2.Extendable
	var r p2.ExtendableReader
	if err := m.Unmarshal(b); err != nil {
		t.Fatal(err)
	}
	if err := r.Unmarshal(b); err != nil {
		t.Fatal(err)
	}
	sameExtension(t, &p2.E_ExtInt, pb2.E_ExtInt, &m, &fresh, &r, want, func(x, y int32) bool {
		return x == y
	})
	sameExtension(t, &p2.E_ExtString, pb2.E_ExtString, &m, &fresh, &r, want,
		func(x, y string) bool { return x == y })
	sameExtension(t, &p2.E_ExtMessage, pb2.E_ExtMessage, &m, &fresh, &r, want, sameMessage)
	sameExtension(t, &p2.E_ExtPacked, pb2.E_ExtPacked, &m, &fresh, &r, want, slices.Equal[[]int64])
	sameExtension(t, &p2.E_ExtStrings, pb2.E_ExtStrings, &m, &fresh, &r,
		want, slices.Equal[[]string])
	sameExtension(t, &p2.E_ExtMessages, pb2.E_ExtMessages, &m, &fresh, &r, want,
		func(x []p2.Inner, y []*pb2.Inner) bool {
			return slices.EqualFunc(x, y, func(x p2.Inner, y *pb2.Inner) bool {
				return sameMessage(&x, y)
			})
		})
	sameExtension(t, &p2.E_ExtShade, pb2.E_ExtShade, &m, &fresh, &r, want,
		func(x p2.Shade, y pb2.Shade) bool { return int32(x) == int32(y) })
	sameExtension(t, &p2.E_ExtTones, pb2.E_ExtTones, &m, &fresh, &r, want,
		func(x []p2.Tone, y []pb2.Tone) bool {
			return slices.EqualFunc(x, y, func(x p2.Tone, y pb2.Tone) bool {
				return int32(x) == int32(y)
			})
		})
	sameExtension(t, &p2.E_ExtDouble, pb2.E_ExtDouble, &m, &fresh, &r, want,
		func(x, y float64) bool {
			return math.Float64bits(x) == math.Float64bits(y)
		})
	got := &pb2.Extendable{}
	if err := proto.Unmarshal(check.Demote(fresh.Marshal(), got.ProtoReflect().Descriptor(),
		protoregistry.GlobalTypes), got); err != nil {
		t.Fatal(err)
	}
	want.Id = nil
	want.ProtoReflect().SetUnknown(nil)
	if !proto.Equal(got, want) {
		t.Errorf("set: %v\nwant %v", got, want)
	}
	if t.Failed() {
		t.Fatalf("input %x", b)
	}
}

// TestExtensionOfNil reads extensions of messages that are not there, as getters can.
func TestExtensionOfNil(t *testing.T) {
	if p2.E_ExtString.Get(nil) != "none" || p2.E_ExtString.GetFrom(nil) != "none" ||
		p2.E_ExtInt.Has(nil) || p2.E_ExtInt.HasIn(nil) {
		t.Error("nil has extensions")
	}
}
