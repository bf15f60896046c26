package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/gofeaturespb"
	"google.golang.org/protobuf/types/pluginpb"
)

// peerCopy is one peer's copy of the messages.
type peerCopy struct {
	name    string // of its folder and its proto package
	legacy  bool   // in the module lab/legacy
	plugins []plugin
	opaque  bool // edition 2023 with the opaque API, message fields lazy
	wide    bool // takes part in the sweeps, for which there are messages of up to 256 fields
	real    bool // takes part with real data, whose schemas are the largest
	slim    bool // methods that nothing measures are turned off where the lines of a copy are not counted
}

// plugin is a protoc plugin: the package to install, "" for our own, and its parameter.
type plugin struct {
	pkg       string
	parameter string
}

const (
	goPlugin  = "google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12"
	vtPlugin  = "github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto@v0.6.0"
	oldPlugin = "github.com/golang/protobuf/protoc-gen-go@v1.3.5"
)

func copies(fds *descriptorpb.FileDescriptorSet) []peerCopy {
	all := []peerCopy{
		{name: "google", wide: true, real: true, plugins: []plugin{{goPlugin, ""}}},
		{name: "opaque", real: true, plugins: []plugin{{goPlugin, ""}}, opaque: true},
		{name: "vt", wide: true, real: true, plugins: []plugin{{goPlugin, ""}, {vtPlugin, "features=marshal+unmarshal+unmarshal_unsafe+size"}}},
		{name: "golang", legacy: true, real: true, plugins: []plugin{{oldPlugin, ""}}},
	}
	pooled := "features=marshal+unmarshal+size+pool"
	for _, f := range fds.File {
		for _, m := range f.MessageType {
			if !isWide(m.GetName()) {
				pooled += ",pool=" + module + "/internal/pb/vtpool." + m.GetName()
			}
		}
	}
	all = append(all, peerCopy{name: "vtpool", plugins: []plugin{{goPlugin, ""}, {vtPlugin, pooled}}})
	for _, g := range []string{"gofast", "gogofaster", "gogoslick"} {
		// One of the three speaks for the library on real data. Gogoslick also writes Equal, GoString and String.
		slick := g == "gogoslick"
		all = append(all, peerCopy{name: g, legacy: true, real: slick, slim: slick,
			plugins: []plugin{{"github.com/gogo/protobuf/protoc-gen-" + g + "@v1.3.2", ""}}})
	}
	return all
}

// isWide tells whether a message or its file is for the sweeps over the number of fields.
func isWide(name string) bool { return strings.HasPrefix(strings.ToLower(name), "wide") }

// realData is the file with the messages of real data.
const realData = "real.proto"

// slimOptions are file options of gogoproto, by number: equal_all, gostring_all and stringer_all off, goproto_stringer_all on.
func slimOptions() (b []byte) {
	for _, o := range []struct {
		number protowire.Number
		on     uint64
	}{{63013, 0}, {63006, 0}, {63008, 0}, {63003, 1}} {
		b = protowire.AppendVarint(protowire.AppendTag(b, o.number, protowire.VarintType), o.on)
	}
	return b
}

// root is the module's folder, its import path below module.
func root(legacy bool) string {
	if legacy {
		return "legacy"
	}
	return "."
}

func importPath(legacy bool, elem string) string {
	if legacy {
		return module + "/legacy/" + elem
	}
	return module + "/" + elem
}

// dir is the folder of the copy.
func (c peerCopy) dir() string { return filepath.Join(root(c.legacy), "internal", "pb", c.name) }

// runPlugins returns what each plugin makes of its copy, by path.
func runPlugins(fds *descriptorpb.FileDescriptorSet, files []string) (map[string]string, error) {
	all := map[string]string{}
	for _, c := range copies(fds) {
		mine, generate := c.describe(fds, files)
		for _, p := range c.plugins {
			exe, err := p.install()
			if err != nil {
				return nil, err
			}
			if err := p.run(exe, c.dir(), mine, generate, all); err != nil {
				return nil, fmt.Errorf("%s for %s: %w", filepath.Base(exe), c.name, err)
			}
		}
	}
	return all, nil
}

