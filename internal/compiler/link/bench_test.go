package link_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/link"
	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// BenchmarkFiles takes all files below the folder of -roots, googleapis for example, through the
// steps up to source info, each on one processor:
//
//	go test ./compiler/link -run - -bench Files -benchmem -roots DIR
func BenchmarkFiles(b *testing.B) {
	if *moreRoots == "" {
		b.Skip("-roots names no folder")
	}
	texts := map[string]string{}
	err := filepath.WalkDir(*moreRoots, func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".proto" {
			return err
		}
		rel, err := filepath.Rel(*moreRoots, name)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(name)
		texts[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	parse := func() (trees []*syntax.File) {
		for path, text := range texts {
			tree, _ := syntax.Parse(path, text)
			trees = append(trees, tree)
		}
		return trees
	}
	describeAll := func(trees []*syntax.File) (files []*describe.File) {
		for _, tree := range trees {
			f, _ := describe.Describe(tree)
			files = append(files, f)
		}
		return files
	}
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			parse()
		}
	})
	trees := parse()
	b.Run("describe", func(b *testing.B) {
		for b.Loop() {
			describeAll(trees)
		}
	})
	b.Run("link", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			files := describeAll(trees) // linking changes them
			b.StartTimer()
			link.NewPool().Link(files, link.Options{Parallel: 1})
		}
	})
	files := describeAll(trees)
	for name, info := range map[string]func(*describe.File){
		"places":  func(f *describe.File) { f.Places() },
		"info":    func(f *describe.File) { f.SourceInfo() },
		"encoded": func(f *describe.File) { f.AppendSourceInfo(nil) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for _, f := range files {
					info(f)
				}
			}
		})
	}
}
