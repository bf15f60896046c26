package workload

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/octopus-framework/octopus/internal/oracle"
)

func TestMadeIsTheSameEachTime(t *testing.T) {
	a, b := Made(), Made()
	for i := range a {
		if !bytes.Equal(a[i].Encode(), b[i].Encode()) {
			t.Errorf("%s differs from one call to the next", a[i].Name)
		}
		if a[i].Size() < 10 {
			t.Errorf("%s has %d bytes", a[i].Name, a[i].Size())
		}
	}
}

// TestShuffled checks that order and unknown fields are what they are meant to be, and the values the same.
func TestShuffled(t *testing.T) {
	for _, name := range []string{"Submit", "Deposit"} {
		w, err := Find(Made(), []string{name, name + "Reversed", name + "Unknown"})
		if err != nil {
			t.Fatal(err)
		}
		var refs [3]*Reference
		for i := range refs {
			if refs[i], err = w[i].Reference(false); err != nil {
				t.Fatal(err)
			}
			if refs[i].Values.Sum != refs[0].Values.Sum {
				t.Errorf("%s has other values than %s", w[i].Name, name)
			}
		}
		if bytes.Equal(w[0].Data[0], w[1].Data[0]) {
			t.Errorf("%s is not reversed", w[1].Name)
		}
		if len(refs[2].Decode[0].ProtoReflect().GetUnknown()) == 0 {
			t.Errorf("%s has no unknown fields", w[2].Name)
		}
	}
}

// TestRealIsKnown checks that the lab's schemas for real data lack no field that the data has.
func TestRealIsKnown(t *testing.T) {
	all, err := All("../../../shared/corpora")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == len(Made()) {
		oracle.Skip(t, "shared", "there is no ../../shared/corpora")
	}
	for _, w := range all[len(Made()):] {
		unknown, total := 0, 0
		for _, b := range w.Data {
			m := w.New()
			if err := proto.Unmarshal(b, m); err != nil {
				t.Fatalf("%s: %v", w.Name, err)
			}
			total += len(b)
			unknown += unknownBytes(m.ProtoReflect())
		}
		if unknown*50 > total {
			t.Errorf("%s: %d of %d bytes are unknown to the schema", w.Name, unknown, total)
		}
	}
}

func unknownBytes(m protoreflect.Message) int {
	n := len(m.GetUnknown())
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if f.Message() == nil || f.IsMap() {
			return true
		}
		if f.IsList() {
			for i := range v.List().Len() {
				n += unknownBytes(v.List().Get(i).Message())
			}
		} else {
			n += unknownBytes(v.Message())
		}
		return true
	})
	return n
}
