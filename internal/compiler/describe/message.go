package describe

import (
	"math"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

func (d *describer) message(m *syntax.Message, scope string) *descriptorpb.DescriptorProto {
	p := d.messages.take()
	p.Name = d.string(d.Tree.TokenText(m.Name))
	p.Visibility = d.visibility(m.Visibility)
	d.body(&m.Body, p, qualify(scope, p.GetName()), scope)
	if d.Edition == descriptorpb.Edition_EDITION_PROTO3 {
		d.syntheticOneofs(p)
	}
	return p
}

// body describes what stands in the braces of a message or group, whose full name is full.
func (d *describer) body(b *syntax.Body, p *descriptorpb.DescriptorProto, full, scope string) {
	fields, messages := 0, 0
	count := func(f *syntax.Field) {
		fields++
		if f.Map != nil || f.Group != nil {
			messages++
		}
	}
	for _, decl := range b.Decls {
		switch decl := decl.(type) {
		case *syntax.Field:
			count(decl)
		case *syntax.Oneof:
			for _, decl := range decl.Body.Decls {
				if f, ok := decl.(*syntax.Field); ok {
					count(f)
				}
			}
		case *syntax.Message:
			messages++
		}
	}
	if fields > 0 {
		p.Field = make([]*descriptorpb.FieldDescriptorProto, 0, fields)
	}
	if messages > 0 {
		p.NestedType = make([]*descriptorpb.DescriptorProto, 0, messages)
	}
	var opts []*syntax.Option
	for _, decl := range b.Decls {
		switch decl := decl.(type) {
		case *syntax.Field:
			p.Field = append(p.Field, d.field(decl, full, &p.NestedType, place{}))
		case *syntax.Message:
			p.NestedType = append(p.NestedType, d.message(decl, full))
		case *syntax.Enum:
			p.EnumType = append(p.EnumType, d.enum(decl, full))
		case *syntax.Oneof:
			d.oneof(decl, p, full)
		case *syntax.Extend:
			d.extend(decl, full, &p.Extension, &p.NestedType)
		case *syntax.Option:
			opts = append(opts, decl)
		case *syntax.Extensions:
			d.extensions(decl, p, scope)
		case *syntax.Reserved:
			d.reserved(decl, p)
		}
	}
	d.adjustMax(p, opts)
	for _, o := range opts {
		if d.beginsWith(o, "map_entry") {
			d.report(o.Range, "map_entry cannot be set", "use map<KeyType, ValueType>")
		}
	}
	d.state(p, scope, descriptorpb.FieldOptions_TARGET_TYPE_MESSAGE, opts)
}

// place is where a field stands, apart from its message.
type place struct {
	oneof    *int32  // index, or nil
	extendee *string // or nil
}

func (d *describer) oneof(o *syntax.Oneof, p *descriptorpb.DescriptorProto, full string) {
	decl := d.oneofs.take()
	decl.Name = d.string(d.Tree.TokenText(o.Name))
	in := place{oneof: d.number(int32(len(p.OneofDecl)))}
	p.OneofDecl = append(p.OneofDecl, decl)
	var opts []*syntax.Option
	for _, child := range o.Body.Decls {
		switch child := child.(type) {
		case *syntax.Option:
			opts = append(opts, child)
		case *syntax.Field:
			p.Field = append(p.Field, d.field(child, full, &p.NestedType, in))
		}
	}
	d.state(decl, full, descriptorpb.FieldOptions_TARGET_TYPE_ONEOF, opts)
}

func (d *describer) extend(e *syntax.Extend, scope string,
	extensions *[]*descriptorpb.FieldDescriptorProto,
	messages *[]*descriptorpb.DescriptorProto) {
	in := place{extendee: d.string(d.Tree.Name(e.Extendee))}
	for _, decl := range e.Body.Decls {
		if f, ok := decl.(*syntax.Field); ok {
			*extensions = append(*extensions, d.field(f, scope, messages, in))
		}
	}
}

// syntheticOneofs adds the oneofs of fields of proto3 that are optional.
func (d *describer) syntheticOneofs(p *descriptorpb.DescriptorProto) {
	n := 0
	for _, f := range p.Field {
		if f.Proto3Optional != nil {
			n++
		}
	}
	if n == 0 {
		return
	}
	names := make(map[string]bool, len(p.Field)+len(p.OneofDecl)+n)
	for _, f := range p.Field {
		names[f.GetName()] = true
	}
	for _, o := range p.OneofDecl {
		names[o.GetName()] = true
	}
	for _, f := range p.Field {
		if f.Proto3Optional == nil {
			continue
		}
		name := f.GetName()
		if name == "" || name[0] != '_' {
			name = "_" + name
		}
		for names[name] {
			name = "X" + name
		}
		names[name] = true
		f.OneofIndex = d.number(int32(len(p.OneofDecl)))
		o := d.oneofs.take()
		o.Name = d.string(name)
		p.OneofDecl = append(p.OneofDecl, o)
	}
}

// maxEnd stands for the word max until all options of a message are known.
const maxEnd = -1

// adjustMax replaces max in ranges of numbers.
func (d *describer) adjustMax(p *descriptorpb.DescriptorProto, opts []*syntax.Option) {
	if len(p.ExtensionRange) == 0 && len(p.ReservedRange) == 0 {
		return
	}
	end := int32(1 << 29)
	for _, o := range opts {
		if d.isNamed(o, "message_set_wire_format") && o.Value.Kind == syntax.IdentValue &&
			d.Tree.Name(o.Value.Range) == "true" {
			end = math.MaxInt32
		}
	}
	for _, r := range p.ExtensionRange {
		if r.GetEnd() == maxEnd {
			r.End = d.number(end)
		}
	}
	for _, r := range p.ReservedRange {
		if r.GetEnd() == maxEnd {
			r.End = d.number(end)
		}
	}
}

func (d *describer) extensions(e *syntax.Extensions, p *descriptorpb.DescriptorProto,
	scope string) {
	for _, r := range e.Ranges {
		start, end := d.messageRange(r)
		out := &descriptorpb.DescriptorProto_ExtensionRange{
			Start: d.number(start), End: d.number(end)}
		p.ExtensionRange = append(p.ExtensionRange, out)
		if e.Options != nil {
			d.state(out, scope, descriptorpb.FieldOptions_TARGET_TYPE_EXTENSION_RANGE,
				e.Options.List)
		}
	}
}

func (d *describer) reserved(r *syntax.Reserved, p *descriptorpb.DescriptorProto) {
	for _, n := range r.Ranges {
		start, end := d.messageRange(n)
		p.ReservedRange = append(p.ReservedRange,
			&descriptorpb.DescriptorProto_ReservedRange{Start: d.number(start), End: d.number(end)})
	}
	d.reservedNames(r, &p.ReservedName)
}

func (d *describer) reservedInEnum(r *syntax.Reserved, p *descriptorpb.EnumDescriptorProto) {
	for _, n := range r.Ranges {
		start := d.int32(n.Start)
		end := start
		if d.isMax(n.End) {
			end = math.MaxInt32
		} else if n.End.Present() {
			end = d.int32(n.End)
		}
		p.ReservedRange = append(p.ReservedRange,
			&descriptorpb.EnumDescriptorProto_EnumReservedRange{Start: d.number(start),
				End: d.number(end)})
	}
	d.reservedNames(r, &p.ReservedName)
}

func (d *describer) reservedNames(r *syntax.Reserved, names *[]string) {
	for _, n := range r.Names {
		if d.Tree.Tokens[n.First].Kind == syntax.String {
			*names = append(*names, d.Tree.String(n))
		} else {
			*names = append(*names, d.Tree.TokenText(n.First))
		}
	}
}

// messageRange reads a range of numbers of fields; the end is exclusive.
func (d *describer) messageRange(r syntax.NumberRange) (start, end int32) {
	start = d.int32(r.Start)
	end = start
	if d.isMax(r.End) {
		return start, maxEnd
	}
	if r.End.Present() {
		end = d.int32(r.End)
	}
	return start, end + 1 // which may wrap; rules look at that
}

func (d *describer) isMax(r syntax.Range) bool {
	return r.Present() && d.Tree.TokenText(r.First) == "max"
}
