package check

import (
	"bytes"
	"math/rand/v2"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Mutate returns a changed copy of b, a message of type md: one to three changes, at any level,
// most of which keep it valid.
func Mutate(rng *rand.Rand, b []byte, md protoreflect.MessageDescriptor) []byte {
	b = bytes.Clone(b)
	for range 1 + rng.IntN(3) {
		b = mutate(rng, b, md)
	}
	return b
}

func mutate(rng *rand.Rand, b []byte, md protoreflect.MessageDescriptor) []byte {
	rs := records(b)
	if len(rs) > 0 && rng.IntN(3) > 0 {
		i := rng.IntN(len(rs))
		if sub := mutateNested(rng, rs[i], md); sub != nil {
			rs[i] = sub
			return join(rs)
		}
	}
	switch rng.IntN(12) {
	case 0:
		return flip(rng, b)
	case 1:
		return b[:rng.IntN(len(b)+1)]
	case 2:
		return join(shuffled(rng, rs))
	case 3: // the message twice: everything is duplicated
		return append(b, b...)
	case 4:
		return insert(rng, rs, unknown(rng))
	case 5:
		return insert(rng, rs, misused(rng, md))
	case 6:
		return insert(rng, rs, noise(rng))
	}
	if len(rs) == 0 {
		return insert(rng, rs, misused(rng, md))
	}
	i := rng.IntN(len(rs))
	switch rng.IntN(6) {
	case 0: // a field twice, elsewhere
		return insert(rng, rs, rs[i])
	case 1: // a field gone
		return join(append(rs[:i:i], rs[i+1:]...))
	case 2: // a longer tag
		rs[i] = longTag(rng, rs[i])
	case 3: // a value of the same field that is not the same
		rs[i] = append(rs[i], flip(rng, rs[i])...)
	case 4:
		rs[i] = flip(rng, rs[i])
	case 5: // a packed run in two pieces, or as single values
		rs[i] = split(rng, rs[i])
	}
	return join(rs)
}

// mutateNested changes a message that is the value of field r; nil when it is none.
func mutateNested(rng *rand.Rand, r []byte, md protoreflect.MessageDescriptor) []byte {
	num, typ, n := protowire.ConsumeTag(r)
	if n < 0 {
		return nil
	}
	fd := md.Fields().ByNumber(num)
	if fd == nil || fd.Message() == nil {
		return nil
	}
	switch typ {
	case protowire.BytesType:
		if sub, m := protowire.ConsumeBytes(r[n:]); m >= 0 {
			return protowire.AppendBytes(protowire.AppendTag(nil, num, typ),
				mutate(rng, bytes.Clone(sub), fd.Message()))
		}
	case protowire.StartGroupType:
		if sub, m := protowire.ConsumeGroup(num, r[n:]); m >= 0 {
			return protowire.AppendGroup(protowire.AppendTag(nil, num, typ), num,
				mutate(rng, bytes.Clone(sub), fd.Message()))
		}
	}
	return nil
}

func flip(rng *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	if len(b) != 0 {
		i := rng.IntN(len(b))
		if rng.IntN(2) == 0 {
			b[i] ^= 1 << rng.IntN(8)
		} else {
			b[i] = byte(rng.Uint32())
		}
	}
	return b
}

func insert(rng *rand.Rand, rs [][]byte, r []byte) []byte {
	i := rng.IntN(len(rs) + 1)
	return join(append(rs[:i:i], append([][]byte{r}, rs[i:]...)...))
}

// anyValue is a field of the given number with a value of any wire type.
func anyValue(rng *rand.Rand, num protowire.Number) []byte {
	switch rng.IntN(6) {
	case 0:
		return protowire.AppendFixed32(protowire.AppendTag(nil, num, protowire.Fixed32Type),
			rng.Uint32())
	case 1:
		return protowire.AppendFixed64(protowire.AppendTag(nil, num, protowire.Fixed64Type),
			rng.Uint64())
	case 2:
		return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType),
			[]byte(texts[rng.IntN(6)]))
	case 3:
		g := protowire.AppendTag(nil, num, protowire.StartGroupType)
		for range rng.IntN(3) {
			g = append(g, anyValue(rng, protowire.Number(1+rng.IntN(40)))...)
		}
		return protowire.AppendTag(g, num, protowire.EndGroupType)
	}
	return protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.VarintType), number(rng))
}

