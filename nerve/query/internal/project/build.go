package project

import "github.com/octopus-framework/octopus/gremlin/dynamic"

// node is a message that something is wanted of.
type node struct {
	typ     *dynamic.Type
	scope   *scope
	present *leaf // nil for elements of lists, and the root
	raw     *leaf
	wants   map[uint32]*want
}

// want is what is wanted of one field.
type want struct {
	field *dynamic.Field
	one   *place   // set for a field that is no list
	each  *place   // what is wanted of every element
	list  *scope   // set if each or the size is wanted
	count *leaf    // counts elements, for at
	at    []*place // elements by index
	keys  []*place // values by key
}

// place is where one value goes: a leaf for scalars, a node for messages.
type place struct {
	index int
	key   dynamic.Scalar
	leaf  *leaf
	msg   *node
	found *leaf // whether there is an element
}

func newNode(t *dynamic.Type, s *scope) *node {
	return &node{typ: t, scope: s, wants: map[uint32]*want{}}
}

// have makes sure that the node knows whether it is there.
func (n *node) have() *leaf {
	if n.present == nil {
		n.present = n.scope.add(noStore, true, dynamic.Scalar{}, 0)
	}
	return n.present
}

func (n *node) want(f *dynamic.Field) *want {
	w := n.wants[f.Number]
	if w == nil {
		w = &want{field: f}
		n.wants[f.Number] = w
	}
	return w
}

// place returns where the value that a step means goes, in a message.
func (n *node) place(s Step) *place {
	w := n.want(s.Field)
	switch s.Select {
	case Index:
		for _, p := range w.at {
			if p.index == s.Index {
				return p
			}
		}
		if w.count == nil {
			w.count = n.scope.add(ints, false, dynamic.Scalar{}, 0)
		}
		p := &place{index: s.Index, found: n.scope.add(noStore, true, dynamic.Scalar{}, 0)}
		w.at = append(w.at, p)
		p.fill(s.Field, n.scope)
		return p
	case Key:
		for _, p := range w.keys {
			if p.key == s.Key {
				return p
			}
		}
		p := &place{key: s.Key, found: n.scope.add(noStore, true, dynamic.Scalar{}, 0)}
		w.keys = append(w.keys, p)
		p.fill(s.Field.Value(), n.scope)
		return p
	}
	if !s.Field.List() {
		if w.one == nil {
			w.one = &place{}
			w.one.fill(s.Field, n.scope)
			if w.one.msg != nil {
				w.one.msg.have()
			}
		}
		return w.one
	}
	if w.each == nil {
		w.each = &place{}
		w.each.fill(s.Field, w.elements(n.scope))
	}
	return w.each
}

// elements returns the scope of the elements.
func (w *want) elements(parent *scope) *scope {
	if w.list == nil {
		w.list = &scope{parent: parent}
		parent.children = append(parent.children, w.list)
	}
	return w.list
}

// fill makes the leaf or node of a value of f.
func (p *place) fill(f *dynamic.Field, s *scope) {
	switch f.Kind {
	case dynamic.MessageKind, dynamic.Group, dynamic.Map:
		p.msg = newNode(f.Message, s)
	default:
		presence := f.Presence && !f.List() && p.found == nil
		def := f.Default
		p.leaf = s.add(storeOf(f.Kind), presence, def, f.Kind)
	}
}

// compile makes the plan of a node.
func (n *node) compile(c *checks) *plan {
	p := &plan{}
	if n.typ.MessageSet {
		return p
	}
	clears := n.oneofs()
	for _, f := range n.typ.Fields {
		others := clears[f]
		w := n.wants[f.Number]
		if w == nil && len(others) == 0 {
			c.field(p, f)
			continue
		}
		if w == nil {
			e := c.tagPlan(f)
			e.target = &target{field: f, plan: e.target.plan, base: e.action, clears: others}
			e.action = clearing
			wire, _, _, _ := scalarForm(f.Kind)
			p.set(f.Number, wire, e)
			continue
		}
		w.compile(p, c, others)
	}
	return p
}

// oneofs returns for each member of a oneof what it clears.
func (n *node) oneofs() map[*dynamic.Field][]wipe {
	clears := map[*dynamic.Field][]wipe{}
	for _, w := range n.wants {
		if w.field.Oneof == nil || w.one == nil {
			continue
		}
		for _, f := range w.field.Oneof.Fields {
			if f != w.field {
				clears[f] = append(clears[f], w.one.wipe())
			}
		}
	}
	return clears
}

