package describe

import "github.com/octopus-framework/octopus/internal/compiler/syntax"

// Numbers of fields of descriptors, which paths are made of.
const (
	fileDependency, filePublic, fileWeak, fileOptionDependency = 3, 10, 11, 15
	filePackage, fileMessage, fileEnum, fileService            = 2, 4, 5, 6
	fileExtension, fileOptions, fileSyntax                     = 7, 8, 12

	messageField, messageNested, messageEnum, messageRange = 2, 3, 4, 5
	messageExtension, messageOptions, messageOneof         = 6, 7, 8
	messageReserved, messageReservedName                   = 9, 10

	fieldExtendee, fieldNumber, fieldLabel, fieldType = 2, 3, 4, 5
	fieldTypeName, fieldDefault, fieldOptions         = 6, 7, 8
	fieldJSONName                                     = 10

	oneofOptions = 2

	enumValue, enumOptions, enumReserved, enumReservedName = 2, 3, 4, 5
	valueNumber, valueOptions                              = 2, 3

	serviceMethod, serviceOptions                = 2, 3
	methodInput, methodOutput, methodOptions     = 2, 3, 4
	methodClientStreaming, methodServerStreaming = 5, 6

	rangeStart, rangeEnd, rangeOptions = 1, 2, 3

	elementName = 1 // of each element
)

// counts is how many of each kind there were so far in a file or message.
type counts struct {
	imports, public, weak, optionImports          int32
	messages, enums, services, extensions, fields int32
	oneofs, ranges, reserved, reservedNames       int32
	messageNumber, enumNumber, extensionNumber    int32 // the fields that they are in
}

func (r *recorder) file() {
	whole := syntax.Range{First: 0, Last: syntax.TokenID(len(r.tokens) - 2)}
	r.add(whole)
	in := counts{messageNumber: fileMessage, enumNumber: fileEnum, extensionNumber: fileExtension}
	for _, decl := range r.tree.Decls {
		switch decl := decl.(type) {
		case *syntax.Syntax:
			r.end(decl.Last, r.add(decl.Range, fileSyntax))
		case *syntax.Package:
			r.end(decl.Last, r.add(decl.Range, filePackage))
		case *syntax.Import:
			r.imported(decl, &in)
		case *syntax.Option:
			r.optionStatement(decl, fileOptions)
		case *syntax.Service:
			r.within(func() { r.service(decl) }, fileService, in.services)
			in.services++
		default:
			r.declared(decl, &in)
		}
	}
}

func (r *recorder) imported(i *syntax.Import, in *counts) {
	switch word := r.tree.TokenText(i.Modifier); word {
	case "option":
		r.end(i.Last, r.add(i.Range, fileOptionDependency, in.optionImports))
		in.optionImports++
		return
	default:
		at := r.add(i.Range, fileDependency, in.imports)
		in.imports++
		switch word {
		case "public":
			r.part(one(i.Modifier), filePublic, in.public)
			in.public++
		case "weak":
			r.part(one(i.Modifier), fileWeak, in.weak)
			in.weak++
		}
		r.end(i.Last, at)
	}
}

// declared records what may stand in a message as well as in a file.
func (r *recorder) declared(decl syntax.Decl, in *counts) {
	switch decl := decl.(type) {
	case *syntax.Message:
		r.within(func() {
			at := r.add(behind(decl.Range, decl.Visibility))
			r.part(one(decl.Name), elementName)
			r.body(&decl.Body, at)
		}, in.messageNumber, in.messages)
		in.messages++
	case *syntax.Enum:
		r.within(func() { r.enum(decl) }, in.enumNumber, in.enums)
		in.enums++
	case *syntax.Extend:
		r.extend(decl, in)
	case *syntax.Empty:
		r.empty(decl.First)
	}
}

// behind is a declaration without its visibility, which protoc leaves out.
func behind(all syntax.Range, visibility syntax.TokenID) syntax.Range {
	if visibility >= 0 {
		all.First = visibility + 1
	}
	return all
}

