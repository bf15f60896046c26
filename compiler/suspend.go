package compiler

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bufbuild/protocompile/experimental/ir"
	pcreport "github.com/bufbuild/protocompile/experimental/report"
	"github.com/bufbuild/protocompile/experimental/report/rtags"
	"github.com/bufbuild/protocompile/experimental/source"

	"github.com/octopus-framework/octopus/compiler/report"
)

// suspicion is an error of protocompile about an option, or a warning of an import that only an
// option may use. It reads options in another way than protoc does, and some not at all; whether it
// is right is known when we have read them, see readOptions.
type suspicion struct {
	path       string // import path
	start, end int    // of the option
	unused     string // an import that is said to be
	diagnostic report.Diagnostic
}

// suspend takes suspicions out of a report, unless there are other errors: then options cannot be
// read.
func suspend(src *Sources, rep *pcreport.Report, linked []*ir.File,
	files []string) (waiting []suspicion) {
	isError := func(d pcreport.Diagnostic) bool { return d.Level() <= pcreport.Error }
	isUnused := func(d pcreport.Diagnostic) bool { return d.Is(rtags.UnusedImport) }
	if !slices.ContainsFunc(rep.Diagnostics, func(d pcreport.Diagnostic) bool {
		return isError(d) || isUnused(d)
	}) {
		return nil
	}
	t := translator{src: src, places: map[*source.File]*report.Places{}}
	options := map[string][]statement{} // by import path, for all files when one is asked for
	copies := map[string]bool{}         // import paths of copies of descriptor.proto
	in := func(path string) []statement {
		if len(options) == 0 {
			for f := range ir.TopoSort(linked) {
				options[f.Path()], copies[f.Path()] = optionsOf(f), hasOwnOptions(f)
			}
		}
		return options[path]
	}
	rest := slices.DeleteFunc(slices.Clone(rep.Diagnostics), func(d pcreport.Diagnostic) bool {
		if path := src.importPath(d.File()); isUnused(d) && src.isTamed(path) &&
			slices.Contains(files, path) {
			waiting = append(waiting, suspicion{path: path,
				unused: strings.Trim(d.Primary().Text(), `"'`), diagnostic: t.translate(&d)})
			return true
		}
		if d.Level() != pcreport.Error {
			return false
		}
		path, at := src.importPath(d.File()), d.Primary().Start
		all := in(path)
		i := slices.IndexFunc(all, func(s statement) bool { return s.start <= at && at < s.end })
		if i < 0 || !all[i].custom && !copies[path] && !readings.MatchString(d.Message()) {
			return false
		}
		waiting = append(waiting, suspicion{path: path, start: all[i].start, end: all[i].end,
			diagnostic: t.translate(&d)})
		return true
	})
	if slices.ContainsFunc(rest, isError) {
		return nil
	}
	rep.Diagnostics = rest
	return waiting
}

// readings fits the errors about options of the language itself that may be misreadings of their
// values, or of their names, where a copy of descriptor.proto has others; all others are rules.
var readings = regexp.MustCompile(
	"^(?:cannot find message field .*|mismatched types|invalid escape sequence|non-canonical .* literal.*|unexpected characters in floating-point literal)$")

// judge returns the diagnostics about a file that has been read: about options that cannot be read
// those that were waiting, which say more, or else our own, and about imports those that no option
// uses.
func judge(src *Sources, path string, refused []refusal, waiting []suspicion,
	types *optionTypes) (found report.List) {
	for _, w := range waiting {
		if w.path == path && w.unused != "" && !types.uses(path, w.unused) {
			found = append(found, w.diagnostic)
		}
	}
	for _, r := range refused {
		n := len(found)
		for _, w := range waiting {
			if w.path == path && w.unused == "" && r.start <= w.start && w.start < r.end {
				found = append(found, w.diagnostic)
			}
		}
		if len(found) == n && r.wrong != nil {
			places := report.NewPlaces(src.original(path))
			d := report.Diagnostic{File: src.DiskPath(path), Message: r.wrong.Message}
			d.Line, d.Column = places.Position(r.wrong.Start)
			d.EndLine, d.EndColumn = places.Position(r.wrong.End)
			found = append(found, d)
		}
	}
	return found
}
