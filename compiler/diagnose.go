package compiler

import (
	"path"
	"slices"
	"strings"

	pcreport "github.com/bufbuild/protocompile/experimental/report"
	"github.com/bufbuild/protocompile/experimental/report/rtags"
	"github.com/bufbuild/protocompile/experimental/source"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/octopus-framework/octopus/compiler/report"
)

// translate turns protocompile's report into diagnostics of our style. Nothing is lost: the primary
// span becomes the position, its label and all other labelled spans become notes, help and
// suggested edits become hints. Warnings are another matter: see worthTelling.
func translate(src *Sources, rep *pcreport.Report, files []string) report.List {
	asked := map[string]bool{}
	for _, f := range files {
		asked[src.DiskPath(f)] = true
	}
	failed := slices.ContainsFunc(rep.Diagnostics, func(d pcreport.Diagnostic) bool {
		return d.Level() <= pcreport.Error
	})
	wrong := slices.ContainsFunc(rep.Diagnostics, func(d pcreport.Diagnostic) bool {
		return d.Level() == pcreport.Error
	})
	var out report.List
	t := translator{src: src, places: map[*source.File]*report.Places{}}
	lost := findLost(src, rep)
	for i := range rep.Diagnostics {
		d := &rep.Diagnostics[i]
		if d.Level() == pcreport.ICE && wrong {
			continue // protocompile may panic at what it has reported as an error
		}
		if name, ok := lostImport(d); ok {
			lost.add(name, t.translate(d))
			continue
		}
		if lost.explains(d) {
			continue
		}
		if d.Level() <= pcreport.Error || d.Level() == pcreport.Warning && asked[d.File()] &&
			worthTelling(d, failed) {
			out = append(out, t.translate(d))
		}
	}
	return append(out, lost.diagnostics()...)
}

// worthTelling tells whether a warning about a file that was asked for is shown. Matters of taste
// are a linter's: the use of what is deprecated, a file without package, a modifier that says the
// default. And an import seems unused when what uses it could not be resolved.
func worthTelling(d *pcreport.Diagnostic, failed bool) bool {
	switch {
	case d.Is(rtags.Deprecated), strings.HasSuffix(d.Message(), " deprecated"),
		d.Message() == "missing `package` declaration",
		strings.HasPrefix(d.Message(), "redundant "):
		return false
	case d.Is(rtags.UnusedImport):
		return !failed
	}
	return true
}

// translator translates the diagnostics of one report.
type translator struct {
	src    *Sources
	places map[*source.File]*report.Places
}

// position returns line and column of an offset in a file.
func (t translator) position(f *source.File, offset int) (line, column int) {
	p, ok := t.places[f]
	if !ok {
		text, known := t.src.Text(f.Path())
		if !known {
			text = f.Text()
		}
		p = report.NewPlaces(text)
		t.places[f] = p
	}
	return p.Position(offset)
}

func (t translator) translate(d *pcreport.Diagnostic) report.Diagnostic {
	src := t.src
	out := report.Diagnostic{File: src.DiskPath(d.File()), Message: quoted(d.Message())}
	switch d.Level() {
	case pcreport.Warning:
		out.Severity = report.Warning
	case pcreport.ICE:
		out.Message = "internal compiler error: " + out.Message
		out.Hint = "this is a bug in gremlin: report it with the file"
	}
	var hints []string
	for i, s := range snippets(src, d) {
		n := report.Note{File: s.span.Path(), Message: quoted(s.label)}
		n.Line, n.Column = t.position(s.span.File, s.span.Start)
		n.EndLine, n.EndColumn = t.position(s.span.File, s.span.End)
		switch {
		case s.edit != "" && !strings.Contains(n.Message, s.edit):
			hints = append(hints, n.Message+": "+s.edit)
		case s.suggestion:
			hints = append(hints, n.Message)
		case i == 0:
			out.Line, out.Column, out.EndLine, out.EndColumn = n.Line, n.Column, n.EndLine,
				n.EndColumn
			if n.Message != "" {
				out.Notes = append(out.Notes, report.Note{Message: n.Message})
			}
		default:
			out.Notes = append(out.Notes, n)
		}
	}
	for _, n := range d.Notes() {
		out.Notes = append(out.Notes, report.Note{Message: quoted(n)})
	}
	for _, h := range d.Help() {
		hints = append(hints, quoted(h))
	}
	if out.Hint == "" {
		out.Hint = strings.Join(hints, "\n")
	}
	improve(src, d, &out)
	return out
}

