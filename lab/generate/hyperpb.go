package main

import "fmt"

// hyperpb has no generated code: messages are read by reflection, with field descriptors that are looked up once.
// There are two forms: recompiled with a profile of the messages to come, and not; version 0.1.3 reads lists of strings wrong
// with a profile.
func hyperpb(profile bool) impl {
	i := impl{name: "hyperpb", folder: "hyperpb", wide: true, pb: "google", module: "buf.build/go/hyperpb", walk: reflection{},
		imports: []string{"buf.build/go/hyperpb", "google.golang.org/protobuf/reflect/protoreflect"},
		helpers: "\nvar alias = hyperpb.WithAllowAlias(true)\n",
		setup:   "ty, shared := hyperpb.CompileMessageDescriptor(m{T}), new(hyperpb.Shared); _ = shared",
		target:  "m := shared.NewMessage(ty)",
		fresh:   "m := hyperpb.NewMessage(ty)",
		decode:  "m.Unmarshal(b, alias)",
		free:    "shared.Free()",
		minimal: "m := hyperpb.NewMessage(hyperpb.CompileMessageDescriptor((*pb.Submit)(nil).ProtoReflect().Descriptor())); must(m.Unmarshal(b)); os.Stdout.WriteString(m.Get(m.Descriptor().Fields().ByName(\"text\")).String()); out := b",
	}
	if profile {
		i.name, i.folder, i.minimal = "hyperpb-pgo", "hyperpbpgo", ""
		i.setup = "ty, shared := compile(m{T}, data), new(hyperpb.Shared); _ = shared"
		i.helpers += `
// compile compiles m for messages like those in data.
func compile(m protoreflect.MessageDescriptor, data [][]byte) *hyperpb.MessageType {
	ty := hyperpb.CompileMessageDescriptor(m)
	profile, shared := ty.NewProfile(), new(hyperpb.Shared)
	for _, b := range data {
		worker.Must(shared.NewMessage(ty).Unmarshal(b, hyperpb.WithRecordProfile(profile, 1)))
		shared.Free()
	}
	return ty.Recompile(profile)
}
`
	}
	return i
}

// reflection walks messages with protoreflect.
type reflection struct{}

func (reflection) text(m message, two bool, fields [2]string) string {
	t := string(m.Name())
	decl := fmt.Sprintf("\nvar (\nm%s = (*pb.%s)(nil).ProtoReflect().Descriptor()\n", t, t)
	for i := range m.Fields().Len() {
		f := m.Fields().Get(i)
		decl += fmt.Sprintf("f%s_%s = m%s.Fields().ByNumber(%d)\n", t, f.Name(), t, f.Number())
	}
	return decl + ")\n" + functions(m, "protoreflect.Message", two, fields, func(v visit, f field) string {
		fd := fmt.Sprintf("f%s_%s", t, f.Name())
		get := "m.Get(" + fd + ")"
		switch {
		case f.IsMap():
			return fmt.Sprintf("%s.Map().Range(func(k protoreflect.MapKey, x protoreflect.Value) bool {\n%sreturn true\n})\n", get,
				v.entry(f, typed(f.MapKey(), "k"), typed(f.MapValue(), "x")))
		case f.IsList():
			return fmt.Sprintf("for i, l := 0, %s.List(); i < l.Len(); i++ {\n%s}\n", get, v.value(f, "i", typed(f, "l.Get(i)")))
		case isMessage(f):
			return fmt.Sprintf("if m.Has(%s) {\n%s}\n", fd, v.nested(f, "-1", typed(f, get)))
		default:
			return v.leaf(f, "-1", typed(f, get))
		}
	})
}

// typed gets the value of f out of a protoreflect.Value or MapKey.
func typed(f field, v string) string {
	switch f.Kind().String() {
	case "message":
		return v + ".Message()"
	case "string":
		return v + ".String()"
	case "bytes":
		return v + ".Bytes()"
	case "bool":
		return v + ".Bool()"
	case "enum":
		return v + ".Enum()"
	case "float":
		return "float32(" + v + ".Float())"
	case "double":
		return v + ".Float()"
	case "uint32", "uint64", "fixed32", "fixed64":
		return v + ".Uint()"
	default:
		return v + ".Int()"
	}
}
