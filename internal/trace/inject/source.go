package inject

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// ImportPath is the package that injected statements call.
const ImportPath = "github.com/octopus-framework/octopus/functrace"

// Source is a file of Go source code, parsed.
type Source struct {
	Name string // name of the file for positions in errors
	src  []byte
	fset *token.FileSet
	file *ast.File
}

// Parse parses a file. Errors carry the position of each mistake, as go/scanner.ErrorList.
func Parse(name string, src []byte) (*Source, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	return &Source{Name: name, src: src, fset: fset, file: file}, nil
}

func (s *Source) offset(p token.Pos) int { return s.fset.PositionFor(p, false).Offset }

// Skipped says why the file is left alone, "" if it is not.
func (s *Source) Skipped(sel Select) string {
	switch {
	case usesCgo(s.file):
		return "cgo file"
	case !sel.Generated && ast.IsGenerated(s.file):
		return "generated file"
	case !sel.Tests && strings.HasSuffix(s.Name, "_test.go"):
		return "test file"
	}
	return ""
}

// Inject returns the source with the tracing statement at the start of every selected function that
// does not have it yet, and how many were added. taken reports whether an identifier is used in the
// file's package for something else than an import; the import gets another name then.
func Inject(s *Source, pkgPath string, sel Select, taken func(name string) bool) (out []byte,
	added int) {
	if s.Skipped(sel) != "" {
		return s.src, 0
	}
	name := s.importName()
	imported := name != ""
	if !imported {
		for name = "functrace"; taken(name); name += "_" {
		}
	}
	var e edits
	for _, f := range functions(s.file, pkgPath) {
		if !sel.takes(f, s.fset) || len(f.body.List) > 0 && traces(f.body.List[0], name) {
			continue
		}
		s.insertStatement(&e, f.body, name)
		added++
	}
	if added == 0 {
		return s.src, 0
	}
	if !imported {
		s.insertImport(&e, name)
	}
	return e.apply(s.src), added
}

func statement(name string) string {
	return "if " + name + ".Enabled { defer " + name + ".Trace()() }"
}

// insertStatement puts the statement on lines of its own, or, where the body goes on beside its
// brace, on that line.
func (s *Source) insertStatement(e *edits, body *ast.BlockStmt, name string) {
	after := s.offset(body.Lbrace) + 1
	if end, ok := restOfLine(s.src, after); ok {
		nl := newline(s.src, end)
		line := string(s.src[:after])
		line = line[strings.LastIndexByte(line, '\n')+1:]
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))] + "\t"
		e.insert(end, nl+indent+"if "+name+".Enabled {"+nl+indent+"\tdefer "+name+".Trace()()"+nl+
			indent+"}")
		return
	}
	if s.offset(body.Rbrace) == after {
		e.insert(after, " "+statement(name)+" ")
		return
	}
	e.insert(after, " "+statement(name)+";")
}

func (s *Source) insertImport(e *edits, name string) {
	spec := "import "
	if name != "functrace" {
		spec += name + " "
	}
	spec += strconv.Quote(ImportPath)
	after := s.offset(s.file.Name.End())
	if end, ok := restOfLine(s.src, after); ok {
		nl := newline(s.src, end)
		e.insert(end, nl+nl+spec)
		return
	}
	e.insert(after, "; "+spec)
}

// importName returns the name under which the file imports ImportPath, "" if it does not.
func (s *Source) importName() string {
	if spec := s.importSpec(); spec != nil {
		if spec.Name != nil {
			return spec.Name.Name
		}
		return "functrace"
	}
	return ""
}

func (s *Source) importSpec() *ast.ImportSpec {
	for _, spec := range s.file.Imports {
		if path, _ := strconv.Unquote(spec.Path.Value); path == ImportPath {
			if spec.Name == nil || spec.Name.Name != "_" && spec.Name.Name != "." {
				return spec
			}
		}
	}
	return nil
}

