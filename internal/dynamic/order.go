package dynamic

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// ordered returns b, a well-formed message of type t, with the fields of all messages in it in the
// order of their numbers, which is how generated code writes them; dynamicpb writes members of
// oneofs last. Fields that are not declared come last.
func ordered(b []byte, t *rt.Table) []byte { return appendOrdered(make([]byte, 0, len(b)), b, t) }

type span struct {
	number     protowire.Number
	start, end int // of the field
	sub        *rt.Table
	from, to   int // of the message in it, when sub is not nil
}

func appendOrdered(dst, b []byte, t *rt.Table) []byte {
	var spans []span
	for off := 0; off < len(b); {
		number, typ, tag := protowire.ConsumeTag(b[off:])
		size := protowire.ConsumeFieldValue(number, typ, b[off+tag:])
		s := span{number: number, start: off, end: off + tag + size}
		i, known := slices.BinarySearchFunc(t.Fields, number,
			func(f rt.FieldInfo, n protowire.Number) int { return int(f.Number) - int(n) })
		switch {
		case !known:
			s.number = protowire.MaxValidNumber + 1
		case t.Fields[i].Sub == nil:
		case typ == protowire.BytesType:
			payload, _ := protowire.ConsumeBytes(b[off+tag:])
			s.sub, s.from, s.to = t.Fields[i].Sub.GremlinTable(), s.end-len(payload), s.end
		case typ == protowire.StartGroupType:
			s.sub, s.from, s.to = t.Fields[i].Sub.GremlinTable(), off+tag,
				s.end-protowire.SizeTag(number)
		}
		spans = append(spans, s)
		off = s.end
	}
	slices.SortStableFunc(spans, func(a, b span) int { return int(a.number) - int(b.number) })
	for _, s := range spans {
		if s.sub == nil {
			dst = append(dst, b[s.start:s.end]...)
			continue
		}
		dst = append(dst, b[s.start:s.from]...)
		dst = appendOrdered(dst, b[s.from:s.to], s.sub)
		dst = append(dst, b[s.to:s.end]...)
	}
	return dst
}
