package compiler

import (
	"regexp"
	"slices"

	"github.com/bufbuild/protocompile/experimental/ir"
	pcreport "github.com/bufbuild/protocompile/experimental/report"
	"github.com/bufbuild/protocompile/experimental/report/rtags"
	"github.com/bufbuild/protocompile/experimental/source"

	"github.com/octopus-framework/octopus/compiler/report"
)

// suspicion is an error of protocompile about an option. It reads options in another way than protoc does; whether it is right
// is known when we have read them, see readOptions.
type suspicion struct {
	path       string // import path
	start, end int    // of the option
	diagnostic report.Diagnostic
}

// suspend takes the errors out of a report that are about options, unless there are others: then options cannot be read.
func suspend(src *Sources, rep *pcreport.Report, linked []*ir.File) (waiting []suspicion) {
	isError := func(d pcreport.Diagnostic) bool { return d.Level() <= pcreport.Error }
	if !slices.ContainsFunc(rep.Diagnostics, isError) {
		return nil
	}
	t := translator{src: src, places: map[*source.File]*report.Places{}}
	options := map[string][]statement{}
	for f := range ir.TopoSort(linked) {
		options[f.Path()] = optionsOf(f)
	}
	rest := slices.DeleteFunc(slices.Clone(rep.Diagnostics), func(d pcreport.Diagnostic) bool {
		if d.Level() != pcreport.Error || d.Is(rtags.UnknownSymbol) {
			return false
		}
		path, at := src.importPath(d.File()), d.Primary().Start
		all := options[path]
		i := slices.IndexFunc(all, func(s statement) bool { return s.start <= at && at < s.end })
		if i < 0 || !all[i].custom && !readings.MatchString(d.Message()) {
			return false
		}
		waiting = append(waiting, suspicion{path, all[i].start, all[i].end, t.translate(&d)})
		return true
	})
	if slices.ContainsFunc(rest, isError) {
		return nil
	}
	rep.Diagnostics = rest
	return waiting
}

// readings fits the errors about options of the language itself that may be misreadings of their values; all others are rules.
var readings = regexp.MustCompile("^(?:mismatched types|invalid escape sequence|non-canonical .* literal.*|unexpected characters in floating-point literal)$")

// judge returns the diagnostics about the options of a file that cannot be read: those that were waiting, which say more, or
// else our own.
func judge(src *Sources, path string, refused []refusal, waiting []suspicion) (found report.List) {
	for _, r := range refused {
		n := len(found)
		for _, w := range waiting {
			if w.path == path && r.start <= w.start && w.start < r.end {
				found = append(found, w.diagnostic)
			}
		}
		if len(found) == n {
			places := report.NewPlaces(src.original(path))
			d := report.Diagnostic{File: src.DiskPath(path), Message: r.wrong.Message}
			d.Line, d.Column = places.Position(r.wrong.Start)
			d.EndLine, d.EndColumn = places.Position(r.wrong.End)
			found = append(found, d)
		}
	}
	return found
}
