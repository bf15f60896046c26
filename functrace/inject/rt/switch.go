package rt

import "strings"

// The states of a Func. Instrumented code asks for them, by On, before it does anything else.
const (
	undecided = iota
	on
	off
)

// On reports whether calls of f are recorded, or f was never called. It is one load.
func (f *Func) On() bool { return f.state.Load() != off }

// rule turns functions on or off.
type rule struct {
	pattern string
	on      bool
}

// Switch turns the functions that match a pattern on or off, from their next call on. A pattern is
// the full name of a function, "path/of/pkg.(*T).Method", or the path of a package; "..." stands
// for any text. Later patterns have the last word. It returns how many of the functions that were
// called so far match. Safe for concurrent use.
func Switch(pattern string, recorded bool) (matches int) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	rules := make([]rule, 0, len(registry.rules)+1)
	for _, r := range registry.rules {
		if r.pattern != pattern {
			rules = append(rules, r)
		}
	}
	registry.rules = append(rules, rule{pattern, recorded})
	for _, f := range registry.funcs {
		f.decide()
		if matchFunc(pattern, f.name) {
			matches++
		}
	}
	return matches
}

// decide sets what the patterns say of f. registry.mu must be held.
func (f *Func) decide() {
	wanted := true
	for _, r := range registry.rules {
		if matchFunc(r.pattern, f.name) {
			wanted = r.on
		}
	}
	f.role.Store(f.roleAmong(registry.requests))
	if wanted && active.Load() != nil {
		f.state.Store(on)
	} else {
		f.state.Store(off)
	}
}

// decideAll decides for all functions, because nothing is recorded any more.
func decideAll() {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	for _, f := range registry.funcs {
		f.decide()
	}
}

// matchFunc reports whether a pattern is the name of a function or of its package.
func matchFunc(pattern, name string) bool {
	return match(pattern, name) || match(pattern, packageOf(name))
}

// packageOf returns the path of a function's package.
func packageOf(name string) string {
	end := len(name)
	if i := strings.IndexByte(name, '['); i >= 0 { // type arguments have paths of their own
		end = i
	}
	slash := strings.LastIndexByte(name[:end], '/') + 1
	if dot := strings.IndexByte(name[slash:end], '.'); dot >= 0 {
		return name[:slash+dot]
	}
	return name
}

// match reports whether a text is as a pattern says, in which "..." stands for any text.
func match(pattern, text string) bool {
	parts := strings.Split(pattern, "...")
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok || len(parts) == 1 {
		return ok && rest == ""
	}
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}
