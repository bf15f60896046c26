package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Kept finds what a loop keeps although it is valid in it only: strings, byte slices, Readers and
// items of a loop over a queue, over messages of a stream or of borrowed gRPC messages, what
// Messages refer to that are borrowed or used again, and pointers to a Reader that is used again
// for the next message.
var Kept = &analysis.Analyzer{
	Name: "gremlinkept",
	Doc: "find strings, bytes, Readers and items that are kept longer than they are valid\n\n" +
		"What a loop over nerve.Typed, Consumer.Records, a batch, a DelimitedReader or a Borrowed\n" +
		"yields is memory that is used again for the next record.",
	URL: "https://pkg.go.dev/" + module + "/compiler/vet",
	Run: func(pass *analysis.Pass) (any, error) {
		functions(pass, func(body *ast.BlockStmt) {
			ast.Inspect(body, func(n ast.Node) bool {
				if loopBody(n) != nil {
					newKeeping(pass, n).check()
				}
				return true
			})
		})
		return nil, nil
	},
}

// state is how long a value is valid.
type state uint8

const (
	owned    state = iota // as long as it is needed
	moving                // a pointer to a Reader that will be on something else in the next round
	borrowed              // strings and bytes of it, a Message of its own, until then
	lent                  // it, and all strings of it, until the next round
)

// keeping is what is known of one loop.
type keeping struct {
	pass   *analysis.Pass
	info   *types.Info
	loop   ast.Node // *ast.ForStmt or *ast.RangeStmt
	body   *ast.BlockStmt
	states map[*types.Var]state
	said   map[token.Pos]bool
}

func newKeeping(pass *analysis.Pass, loop ast.Node) *keeping {
	k := &keeping{pass: pass, info: pass.TypesInfo, loop: loop, body: loopBody(loop),
		states: map[*types.Var]state{}, said: map[token.Pos]bool{}}
	if r, ok := loop.(*ast.RangeStmt); ok {
		k.sourceOfRange(r)
	}
	return k
}

// check reports what the loop keeps.
func (k *keeping) check() {
	for range 3 { // what is lent spreads through variables, also against the order of the text
		ast.Inspect(k.loop, k.spread)
	}
	if len(k.states) != 0 {
		ast.Inspect(k.body, k.sink)
	}
}

// sourceOfRange looks whether a range statement yields what is lent.
func (k *keeping) sourceOfRange(r *ast.RangeStmt) {
	call, ok := ast.Unparen(r.X).(*ast.CallExpr)
	if !ok {
		return
	}
	s := owned
	if f := function(k.info, call); f != nil && f.Pkg() != nil && f.Pkg().Path() == nervePath &&
		f.Name() == "Typed" {
		s = lent
	}
	if f, on := method(k.info, call); f != nil {
		t := k.info.TypeOf(on)
		switch {
		case f.Name() == "Records" && isNamed(t, nervePath, "Consumer"):
			s = lent
		case isReader(t) && r.Key != nil && isReader(k.info.TypeOf(r.Key)):
			s = moving
		}
	}
	k.mark(r.Key, s)
}

// mark gives the variable that e is a state, unless it lives longer than the loop.
func (k *keeping) mark(e ast.Expr, s state) {
	id, ok := e.(*ast.Ident)
	if !ok || s == owned {
		return
	}
	if v, ok := k.info.ObjectOf(id).(*types.Var); ok && within(v.Pos(), k.loop) {
		k.states[v] = max(k.states[v], s)
	}
}

// spread marks the variables that get what is lent.
func (k *keeping) spread(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, e := range n.Lhs {
			k.mark(e, k.assigned(n, i, e))
		}
	case *ast.ValueSpec:
		for i, id := range n.Names {
			if i < len(n.Values) {
				k.mark(id, k.of(n.Values[i]))
			}
		}
	case *ast.RangeStmt:
		s := k.of(n.X)
		if k.yields(n.X) {
			s = lent
		}
		for _, e := range []ast.Expr{n.Key, n.Value} {
			if e != nil && k.shares(n.X, s, k.info.TypeOf(e)) {
				k.mark(e, s)
			}
		}
	case *ast.CallExpr:
		k.spreadCall(n)
		k.spreadReused(n)
	}
	return true
}

// yields tells whether e is a call that gives an iterator over what is lent.
func (k *keeping) yields(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	f, on := method(k.info, call)
	if f == nil {
		return false
	}
	if isNamed(k.info.TypeOf(on), nervePath, "Batch") && f.Name() == "All" {
		return k.filled(on)
	}
	_, iterates := types.Unalias(k.info.TypeOf(call)).Underlying().(*types.Signature)
	return iterates && k.of(on) >= borrowed
}

// filled tells whether a batch is filled by a Next in each round of the loop.
func (k *keeping) filled(batch ast.Expr) bool {
	v := rootOf(k.info, batch)
	found := false
	ast.Inspect(k.loop, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 2 {
			return true
		}
		f, on := method(k.info, call)
		if f != nil && f.Name() == "Next" && isNamed(k.info.TypeOf(on), nervePath, "Consumer",
			"Cursor") && rootOf(k.info, call.Args[1]) == v {
			found = true
		}
		return true
	})
	return v != nil && found
}

