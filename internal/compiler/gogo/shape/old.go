package shape

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// What few use any more: faces, messages that hold one field only, descriptions.

// face prints the getters and constructor of a message with a face; its interface names the
// library's Message.
func (p *printer) face(m *message) {
	name := m.goName.name
	for _, f := range m.fields {
		p.p()
		p.p("func (this *", name, ") Get", f.goName, "() ", p.fieldType(f), " { return this.",
			f.goName, " }")
	}
	if !p.file.opts.hasV1() {
		return
	}
	p.p()
	p.p("// New", name, "FromFace returns a message with what the getters of that return.")
	p.p("func New", name, "FromFace(that ", name, "Face) *", name, " {")
	p.p("this := &", name, "{}")
	for _, f := range m.fields {
		p.p("this.", f.goName, " = that.Get", f.goName, "()")
	}
	p.p("return this")
	p.p("}")
}

// faceInterface prints the interface of a message with a face.
func (p *printer) faceInterface(m *message, lib string) {
	name := m.goName.name
	p.p()
	p.p("// ", name, "Face has the getters of ", name, ".")
	p.p("type ", name, "Face interface {")
	p.p("Proto() ", lib, ".Message")
	for _, f := range m.fields {
		p.p("Get", f.goName, "() ", p.fieldType(f))
	}
	p.p("}")
	p.p()
	p.p("// Proto returns this.")
	p.p("func (this *", name, ") Proto() ", lib, ".Message { return this }")
	p.p()
	p.p("// TestProto returns a copy of this.")
	p.p("func (this *", name, ") TestProto() ", lib, ".Message { return New", name,
		"FromFace(this) }")
}

// onlyOne prints GetValue and SetValue of a message that holds one field only.
func (p *printer) onlyOne(m *message) {
	name := m.goName.name
	p.p()
	p.p("// GetValue returns the first field that is set, or nil.")
	p.p("func (this *", name, ") GetValue() interface{} {")
	for _, f := range m.fields {
		p.p("if this.", f.goName, " != nil {")
		p.p("return this.", f.goName)
		p.p("}")
	}
	p.p("return nil")
	p.p("}")
	p.p()
	p.p("// SetValue sets the field that has the type of value, and tells whether there is one.")
	p.p("func (this *", name, ") SetValue(value interface{}) bool {")
	p.p("switch vt := value.(type) {")
	for _, f := range m.fields {
		p.p("case ", p.fieldType(f), ":")
		p.p("this.", f.goName, " = vt")
	}
	p.p("default:")
	for _, f := range m.fields {
		if f.Kind != schema.MessageKind || f.IsMap() ||
			!p.facts.Messages[f.Message.FullName].OnlyOne {
			continue
		}
		p.p("this.", f.goName, " = new(", p.typ(f), ")")
		p.p("if this.", f.goName, ".SetValue(value) {")
		p.p("return true")
		p.p("}")
		p.p("this.", f.goName, " = nil")
	}
	p.p("return false")
	p.p("}")
	p.p("return true")
	p.p("}")
}

// description prints the methods that return the descriptors of all files, as gogo's library has
// them.
func (p *printer) description(lib string) {
	var with []string
	for m := range p.file.schema.AllMessages() {
		if p.facts.Messages[m.FullName].Description {
			with = append(with, p.names.messages[m].goName.name)
		}
	}
	if len(with) == 0 {
		return
	}
	set := p.use("github.com/gogo/protobuf/protoc-gen-gogo/descriptor") + ".FileDescriptorSet"
	for _, name := range with {
		p.p()
		p.p("// Description returns the descriptors of all files.")
		p.p("func (this *", name, ") Description() *", set, " { return ", p.file.local,
			"Description() }")
	}
	all := &descriptorpb.FileDescriptorSet{}
	for _, f := range p.names.order {
		if facts := p.facts.Files[f.Path]; facts != nil {
			fd := proto.Clone(facts.Descriptor).(*descriptorpb.FileDescriptorProto)
			fd.SourceCodeInfo = nil
			all.File = append(all.File, fd)
		}
	}
	p.p()
	p.p("// ", p.file.local,
		"Description returns the descriptors of this file and all that it imports.")
	p.p("func ", p.file.local, "Description() *", set, " {")
	p.compressed("packed := ", all)
	p.p("r, err := ", p.use("compress/gzip"), ".NewReader(", p.use("bytes"), ".NewReader(packed))")
	p.p("if err != nil {")
	p.p("panic(err)")
	p.p("}")
	p.p("raw, err := ", p.use("io"), ".ReadAll(r)")
	p.p("if err != nil {")
	p.p("panic(err)")
	p.p("}")
	p.p("d := &", set, "{}")
	p.p("if err := ", lib, ".Unmarshal(raw, d); err != nil {")
	p.p("panic(err)")
	p.p("}")
	p.p("return d")
	p.p("}")
}

// compressed prints a declaration of bytes: a message compressed by gzip.
func (p *printer) compressed(declaration string, m proto.Message) {
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic(err)
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(raw)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err)
	}
	p.p(declaration, "[]byte{")
	for line := range slices.Chunk(packed.Bytes(), 16) {
		var b strings.Builder
		for _, c := range line {
			fmt.Fprintf(&b, "0x%02x, ", c)
		}
		p.p(strings.TrimSpace(b.String()))
	}
	p.p("}")
}