// body records what is between the braces of a message or group, whose location is at.
func (r *recorder) body(b *syntax.Body, at int) {
	r.end(b.Open, at)
	in := counts{messageNumber: messageNested, enumNumber: messageEnum,
		extensionNumber: messageExtension}
	for _, decl := range b.Decls {
		switch decl := decl.(type) {
		case *syntax.Field:
			r.field(decl, &in, messageField, &in.fields, syntax.None)
		case *syntax.Oneof:
			r.oneof(decl, &in)
		case *syntax.Option:
			r.optionStatement(decl, messageOptions)
		case *syntax.Extensions:
			r.extensionRanges(decl, &in)
		case *syntax.Reserved:
			r.reserved(decl, &in, messageReserved, messageReservedName)
		default:
			r.declared(decl, &in)
		}
	}
	r.endBlock(b.Close)
}

// field records a field, which is the next of those in the field number of the current path.
func (r *recorder) field(f *syntax.Field, in *counts, number int32, index *int32,
	extendee syntax.Range) {
	outer := len(r.path)
	r.path = append(r.path, number, *index)
	*index++
	at := r.add(f.Range)
	if extendee.Present() {
		r.part(extendee, fieldExtendee)
	}
	if f.Label >= 0 {
		r.part(one(f.Label), fieldLabel)
	}
	switch {
	case f.Map != nil:
		r.part(f.Map.Range, fieldTypeName)
	case f.Type.First == f.Type.Last && scalars[r.tree.TokenText(f.Type.First)] != nil:
		r.part(f.Type, fieldType)
	default:
		r.part(f.Type, fieldTypeName)
	}
	r.part(one(f.Name), elementName)
	r.part(f.Number, fieldNumber)
	if f.Options != nil && r.all {
		r.fieldOptions(f.Options)
	}
	if f.Group == nil {
		r.path = r.path[:outer]
		if f.Map != nil {
			in.messages++
		}
		r.end(f.Last, at)
		return
	}
	inner := r.path[outer:]
	path := [2]int32{inner[0], inner[1]}
	r.path = append(r.path[:outer], in.messageNumber, in.messages)
	in.messages++
	group := r.add(f.Range)
	r.part(one(f.Name), elementName)
	r.path = append(r.path[:outer], path[0], path[1])
	r.part(one(f.Name), fieldTypeName)
	r.path = append(r.path[:outer], in.messageNumber, in.messages-1)
	r.body(f.Group, group)
	r.path = r.path[:outer]
}

func (r *recorder) fieldOptions(list *syntax.Options) {
	r.add(list.Range, fieldOptions)
	for _, o := range list.List {
		word := ""
		if !o.Name[0].Extension {
			word = r.tree.TokenText(o.Name[0].First)
		}
		switch word {
		case "default":
			r.add(o.Value.Range, fieldDefault)
		case "json_name":
			r.add(o.Range, fieldJSONName)
			r.add(o.Value.Range, fieldJSONName)
		default:
			r.interpreted(o, o.Range, fieldOptions)
		}
	}
}

// interpreted records an option at the path that it got when it was read.
func (r *recorder) interpreted(o *syntax.Option, at syntax.Range, options int32) int {
	n := r.option[o.First]
	if n == 0 {
		return -1
	}
	r.path = append(r.path, options)
	location := r.add(at, r.result[n-1]...)
	r.path = r.path[:len(r.path)-1]
	return location
}

// optionStatement records one that begins with the word option.
func (r *recorder) optionStatement(o *syntax.Option, options int32) {
	at := -1
	if r.all {
		at = r.add(o.Range, options)
		if n := r.interpreted(o, o.Range, options); n >= 0 {
			at = n
		}
	}
	r.end(o.Last, at)
}

// optionList records those in brackets, apart from fields'.
func (r *recorder) optionList(list *syntax.Options, options int32) {
	if list == nil || !r.all {
		return
	}
	r.add(list.Range, options)
	for _, o := range list.List {
		r.interpreted(o, o.Range, options)
	}
}

func (r *recorder) oneof(o *syntax.Oneof, in *counts) {
	n := len(r.path)
	r.path = append(r.path, messageOneof, in.oneofs)
	in.oneofs++
	at := r.add(o.Range)
	r.part(one(o.Name), elementName)
	own := [2]int32{r.path[n], r.path[n+1]}
	r.end(o.Body.Open, at)
	r.path = r.path[:n]
	for _, decl := range o.Body.Decls {
		switch decl := decl.(type) {
		case *syntax.Option:
			r.within(func() { r.optionStatement(decl, oneofOptions) }, own[0], own[1])
		case *syntax.Field:
			r.field(decl, in, messageField, &in.fields, syntax.None)
		}
	}
	r.endBlock(o.Body.Close)
}