// spreadCall marks Readers that are put on what is lent, or on something else in each round.
func (k *keeping) spreadCall(call *ast.CallExpr) {
	f, on := method(k.info, call)
	if f == nil || f.Name() != "Unmarshal" || len(call.Args) != 1 || !within(call.Pos(), k.body) ||
		!isReader(k.info.TypeOf(on)) {
		return
	}
	id, ok := ast.Unparen(on).(*ast.Ident)
	if !ok {
		return
	}
	v, ok := k.info.ObjectOf(id).(*types.Var)
	switch {
	case !ok:
	case k.of(call.Args[0]) >= borrowed:
		k.states[v] = lent
	case !within(v.Pos(), k.loop) && k.innermost(call):
		k.states[v] = max(k.states[v], moving)
	}
}

// innermost tells whether the loop is the innermost one around n.
func (k *keeping) innermost(n ast.Node) bool {
	inner := false
	ast.Inspect(k.body, func(x ast.Node) bool {
		inner = inner || x != nil && loopBody(x) != nil && within(n.Pos(), x)
		return !inner
	})
	return !inner
}

// assigned returns the state of what assignment n gives to its left side i, which is e.
func (k *keeping) assigned(n *ast.AssignStmt, i int, e ast.Expr) state {
	if len(n.Lhs) == len(n.Rhs) {
		return k.of(n.Rhs[i])
	}
	if len(n.Rhs) != 1 || !aliases(k.info.TypeOf(e)) && !isMessage(k.info.TypeOf(e)) {
		return owned
	}
	return k.of(n.Rhs[0])
}

// sink reports where something is kept.
func (k *keeping) sink(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			break
		}
		for i, to := range n.Lhs {
			k.key(to)
			if n.Tok == token.ASSIGN && k.outlives(to) {
				if s := k.assigned(n, i, to); s != owned {
					k.report(to, s)
				}
			}
		}
	case *ast.IncDecStmt:
		k.key(n.X)
	case *ast.SendStmt:
		if s := k.of(n.Value); s != owned && k.outlives(n.Chan) {
			k.report(n.Value, s)
		}
	case *ast.GoStmt:
		k.later(n.Call)
	case *ast.DeferStmt:
		k.later(n.Call)
	case *ast.CallExpr:
		if f, _ := method(k.info, n); f != nil && f.Name() == "Go" {
			k.later(n)
		}
	}
	return true
}

// key reports a key that is lent, of a map that lives longer than the loop.
func (k *keeping) key(e ast.Expr) {
	index, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok || !k.outlives(index.X) {
		return
	}
	if _, ok := types.Unalias(k.info.TypeOf(index.X)).Underlying().(*types.Map); !ok {
		return
	}
	if s := k.of(index.Index); s != owned {
		k.report(index.Index, s)
	}
}

// outlives tells whether what e stands for is there after the loop.
func (k *keeping) outlives(e ast.Expr) bool {
	v := rootOf(k.info, e)
	return v != nil && v.Name() != "_" && !within(v.Pos(), k.loop) && k.states[v] == owned
}

// later reports what a call uses that runs when the loop has gone on.
func (k *keeping) later(call *ast.CallExpr) {
	for _, e := range append([]ast.Expr{call.Fun}, call.Args...) {
		if lit, ok := e.(*ast.FuncLit); ok {
			k.captured(lit)
		} else if s := k.of(e); s != owned {
			k.report(e, s)
		}
	}
}

// captured reports what a function uses of the variables around it.
func (k *keeping) captured(lit *ast.FuncLit) {
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if s := k.info.Selections[n]; s != nil && s.Kind() == types.FieldVal &&
				!aliases(s.Type()) {
				return false // a number
			}
		case *ast.Ident:
			if v, ok := k.info.Uses[n].(*types.Var); ok && !within(v.Pos(), lit) &&
				k.of(n) != owned {
				k.report(n, k.of(n))
				return false
			}
		}
		return true
	})
}

func (k *keeping) report(at ast.Expr, s state) {
	if k.said[at.Pos()] {
		return
	}
	k.said[at.Pos()] = true
	if s == moving {
		k.pass.ReportRangef(at, "a pointer to a Reader that is on another message in the next "+
			"round is kept: copy the Reader, or make one in each round")
		return
	}
	k.pass.ReportRangef(at, "kept longer than it is valid, which is until the next round of the "+
		"loop: copy it before (Clone, strings.Clone, bytes.Clone, Item.Keep, nerve.Owned)")
}

// aliases tells whether a value of type t may refer to memory that is lent.
func aliases(t types.Type) bool { return aliasesWithin(t, 4) }

