package compiler

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/compiler/report"
)

// maxHints is how many files that do not exist get a hint: each looks at all files that do.
const maxHints = 100

// lostImports tells of imports that lead nowhere. One wrong root makes every import fail, so what
// is shown is the one thing to change: one diagnostic for all imports that other roots would
// provide, and one for each file that is nowhere.
func (r *run) lostImports(all []*unit) report.List {
	var out report.List
	imports := map[string]report.List{} // by the name that is imported
	for _, u := range all {
		switch {
		case u.err == nil:
		case !u.missing():
			out = append(out, report.Diagnostic{File: u.path,
				Message: fmt.Sprintf("the file cannot be read: %v", u.err)})
		case r.asked[u.path]:
			out = append(out, report.Diagnostic{File: u.path, Message: "the file does not exist",
				Notes: []report.Note{r.searched()}})
		}
		for i, path := range u.imports {
			if imported := r.units[path]; imported.missing() {
				imports[path] = append(imports[path], u.described.Tree.Diagnostic(
					u.described.ImportSpan(i), fmt.Sprintf("imported file %q does not exist", path)))
			}
		}
	}
	if len(imports) == 0 {
		return out
	}
	l := lost{run: r}
	for _, u := range all {
		if u.linked != nil {
			l.held += u.linked.Held()
		}
	}
	names := slices.Sorted(maps.Keys(imports))
	roots, provided := r.sources.RootsFor(names)
	var elsewhere []string
	places, hints := 0, 0
	for _, name := range names {
		found := imports[name].Sorted()
		if provided[name] {
			elsewhere = append(elsewhere, name)
			places += len(found)
			continue
		}
		d := found[0]
		d.Hint = r.sources.BufHint()
		if hints++; hints <= maxHints {
			if best := r.sources.Similar(name); best != "" {
				d.Hint = `did you mean "` + best + `"?`
			}
		}
		out = append(out, l.explained(d, len(found)))
	}
	if len(elsewhere) == 0 {
		return out
	}
	d := imports[elsewhere[0]][0]
	if places > 1 {
		d = report.Diagnostic{Message: fmt.Sprintf("%d imports lead nowhere: %s", places,
			list(elsewhere))}
	}
	d.Hint = "try -I " + strings.Join(roots, " -I ") + `; in gremlin.yaml: roots: [` +
		strings.Join(roots, ", ") + "]"
	return append(out, l.explained(d, 1))
}

// lost explains the errors of a run that imports lead nowhere.
type lost struct {
	*run
	held int // errors that are not told because of them
}

// explained adds to the diagnostic of an import, which stands so many times, what there is to say
// about it.
func (l *lost) explained(d report.Diagnostic, times int) report.Diagnostic {
	d.Notes = []report.Note{l.searched()}
	if times > 1 {
		d.Notes = append(d.Notes, report.Note{Message: fmt.Sprintf("places that import it too: %d",
			times-1)})
	}
	if l.held > 0 {
		d.Notes = append(d.Notes, report.Note{Message: fmt.Sprintf(
			"errors about names that such an import may declare, which are held back: %d", l.held)})
		l.held = 0 // said once
	}
	return d
}

func (r *run) searched() report.Note {
	return report.Note{Message: "searched the roots " + r.sources.String() +
		" and the well-known files"}
}

// shownLost is how many names are listed.
const shownLost = 3

// list names the first few.
func list(names []string) string {
	shown := names[:min(len(names), shownLost)]
	text := `"` + strings.Join(shown, `", "`) + `"`
	if rest := len(names) - len(shown); rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}
