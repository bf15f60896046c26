package check

import (
	"bytes"
	"math/rand/v2"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Changes calls each with copies of b, a message of type md, that differ in one place: every field
// at every level is changed in every way that is known here, where Mutate has to be lucky. What is
// around the place fits: lengths are those of the changed contents, but for the changes of lengths.
func Changes(b []byte, md protoreflect.MessageDescriptor, each func([]byte)) {
	for n := range b {
		each(bytes.Clone(b[:n]))
	}
	rs := records(b)
	for i, r := range rs {
		before, after := join(rs[:i]), join(rs[i+1:])
		with := func(pieces ...[]byte) { each(slices.Concat(before, join(pieces), after)) }
		with()
		with(r, r)
		each(slices.Concat(r, before, after))
		each(slices.Concat(before, after, r))
		for _, s := range strays {
			with(s, r)
		}
		changeRecord(r, md, func(c []byte) {
			with(c)
			with(r, c)
			with(c, r)
		})
	}
	for _, s := range strays {
		each(slices.Concat(b, s))
	}
}

// strays are put between fields: unknown ones, and ends of groups that nobody has begun.
var strays = [][]byte{
	{0xf8, 0xff, 0xff, 0xff, 0x0f, 0x01}, // field 2^29-1
	{0xf8, 0xff, 0xff, 0xff, 0x1f, 0x01}, // field 2^30-1, which there is not
	{0xfb, 0xff, 0xff, 0xff, 0x0f, 0xfc, 0xff, 0xff, 0xff, 0x0f},
	{0xba, 0x3e, 0x01, 0xff}, // field 999
	{0x0c},
}

// changeRecord changes one field: its tag, then what follows from the wire type.
func changeRecord(r []byte, md protoreflect.MessageDescriptor, each func([]byte)) {
	tag, n := protowire.ConsumeVarint(r)
	num, typ := protowire.DecodeTag(tag)
	if n < 0 || num < 1 {
		return
	}
	value := r[n:]
	for t := range uint64(8) {
		each(slices.Concat(protowire.AppendVarint(nil, tag&^7|t), value))
	}
	for _, other := range []protowire.Number{num + 1, num - 1, protowire.MaxValidNumber,
		protowire.MaxValidNumber + 1, 1<<31 - 1} {
		each(slices.Concat(protowire.AppendVarint(nil, uint64(other)<<3|uint64(typ)), value))
	}
	longVarints(tag, func(long []byte) { each(slices.Concat(long, value)) })
	fd := md.Fields().ByNumber(num)
	head := bytes.Clone(r[:n])
	switch typ {
	case protowire.VarintType:
		changeVarint(value, func(c []byte) { each(slices.Concat(head, c)) })
	case protowire.Fixed32Type, protowire.Fixed64Type:
		each(bytes.Clone(r[:len(r)-1]))
		each(append(bytes.Clone(r), 0))
	case protowire.BytesType:
		if content, m := protowire.ConsumeBytes(value); m >= 0 {
			changeBytes(head, content, fd, each)
		}
	case protowire.StartGroupType:
		if content, m := protowire.ConsumeGroup(num, value); m >= 0 {
			changeGroup(head, num, content, fd, each)
		}
	}
}

// changeVarint gives a number other values and other forms.
func changeVarint(b []byte, each func([]byte)) {
	x, n := protowire.ConsumeVarint(b)
	if n < 0 {
		return
	}
	longVarints(x, each)
	for _, y := range []uint64{0, 1, 2, 77, x + 1, x | 1<<32, x | 1<<63, 1<<31 - 1, 1 << 31,
		1<<32 - 1, 1<<64 - 1<<31, 1<<64 - 2, 1<<64 - 1} {
		each(protowire.AppendVarint(nil, y))
	}
}

// longVarints writes x in all the lengths that it can have, and in some that it cannot.
func longVarints(x uint64, each func([]byte)) {
	b := protowire.AppendVarint(nil, x)
	for len(b) < 12 {
		b[len(b)-1] |= 0x80
		b = append(b, 0)
		each(bytes.Clone(b))
	}
	b = append(bytes.Repeat([]byte{0x80}, 9), 0x02) // more than 64 bits
	b[0] |= byte(x) & 0x7f
	each(b)
}

// changeBytes changes a length, and the content by what field fd is.
func changeBytes(head, content []byte, fd protoreflect.FieldDescriptor, each func([]byte)) {
	size := uint64(len(content))
	for _, s := range []uint64{size + 1, size - 1, 0, 1, size | 1<<32, 1<<31 - 1, 1 << 31,
		1<<32 - 1, 1<<63 - 1, 1 << 63, 1<<64 - 1} {
		each(slices.Concat(head, protowire.AppendVarint(nil, s), content))
	}
	longVarints(size, func(long []byte) { each(slices.Concat(head, long, content)) })
	field := func(pieces ...[]byte) (b []byte) {
		for _, p := range pieces {
			b = protowire.AppendBytes(append(b, head...), p)
		}
		return b
	}
	// in two pieces, which are two elements or two parts of a message
	for i := range len(content) + 1 {
		each(field(content[:i], content[i:]))
		each(slices.Concat(field(content[:i]), strays[0], field(content[i:])))
	}
	switch {
	case fd == nil:
	case fd.Message() != nil:
		each(slices.Concat(protowire.AppendTag(nil, fd.Number(), protowire.StartGroupType),
			protowire.AppendGroup(nil, fd.Number(), content)))
		Changes(content, fd.Message(), func(c []byte) { each(field(c)) })
	case fd.Kind() == protoreflect.StringKind:
		for _, bad := range notUTF8 {
			for i := range len(content) + 1 {
				each(field(slices.Concat(content[:i], []byte(bad), content[i:])))
			}
		}
	case fd.IsList() && fd.Kind() != protoreflect.BytesKind:
		changePacked(head, content, fd, each)
	}
}

var notUTF8 = []string{"\xff", "\x80", "\xc0\x80", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80",
	"\xf0\x9f\x90"}

// changePacked changes each element of a packed run, and takes it out of the run.
func changePacked(head, run []byte, fd protoreflect.FieldDescriptor, each func([]byte)) {
	typ := scalarType(fd.Kind())
	for i := 0; i < len(run); {
		n := protowire.ConsumeFieldValue(fd.Number(), typ, run[i:])
		if n < 0 {
			return
		}
		before, element, after := run[:i], run[i:i+n], run[i+n:]
		inRun := func(c []byte) {
			each(protowire.AppendBytes(bytes.Clone(head), slices.Concat(before, c, after)))
		}
		if typ == protowire.VarintType {
			changeVarint(element, inRun)
		}
		inRun(element[1:])
		single := append(protowire.AppendTag(nil, fd.Number(), typ), element...)
		each(slices.Concat(protowire.AppendBytes(bytes.Clone(head), before), single,
			protowire.AppendBytes(bytes.Clone(head), after)))
		i += n
	}
}

// scalarType is the wire type of a number.
func scalarType(k protoreflect.Kind) protowire.Type {
	switch k {
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return protowire.Fixed64Type
	}
	return protowire.VarintType
}

// changeGroup changes where a group ends, and its content.
func changeGroup(head []byte, num protowire.Number, content []byte, fd protoreflect.FieldDescriptor,
	each func([]byte)) {
	end := protowire.AppendTag(nil, num, protowire.EndGroupType)
	group := func(b ...[]byte) { each(slices.Concat(head, slices.Concat(b...))) }
	group(content)
	group(content, end, end)
	group(content, protowire.AppendTag(nil, num+1, protowire.EndGroupType))
	longVarints(protowire.EncodeTag(num, protowire.EndGroupType), func(long []byte) {
		group(content, long)
	})
	rs := records(content)
	for i := range rs { // the end at another place
		group(join(rs[:i]), end, join(rs[i:]))
	}
	each(protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), content))
	if fd != nil && fd.Message() != nil {
		Changes(content, fd.Message(), func(c []byte) { group(c, end) })
	}
}

// Change returns one of the Changes of b.
func Change(rng *rand.Rand, b []byte, md protoreflect.MessageDescriptor) []byte {
	n, picked := 0, b
	Changes(b, md, func(c []byte) {
		if n++; rng.IntN(n) == 0 {
			picked = c
		}
	})
	return picked
}