// unknown is a field that few messages have.
func unknown(rng *rand.Rand) []byte {
	nums := []protowire.Number{42, 77, 999, 3000, 4001, 100000, 536870910, 536870911}
	return anyValue(rng, nums[rng.IntN(len(nums))])
}

// misused is a field of md with a value of any wire type.
func misused(rng *rand.Rand, md protoreflect.MessageDescriptor) []byte {
	if md.Fields().Len() == 0 {
		return unknown(rng)
	}
	return anyValue(rng, md.Fields().Get(rng.IntN(md.Fields().Len())).Number())
}

// noise is what rarely belongs into a message: strange tags, ends of groups, endless varints.
func noise(rng *rand.Rand) []byte {
	all := [][]byte{
		{0}, {0x07}, {0x0c}, {0x0b}, {0x0b, 0x0c}, {0x0e}, {0x0f},
		{0x80}, {0x80, 0x00}, {0x88, 0x00, 0x01}, {0x88, 0x80, 0x00, 0x01},
		bytes.Repeat([]byte{0xff}, 9), bytes.Repeat([]byte{0xff}, 11),
		append([]byte{0x08}, append(bytes.Repeat([]byte{0xff}, 9), 0x01)...),
		append([]byte{0x08}, append(bytes.Repeat([]byte{0xff}, 9), 0x02)...),
		append([]byte{0x08}, append(bytes.Repeat([]byte{0x80}, 9), 0x00)...),
		{0xf8, 0xff, 0xff, 0xff, 0x0f, 0x01}, {0x80, 0x80, 0x80, 0x80, 0x10, 0x01},
		{0xf8, 0xff, 0xff, 0xff, 0x1f, 0x01},
		{0x0a, 0xff, 0xff, 0xff, 0xff, 0x07},
		{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
		{0x0a, 0x80, 0x00}, {0x0a, 0x81, 0x80, 0x00, 'x'}, {0x12, 0x02, 0xc3, 0x28},
		{0x0a, 0x01, 0xff},
	}
	return all[rng.IntN(len(all))]
}

// longTag writes the tag of r, or its first varint, with more bytes than needed.
func longTag(rng *rand.Rand, r []byte) []byte {
	v, n := protowire.ConsumeVarint(r)
	if n < 0 {
		return r
	}
	if rng.IntN(2) == 0 {
		return append(longVarint(rng, v), r[n:]...)
	}
	x, m := protowire.ConsumeVarint(r[n:])
	if m < 0 || v&7 != 0 && v&7 != 2 {
		return r
	}
	return append(append(bytes.Clone(r[:n]), longVarint(rng, x)...), r[n+m:]...)
}

func longVarint(rng *rand.Rand, v uint64) []byte {
	b := protowire.AppendVarint(nil, v)
	for range 1 + rng.IntN(3) {
		b[len(b)-1] |= 0x80
		b = append(b, 0)
	}
	return b
}

// split writes a length-delimited field as two fields.
func split(rng *rand.Rand, r []byte) []byte {
	num, typ, n := protowire.ConsumeTag(r)
	if n < 0 || typ != protowire.BytesType {
		return r
	}
	run, m := protowire.ConsumeBytes(r[n:])
	if m < 0 {
		return r
	}
	i := rng.IntN(len(run) + 1)
	b := protowire.AppendBytes(protowire.AppendTag(nil, num, typ), run[:i])
	if rng.IntN(3) == 0 {
		b = append(b, unknown(rng)...)
	}
	if x, k := protowire.ConsumeVarint(run[i:]); k > 0 && rng.IntN(2) == 0 {
		b = protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), x)
		i += k
	}
	return protowire.AppendBytes(protowire.AppendTag(b, num, typ), run[i:])
}
