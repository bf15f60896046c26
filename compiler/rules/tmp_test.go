package rules_test

import (
	"os"
	"testing"
	"time"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/describe"
	"github.com/octopus-framework/octopus/compiler/features"
	"github.com/octopus-framework/octopus/compiler/rules"
	"github.com/octopus-framework/octopus/compiler/syntax"
)

func TestTmpSet(t *testing.T) {
	for _, name := range strings.Fields(os.Getenv("SETS")) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fds := &descriptorpb.FileDescriptorSet{}
		if err := proto.Unmarshal(data, fds); err != nil {
			t.Fatal(err)
		}
		decl := map[string]rules.Declaration{}
		files := map[string]*describe.File{}
		var all []*describe.File
		for _, p := range fds.File {
			e, err := features.Edition(p)
			if err != nil {
				t.Fatal(err)
			}
			f := &describe.File{Path: p.GetName(), Proto: p, Edition: e, Tree: &syntax.File{Path: p.GetName()}}
			all = append(all, f)
			files[f.Path] = f
			scope := ""
			if p.GetPackage() != "" {
				scope = p.GetPackage() + "."
			}
			enums := func(scope string, es []*descriptorpb.EnumDescriptorProto) {
				for _, e := range es {
					decl[scope+e.GetName()] = rules.Declaration{Of: e, File: f}
				}
			}
			var ms func(scope string, all []*descriptorpb.DescriptorProto)
			ms = func(scope string, all []*descriptorpb.DescriptorProto) {
				for _, m := range all {
					decl[scope+m.GetName()] = rules.Declaration{Of: m, File: f}
					enums(scope+m.GetName()+".", m.EnumType)
					ms(scope+m.GetName()+".", m.NestedType)
				}
			}
			ms(scope, p.MessageType)
			enums(scope, p.EnumType)
		}
		ty := &rules.Types{Find: func(n string) rules.Declaration { return decl[n] }, File: func(n string) *describe.File { return files[n] }}
		start := time.Now()
		n := 0
		for _, f := range all {
			for _, d := range append(rules.Declared(f, true), rules.Resolved(f, ty)...) {
				n++
				if n < 20 {
					t.Error(d.File, d.Message)
				}
			}
		}
		t.Log(name, len(all), n, time.Since(start))
		a := testing.AllocsPerRun(1, func() {
			for _, f := range all {
				rules.Declared(f, true)
				rules.Resolved(f, ty)
			}
		})
		t.Log("allocs", a)
	}
}
