package plugin_test

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/backend"
	"github.com/octopus-framework/octopus/internal/compiler/backend/all"
	"github.com/octopus-framework/octopus/internal/compiler/config"
	"github.com/octopus-framework/octopus/internal/compiler/driver"
	"github.com/octopus-framework/octopus/internal/compiler/plugin"
	"github.com/octopus-framework/octopus/internal/compiler/validate/ruletypes"
)

// schemas returns, by name, folders with the schemas that the passes of the compiler are tested
// with.
func schemas(t *testing.T) map[string]string {
	t.Helper()
	archives, err := filepath.Glob(filepath.Join("..", "golang", "testdata", "*.txtar"))
	more, _ := filepath.Glob(filepath.Join("..", "..", "..", "compiler", "testdata", "*.txtar"))
	if err != nil || len(archives) == 0 || len(more) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	dirs := map[string]string{}
	for _, name := range append(archives, more...) {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		for _, f := range a.Files {
			if filepath.Ext(f.Name) == ".proto" && !strings.HasSuffix(name, "_error.txtar") {
				writeFile(t, filepath.Join(dir, f.Name), f.Data)
				dirs[strings.TrimSuffix(filepath.Base(name), ".txtar")] = dir
				if strings.Contains(string(f.Data), `"`+ruletypes.Path+`"`) {
					writeFile(t, filepath.Join(dir, ruletypes.Path),
						[]byte(ruletypes.Declarations()))
				}
			}
		}
	}
	return dirs
}

func writeFile(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// The parameters of all comparisons. One of the schemas has two files that cannot share a Go
// package.
const (
	module  = "module=example.com/gen"
	mapping = "Mfile.proto=example.com/gen/file"
)

// command returns what gremlin generate writes with these, by path.
func command(t *testing.T, root string, pointers bool) map[string]string {
	t.Helper()
	out := t.TempDir()
	o := driver.Generate(context.Background(), driver.Job{
		Input: driver.Input{Roots: []string{root},
			Config: &config.Config{Packages: []config.Package{
				{Files: "file.proto", PackageSettings: backend.PackageSettings{
					Settings: backend.Settings{
						"go_package": {Text: "example.com/gen/file"}}}},
			}}},
		Target: driver.Target{Backends: all.Backends(), Settings: backend.Settings{
			"module": {Text: "example.com/gen"}, "pointer_lists": {On: pointers}}},
		Out: out,
	}, nil)
	if o.Diagnostics.Errors() > 0 {
		t.Fatal(o.Diagnostics)
	}
	return readAll(t, out)
}

func readAll(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name) // both are absolute
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// request makes the request that protoc would send for all files below root.
func request(t *testing.T, root, parameter string) *pluginpb.CodeGeneratorRequest {
	t.Helper()
	src := source.New(root)
	files, err := src.All()
	if err != nil {
		t.Fatal(err)
	}
	res := compiler.Compile(context.Background(), compiler.Options{Sources: src, Files: files})
	if res.Descriptors == nil {
		t.Fatal(res.Diagnostics)
	}
	return &pluginpb.CodeGeneratorRequest{FileToGenerate: files, Parameter: proto.String(parameter),
		ProtoFile: res.Descriptors.File}
}

// run sends a request through Run and returns the response, decoded, and the warnings.
func run(t *testing.T, req *pluginpb.CodeGeneratorRequest) (*pluginpb.CodeGeneratorResponse,
	string) {
	t.Helper()
	data, err := proto.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	var out, warn bytes.Buffer
	if err := plugin.Run("protoc-gen-gremlin", all.Backends(), bytes.NewReader(data), &out,
		&warn); err != nil {
		t.Fatal(err)
	}
	resp := &pluginpb.CodeGeneratorResponse{}
	if err := proto.Unmarshal(out.Bytes(), resp); err != nil {
		t.Fatal(err)
	}
	return resp, warn.String()
}

func same(t *testing.T, got, want map[string]string) {
	t.Helper()
	if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
		t.Errorf("files %q, the command writes %q", slices.Sorted(maps.Keys(got)),
			slices.Sorted(maps.Keys(want)))
	}
	for name, text := range want {
		if got[name] == text {
			continue
		}
		g, w := strings.Split(got[name], "\n"), strings.Split(text, "\n")
		for i := range min(len(g), len(w)) {
			if g[i] != w[i] {
				t.Errorf("%s:%d: %q, the command writes %q", name, i+1, g[i], w[i])
				break
			}
		}
	}
}

