package plugin

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/octopus-framework/octopus/compiler/gogo"
	"github.com/octopus-framework/octopus/compiler/golang/gogoshape"
	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/schema"
)

// generateGogo generates code in the shape of gogo/protobuf for all files asked for.
func generateGogo(s *schema.Schema, req *pluginpb.CodeGeneratorRequest, opts parsed) (
	files []*pluginpb.CodeGeneratorResponse_File, found report.List) {
	facts, found := gogo.Read(req.ProtoFile, func(string) string { return opts.preset })
	if found.Errors() > 0 {
		return nil, found
	}
	g, more := gogoshape.New(s, facts, gogoshape.Options{
		Module:       opts.Module,
		GoPackage:    opts.GoPackage,
		ByImportPath: opts.paths != "source_relative",
		File:         func(string) gogoshape.FileOptions { return opts.gogo },
	})
	found = append(found, more...)
	if found.Errors() > 0 {
		return nil, found
	}
	for _, o := range g.Outputs() {
		text, err := g.Generate(o)
		if err != nil {
			found = append(found, report.Diagnostic{File: o.File.Path, Message: err.Error()})
			continue
		}
		files = append(files, &pluginpb.CodeGeneratorResponse_File{Name: proto.String(o.Path),
			Content: proto.String(string(text))})
	}
	return files, found
}
