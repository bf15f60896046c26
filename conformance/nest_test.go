package conformance

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/octopus-framework/octopus/conformance/internal/check"
)

// selves returns the fields of a message that hold a message of the same type.
func selves(md protoreflect.MessageDescriptor) (all []protoreflect.FieldDescriptor) {
	fields := md.Fields()
	for i := range fields.Len() {
		if fd := fields.Get(i); fd.Message() != nil && fd.Message().FullName() == md.FullName() {
			all = append(all, fd)
		}
	}
	return all
}

// in returns b as the value of fd.
func in(fd protoreflect.FieldDescriptor, b []byte) []byte {
	if fd.Kind() == protoreflect.GroupKind {
		return protowire.AppendGroup(protowire.AppendTag(nil, fd.Number(),
			protowire.StartGroupType), fd.Number(), b)
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, fd.Number(), protowire.BytesType), b)
}

// TestDeepMemory nests every message type that contains itself and bounds what reading that takes.
func TestDeepMemory(t *testing.T) {
	refused, read := 0, 0
	for _, typ := range types {
		for _, fd := range selves(typ.Desc) {
			for _, levels := range []int{99, 100, 101, 300, 1000, 4000} {
				b := chain(levels, func(b []byte) []byte { return in(fd, b) })
				name := fmt.Sprintf("%s, %s, %d levels", typ.Desc.Name(), fd.Name(), levels)
				if err := check.Verdict(typ, b); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if check.Refused(typ, b) {
					refused++
				} else {
					read++
				}
				m, r := typ.NewMessage(), typ.NewReader()
				if err := r.Unmarshal(b); err != nil {
					t.Fatal(err)
				}
				for what, f := range map[string]func(){
					"Unmarshal": func() {
						_ = m.Unmarshal(b)
					}, "ToMessage": func() { typ.ToMessage(r) }} {
					if used := least(f); used > 64*uint64(len(b))+1<<20 && !raceEnabled {
						t.Errorf("%s: %s of %d bytes takes %d", name, what, len(b), used)
					}
				}
			}
		}
	}
	if refused == 0 || read == 0 {
		t.Errorf("%d refused, %d read", refused, read)
	}
}

// TestDeepVerdicts nests random messages around the level from which on they are weighed, with many
// more at the bottom, and checks that exactly those are refused that take too much.
func TestDeepVerdicts(t *testing.T) {
	refused, read := 0, 0
	for _, typ := range types {
		all := selves(typ.Desc)
		if len(all) == 0 {
			continue
		}
		rng := seed(typ.Desc)
		for i := range 20 {
			b, fd := random(rng, typ), all[rng.IntN(len(all))]
			for range rng.IntN(6000) {
				b = append(b, in(fd, nil)...)
			}
			for range 80 + rng.IntN(60) {
				if b = in(all[rng.IntN(len(all))], b); rng.IntN(20) == 0 && len(b) < 1<<18 {
					b = append(random(rng, typ), b...)
				}
			}
			if i%3 == 0 {
				b = check.Mutate(rng, b, typ.Desc)
			}
			if check.Refused(typ, b) {
				refused++
			} else {
				read++
			}
			if err := check.Verdict(typ, b); err != nil {
				t.Fatalf("%s, %d bytes: %.400s", typ.Desc.Name(), len(b), err.Error())
			}
		}
	}
	if refused == 0 || read == 0 {
		t.Errorf("%d refused, %d read", refused, read)
	}
}