// wipe returns what makes the value at a place absent, with all that is below it.
func (p *place) wipe() (out wipe) {
	if p.leaf != nil {
		out.leaves = append(out.leaves, p.leaf)
	}
	if p.msg != nil {
		p.msg.wipe(&out)
	}
	return out
}

func (n *node) wipe(out *wipe) {
	for _, l := range []*leaf{n.present, n.raw} {
		if l != nil {
			out.leaves = append(out.leaves, l)
		}
	}
	for _, w := range n.wants {
		if w.list != nil {
			out.scopes = append(out.scopes, w.list)
		}
		if w.count != nil {
			out.leaves = append(out.leaves, w.count)
		}
		places := append(append([]*place{}, w.at...), w.keys...)
		if w.one != nil {
			places = append(places, w.one)
		}
		for _, p := range places {
			if p.found != nil {
				out.leaves = append(out.leaves, p.found)
			}
			inner := p.wipe()
			out.leaves = append(out.leaves, inner.leaves...)
			out.scopes = append(out.scopes, inner.scopes...)
		}
	}
}

// compile sets what is done with the field of w.
func (w *want) compile(p *plan, c *checks, others []wipe) {
	f := w.field
	wire, _, _, checkPacked := scalarForm(f.Kind)
	t := &target{field: f, clears: others}
	switch {
	case f.Kind == dynamic.Map:
		t.check = c.of(f.Message)
		if c.lazy {
			t.check = &plan{}
		}
		t.list = &list{scope: w.list}
		if w.each != nil {
			t.list.each = &element{tagPlan: w.each.tagPlan(f, c)}
		}
		for _, k := range w.keys {
			t.keys = append(t.keys, k.taker(f, c))
		}
		p.set(f.Number, wire, tagPlan{action: entries, target: t})
	case f.Repeated:
		t.list = w.elementsOf(c)
		p.set(f.Number, wire, tagPlan{action: elements, target: t})
		if checkPacked != unknown {
			p.set(f.Number, wireBytes, tagPlan{action: packed, target: t})
		}
	default:
		e := w.one.tagPlan(f, c)
		switch {
		case e.action == setInt32 && f.Enum != nil && f.Enum.Closed:
			e.action = closedEnum
			e.target.clears = others
		case len(others) > 0:
			e.target.base, e.target.clears = e.action, others
			e.action = clearing
		}
		p.set(f.Number, wire, e)
	}
}

// elementsOf returns the list of a repeated field.
func (w *want) elementsOf(c *checks) *list {
	l := &list{element: c.tagPlan(w.field), scope: w.list, counter: w.count}
	if w.field.Enum != nil && w.field.Enum.Closed {
		l.closed = w.field.Enum
	}
	if w.each != nil {
		l.each = &element{tagPlan: w.each.tagPlan(w.field, c)}
	}
	for _, p := range w.at {
		l.at = append(l.at, indexed{index: int64(p.index),
			element: &element{tagPlan: p.tagPlan(w.field, c), found: p.found}})
	}
	return l
}

// taker returns what takes the value of one key of the map f.
func (p *place) taker(f *dynamic.Field, c *checks) mapKey {
	values := &plan{}
	wire, _, _, _ := scalarForm(f.Key().Kind)
	values.set(1, wire, c.tagPlan(f.Key()))
	v := f.Value()
	wire, _, _, _ = scalarForm(v.Kind)
	e := p.tagPlan(v, c)
	if e.action == setInt32 && v.Enum != nil && v.Enum.Closed {
		e.action = closedEnum
	}
	values.set(2, wire, e)
	return mapKey{key: p.key, values: values,
		element: &element{wipe: p.wipe(), found: p.found}}
}

// tagPlan returns what takes one value of f.
func (p *place) tagPlan(f *dynamic.Field, c *checks) tagPlan {
	_, set, _, _ := scalarForm(f.Kind)
	t := &target{field: f, leaf: p.leaf}
	if p.msg != nil {
		t.present, t.raw = p.msg.present, p.msg.raw
		t.plan = p.msg.compile(c)
		if set != descendGroup {
			set = descend
		}
	}
	return tagPlan{action: set, utf8: f.UTF8, target: t}
}
