package inject

import (
	"bytes"
	"fmt"
	"go/ast"
	"hash/fnv"
	"path/filepath"
	"strconv"
	"strings"
)

// The names that instrumented copies use. An underscore is added to prefix while it occurs in the
// package.
const prefix = "functrace__"

// pkgNames is what instrumenting one file must know of its package.
type pkgNames struct {
	used    map[string]bool // every identifier
	values  map[string]bool // package-level variables, constants, types and functions
	generic map[string]bool // generic functions
}

func packageNames(files []*Source) *pkgNames {
	p := &pkgNames{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, s := range files {
		s.identifiers(p.used)
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					p.values[d.Name.Name] = true
					p.generic[d.Name.Name] = d.Type.TypeParams != nil
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							p.values[name.Name] = true
						}
					case *ast.TypeSpec:
						p.values[spec.Name.Name] = true
					}
				}
			}
		}
	}
	return p
}

// instrumenter makes the instrumented copy of one file. Everything is inserted on the line it
// belongs to, so that lines keep their numbers.
type instrumenter struct {
	*Source
	edits
	pkg     *pkgNames
	runtime string // the import path of package rt
	args    bool
	name    string // name of the import; prefix of the other names
	vars    string // the variable that holds the Funcs
	count   int
}

// instrument returns the instrumented copy, nil if none is needed, and the names of the selected
// functions, those included that the source traces itself.
func instrument(s *Source, pkgPath, runtime string, pkg *pkgNames, sel Select,
	args bool) (out []byte, names []string) {
	in := &instrumenter{Source: s, pkg: pkg, runtime: runtime, args: args, name: prefix}
	for pkg.used[in.name] {
		in.name += "_"
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(filepath.Base(s.Name)))
	in.vars = fmt.Sprintf("%sf%08x", in.name, h.Sum32())

	// The compiler, and panics of the program, shall name the original and not this copy.
	if path, err := filepath.Abs(s.Name); err == nil && !bytes.HasPrefix(s.src, []byte("\ufeff")) {
		in.insert(0, "//line "+path+":1\n")
	}
	injected := s.importName()
	for _, f := range functions(s.file, pkgPath) {
		if f.bound {
			continue
		}
		in.goStatements(f.body)
		if sel.takes(f, s.fset) {
			names = append(names, f.name)
			if injected == "" || len(f.body.List) == 0 || !traces(f.body.List[0], injected) {
				in.function(f)
			}
		}
	}
	if in.count == 0 {
		return nil, names
	}
	in.insert(s.offset(s.file.Name.End()), ";import "+in.name+" "+strconv.Quote(runtime))
	in.insert(len(s.src), fmt.Sprintf("\nvar %s [%d]%s.Func\n", in.vars, in.count, in.name))
	return in.apply(s.src), names
}

// function inserts the statement that records a call.
func (in *instrumenter) function(f function) {
	that := fmt.Sprintf("%s[%d]", in.vars, in.count)
	this := "&" + that
	in.count++
	text := fmt.Sprintf("defer %s.Enter(%s)();", in.name, this)
	e := in.errorResult(f)
	if e != "" {
		withText := ""
		if in.args {
			withText = ", true"
		}
		text = fmt.Sprintf("defer %s.EnterE(%s).Exit(&%s%s);", in.name, this, e, withText)
	}
	if w := in.parameter(f, "net/http", "ResponseWriter", false); w != "" && e == "" {
		text = fmt.Sprintf("defer %s.EnterE(%s).ExitHTTP(%s);", in.name, this, w)
	}
	if r := in.parameter(f, "net/http", "Request", true); r != "" {
		text += fmt.Sprintf("if %s != nil { %s.Header(%s.Header[\"Traceparent\"]) };", r, in.name,
			r)
	}
	if ctx := in.parameter(f, "context", "Context", false); ctx != "" {
		text += fmt.Sprintf("%s.Context(%s);", in.name, ctx)
	}
	if names := parameters(f); in.args && len(names) > 0 {
		text += fmt.Sprintf("%s.Args(%s);", in.name, strings.Join(names, ", "))
	}
	text = " if " + that + ".On() {" + text + "};"
	after := f.body.Lbrace + 1
	if _, ok := restOfLine(in.src, in.offset(after)); !ok {
		// The compiler's errors shall name the columns of the original.
		if p := in.fset.Position(after); p.Column > 0 {
			text += fmt.Sprintf("/*line :%d:%d*/", p.Line, p.Column)
		}
	}
	in.insert(in.offset(after), text)
}

