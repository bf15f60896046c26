package compiler

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/schema"
)

// declareMessages makes the messages and what is nested in them, without fields.
func (l *lowering) declareMessages(f *schema.File, parent *schema.Message,
	mds protoreflect.MessageDescriptors) []*schema.Message {
	var out []*schema.Message
	for i := range mds.Len() {
		md := mds.Get(i)
		m := &schema.Message{
			Name:       string(md.Name()),
			FullName:   string(md.FullName()),
			File:       f,
			Parent:     parent,
			Comment:    comment(md),
			Pos:        pos(md),
			MapEntry:   md.IsMapEntry(),
			MessageSet: l.sets[md.FullName()] != nil,
			Deprecated: md.Options().(*descriptorpb.MessageOptions).GetDeprecated(),
		}
		l.messages[md.FullName()] = m
		m.Messages = l.declareMessages(f, m, md.Messages())
		m.Enums = l.lowerEnums(f, m, md.Enums())
		out = append(out, m)
	}
	return out
}

// lowerMessage fills in what declareMessages left out.
func (l *lowering) lowerMessage(m *schema.Message, md protoreflect.MessageDescriptor) {
	for i, nested := range m.Messages {
		// map entries must be complete before the fields that use them
		l.lowerMessage(nested, md.Messages().Get(i))
	}
	oneofs := map[protoreflect.Name]*schema.Oneof{}
	for i := range md.Oneofs().Len() {
		od := md.Oneofs().Get(i)
		if od.IsSynthetic() {
			continue
		}
		o := &schema.Oneof{
			Name: string(od.Name()), FullName: string(od.FullName()), Parent: m,
			Comment: comment(od), Pos: pos(od),
		}
		oneofs[od.Name()] = o
		m.Oneofs = append(m.Oneofs, o)
	}
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		f := l.lowerField(fd)
		f.File, f.Parent = m.File, m
		if od := fd.ContainingOneof(); od != nil && !od.IsSynthetic() {
			f.Oneof = oneofs[od.Name()]
			f.Oneof.Fields = append(f.Oneof.Fields, f)
		}
		m.Fields = append(m.Fields, f)
	}
	m.Extensions = l.lowerExtensions(m.File, m, md.Extensions())
	if set := l.sets[md.FullName()]; set != nil {
		for _, r := range set.ExtensionRange {
			m.ExtensionRanges = append(m.ExtensionRanges,
				schema.Range{First: r.GetStart(), Last: r.GetEnd() - 1})
		}
		for _, r := range set.ReservedRange {
			m.ReservedRanges = append(m.ReservedRanges,
				schema.Range{First: r.GetStart(), Last: r.GetEnd() - 1})
		}
	} else {
		m.ExtensionRanges, m.ReservedRanges = ranges(md.ExtensionRanges()),
			ranges(md.ReservedRanges())
	}
	for i := range md.ReservedNames().Len() {
		m.ReservedNames = append(m.ReservedNames, string(md.ReservedNames().Get(i)))
	}
}

func ranges(rs protoreflect.FieldRanges) (out []schema.Range) {
	for i := range rs.Len() {
		r := rs.Get(i)
		out = append(out, schema.Range{First: int32(r[0]), Last: int32(r[1] - 1)})
	}
	return out
}

func (l *lowering) lowerExtensions(f *schema.File, parent *schema.Message,
	xds protoreflect.ExtensionDescriptors) []*schema.Field {
	var out []*schema.Field
	for i := range xds.Len() {
		xd := xds.Get(i)
		if l.sets[xd.ContainingMessage().FullName()] != nil && xd.Kind() == protoreflect.GroupKind {
			at := xd.ParentFile().SourceLocations().ByDescriptor(xd).Path
			l.wrong = append(l.wrong,
				fileError{fmt.Sprintf(
					"extension %q of a message set is a group, expected a message", xd.FullName()),
					at})
		}
		x := l.lowerField(xd)
		if n, ok := l.numbers[xd.FullName()]; ok {
			x.Number = n
		}
		x.File, x.Parent, x.Extendee = f, parent, l.messages[xd.ContainingMessage().FullName()]
		out = append(out, x)
	}
	return out
}

func (l *lowering) lowerEnums(f *schema.File, parent *schema.Message,
	eds protoreflect.EnumDescriptors) []*schema.Enum {
	var out []*schema.Enum
	for i := range eds.Len() {
		ed := eds.Get(i)
		opts := ed.Options().(*descriptorpb.EnumOptions)
		e := &schema.Enum{
			Name:       string(ed.Name()),
			FullName:   string(ed.FullName()),
			File:       f,
			Parent:     parent,
			Comment:    comment(ed),
			Pos:        pos(ed),
			Closed:     ed.IsClosed(),
			AllowAlias: opts.GetAllowAlias(),
			Deprecated: opts.GetDeprecated(),
		}
		for j := range ed.Values().Len() {
			vd := ed.Values().Get(j)
			e.Values = append(e.Values, &schema.EnumValue{
				Name:       string(vd.Name()),
				FullName:   string(vd.FullName()),
				Number:     int32(vd.Number()),
				Enum:       e,
				Comment:    comment(vd),
				Pos:        pos(vd),
				Deprecated: vd.Options().(*descriptorpb.EnumValueOptions).GetDeprecated(),
			})
		}
		l.enums[ed.FullName()] = e
		out = append(out, e)
	}
	return out
}

func (l *lowering) lowerServices(f *schema.File,
	sds protoreflect.ServiceDescriptors) []*schema.Service {
	var out []*schema.Service
	for i := range sds.Len() {
		sd := sds.Get(i)
		s := &schema.Service{
			Name:       string(sd.Name()),
			FullName:   string(sd.FullName()),
			File:       f,
			Comment:    comment(sd),
			Pos:        pos(sd),
			Deprecated: sd.Options().(*descriptorpb.ServiceOptions).GetDeprecated(),
		}
		for j := range sd.Methods().Len() {
			md := sd.Methods().Get(j)
			opts := md.Options().(*descriptorpb.MethodOptions)
			s.Methods = append(s.Methods, &schema.Method{
				Name:            string(md.Name()),
				Input:           l.messages[md.Input().FullName()],
				Output:          l.messages[md.Output().FullName()],
				ClientStreaming: md.IsStreamingClient(),
				ServerStreaming: md.IsStreamingServer(),
				Comment:         comment(md),
				Pos:             pos(md),
				Deprecated:      opts.GetDeprecated(),
				Idempotency:     schema.Idempotency(opts.GetIdempotencyLevel()),
			})
		}
		out = append(out, s)
	}
	return out
}
