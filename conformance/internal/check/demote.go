package check

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Demote rewrites b, a valid message of type md, so that protobuf-go sees the numbers that a closed
// enum does not have the way that the specification asks for: as unknown fields. (protobuf-go
// treats every enum as open.) Such fields get a number that no schema may use, derived from their
// own; b itself comes back when there is nothing to rewrite. Extensions are unknown fields
// themselves unless they are among known, which may be nil.
func Demote(b []byte, md protoreflect.MessageDescriptor, known *protoregistry.Types) []byte {
	if !hasClosed(md, known, map[protoreflect.FullName]bool{}) {
		return b
	}
	return demote(nil, b, md, known)
}

// reservedNumber is in the range that protobuf keeps for itself.
func reservedNumber(n protowire.Number) protowire.Number { return 19000 + n%1000 }

// isClosed tells whether fd is of a closed enum. Generated descriptors of protobuf-go miss what an
// enum's own options say.
func isClosed(fd protoreflect.FieldDescriptor) bool {
	if fd.Enum() == nil {
		return false
	}
	o, _ := fd.Enum().Options().(*descriptorpb.EnumOptions)
	return fd.Enum().IsClosed() || o.GetFeatures().GetEnumType() == descriptorpb.FeatureSet_CLOSED
}

func listed(fd protoreflect.FieldDescriptor, x uint64) bool {
	return fd.Enum().Values().ByNumber(protoreflect.EnumNumber(x)) != nil
}

func hasClosed(md protoreflect.MessageDescriptor, known *protoregistry.Types,
	seen map[protoreflect.FullName]bool) bool {
	if seen[md.FullName()] {
		return false
	}
	if known.NumExtensionsByMessage(md.FullName()) != 0 {
		return true
	}
	seen[md.FullName()] = true
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		if isClosed(fd) || fd.Message() != nil && hasClosed(fd.Message(), known, seen) {
			return true
		}
	}
	return false
}

func demote(dst, b []byte, md protoreflect.MessageDescriptor, known *protoregistry.Types) []byte {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeField(b)
		if n < 0 {
			return append(dst, b...)
		}
		_, _, tagLen := protowire.ConsumeTag(b)
		whole, value := b[:n], b[tagLen:n]
		b = b[n:]
		fd := md.Fields().ByNumber(num)
		if x, err := known.FindExtensionByNumber(md.FullName(), num); err == nil {
			fd = x.TypeDescriptor()
		}
		if fd == nil {
			dst = append(dst, whole...)
			continue
		}
		dst = demoteField(dst, whole, value, num, typ, fd, known)
	}
	return dst
}

func demoteField(dst, whole, value []byte, num protowire.Number, typ protowire.Type,
	fd protoreflect.FieldDescriptor,
	known *protoregistry.Types) []byte {
	switch {
	case isClosed(fd) && typ == protowire.VarintType:
		if x, _ := protowire.ConsumeVarint(value); !listed(fd, x) {
			return protowire.AppendVarint(protowire.AppendTag(dst, reservedNumber(num), typ), x)
		}
	case isClosed(fd) && fd.IsList() && typ == protowire.BytesType:
		return demotePacked(dst, value, num, fd)
	case fd.IsMap() && isClosed(fd.MapValue()) && typ == protowire.BytesType:
		if entry, _ := protowire.ConsumeBytes(value); !lastListed(entry, fd.MapValue()) {
			return protowire.AppendBytes(protowire.AppendTag(dst, reservedNumber(num), typ), entry)
		}
	case fd.Kind() == protoreflect.MessageKind && typ == protowire.BytesType:
		sub, _ := protowire.ConsumeBytes(value)
		return protowire.AppendBytes(protowire.AppendTag(dst, num, typ),
			demote(nil, sub, fd.Message(), known))
	case fd.Kind() == protoreflect.GroupKind && typ == protowire.StartGroupType:
		sub, _ := protowire.ConsumeGroup(num, value)
		dst = demote(protowire.AppendTag(dst, num, typ), sub, fd.Message(), known)
		return protowire.AppendTag(dst, num, protowire.EndGroupType)
	}
	return append(dst, whole...)
}

func demotePacked(dst, value []byte, num protowire.Number, fd protoreflect.FieldDescriptor) []byte {
	run, _ := protowire.ConsumeBytes(value)
	var good, unlisted []byte
	for len(run) > 0 {
		x, n := protowire.ConsumeVarint(run)
		if n < 0 {
			good = append(good, run...)
			break
		}
		if listed(fd, x) {
			good = append(good, run[:n]...)
		} else {
			unlisted = protowire.AppendVarint(protowire.AppendTag(unlisted, reservedNumber(num),
				protowire.VarintType), x)
		}
		run = run[n:]
	}
	dst = protowire.AppendBytes(protowire.AppendTag(dst, num, protowire.BytesType), good)
	return append(dst, unlisted...)
}

// lastListed tells whether the value of a map entry is one of its closed enum; of several values
// the last one counts.
func lastListed(entry []byte, value protoreflect.FieldDescriptor) bool {
	ok := true
	for len(entry) > 0 {
		num, typ, n := protowire.ConsumeTag(entry)
		if n < 0 {
			return ok
		}
		m := protowire.ConsumeFieldValue(num, typ, entry[n:])
		if m < 0 {
			return ok
		}
		if num == 2 && typ == protowire.VarintType {
			x, _ := protowire.ConsumeVarint(entry[n:])
			ok = listed(value, x)
		}
		entry = entry[n+m:]
	}
	return ok
}