// traces reports whether a statement is the injected one, or the bare `defer functrace.Trace()()`.
func traces(stmt ast.Stmt, name string) bool {
	if cond, ok := stmt.(*ast.IfStmt); ok {
		return cond.Init == nil && cond.Else == nil && isSelector(cond.Cond, name, "Enabled") &&
			len(cond.Body.List) == 1 && traces(cond.Body.List[0], name)
	}
	def, ok := stmt.(*ast.DeferStmt)
	if !ok || len(def.Call.Args) > 0 {
		return false
	}
	call, ok := def.Call.Fun.(*ast.CallExpr)
	return ok && len(call.Args) == 0 && isSelector(call.Fun, name, "Trace")
}

func isSelector(x ast.Expr, pkg, name string) bool {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && id.Name == pkg
}

// Remove returns the source without the tracing statements, and without the import if nothing else
// uses it, and how many statements were removed. What Inject returned becomes what it was given.
func Remove(s *Source) (out []byte, removed int) {
	name := s.importName()
	if name == "" {
		return s.src, 0
	}
	var e edits
	uses := 0
	for _, f := range functions(s.file, "") {
		if len(f.body.List) > 0 && traces(f.body.List[0], name) {
			s.cutStatement(&e, f.body.List[0])
			removed++
			if _, ok := f.body.List[0].(*ast.IfStmt); ok {
				uses--
			}
			uses--
		}
	}
	if removed == 0 {
		return s.src, 0
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && id.Name == name && id.Obj == nil {
				uses++
			}
		}
		return true
	})
	if uses == 0 {
		s.cutImport(&e)
	}
	return e.apply(s.src), removed
}

func (s *Source) cutStatement(e *edits, stmt ast.Stmt) {
	from, to := s.offset(stmt.Pos()), s.offset(stmt.End())
	start := from - len(trailing(s.src[:from], " \t"))
	end, ok := restOfLine(s.src, to)
	switch {
	case ok && end == to && start > 0 && s.src[start-1] == '\n':
		// Alone on its lines: they go, with the line break before them.
		start--
		if start > 0 && s.src[start-1] == '\r' {
			start--
		}
		e.replace(start, to, "")
	case strings.HasPrefix(string(s.src[to:]), ";"):
		e.replace(max(start, from-1), to+1, "")
	case strings.HasPrefix(string(s.src[to:]), " }"):
		e.replace(max(start, from-1), to+1, "")
	default:
		e.replace(from, to, "")
	}
}

func (s *Source) cutImport(e *edits) {
	spec := s.importSpec()
	for _, decl := range s.file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.IMPORT || spec.Pos() < gen.Pos() || spec.End() > gen.End() {
			continue
		}
		from, to := s.offset(gen.Pos()), s.offset(gen.End())
		if gen.Lparen.IsValid() {
			from, to = s.offset(spec.Pos()), s.offset(spec.End())
			from -= len(trailing(s.src[:from], " \t\r\n"))
		}
		for _, before := range []string{"\r\n\r\n", "\n\n", "; "} {
			if strings.HasSuffix(string(s.src[:from]), before) {
				from -= len(before)
				break
			}
		}
		e.replace(from, to, "")
	}
}

// trailing returns the bytes at the end of b that are in set.
func trailing(b []byte, set string) []byte {
	return b[len(strings.TrimRight(string(b), set)):]
}

// identifiers adds every identifier of the file to names.
func (s *Source) identifiers(names map[string]bool) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name] = true
		}
		return true
	})
}

// Names returns a function for Inject that knows the identifiers of some files.
func Names(files []*Source) (taken func(string) bool) {
	names := make(map[string]bool)
	for _, s := range files {
		if s.importName() == "" {
			s.identifiers(names)
		}
	}
	return func(name string) bool { return names[name] }
}

// Package returns the name in the file's package clause.
func (s *Source) Package() string { return s.file.Name.Name }
