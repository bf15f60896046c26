package compiler

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	pcreport "github.com/bufbuild/protocompile/experimental/report"
	"github.com/bufbuild/protocompile/experimental/report/rtags"

	"github.com/octopus-framework/octopus/compiler/report"
)

// lost is what a run knows of imports that lead nowhere. One wrong root makes every import fail and
// every name that was to come from there: what is shown is the one thing to change.
type lost struct {
	src *Sources
	// import paths of files that import, or may get by import public, what is lost
	blind   map[string]bool
	imports map[string][]report.Diagnostic // by the name that is imported
	held    int                            // errors that are not shown
}

// lostImport returns the file that an import wanted, if the diagnostic says that there is none.
func lostImport(d *pcreport.Diagnostic) (name string, ok bool) {
	if d.Message() != "imported file does not exist" {
		return "", false
	}
	_, rest, _ := strings.Cut(d.Primary().Text(), `"`)
	name, _, ok = strings.Cut(rest, `"`)
	return name, ok
}

func findLost(src *Sources, rep *pcreport.Report) *lost {
	l := &lost{src: src, blind: map[string]bool{}, imports: map[string][]report.Diagnostic{}}
	missing := map[string]bool{}
	for i := range rep.Diagnostics {
		if name, ok := lostImport(&rep.Diagnostics[i]); ok {
			missing[name] = true
			l.blind[src.importPath(rep.Diagnostics[i].File())] = true
		}
	}
	if len(missing) == 0 {
		return l
	}
	// incomplete holds what does not give all that it should to those who import it.
	incomplete := maps.Clone(missing)
	for more := true; more; {
		more = false
		for _, path := range src.opened() {
			for _, imp := range src.imports(path) {
				if !incomplete[imp.path] {
					continue
				}
				l.blind[path] = true
				if imp.public && !incomplete[path] {
					incomplete[path], more = true, true
				}
			}
		}
	}
	return l
}

// explains tells whether an error may be there only because an import is lost.
func (l *lost) explains(d *pcreport.Diagnostic) bool {
	if !l.blind[l.src.importPath(d.File())] {
		return false
	}
	if !d.Is(rtags.UnknownSymbol) && !strings.HasSuffix(d.Message(), "found message type ``") {
		return false
	}
	l.held++
	return true
}

// add takes the diagnostic of an import that leads nowhere.
func (l *lost) add(name string, d report.Diagnostic) {
	d.Message = fmt.Sprintf("imported file %q does not exist", name)
	d.Notes, d.Hint = nil, ""
	l.imports[name] = append(l.imports[name], d)
}

// shownLost is how many names are listed.
const shownLost = 3

// diagnostics returns what is to be shown: one for all imports that other roots would provide, and
// one for each file that is nowhere.
func (l *lost) diagnostics() report.List {
	if len(l.imports) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(l.imports))
	roots, provided := l.src.RootsFor(names)
	var out report.List
	var elsewhere []string
	places := 0
	for _, name := range names {
		found := report.List(l.imports[name]).Sorted()
		if provided[name] {
			elsewhere = append(elsewhere, name)
			places += len(found)
			continue
		}
		d := found[0]
		d.Hint = l.src.similarFile(name)
		if d.Hint == "" {
			d.Hint = l.src.BufHint()
		}
		out = append(out, l.explained(d, len(found)))
	}
	if len(elsewhere) == 0 {
		return out
	}
	d := l.imports[elsewhere[0]][0]
	if places > 1 {
		d = report.Diagnostic{Message: fmt.Sprintf("%d imports lead nowhere: %s", places,
			list(elsewhere))}
	}
	d.Hint = "try -I " + strings.Join(roots, " -I ") + `; in gremlin.yaml: roots: [` +
		strings.Join(roots, ", ") + "]"
	return append(out, l.explained(d, 1))
}

// explained adds to the diagnostic of an import, which stands so many times, what there is to say
// about it.
func (l *lost) explained(d report.Diagnostic, times int) report.Diagnostic {
	d.Notes = []report.Note{{Message: "searched the roots " + l.src.String() +
		" and the well-known files"}}
	if times > 1 {
		d.Notes = append(d.Notes, report.Note{Message: fmt.Sprintf("places that import it too: %d",
			times-1)})
	}
	if l.held > 0 {
		d.Notes = append(d.Notes, report.Note{
			Message: fmt.Sprintf(
				"%d errors about names that such an import may declare are held back", l.held)})
		l.held = 0 // said once
	}
	return d
}

// list names the first few.
func list(names []string) string {
	shown := names[:min(len(names), shownLost)]
	text := `"` + strings.Join(shown, `", "`) + `"`
	if rest := len(names) - len(shown); rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}
