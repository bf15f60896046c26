package rt

import (
	"reflect"
	"strconv"
)

func nothing() {}

// Enter records that the calling function was entered and returns what records that it is left:
//
//	if f.On() {
//		defer rt.Enter(&f)()
//	}
//
// It allocates nothing and takes no lock, but for the first call of a function or in a goroutine.
//
//go:noinline
func Enter(f *Func) func() {
	g := self()
	if f.id.Load() == 0 {
		registerCaller(f)
	}
	switch {
	case g == nil || !f.On():
		return g.abstain()
	case g.mute(f):
		return g.unmute
	}
	g.enter(f)
	return g.exit
}

// EnterE is Enter for a function whose last result is an error, named e here:
//
//	if f.On() {
//		defer rt.EnterE(&f).Exit(&e)
//	}
//
//go:noinline
func EnterE(f *Func) *G {
	g := self()
	if f.id.Load() == 0 {
		registerCaller(f)
	}
	switch {
	case g == nil || !f.On():
		g.abstain()
		return nil
	case g.mute(f):
		return g
	}
	g.enter(f)
	return g
}

// abstain gives up what self has got for a call that is not recorded. g may be nil.
func (g *G) abstain() func() {
	if g != nil && g.depth+g.muted == 0 {
		g.state.Store(idle)
	}
	return nothing
}

// Exit records that the function which called EnterE is left, with the error that *e holds. It must
// be deferred by that function itself. With withText the text of the error is recorded too; it is
// asked of the error by its Error method.
//
//go:noinline
func (g *G) Exit(e *error, withText ...bool) {
	if g == nil {
		return
	}
	if g.muted > 0 {
		g.leaveMuted()
		return
	}
	o := outcomeAt(ret2()) // the compiler defers a call with arguments by a wrapper
	if o == Returned && *e != nil {
		o = Failed
		if len(withText) > 0 {
			g.text(TextError, []byte(errorText(*e)))
		}
	}
	g.leave(o)
}

// ExitHTTP is Exit for a function that has a net/http.ResponseWriter and does not return an error:
// a status of 500 or more is a failure.
//
//go:noinline
func (g *G) ExitHTTP(w any) {
	if g == nil {
		return
	}
	if g.muted > 0 {
		g.leaveMuted()
		return
	}
	o := outcomeAt(ret2())
	if o == Returned {
		if status := statusOf(w); status >= 500 {
			o = Failed
			g.text(TextError, strconv.AppendInt([]byte("HTTP status "), status, 10))
		}
	}
	g.leave(o)
}

// Trace is Enter for source code that was not given a Func: the function is known by the address
// Trace returns to.
//
//go:noinline
func Trace() func() {
	pc := ret1()
	g := self()
	if g == nil {
		return nothing
	}
	f := funcAt(pc)
	if f.via {
		f = funcAt(ret2())
	}
	switch {
	case !f.On():
		return g.abstain()
	case g.mute(f):
		return g.unmute
	}
	g.enter(f)
	return g.exit
}

// Args records argument values for the call that the calling function has just entered. Values are
// cut to MaxText bytes together; pointers are not followed and no method is called, so that nothing
// is read that another goroutine may write.
func Args(values ...any) {
	if g := peek(); g != nil {
		g.text(TextArgs, appendValues(make([]byte, 0, MaxText), values))
	}
}

// Fork records a go statement and returns a token for Adopt.
func Fork() uint64 {
	g, muted := look()
	switch {
	case muted:
		return mutedFork
	case g == nil:
		return 0
	}
	token := g.forks()
	if token != 0 && (g.inherits || g.chosen > 0) {
		token |= chosenFork
	}
	return token
}

// Adopt tells, at the start of a new goroutine, which Fork it comes from.
func Adopt(token uint64) {
	if r := active.Load(); r != nil && token != 0 {
		r.adopt(goid(), token).state.Store(idle)
	}
}

// Go wraps the function of a go statement, go Go(f)(args), so that the new goroutine is linked to
// the call that started it. f is returned as it is if there is nothing to link.
func Go[F any](f F) F {
	token := Fork()
	if token == 0 {
		return f
	}
	if plain, ok := any(f).(func()); ok {
		if plain == nil {
			return f
		}
		return any(func() {
			Adopt(token)
			plain()
		}).(F)
	}
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func || v.IsNil() {
		return f
	}
	call := v.Call
	if v.Type().IsVariadic() {
		call = v.CallSlice
	}
	return reflect.MakeFunc(v.Type(), func(args []reflect.Value) []reflect.Value {
		Adopt(token)
		return call(args)
	}).Interface().(F)
}

// Chain returns the names of the open traced calls of the calling goroutine, outermost first, at
// most limit of the innermost ones; nil outside of traced calls.
func Chain(limit int) []string {
	g := peek()
	if g == nil {
		return nil
	}
	open := g.stack[:min(int(g.depth), len(g.stack))]
	open = open[max(0, len(open)-limit):]
	names := make([]string, len(open))
	for i, f := range open {
		names[i] = f.f.name
	}
	return names
}