// install returns the path of the plugin, which it installs below ../.tools unless it is there.
func (p plugin) install() (exe string, err error) {
	if p.pkg == "" {
		return filepath.Abs(filepath.Join(ownTools, "protoc-gen-gremlin"))
	}
	name, version, _ := strings.Cut(p.pkg, "@")
	if exe, err = filepath.Abs(filepath.Join("../.tools/lab", version, filepath.Base(name))); err != nil {
		return "", err
	}
	if _, err := os.Stat(exe); err == nil {
		return exe, nil
	}
	install := exec.Command("go", "install", p.pkg)
	install.Env = append(os.Environ(), "GOBIN="+filepath.Dir(exe), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("install %s: %w\n%s", p.pkg, err, out)
	}
	return exe, nil
}

// run adds what the plugin writes to all.
func (p plugin) run(exe, dir string, fds *descriptorpb.FileDescriptorSet, files []string, all map[string]string) error {
	req, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{FileToGenerate: files, ProtoFile: fds.File, Parameter: &p.parameter})
	if err != nil {
		return err
	}
	cmd := exec.Command(exe)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(req), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	var res pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out, &res); err != nil {
		return err
	}
	if res.Error != nil {
		return fmt.Errorf("%s", res.GetError())
	}
	for _, f := range res.File {
		all[filepath.Join(dir, filepath.Base(f.GetName()))] = f.GetContent()
	}
	return nil
}

// describe gives the files a folder, a proto package and a Go package that only this copy has.
func (c peerCopy) describe(fds *descriptorpb.FileDescriptorSet, files []string) (*descriptorpb.FileDescriptorSet, []string) {
	mine := proto.CloneOf(fds)
	prefix := "lab/" + c.name + "/"
	rename := func(typ *string) {
		if typ != nil {
			*typ = strings.Replace(*typ, ".lab.", ".lab."+c.name+".", 1)
		}
	}
	var message func(m *descriptorpb.DescriptorProto)
	message = func(m *descriptorpb.DescriptorProto) {
		for _, f := range m.Field {
			rename(f.TypeName)
			if c.opaque && f.GetType() == descriptorpb.FieldDescriptorProto_TYPE_MESSAGE && !isEntry(m, f) && !m.GetOptions().GetMapEntry() {
				f.Options = &descriptorpb.FieldOptions{Lazy: proto.Bool(true)}
			}
		}
		for _, n := range m.NestedType {
			message(n)
		}
	}
	for _, f := range mine.File {
		counted := strings.HasPrefix(f.GetName(), "deposit")
		f.Name, f.Package = proto.String(prefix+f.GetName()), proto.String("lab."+c.name)
		for i := range f.Dependency {
			f.Dependency[i] = prefix + f.Dependency[i]
		}
		f.Options = &descriptorpb.FileOptions{GoPackage: proto.String(importPath(c.legacy, "internal/pb/"+c.name) + ";pb")}
		if c.slim && !counted {
			f.Options.ProtoReflect().SetUnknown(slimOptions())
		}
		if c.opaque {
			f.Syntax, f.Edition = proto.String("editions"), descriptorpb.Edition_EDITION_2023.Enum()
			features := &descriptorpb.FeatureSet{FieldPresence: descriptorpb.FeatureSet_IMPLICIT.Enum()}
			proto.SetExtension(features, gofeaturespb.E_Go, &gofeaturespb.GoFeatures{ApiLevel: gofeaturespb.GoFeatures_API_OPAQUE.Enum()})
			f.Options.Features = features
		}
		for _, m := range f.MessageType {
			message(m)
		}
	}
	var generate []string
	for _, f := range files {
		if (c.wide || !isWide(f)) && (c.real || f != realData) {
			generate = append(generate, prefix+f)
		}
	}
	return mine, generate
}

// isEntry tells whether f is a map, whose type is then one of m's nested ones.
func isEntry(m *descriptorpb.DescriptorProto, f *descriptorpb.FieldDescriptorProto) bool {
	for _, n := range m.NestedType {
		if n.GetOptions().GetMapEntry() && strings.HasSuffix(f.GetTypeName(), "."+m.GetName()+"."+n.GetName()) {
			return true
		}
	}
	return false
}