// TestSameAsCommand compares the files of responses with what gremlin generate writes.
func TestSameAsCommand(t *testing.T) {
	for name, root := range schemas(t) {
		t.Run(name, func(t *testing.T) {
			for _, pointers := range []bool{false, true} {
				parameter := module + "," + mapping
				if pointers {
					parameter += ",pointer_lists"
				}
				resp, _ := run(t, request(t, root, parameter))
				if resp.Error != nil {
					t.Fatal(resp.GetError())
				}
				got := map[string]string{}
				for _, f := range resp.File {
					got[f.GetName()] = f.GetContent()
				}
				same(t, got, command(t, root, pointers))
			}
		})
	}
}

const deposit = `syntax = "proto3"; package shop.v1; message Deposit { repeated Deposit parts = 1; }`

func depositRequest(t *testing.T, parameter string) *pluginpb.CodeGeneratorRequest {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "shop", "deposit.proto"), []byte(deposit))
	return request(t, dir, parameter)
}

func TestMapping(t *testing.T) {
	parameter :=
		"paths=source_relative,module=example.com/gen,Mshop/deposit.proto=example.com/gen/shop;money,Mother.proto=x,pointer_lists=false"
	req := depositRequest(t, parameter)
	resp, _ := run(t, req)
	if resp.Error != nil || len(resp.File) != 1 {
		t.Fatal(resp)
	}
	if text := resp.File[0].GetContent(); !strings.Contains(text, "package money\n") ||
		!strings.Contains(text, "[]Deposit\n") {
		t.Errorf("the parameters have no effect:\n%s", text)
	}
}

// TestImportPathOfRootFile generates a file that lies in no folder, by the import path of its
// package, in the shape of gogo/protobuf: there was a panic.
func TestImportPathOfRootFile(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a.proto"),
		[]byte(`syntax = "proto3"; option go_package = "example.com/gen;gen"; message M {}`))
	resp, _ := run(t, request(t, dir, "preset=gogofaster,registry=none"))
	if resp.Error != nil || len(resp.File) != 1 ||
		resp.File[0].GetName() != "example.com/gen/a.pb.go" {
		t.Fatal(resp)
	}
}

func TestGRPC(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a.proto"),
		[]byte(`syntax = "proto3"; message M {} service S { rpc Get(M) returns (M); }`))
	for parameter, want := range map[string]string{
		"module=a,json":                   "",
		"module=a,grpc":                   "Get(context.Context, *MReader) (*M, error)",
		"module=a,grpc,grpc_in=reader":    "Get(context.Context, *MReader) (*M, error)",
		"module=a,grpc=1,grpc_in=message": "Get(context.Context, *M) (*M, error)",
		"module=a,grpc=false":             "",
		"module=a,grpc_in=message":        "Get(context.Context, *M) (*M, error)",
		"module=a,grpc_descriptors":       "Metadata:    &descriptorsOf_a_proto",
	} {
		resp, _ := run(t, request(t, dir, parameter))
		text := ""
		for _, f := range resp.File {
			if f.GetName() == "a.grpc.gremlin.go" {
				text = f.GetContent()
			}
		}
		if (text == "") != (want == "") || !strings.Contains(text, want) {
			t.Errorf("%s: %v\n%s", parameter, resp.GetError(), text)
		}
	}
}

func TestConnect(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a.proto"),
		[]byte(`syntax = "proto3"; message M {} service S { rpc Get(M) returns (M); }`))
	for parameter, want := range map[string]string{
		"module=x/a":                            "",
		"module=x/a,connect":                    "Get(context.Context, *a.MReader) (*a.M, error)",
		"module=x/a,connect,connect_in=reader":  "Get(context.Context, *a.MReader) (*a.M, error)",
		"module=x/a,grpc,connect_in=message":    "Get(context.Context, *a.M) (*a.M, error)",
		"module=x/a,connect,connect=false,json": "",
	} {
		resp, _ := run(t, request(t, dir, parameter))
		text := ""
		for _, f := range resp.File {
			if f.GetName() == "aconnect/a.connect.gremlin.go" {
				text = f.GetContent()
			}
		}
		if (text == "") != (want == "") || !strings.Contains(text, want) {
			t.Errorf("%s: %v\n%s", parameter, resp.GetError(), text)
		}
	}
	resp, _ := run(t, request(t, dir, "connect"))
	if !strings.Contains(resp.GetError(), "write module=PATH") {
		t.Errorf("without a module: %q", resp.GetError())
	}
}