// errorResult returns the name of the last result if its type is error, giving it one if it has
// none; else "".
func (in *instrumenter) errorResult(f function) string {
	results := f.typ.Results
	if results == nil || len(results.List) == 0 || in.pkg.values["error"] {
		return ""
	}
	last := results.List[len(results.List)-1]
	if id, ok := last.Type.(*ast.Ident); !ok || id.Name != "error" || id.Obj != nil {
		return ""
	}
	if n := len(last.Names); n > 0 {
		id := last.Names[n-1]
		if id.Name != "_" {
			return id.Name
		}
		in.replace(in.offset(id.Pos()), in.offset(id.End()), in.name+"r")
		return in.name + "r"
	}
	if hasBareReturn(f.body) {
		return "" // an error, which named results would hide from the compiler
	}
	if !results.Opening.IsValid() {
		in.insert(in.offset(last.Pos()), "("+in.name+"r ")
		in.insert(in.offset(last.End()), ")")
		return in.name + "r"
	}
	for i, field := range results.List[:len(results.List)-1] {
		in.insert(in.offset(field.Pos()), in.name+"r"+strconv.Itoa(i)+" ")
	}
	in.insert(in.offset(last.Pos()), in.name+"r ")
	return in.name + "r"
}

func hasBareReturn(body *ast.BlockStmt) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			found = found || len(n.Results) == 0
		}
		return true
	})
	return found
}

// parameter returns the name of the first parameter of a type of another package, or of a pointer
// to it; "" if there is none.
func (in *instrumenter) parameter(f function, pkg, typ string, pointer bool) string {
	for _, field := range f.typ.Params.List {
		x := field.Type
		if star, ok := x.(*ast.StarExpr); ok == pointer {
			if ok {
				x = star.X
			}
		} else {
			continue
		}
		sel, ok := x.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != typ || len(field.Names) == 0 || field.Names[0].Name == "_" {
			continue
		}
		if id, ok := sel.X.(*ast.Ident); ok && id.Obj == nil && in.imports(id.Name, pkg) {
			return field.Names[0].Name
		}
	}
	return ""
}

// imports reports whether the file imports a package under a name.
func (in *instrumenter) imports(name, pkg string) bool {
	for _, spec := range in.file.Imports {
		if path, _ := strconv.Unquote(spec.Path.Value); path != pkg {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name == name
		}
		return name == pkg[strings.LastIndexByte(pkg, '/')+1:]
	}
	return false
}

// parameters lists the names of the receiver and the parameters that have one. A receiver that is a
// pointer is left out: it is not followed, and its type is in the name of the function.
func parameters(f function) (names []string) {
	for _, fields := range []*ast.FieldList{f.recv, f.typ.Params} {
		if fields == nil {
			continue
		}
		for _, field := range fields.List {
			if _, pointer := field.Type.(*ast.StarExpr); pointer && fields == f.recv {
				continue
			}
			for _, id := range field.Names {
				if id.Name != "_" {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}

// goStatements links the goroutines that a function starts, but not those of the literals in it, to
// the function.
func (in *instrumenter) goStatements(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.GoStmt:
			if lit, ok := n.Call.Fun.(*ast.FuncLit); ok {
				token := in.name + "t"
				in.insert(in.offset(n.Pos()), fmt.Sprintf("{%s := %s.Fork();", token, in.name))
				in.insert(in.offset(lit.Body.Lbrace)+1,
					fmt.Sprintf("%s.Adopt(%s);", in.name, token))
				in.insert(in.offset(n.End()), "}")
			} else if in.wrappable(n.Call) {
				in.insert(in.offset(n.Call.Fun.Pos()), in.name+".Go(")
				in.insert(in.offset(n.Call.Fun.End()), ")")
			}
		}
		return true
	})
}

// wrappable reports whether the function of a go statement can be passed as a value. A generic
// function whose type arguments are inferred cannot, and neither can a builtin; without types, a
// function of another package that is called with arguments may be generic. Such a goroutine is
// linked to its parent goroutine, not to the call.
func (in *instrumenter) wrappable(call *ast.CallExpr) bool {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		if fun.Obj != nil && fun.Obj.Kind == ast.Var {
			return true
		}
		return in.pkg.values[fun.Name] && !in.pkg.generic[fun.Name]
	case *ast.SelectorExpr:
		x, ok := fun.X.(*ast.Ident)
		return !ok || len(call.Args) == 0 || x.Obj != nil || in.pkg.values[x.Name]
	case *ast.IndexExpr, *ast.IndexListExpr:
		return len(call.Args) == 0
	}
	return false
}
