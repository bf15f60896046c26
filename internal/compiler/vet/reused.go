package vet

import (
	"go/ast"
	"go/constant"
	"go/types"
)

// Messages that are decoded with gremlin.Borrow or gremlin.Reuse, by themselves or by what holds
// them: gremlin.Reused and Lent, and gremlingrpc.BorrowedMessage.

const gremlinPath = module + "/gremlin"

// The bits of gremlin.How.
const (
	howBorrow = 1
	howReuse  = 2
)

// isHolder tells whether t is one of the types that hold a Message which is used again.
func isHolder(t types.Type) bool {
	return isNamed(t, gremlinPath, "Reused", "Lent") || isNamed(t, grpcPath, "BorrowedMessage")
}

// spreadReused marks Messages that UnmarshalWith decodes: into memory that is used again in the
// next round, or from input that is lent.
func (k *keeping) spreadReused(call *ast.CallExpr) {
	if !within(call.Pos(), k.body) {
		return
	}
	var message, input, how ast.Expr
	if f, on := method(k.info, call); f != nil && f.Name() == "UnmarshalWith" &&
		len(call.Args) == 2 && isMessage(k.info.TypeOf(on)) {
		message, input, how = on, call.Args[0], call.Args[1]
	} else if f := function(k.info, call); f != nil && f.Pkg() != nil &&
		f.Pkg().Path() == gremlinPath && f.Name() == "UnmarshalWith" && len(call.Args) == 3 {
		input, message, how = call.Args[0], call.Args[1], call.Args[2]
	} else {
		return
	}
	value := k.info.Types[how].Value
	if value == nil {
		return
	}
	bits, _ := constant.Int64Val(value)
	v := rootOf(k.info, message)
	if v == nil {
		return
	}
	again := bits&howReuse != 0 && !within(v.Pos(), k.loop) && k.innermost(call)
	switch {
	case again:
		k.states[v] = lent
	case bits&howBorrow != 0 && k.of(input) >= borrowed:
		k.states[v] = max(k.states[v], borrowed)
	}
}

// ofHolder returns the state of what a method of a holder returns: its Message.
func (k *keeping) ofHolder(f *types.Func, holder ast.Expr) state {
	switch f.Name() {
	case "Message":
		if k.of(holder) == lent || k.received(holder) || k.decoded(holder) {
			return lent
		}
	case "Unmarshal":
		if v := rootOf(k.info, holder); v != nil && !within(v.Pos(), k.loop) {
			return lent
		}
	}
	return owned
}

// decoded tells whether the loop decodes into a holder that is used again in the next round.
func (k *keeping) decoded(holder ast.Expr) bool {
	v := rootOf(k.info, holder)
	if v == nil || within(v.Pos(), k.loop) {
		return false
	}
	found := false
	ast.Inspect(k.loop, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			f, on := method(k.info, call)
			found = found || f != nil && f.Name() == "Unmarshal" && rootOf(k.info, on) == v
		}
		return true
	})
	return found
}

// shares tells whether a part of type t refers to memory of whole, which is in state s. A Message
// that is used again lends all that it refers to, its lists, maps and nested Messages; one that
// only borrows lends strings and bytes.
func (k *keeping) shares(whole ast.Expr, s state, t types.Type) bool {
	w := types.Unalias(k.info.TypeOf(whole))
	switch {
	case s < borrowed:
		return false
	case !isMessage(w) && !isListOfMessages(w):
		return aliases(t)
	case s == borrowed:
		return holdsText(t, 6)
	}
	return refers(t, 4)
}

// holdsText tells whether a value of type t, or what it refers to, can be a string or bytes. Of a
// Message the fields count that people see: the others are its own.
func holdsText(t types.Type, depth int) bool {
	if t == nil || depth == 0 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Slice:
		b, ok := u.Elem().Underlying().(*types.Basic)
		return ok && b.Kind() == types.Byte || holdsText(u.Elem(), depth)
	case *types.Pointer:
		return holdsText(u.Elem(), depth)
	case *types.Map:
		return holdsText(u.Key(), depth) || holdsText(u.Elem(), depth)
	case *types.Struct:
		for f := range u.Fields() {
			if f.Exported() && holdsText(f.Type(), depth-1) {
				return true
			}
		}
	case *types.Interface: // a oneof
		return true
	}
	return false
}

func isListOfMessages(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return isMessage(u.Elem())
	case *types.Map:
		return isMessage(u.Elem())
	}
	return false
}

// refers tells whether a value of type t refers to other memory.
func refers(t types.Type, depth int) bool {
	if t == nil || depth == 0 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Struct:
		for f := range u.Fields() {
			if refers(f.Type(), depth-1) {
				return true
			}
		}
		return false
	}
	return true
}