func aliasesWithin(t types.Type, depth int) bool {
	if t == nil || depth == 0 {
		return false
	}
	if isReader(t) || isHolder(t) || isNamed(t, nervePath, "Record", "Item", "Batch") {
		return true
	}
	if isMessage(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Slice:
		if b, ok := u.Elem().Underlying().(*types.Basic); ok && b.Kind() == types.Byte {
			return true
		}
		return aliasesWithin(u.Elem(), depth-1)
	case *types.Array:
		return aliasesWithin(u.Elem(), depth-1)
	case *types.Pointer:
		return aliasesWithin(u.Elem(), depth-1)
	case *types.Map:
		return aliasesWithin(u.Key(), depth-1) || aliasesWithin(u.Elem(), depth-1)
	case *types.Struct:
		for f := range u.Fields() {
			if aliasesWithin(f.Type(), depth-1) {
				return true
			}
		}
	case *types.Tuple:
		for v := range u.Variables() {
			if aliasesWithin(v.Type(), depth-1) {
				return true
			}
		}
	}
	return false
}

// ownResults are methods of lent values whose results are copies.
const ownResults = " Keep ToMessage Clone String Marshal MarshalAppend MarshalJSON AppendJSON Err " +
	"CheckEncoding Time Text AppendText "

// views are functions of packages strings and bytes whose results refer to their arguments.
const views = " TrimSpace Trim TrimLeft TrimRight TrimPrefix TrimSuffix TrimFunc Cut CutPrefix " +
	"CutSuffix Split SplitN SplitAfter Fields "

// of returns the state of an expression.
func (k *keeping) of(e ast.Expr) state {
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := k.info.ObjectOf(e).(*types.Var)
		if !ok {
			return owned
		}
		s := k.states[v]
		if _, pointer := types.Unalias(v.Type()).(*types.Pointer); s == moving && !pointer {
			return owned // a copy
		}
		return s
	case *ast.ParenExpr:
		return k.of(e.X)
	case *ast.UnaryExpr:
		if id, ok := ast.Unparen(e.X).(*ast.Ident); ok && e.Op == token.AND {
			if v, ok := k.info.ObjectOf(id).(*types.Var); ok {
				return k.states[v]
			}
		}
		return k.part(e.X, e)
	case *ast.SelectorExpr:
		return k.part(e.X, e)
	case *ast.IndexExpr:
		return k.part(e.X, e)
	case *ast.SliceExpr:
		return k.part(e.X, e)
	case *ast.StarExpr:
		return k.part(e.X, e)
	case *ast.CompositeLit:
		s := owned
		for _, elt := range e.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				s = max(s, k.of(kv.Key))
				elt = kv.Value
			}
			s = max(s, k.of(elt))
		}
		return s
	case *ast.CallExpr:
		return k.ofCall(e)
	}
	return owned
}

// part returns the state of part, which is one of whole.
func (k *keeping) part(whole, part ast.Expr) state {
	if s := k.of(whole); k.shares(whole, s, k.info.TypeOf(part)) {
		return s
	}
	return owned
}

func (k *keeping) ofCall(call *ast.CallExpr) state {
	if tv := k.info.Types[call.Fun]; tv.IsType() && len(call.Args) == 1 {
		from, to := k.info.TypeOf(call.Args[0]), tv.Type
		_, sliceFrom := from.Underlying().(*types.Slice)
		if _, sliceTo := to.Underlying().(*types.Slice); sliceFrom != sliceTo {
			return owned // string([]byte) copies
		}
		return k.of(call.Args[0])
	}
	if f, on := method(k.info, call); f != nil {
		t := k.info.TypeOf(on)
		switch {
		case isNamed(t, grpcPath, "Borrowed") && f.Name() == "Reader" && k.received(on),
			f.Name() == "Next" && isNamed(t, module+"/gremlin", "DelimitedReader"):
			return lent
		case isHolder(t):
			return k.ofHolder(f, on)
		case strings.Contains(ownResults, " "+f.Name()+" ") || !isReader(t) && !isMessage(t) &&
			!isNamed(t, nervePath, "Record", "Item", "Batch"):
			return owned
		}
		return k.part(on, call)
	}
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if _, builtin := k.info.ObjectOf(id).(*types.Builtin); builtin && id.Name == "append" {
			return k.ofAppend(call)
		}
	}
	f := function(k.info, call)
	if f != nil && f.Pkg() != nil && len(call.Args) > 0 &&
		(f.Pkg().Path() == "strings" || f.Pkg().Path() == "bytes") &&
		strings.Contains(views, " "+f.Name()+" ") {
		return k.of(call.Args[0])
	}
	return owned
}

// ofAppend returns the state of what append returns.
func (k *keeping) ofAppend(call *ast.CallExpr) state {
	s := owned
	for i, e := range call.Args {
		if i > 0 && call.Ellipsis.IsValid() {
			elem, ok := k.info.TypeOf(call).Underlying().(*types.Slice)
			if ok && !aliases(elem.Elem()) {
				continue // bytes are copied
			}
		}
		s = max(s, k.of(e))
	}
	return s
}

// received tells whether the loop receives into a Borrowed.
func (k *keeping) received(borrowed ast.Expr) bool {
	v := rootOf(k.info, borrowed)
	found := false
	ast.Inspect(k.loop, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 {
			f, _ := method(k.info, call)
			found = found || f != nil && f.Name() == "RecvMsg" &&
				rootOf(k.info, call.Args[0]) == v
		}
		return true
	})
	return v != nil && found
}
