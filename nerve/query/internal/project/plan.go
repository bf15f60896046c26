package project

import "github.com/octopus-framework/octopus/gremlin/dynamic"

// action is what is done with one field in one wire type.
type action uint8

const (
	unknown action = iota // by wire type
	skipVar
	skip64
	skip32
	skipLen
	checkUTF8
	checkVarints // packed
	checkPacked64
	checkPacked32
	descend      // into a message, or the entry of a map, that is length-delimited
	descendGroup // into one that ends with a tag
	setInt64
	setInt32 // and enums
	setUint32
	setBool
	setSint32
	setSint64
	setFixed32
	setSfixed32
	setFixed64
	setFloat
	setDouble
	setString
	setBytes
	closedEnum
	elements // of a list
	packed   // elements of a list, packed
	entries  // of a map
	clearing // of other members of the oneof, then base
)

// plan is what to do with the fields of a message.
type plan struct {
	byTag []tagPlan // small tags
	far   map[uint64]tagPlan
}

// tagPlan says what to do with one tag.
type tagPlan struct {
	action action
	utf8   bool
	target *target
}

// target is where a field goes. The zero value is a field that nobody wants.
type target struct {
	field   *dynamic.Field
	leaf    *leaf  // gets the value
	present *leaf  // is told that the message is there
	raw     *leaf  // gets the encoding of the message
	plan    *plan  // what is wanted of the message
	base    action // clearing does it afterwards
	clears  []wipe // clearing does them first
	list    *list  // set for elements, packed and entries
	check   *plan  // verifies entries
	keys    []mapKey
}

// wipe is what makes one member of a oneof, or one message, absent.
type wipe struct {
	leaves []*leaf
	scopes []*scope
}

func (w *wipe) do() {
	for _, l := range w.leaves {
		l.clear()
	}
	for _, s := range w.scopes {
		s.empty()
	}
}

// list is who wants elements of a list.
type list struct {
	element tagPlan       // what to do with one that nobody wants
	closed  *dynamic.Enum // the enum of elements if it is closed: other numbers are no elements
	each    *element      // all of them
	scope   *scope        // set if each or the size is wanted
	counter *leaf         // elements so far, if there are indices
	at      []indexed
}

type indexed struct {
	index   int64
	element *element
}

// element is where an element, or the value of a map's key, goes.
type element struct {
	tagPlan tagPlan
	wipe    wipe
	found   *leaf // is told that it is there
}

// mapKey is a key of a map that is asked for.
type mapKey struct {
	key     dynamic.Scalar
	element *element
	values  *plan // reads an entry and sets what is wanted of its value
}

const maxTable = 4096 // tags in a table; beyond, they are looked up

func (p *plan) set(number uint32, wire uint64, e tagPlan) {
	tag := uint64(number)<<3 | wire
	if tag >= maxTable {
		if p.far == nil {
			p.far = map[uint64]tagPlan{}
		}
		p.far[tag] = e
		return
	}
	for uint64(len(p.byTag)) <= tag {
		p.byTag = append(p.byTag, tagPlan{})
	}
	p.byTag[tag] = e
}

// scalarForm is how a kind is encoded when it is no element of a packed list.
func scalarForm(k dynamic.Kind) (wire uint64, set, skip, checkPacked action) {
	switch k {
	case dynamic.Bool:
		return wireVarint, setBool, skipVar, checkVarints
	case dynamic.Int32, dynamic.EnumKind:
		return wireVarint, setInt32, skipVar, checkVarints
	case dynamic.Sint32:
		return wireVarint, setSint32, skipVar, checkVarints
	case dynamic.Uint32:
		return wireVarint, setUint32, skipVar, checkVarints
	case dynamic.Int64, dynamic.Uint64:
		return wireVarint, setInt64, skipVar, checkVarints
	case dynamic.Sint64:
		return wireVarint, setSint64, skipVar, checkVarints
	case dynamic.Sfixed32:
		return wireFixed32, setSfixed32, skip32, checkPacked32
	case dynamic.Fixed32:
		return wireFixed32, setFixed32, skip32, checkPacked32
	case dynamic.Float:
		return wireFixed32, setFloat, skip32, checkPacked32
	case dynamic.Sfixed64, dynamic.Fixed64:
		return wireFixed64, setFixed64, skip64, checkPacked64
	case dynamic.Double:
		return wireFixed64, setDouble, skip64, checkPacked64
	case dynamic.String:
		return wireBytes, setString, skipLen, unknown
	case dynamic.Bytes:
		return wireBytes, setBytes, skipLen, unknown
	case dynamic.Group:
		return wireStart, descendGroup, descendGroup, unknown
	}
	return wireBytes, descend, descend, unknown // messages and entries of maps
}

func storeOf(k dynamic.Kind) store {
	switch k {
	case dynamic.Float, dynamic.Double:
		return floats
	case dynamic.String, dynamic.Bytes:
		return strs
	}
	return ints
}

// checks makes and keeps plans that only verify messages.
type checks struct {
	lazy  bool
	plans map[*dynamic.Type]*plan
}

// of returns the plan that verifies messages of a type.
func (c *checks) of(t *dynamic.Type) *plan {
	if p := c.plans[t]; p != nil {
		return p
	}
	p := &plan{}
	c.plans[t] = p
	if t.MessageSet {
		return p
	}
	for _, f := range t.Fields {
		c.field(p, f)
	}
	return p
}

// field adds what verifies a field that nobody wants.
func (c *checks) field(p *plan, f *dynamic.Field) {
	wire, _, _, checkPacked := scalarForm(f.Kind)
	p.set(f.Number, wire, c.tagPlan(f))
	if f.Repeated && checkPacked != unknown {
		e := tagPlan{action: checkPacked}
		if c.lazy {
			e.action = skipLen
		}
		p.set(f.Number, wireBytes, e)
	}
}

// tagPlan returns what verifies one value of a field.
func (c *checks) tagPlan(f *dynamic.Field) tagPlan {
	_, _, skipped, _ := scalarForm(f.Kind)
	e := tagPlan{action: skipped, target: &target{field: f}}
	switch {
	case f.Kind == dynamic.String && f.UTF8 && !c.lazy:
		e.action = checkUTF8
	case skipped == descend && c.lazy:
		e.action = skipLen
	case skipped == descendGroup && c.lazy:
		e.action = unknown
	case skipped == descend || skipped == descendGroup:
		e.target.plan = c.of(f.Message)
	}
	return e
}