func TestDeclares(t *testing.T) {
	resp, warnings := run(t, depositRequest(t, ""))
	const features = pluginpb.CodeGeneratorResponse_FEATURE_PROTO3_OPTIONAL |
		pluginpb.CodeGeneratorResponse_FEATURE_SUPPORTS_EDITIONS
	if resp.GetSupportedFeatures() != uint64(features) {
		t.Errorf("features %b", resp.GetSupportedFeatures())
	}
	if resp.GetMinimumEdition() != int32(descriptorpb.Edition_EDITION_PROTO2) ||
		resp.GetMaximumEdition() != int32(descriptorpb.Edition_EDITION_2024) {
		t.Errorf("editions %d to %d", resp.GetMinimumEdition(), resp.GetMaximumEdition())
	}
	if warnings != "" {
		t.Errorf("warnings: %s", warnings)
	}
}

func TestErrors(t *testing.T) {
	const known = "\nhint: known parameters: Mfile.proto=import/path;name, shape=NAME, " +
		"module=example.com/shop/gen, pointer_lists, json, json_hex=PATTERN, validate, grpc, " +
		"grpc_in=message|reader, grpc_descriptors, connect, connect_in=message|reader, " +
		"rename=full.Name=GoName, paths=source_relative"
	for _, c := range []struct {
		parameter string
		change    func(*pluginpb.CodeGeneratorRequest)
		want      string
	}{
		{parameter: "modul=x", want: `error: unknown parameter "modul"` +
			"\nhint: did you mean \"module\"?" + known},
		{parameter: "preset=gogo,json", want: `error: parameter "json" is for shape native, not gogo` +
			"\nhint: known parameters: Mfile.proto=import/path;name, shape=NAME, " +
			"module=example.com/shop/gen, paths=source_relative|import, " +
			"preset=gocosmos|gofast|gogo|gogofast|gogofaster|gogoroach|gogoslick|k8s|k8s-1.34, " +
			"registry=none|gogo|golang|cosmos|google, suffix=.pb.go, grpc, plugins=grpc, readers, " +
			"tags=grpc-safe, single_file, utf8=ignore|report|repair|strict, hooks=PATTERN, " +
			"before_marshal=PATTERN, own_string=PATTERN"},
		{parameter: "shape=fortran", want: "error: there is no shape \"fortran\"\nhint: one of native, gogo, typescript"},
		{parameter: "M=x", want: `error: unknown parameter "M"` + known},
		{parameter: "Ma.proto",
			want: "error: parameter \"Ma.proto\" needs a Go package\nhint: write Ma.proto=import/path;name"},
		{parameter: "module=",
			want: "error: parameter \"module\" needs the Go import path of the output folder\nhint: write module=example.com/shop/gen"},
		{parameter: "pointer_lists=on",
			want: "error: parameter \"pointer_lists\" is true or false, not \"on\"\nhint: write pointer_lists or pointer_lists=false"},
		{parameter: "grpc_in=messages",
			want: "error: parameter \"grpc_in\" is message or reader, not \"messages\"\nhint: write grpc_in=message or grpc_in=reader"},
		{parameter: "paths=import",
			want: "error: parameter \"paths\" is source_relative, not \"import\"\nhint: write paths=source_relative"},
		{
			change: func(r *pluginpb.CodeGeneratorRequest) {
				r.FileToGenerate = append(r.FileToGenerate, "gone.proto")
			},
			want: "gone.proto: error: the request does not describe this file",
		},
		{
			change: func(r *pluginpb.CodeGeneratorRequest) {
				r.ProtoFile[0].MessageType[0].Field[0].TypeName = proto.String(".Gone")
			},
			want: `shop/deposit.proto:1:55: error: field "shop.v1.Deposit.parts": type "Gone" is not defined`,
		},
		{
			change: func(r *pluginpb.CodeGeneratorRequest) {
				m := r.ProtoFile[0].MessageType
				r.ProtoFile[0].MessageType = append(m,
					&descriptorpb.DescriptorProto{Name: proto.String("deposit")})
			},
			want: "shop/deposit.proto: error: Go name \"Deposit\" of message \"shop.v1.deposit\" is that of message \"shop.v1.Deposit\" too\n" +
				"hint: protoc-gen-go has the same collision\nhint: another Go name: rename=shop.v1.deposit=Deposit2",
		},
	} {
		req := depositRequest(t, c.parameter)
		if c.change != nil {
			c.change(req)
		}
		resp, _ := run(t, req)
		if resp.GetError() != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.parameter, resp.GetError(), c.want)
		}
		if len(resp.File) > 0 {
			t.Errorf("%s: files beside the error", c.parameter)
		}
	}
}

func TestBrokenRequest(t *testing.T) {
	var out, warn bytes.Buffer
	if err := plugin.Run("protoc-gen-gremlin", all.Backends(), strings.NewReader("\xff"),
		&out, &warn); err == nil || out.Len() > 0 {
		t.Errorf("error %v, response of %d bytes", err, out.Len())
	}
}
