package rt

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Func stands for one instrumented function. Its zero value is ready: instrumented code has one in
// a package-level variable for each function, which costs no initialisation. The name is asked of
// the runtime when the function is first called.
type Func struct {
	id    atomic.Uint32 // 0 until registered
	state atomic.Uint32 // see On
	role  atomic.Uint32 // see isRequest
	name  string
	file  string
	line  int
	pc    uintptr
	main  bool // main.main: when it returns the program is over
	via   bool // the facade: it calls Trace on behalf of its caller
}

// facade is the function in package functrace that calls Trace on behalf of its caller. The
// compiler inlines it, unless inlining is off.
const facade = "github.com/octopus-framework/octopus/functrace.Trace"

// pcCache finds the Func of a return address without a lock; entries that share a place push each
// other out.
var pcCache [1 << 12]atomic.Pointer[Func]

// registry holds every function that was called, in the order of the ids, which start at 1.
var registry struct {
	mu    sync.Mutex
	funcs []*Func
	byPC  map[uintptr]*Func

	rules    []rule   // the last one that matches a function counts
	requests []string // Options.Requests of the running recording
}

// register gives f an id and makes it known to the running recording. pc is an address in the
// function.
func (f *Func) register(pc uintptr) uint32 {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	return f.registerLocked(pc)
}

func (f *Func) registerLocked(pc uintptr) uint32 {
	if id := f.id.Load(); id != 0 {
		return id
	}
	f.pc = pc
	// A function that defers is never inlined, but what it calls may be inlined into it: its entry
	// is its own.
	if at := runtime.FuncForPC(pc - 1); at != nil {
		if fn := runtime.FuncForPC(at.Entry()); fn != nil {
			f.name = fn.Name()
			f.file, f.line = fn.FileLine(fn.Entry())
		}
	}
	f.main, f.via = f.name == "main.main", f.name == facade
	registry.funcs = append(registry.funcs, f)
	id := uint32(len(registry.funcs))
	if r := active.Load(); r != nil {
		r.describe(f, id)
	}
	f.decide()
	f.id.Store(id)
	return id
}

// registerCaller registers f as the function that called Enter or EnterE, which called this one.
//
//go:noinline
func registerCaller(f *Func) {
	var pcs [1]uintptr
	runtime.Callers(3, pcs[:]) // Callers, registerCaller, Enter
	f.register(pcs[0])
}

func pcSlot(pc uintptr) *atomic.Pointer[Func] {
	return &pcCache[(pc^pc>>12)%uintptr(len(pcCache))]
}

// funcAt returns the Func of the function that pc lies in.
func funcAt(pc uintptr) *Func {
	place := pcSlot(pc)
	if f := place.Load(); f != nil && f.pc == pc {
		return f
	}
	registry.mu.Lock()
	defer registry.mu.Unlock()
	f := registry.byPC[pc]
	if f == nil {
		f = new(Func)
		f.registerLocked(pc)
		if registry.byPC == nil {
			registry.byPC = make(map[uintptr]*Func)
		}
		registry.byPC[pc] = f
	}
	place.Store(f)
	return f
}
