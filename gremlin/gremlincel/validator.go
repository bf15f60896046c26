package gremlincel

import (
	"cmp"
	"sync"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/validate"
	"github.com/octopus-framework/octopus/gremlin/validate/rt"
)

// DefaultCost is what one evaluation of an expression may cost, unless Options say otherwise. The
// unit is that of CEL, roughly one operation: some tens of nanoseconds.
const DefaultCost = 10_000_000

// costOfByte is what all expressions may cost for a byte of a message, beside Options.Cost.
const costOfByte = 100

// Options are those of a Validator. The zero value is useful.
type Options struct {
	validate.Options

	// Cost is what one evaluation of an expression may cost; 0 stands for DefaultCost. All of them
	// together may cost that much for a message, and 100 for each of its bytes. More is a
	// RuntimeError: an expression that compares all elements of two lists with each other cannot be
	// made to run for hours by a long message. Standard rules do not count.
	Cost uint64
}

// Validator checks the rules of messages. Any number of goroutines may use one.
type Validator struct {
	types   *dynamic.Schema
	options Options

	plans   sync.Map // *messagePlan by *dynamic.Type, complete
	mu      sync.Mutex
	builder builder
}

// New returns a Validator for the messages of a set of types. The rules of a type are compiled when
// they are first asked for; Compile does so ahead of time. The error is a *CompileError: a
// well-known type of the set is none.
func New(set *dynamic.Schema, o Options) (*Validator, error) {
	if err := checkShapes(set); err != nil {
		return nil, err
	}
	o.Cost = cmp.Or(o.Cost, DefaultCost)
	env, err := newEnvironment(set, o.Cost)
	if err != nil {
		return nil, err
	}
	return &Validator{types: set, options: o, builder: builder{set: set, env: env,
		plans:    map[*dynamic.Type]*messagePlan{},
		standard: map[*dynamic.Field][]predefinedRule{}}}, nil
}

// Compile compiles the rules of the messages with these full names, all of the set if there are
// none, and of all that they lead to. The error is that of the first rule that is wrong, a
// *CompileError, or a *TypeError.
func (v *Validator) Compile(names ...string) error {
	if len(names) == 0 {
		for t := range v.types.Messages() {
			names = append(names, t.Name)
		}
	}
	for _, name := range names {
		t := v.types.Message(name)
		if t == nil {
			return &TypeError{Name: name}
		}
		if err := v.plan(t).firstError(map[*messagePlan]bool{}); err != nil {
			return err
		}
	}
	return nil
}

// plan returns the plan of t.
func (v *Validator) plan(t *dynamic.Type) *messagePlan {
	if p, ok := v.plans.Load(t); ok {
		return p.(*messagePlan)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	p := v.builder.plan(t)
	settle(v.builder.fresh)
	for _, p := range v.builder.fresh {
		v.plans.Store(p.typ, p)
	}
	v.builder.fresh = nil
	return p
}

// Validate checks an encoded message of the type with this full name: all its rules, the standard
// ones and those in CEL. It keeps nothing of encoded.
//
// The error is a *validate.Error with what is wrong with the message, a *gremlin.Error if it is
// malformed, a *validate.RuntimeError if an expression fails, a *CompileError if one is no
// expression, and a *TypeError if there is no such type.
func (v *Validator) Validate(fullName string, encoded []byte) error {
	return v.check(fullName, encoded, nil)
}

// ValidateMessage checks a generated Message, as Validate does. The standard rules of one whose
// code was generated with them (validate: true) are checked by that code, without CEL. For the
// others it is encoded.
func (v *Validator) ValidateMessage(m gremlin.Message) error {
	encoded, err := encode(m)
	if err != nil {
		return err
	}
	standard, _ := m.(rt.Message)
	return v.check(gremlin.NameOf(m), encoded, standard)
}

// encode returns the encoding of m, or the error of one that contains itself.
func encode(m gremlin.Message) (b []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			if e, ok := r.(*gremlin.Error); ok {
				err = e
				return
			}
			panic(r)
		}
	}()
	return m.Marshal(), nil
}

// ValidateReader checks what a generated Reader reads, as Validate does. Who checks standard rules
// is as for ValidateMessage.
func (v *Validator) ValidateReader(r gremlin.Reader) error {
	standard, _ := r.(rt.Message)
	return v.check(gremlin.NameOf(r), r.Raw(), standard)
}

func (v *Validator) check(name string, encoded []byte, standard rt.Message) error {
	t := v.types.Message(name)
	if t == nil {
		return &TypeError{Name: name}
	}
	r, err := open(t, encoded)
	if err != nil {
		return err
	}
	k := check{plan: v.plan(t), message: r, standard: standard,
		budget: v.options.Cost + uint64(len(encoded))*costOfByte}
	if !k.wanted(k.plan.kinds) && standard == nil {
		return nil
	}
	if err = rt.Check(&k, v.options.Options); k.err != nil {
		return k.err
	}
	return err
}

// firstError returns what is wrong with the rules of p and of what it leads to.
func (p *messagePlan) firstError(seen map[*messagePlan]bool) error {
	if p == nil || seen[p] {
		return nil
	}
	seen[p] = true
	if p.err != nil {
		return p.err
	}
	for _, f := range p.fields {
		if f.err != nil {
			return f.err
		}
		for _, v := range []*valuePlan{&f.value, f.value.items, f.value.values} {
			if v == nil {
				continue
			}
			if err := v.message.firstError(seen); err != nil {
				return err
			}
		}
	}
	return nil
}
