package check

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// Refused tells whether gremlin refuses b, where it is well-formed, for the memory that messages
// take which are nested more than 100 levels deep: see gremlin.MaxDepth.
func Refused(t Type, b []byte) bool {
	if len(b) < 200 { // two bytes a level
		return false
	}
	deep := 0
	weighDeep(b, 0, t.Desc, t.NewMessage().GremlinTable(), 0, &deep)
	return deep > 512<<10+32*len(b)
}

// weighDeep adds to deep what is nested in the fields of b, or up to the end of the group with this
// number, of a message at this level. It returns how much of b that is.
func weighDeep(b []byte, group protowire.Number, md protoreflect.MessageDescriptor, table *rt.Table,
	level int, deep *int) int {
	for off := 0; off < len(b); {
		num, typ, n := protowire.ConsumeTag(b[off:])
		if n < 0 {
			break
		}
		off += n
		if typ == protowire.EndGroupType && num == group {
			return off
		}
		fd := md.Fields().ByNumber(num)
		nests := fd != nil && (fd.Kind() == protoreflect.GroupKind &&
			typ == protowire.StartGroupType ||
			fd.Kind() == protoreflect.MessageKind && typ == protowire.BytesType)
		if !nests {
			if n = protowire.ConsumeFieldValue(num, typ, b[off:]); n < 0 {
				break
			}
			off += n
			continue
		}
		sub := subTable(table, num)
		if level >= 100 {
			*deep += int(sub.Memory)
		}
		if typ == protowire.StartGroupType {
			off += weighDeep(b[off:], num, fd.Message(), sub, level+1, deep)
			continue
		}
		content, n := protowire.ConsumeBytes(b[off:])
		if n < 0 {
			break
		}
		weighDeep(content, 0, fd.Message(), sub, level+1, deep)
		off += n
	}
	return len(b)
}

func subTable(t *rt.Table, num protowire.Number) *rt.Table {
	for i := range t.Fields {
		if t.Fields[i].Number == uint32(num) {
			return t.Fields[i].Sub.GremlinTable()
		}
	}
	panic(fmt.Sprintf("%s has no field %d", t.Name, num))
}

// refusal checks that all who decode refuse b alike, and that UnmarshalWithin reads it for who has
// the memory.
func refusal(t Type, b []byte) error {
	m, r := t.NewMessage(), t.NewReader()
	err := m.Unmarshal(b)
	if !errors.Is(err, gremlin.TooMuchMemory) {
		return fmt.Errorf("Message.Unmarshal: %v, although it nests too much", err)
	}
	if err := checkError(err, b); err != nil {
		return err
	}
	if err := r.Unmarshal(b); err != nil {
		return fmt.Errorf("Reader.Unmarshal: %v, protobuf-go accepts", err)
	}
	if err := r.CheckEncoding(); !errors.Is(err, gremlin.TooMuchMemory) {
		return fmt.Errorf("Reader.CheckEncoding: %v, although it nests too much", err)
	}
	t.ToMessage(r).Marshal()
	if err := gremlin.UnmarshalWithin(b, m, math.MaxInt); err != nil &&
		!errors.Is(err, gremlin.MissingRequired) {
		return fmt.Errorf("UnmarshalWithin: %v", err)
	}
	got, want := t.New(), t.New()
	if err := errors.Join(partial.Unmarshal(m.Marshal(), got),
		partial.Unmarshal(Demote(b, t.Desc, nil), want)); err != nil {
		return err
	}
	if !proto.Equal(got, want) {
		return errors.New("UnmarshalWithin: other values than protobuf-go's")
	}
	return nil
}