// snippet is a labelled place in a diagnostic.
type snippet struct {
	span  source.Span
	label string
	edit  string // what the text of the place should be; empty when nothing is suggested
	// suggestion tells that the label is advice; it is also set where the advice is to remove the
	// place
	suggestion bool
}

// snippets takes the labelled spans out of a diagnostic. protocompile shows them in its serialised
// form only, whose Go type is internal; reflection reads it by field name. The texts in that form
// are those of spans, not of files, so that the sources have to give them.
func snippets(src *Sources, d *pcreport.Diagnostic) []snippet {
	rep := pcreport.Report{Diagnostics: []pcreport.Diagnostic{*d}}
	m := rep.ToProto().ProtoReflect()
	get := func(m protoreflect.Message, name protoreflect.Name) protoreflect.Value {
		return m.Get(m.Descriptor().Fields().ByName(name))
	}
	var files []*source.File
	for i, list := 0, get(m, "files").List(); i < list.Len(); i++ {
		f := list.Get(i).Message()
		files = append(files, src.file(get(f, "path").String()))
	}
	var out []snippet
	annotations := get(get(m, "diagnostics").List().Get(0).Message(), "annotations").List()
	for i := range annotations.Len() {
		a := annotations.Get(i).Message()
		s := snippet{
			span: files[get(a, "file").Uint()].Span(int(get(a, "start").Uint()),
				int(get(a, "end").Uint())),
			label: get(a, "message").String(),
		}
		// Spans come from a parser that was given broken text: never trust them to lie inside it.
		n := len(s.span.File.Text())
		s.span.Start = min(s.span.Start, n)
		s.span.End = min(max(s.span.End, s.span.Start), n)
		if edits := get(a, "edits").List(); edits.Len() > 0 {
			text, done := s.span.Text(), 0
			var b strings.Builder
			for j := range edits.Len() {
				e := edits.Get(j).Message()
				start, end := int(get(e, "start").Uint()), int(get(e, "end").Uint())
				if start < done || end < start || end > len(text) {
					continue
				}
				b.WriteString(text[done:start] + get(e, "replace").String())
				done = end
			}
			s.edit = strings.TrimSpace(b.String() + text[done:])
			s.suggestion = true
		}
		out = append(out, s)
	}
	return out
}

// quoted puts names in double quotes, as all our diagnostics do, where protocompile uses backticks,
// and leaves out what it forgot to fill in.
func quoted(s string) string { return quotes.Replace(s) }

var quotes = strings.NewReplacer("`", `"`, " %!v(MISSING)", "")

// improve adds what only the owner of the sources knows.
func improve(src *Sources, d *pcreport.Diagnostic, out *report.Diagnostic) {
	switch {
	case strings.HasPrefix(d.Message(), "detected cyclic import"):
		src.showCycle(d, out)
	case d.Is(rtags.UnknownSymbol):
		// The label repeats the message, and the scope is no hint.
		out.Notes = slices.DeleteFunc(out.Notes, func(n report.Note) bool {
			return n.Line == 0 && n.Message == "not found in this scope"
		})
		if out.Hint != "" {
			out.Notes = append(out.Notes,
				report.Note{Message: strings.ReplaceAll(out.Hint, "\n", "; ")})
		}
		out.Hint = src.similarType(path.Base(strings.ReplaceAll(d.Primary().Text(), ".", "/")),
			d.Primary().Path())
	}
}