func (r *recorder) extend(e *syntax.Extend, in *counts) {
	r.end(e.Body.Open, r.add(e.Range, in.extensionNumber))
	for _, decl := range e.Body.Decls {
		if f, ok := decl.(*syntax.Field); ok {
			r.field(f, in, in.extensionNumber, &in.extensions, e.Extendee)
		}
	}
	r.endBlock(e.Body.Close)
}

func (r *recorder) extensionRanges(e *syntax.Extensions, in *counts) {
	at := r.add(e.Range, messageRange)
	first := in.ranges
	r.numberRanges(e.Ranges, messageRange, &in.ranges)
	if e.Options != nil && r.all {
		for i := first; i < in.ranges; i++ {
			r.within(func() { r.optionList(e.Options, rangeOptions) }, messageRange, i)
		}
	}
	r.end(e.Last, at)
}

func (r *recorder) numberRanges(ranges []syntax.NumberRange, number int32, index *int32) {
	for _, n := range ranges {
		r.part(n.Range, number, *index)
		r.part(n.Start, number, *index, rangeStart)
		end := n.End
		if !end.Present() {
			end = one(n.Start.First) // of a negative number the sign only, as protoc has it
		}
		r.part(end, number, *index, rangeEnd)
		*index++
	}
}

func (r *recorder) reserved(s *syntax.Reserved, in *counts, ranges, names int32) {
	if len(s.Names) == 0 {
		at := r.add(s.Range, ranges)
		r.numberRanges(s.Ranges, ranges, &in.reserved)
		r.end(s.Last, at)
		return
	}
	at := r.add(s.Range, names)
	for _, n := range s.Names {
		r.part(n, names, in.reservedNames)
		in.reservedNames++
	}
	r.end(s.Last, at)
}

func (r *recorder) enum(e *syntax.Enum) {
	at := r.add(behind(e.Range, e.Visibility))
	r.part(one(e.Name), elementName)
	r.end(e.Body.Open, at)
	var in counts
	for _, decl := range e.Body.Decls {
		switch decl := decl.(type) {
		case *syntax.EnumValue:
			r.within(func() {
				at := r.add(decl.Range)
				r.part(one(decl.Name), elementName)
				r.part(decl.Number, valueNumber)
				r.optionList(decl.Options, valueOptions)
				r.end(decl.Last, at)
			}, enumValue, in.fields)
			in.fields++
		case *syntax.Option:
			r.optionStatement(decl, enumOptions)
		case *syntax.Reserved:
			r.reserved(decl, &in, enumReserved, enumReservedName)
		case *syntax.Empty:
			r.empty(decl.First)
		}
	}
	r.endBlock(e.Body.Close)
}

func (r *recorder) service(s *syntax.Service) {
	at := r.add(s.Range)
	r.part(one(s.Name), elementName)
	r.end(s.Body.Open, at)
	methods := int32(0)
	for _, decl := range s.Body.Decls {
		switch decl := decl.(type) {
		case *syntax.Method:
			r.within(func() { r.method(decl) }, serviceMethod, methods)
			methods++
		case *syntax.Option:
			r.optionStatement(decl, serviceOptions)
		case *syntax.Empty:
			r.empty(decl.First)
		}
	}
	r.endBlock(s.Body.Close)
}

func (r *recorder) method(m *syntax.Method) {
	at := r.add(m.Range)
	r.part(one(m.Name), elementName)
	if m.ClientStreams >= 0 {
		r.part(one(m.ClientStreams), methodClientStreaming)
	}
	r.part(m.Input, methodInput)
	if m.ServerStreams >= 0 {
		r.part(one(m.ServerStreams), methodServerStreaming)
	}
	r.part(m.Output, methodOutput)
	if m.Body == nil {
		r.end(m.Last, at)
		return
	}
	r.end(m.Body.Open, at)
	for _, decl := range m.Body.Decls {
		switch decl := decl.(type) {
		case *syntax.Option:
			r.optionStatement(decl, methodOptions)
		case *syntax.Empty:
			r.empty(decl.First)
		}
	}
	r.endBlock(m.Body.Close)
}
