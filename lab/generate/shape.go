package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// The code of module lab/stdtime: messages in the shape of gogo/protobuf, by its own plugins and by ours.
const (
	gogoPlugin       = "github.com/gogo/protobuf/protoc-gen-gogo@v1.3.2"
	gogofasterPlugin = "github.com/gogo/protobuf/protoc-gen-gogofaster@v1.3.2"
	ourShape         = "preset=gogofaster,registry=none"
)

// writeTimes writes a message with times in four forms: by gogo's slow plugin, its fast one, our shape and our native code.
func writeTimes() error {
	fds, err := compile("stdtime", []string{"beat.proto"})
	if err != nil {
		return err
	}
	types := "Mgoogle/protobuf/timestamp.proto=github.com/gogo/protobuf/types"
	for name, p := range map[string]plugin{"table": {gogoPlugin, types}, "gogofaster": {gogofasterPlugin, types},
		"ours": {"", types + "," + ourShape}} {
		if err := p.writeFolder(fds, "lab.stdtime", name, filepath.Join("stdtime/gen", name), "beat.proto"); err != nil {
			return err
		}
	}
	return writeNativeTimes()
}

// writeNativeTimes writes the message with its list as []time.Time, which gremlin.yaml asks for where gogo has an option.
func writeNativeTimes() error {
	out, err := filepath.Abs("stdtime/gen/native")
	if err != nil {
		return err
	}
	gremlin, err := filepath.Abs(filepath.Join(ownTools, "gremlin"))
	if err != nil {
		return err
	}
	text, err := os.ReadFile("stdtime/beat.proto")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "lab")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var schema strings.Builder
	for line := range strings.Lines(strings.Replace(string(text), "package lab.stdtime;", "package lab.stdtime.native;", 1)) {
		if strings.Contains(line, "gogo.proto") {
			continue
		}
		if before, _, found := strings.Cut(line, " [(gogoproto"); found {
			line = before + ";\n"
		}
		schema.WriteString(line)
	}
	yaml := fmt.Sprintf("roots: [.]\nout: %s\nmodule: %s/stdtime/gen/native\nfields: [{field: \"**\", stdtime: true}]\n", out, module)
	for name, content := range map[string]string{"beat.proto": schema.String(), "gremlin.yaml": yaml} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			return err
		}
	}
	return command(dir, gremlin, "generate")
}

// writeShapes writes the lab's own schemas for the comparison of dropin.
func writeShapes() error {
	files := []string{"deposit.proto", "submit.proto", "shapes.proto"}
	fds, err := compile("schema", files)
	if err != nil {
		return err
	}
	for name, p := range map[string]plugin{"gogofaster": {gogofasterPlugin, ""}, "ours": {"", ourShape}} {
		if err := p.writeFolder(fds, "lab", name, filepath.Join("stdtime/dropin/gen", name), files...); err != nil {
			return err
		}
	}
	return nil
}

// writeFolder writes what a plugin makes of files of proto package pkg into a folder, as Go package name. They get a proto
// package of their own, pkg with the name behind it, because all of them are linked into one program.
func (p plugin) writeFolder(fds *descriptorpb.FileDescriptorSet, pkg, name, dir string, files ...string) error {
	mine := proto.CloneOf(fds)
	for _, f := range mine.File {
		if f.GetPackage() != pkg {
			continue
		}
		f.Package = proto.String(pkg + "." + name)
		if f.Options == nil {
			f.Options = new(descriptorpb.FileOptions)
		}
		f.Options.GoPackage = proto.String(module + "/" + filepath.ToSlash(dir) + ";" + name)
		for _, m := range f.MessageType {
			eachField(m, func(field *descriptorpb.FieldDescriptorProto) {
				if typ, found := strings.CutPrefix(field.GetTypeName(), "."+pkg+"."); found {
					field.TypeName = proto.String("." + pkg + "." + name + "." + typ)
				}
			})
		}
	}
	exe, err := p.install()
	if err != nil {
		return err
	}
	all := map[string]string{}
	if err := p.run(exe, dir, mine, files, all); err != nil {
		return fmt.Errorf("%s for %s: %w", filepath.Base(exe), dir, err)
	}
	return writeAll(all)
}

// eachField calls f for the fields of m and of the messages in it.
func eachField(m *descriptorpb.DescriptorProto, f func(*descriptorpb.FieldDescriptorProto)) {
	for _, field := range m.Field {
		f(field)
	}
	for _, nested := range m.NestedType {
		eachField(nested, f)
	}
}
