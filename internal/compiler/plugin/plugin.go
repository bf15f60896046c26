// Package plugin speaks the protocol between protoc and its code generators, which buf speaks too:
// a CodeGeneratorRequest with descriptors and parameters comes in, a CodeGeneratorResponse with
// files or an error goes out.
//
// It is a second entrance to the compiler. The caller has parsed and linked; from [lower.Lower]
// on everything is what the gremlin command does, and so is every byte of the output.
package plugin

import (
	"fmt"
	"io"
	"maps"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/backend"
	"github.com/octopus-framework/octopus/internal/compiler/features"
	"github.com/octopus-framework/octopus/internal/compiler/lower"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// MaxRequestBytes is the size of the largest request that is read: protobuf has no larger messages.
const MaxRequestBytes = 1<<31 - 1

// Run answers the one request on in with the response on out, and writes warnings to warn. program
// is the name that the plugin was started under: that of a plugin of gogo's asks for code in gogo's
// shape. What is wrong with the .proto files or the parameters is in the response, where protoc
// looks for it; an error means that there was no request or nobody to answer.
func Run(program string, backends backend.List, in io.Reader, out, warn io.Writer) error {
	data, err := io.ReadAll(io.LimitReader(in, MaxRequestBytes+1))
	if err != nil {
		return fmt.Errorf("the request cannot be read: %w", err)
	}
	if len(data) > MaxRequestBytes {
		return fmt.Errorf("the request is larger than %d bytes", MaxRequestBytes)
	}
	req := &pluginpb.CodeGeneratorRequest{}
	if err := proto.Unmarshal(data, req); err != nil {
		return fmt.Errorf("the input is not a CodeGeneratorRequest: %w", err)
	}
	resp, warnings := Generate(program, backends, req)
	if err := (report.Text{}).Write(warn, warnings); err != nil {
		return fmt.Errorf("the warnings cannot be written: %w", err)
	}
	data, err = proto.Marshal(resp)
	if err != nil {
		return fmt.Errorf("the response cannot be encoded: %w", err)
	}
	if _, err := out.Write(data); err != nil {
		return fmt.Errorf("the response cannot be written: %w", err)
	}
	return nil
}

// Generate answers a request; program and backends as for Run. The response holds either all files
// or an error, the diagnostics as text. The request is not changed and not kept.
func Generate(program string, backends backend.List,
	req *pluginpb.CodeGeneratorRequest) (resp *pluginpb.CodeGeneratorResponse,
	warnings report.List) {
	resp = &pluginpb.CodeGeneratorResponse{
		SupportedFeatures: proto.Uint64(
			uint64(pluginpb.CodeGeneratorResponse_FEATURE_PROTO3_OPTIONAL |
				pluginpb.CodeGeneratorResponse_FEATURE_SUPPORTS_EDITIONS)),
		MinimumEdition: proto.Int32(int32(features.Minimum)),
		MaximumEdition: proto.Int32(int32(features.Maximum)),
	}
	files, found := generate(program, backends, req)
	if found.Errors() == 0 {
		resp.File = files
		return resp, found.Sorted()
	}
	var text strings.Builder
	_ = report.Text{}.Write(&text, found.Sorted()) // a strings.Builder takes everything
	// protoc puts "--gremlin_out: " before the text and a newline behind it.
	resp.Error = proto.String(strings.TrimSuffix(text.String(), "\n"))
	return resp, nil
}

func generate(program string, backends backend.List,
	req *pluginpb.CodeGeneratorRequest) ([]*pluginpb.CodeGeneratorResponse_File, report.List) {
	p, found := parameters(req.GetParameter(), program, backends)
	have := map[string]bool{}
	for _, f := range req.ProtoFile {
		have[f.GetName()] = true
	}
	for _, f := range req.FileToGenerate {
		if !have[f] {
			found = append(found, report.Diagnostic{File: f,
				Message: "the request does not describe this file"})
		}
	}
	if found.Errors() > 0 {
		return nil, found
	}
	fds := &descriptorpb.FileDescriptorSet{File: req.ProtoFile}
	s, found := lower.Lower(fds, req.FileToGenerate)
	if found.Errors() > 0 {
		return nil, found
	}
	code, more := p.backend.New(p.request(s, fds))
	if found = append(found, more...); found.Errors() > 0 {
		return nil, found
	}
	var files []*pluginpb.CodeGeneratorResponse_File
	for _, o := range code.Outputs {
		text, err := o.Generate()
		if err != nil {
			found = append(found, report.Diagnostic{File: o.File.Path, Message: err.Error()})
			continue
		}
		files = append(files, &pluginpb.CodeGeneratorResponse_File{Name: proto.String(o.Path),
			Content: proto.String(string(text))})
	}
	return files, found
}

// request returns what the backend is asked: parameters hold for all files, apart from Go packages.
func (p *parsed) request(s *schema.Schema,
	fds *descriptorpb.FileDescriptorSet) *backend.Request {
	r := &backend.Request{Schema: s, Descriptors: fds, Settings: p.settings,
		Files: map[string]backend.Settings{}, Plugin: true, Written: true}
	for _, f := range s.Files {
		r.Files[f.Path] = maps.Clone(p.settings)
		if goPackage := p.packages[f.Path]; goPackage != "" {
			r.Files[f.Path]["go_package"] = backend.Value{Text: goPackage}
		}
	}
	return r
}
