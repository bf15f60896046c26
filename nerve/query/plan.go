package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/nerve/query/column"
	"github.com/octopus-framework/octopus/nerve/query/internal/agg"
	"github.com/octopus-framework/octopus/nerve/query/internal/expr"
	"github.com/octopus-framework/octopus/nerve/query/internal/project"
)

// Plan is a query that fits a type. It does not change: it may be run any number of times, by any
// number of goroutines.
type Plan struct {
	query Query
	typ   *dynamic.Type
	env   *expr.Env
	where *expr.Expr // nil: all records

	keys   []value    // keys of groups
	args   []value    // arguments of aggregates
	calls  []call     // aggregates
	values []value    // columns of a query without groups
	domain []string   // the lists whose elements are rows, outermost first
	out    []output   // columns of the result
	having *expr.Expr // condition over outputs, keys and calls; nil: all rows
	plain  *expr.Env
	vars   []variable // what the names of plain stand for
	order  []ordering
	groups bool
	data   bool // records themselves are needed
}

// value is a column that is made for each row.
type value struct {
	name string
	text string
	typ  column.Type
	path int        // index of its column, or -1
	expr *expr.Expr // or nil
}

// call is an aggregate; arg is the index of its argument, -1 for none.
type call struct {
	text string
	fn   agg.Func
	arg  int
}

// output is a column of the result of a query with groups.
type output struct {
	name string
	typ  column.Type
	key  int // index, or -1
	call int
	expr *expr.Expr
}

// variable is a key or a call by a name.
type variable struct{ key, call int }

type ordering struct {
	column int
	down   bool
}

// untyped is the type of records of which nothing is known: a message without fields.
var untyped = &dynamic.Type{}

// Compile fits a query to the type of the records' messages. Without a type, nil, records are
// bytes: there are record.id, record.time and record.size, and the records themselves. Errors in
// texts are of type *Error.
func Compile(t *dynamic.Type, q Query) (*Plan, error) {
	if t == nil {
		t = untyped
	}
	if q.Now.IsZero() {
		q.Now = time.Now()
	}
	env, err := expr.NewEnv(t, q.Now)
	if err != nil {
		return nil, err
	}
	c := &compiler{Plan: &Plan{query: q, typ: t, env: env}, elements: map[string]string{}}
	return c.Plan, c.compile()
}

// compiler makes a plan.
type compiler struct {
	*Plan
	elements map[string]string // names of paths with a row for each element
}

func (c *compiler) compile() error {
	q := &c.query
	var err error
	if strings.TrimSpace(q.Where) != "" {
		if c.where, err = c.condition(q.Where); err != nil {
			return err
		}
	}
	c.groups = len(q.By) > 0
	for _, s := range q.Select {
		c.groups = c.groups || len(aggregates(s)) > 0
	}
	if c.groups {
		err = c.compileGroups()
	} else {
		err = c.compileRows()
	}
	if err == nil {
		err = c.compileOrder()
	}
	if err == nil {
		err = c.findDomain()
	}
	if c.data = c.data || c.where != nil && !c.where.Columns; err != nil {
		return err
	}
	for _, v := range slices.Concat(c.keys, c.args, c.values) {
		c.data = c.data || v.expr != nil && (!v.expr.Columns || strings.Contains(v.text, "size"))
	}
	c.data = c.data || strings.Contains(q.Where, "size")
	for _, p := range c.env.Paths() {
		c.data = c.data || mayBeWide(p)
	}
	return nil
}

// mayBeWide tells whether a path leads to times: some of them only the interpreter can express.
func mayBeWide(p project.Path) bool {
	k := project.Type(p.Steps[len(p.Steps)-1].Field).Kind
	return p.Want == project.Value && (k == column.Time || k == column.Duration)
}

// condition compiles an expression that is true or false.
func (c *compiler) condition(text string) (*expr.Expr, error) {
	v, err := c.expression(text)
	if err != nil {
		return nil, err
	}
	if v.typ.Kind != column.Bool {
		return nil, &Error{Text: text, Message: "a condition is true or false, this is " +
			article(v.typ.Kind)}
	}
	return v.expr, nil
}

func article(k column.Kind) string {
	s := k.String()
	if strings.ContainsRune("aeiou", rune(s[0])) {
		return "an " + s
	}
	return "a " + s
}

// value compiles what is one column: a path, which is null where nothing is, or an expression.
func (c *compiler) value(text string) (value, error) {
	text = strings.TrimSpace(text)
	p, end, isPath, err := parsePath(c.env, text, 0)
	bare := strings.ReplaceAll(text, " ", "")
	brackets := strings.Contains(bare, "[]") || strings.Contains(bare, "[*]")
	switch {
	case isPath && err != nil && brackets:
		return value{}, err
	case isPath && err == nil && end == len(text):
		return c.pathValue(text, p)
	}
	return c.expression(text)
}

func (c *compiler) pathValue(text string, p project.Path) (value, error) {
	lists := false
	for _, s := range p.Steps {
		if s.Select == project.Each && lists {
			return value{}, &Error{Text: text, Message: "a row for each element of a list" +
				" that is itself in a list of all elements", Hint: "write [] for both"}
		}
		lists = lists || s.Select == project.All || s.Select == project.One && s.Field.List()
	}
	return value{name: text, text: text, typ: pathType(p), path: c.env.Column(p)}, nil
}

// expression compiles a text in CEL, in which a path with [] is the value of the row's element.
func (c *compiler) expression(text string) (value, error) {
	plain, err := c.nameElements(text)
	if err != nil {
		return value{}, err
	}
	x, err := c.env.Compile(plain)
	if err != nil {
		return value{}, inText(err, text)
	}
	if x.Type.Kind == column.Null {
		return value{}, &Error{Text: text,
			Message: "the result is a list, a map or a message, which an expression cannot be",
			Hint:    "name a path alone to see it"}
	}
	return value{name: text, text: text, typ: x.Type, path: -1, expr: x}, nil
}

// inText makes an error show the text as it was written; positions are the same.
func inText(err error, text string) error {
	if e, is := err.(*Error); is && len(e.Text) == len(text) {
		e.Text = text
	}
	return err
}

// nameElements replaces paths with [] by names of the same length.
func (c *compiler) nameElements(text string) (string, error) {
	out := []byte(text)
	begin := 0
	for t := range tokens(text) {
		if t.kind != wordToken || t.start < begin ||
			strings.HasSuffix(strings.TrimRight(text[:t.start], " "), ".") {
			continue
		}
		p, end, isPath, err := parsePath(c.env, text, t.start)
		if !isPath || err != nil && !strings.Contains(text[t.start:end], "[") {
			continue
		}
		if err != nil {
			return "", err
		}
		rows, lists := levels(p)
		if lists > 0 && strings.Contains(text[t.start:end], "[*]") {
			return "", &Error{Text: text, Offset: t.start,
				Message: "a list of all elements has no value in an expression",
				Hint:    "use [] for a row for each, or exists and all"}
		}
		if rows == 0 {
			continue
		}
		name, err := c.element(p)
		if err != nil {
			return "", err
		}
		if len(name) > end-t.start {
			return "", &Error{Text: text, Offset: t.start, Message: "too many paths with []"}
		}
		copy(out[t.start:end], name+strings.Repeat(" ", end-t.start-len(name)))
		begin = end
	}
	return string(out), nil
}

// element declares a name for a path.
func (c *compiler) element(p project.Path) (string, error) {
	key := p.String()
	if name := c.elements[key]; name != "" {
		return name, nil
	}
	name := "_e" + strconv.FormatInt(int64(len(c.elements)), 36)
	c.elements[key] = name
	return name, c.env.Element(name, p, pathType(p))
}

// named splits " as name" off an item.
func named(item string) (text, name string) {
	var last token
	for t := range tokens(item) {
		if t.kind == wordToken && t.end == len(item) && last.kind == wordToken &&
			item[last.start:last.end] == "as" && last.start > 0 {
			return strings.TrimSpace(item[:last.start]), item[t.start:]
		}
		last = t
	}
	return item, item
}

// compileRows is for queries without aggregates.
func (c *compiler) compileRows() error {
	for _, item := range c.query.Select {
		text, name := named(item)
		v, err := c.value(text)
		if err != nil {
			return err
		}
		v.name = name
		c.values = append(c.values, v)
	}
	if len(c.query.Select) == 0 {
		for _, m := range []string{"id", "time"} {
			v, err := c.expression(c.env.Record() + "." + m)
			if err != nil {
				return err
			}
			v.name = m
			c.values = append(c.values, v)
		}
		whole := value{name: "message", path: -1,
			typ: column.Type{Kind: column.Message, Message: c.typ}}
		if c.typ == untyped {
			whole.name, whole.typ = "data", column.Type{Kind: column.Bytes}
		}
		c.values = append(c.values, whole)
		c.data = true
	}
	for i, v := range c.values {
		c.out = append(c.out, output{name: v.name, typ: v.typ, key: i, call: -1})
	}
	if c.query.Having != "" {
		return &Error{Text: c.query.Having, Message: "having is for groups",
			Hint: "use where for records"}
	}
	return nil
}

// findDomain finds the lists whose elements are rows. There is one chain of them.
func (c *compiler) findDomain() error {
	owner := ""
	for _, p := range c.env.Paths() {
		var chain []string
		for i, s := range p.Steps {
			if s.Select == project.Each {
				chain = append(chain, project.Path{Steps: p.Steps[:i+1]}.String())
			}
		}
		n := min(len(chain), len(c.domain))
		if !slices.Equal(chain[:n], c.domain[:n]) {
			return &Error{Text: p.String(), Message: fmt.Sprintf(
				"%s and %s have a row for each element of different lists", owner, p),
				Hint: "ask for one of them, or take one as a list with [*]"}
		}
		if len(chain) > len(c.domain) {
			c.domain, owner = chain, p.String()
		}
	}
	return nil
}

// compileOrder finds the columns to sort by.
func (c *compiler) compileOrder() error {
	for _, text := range c.query.Order {
		name, down := strings.CutPrefix(strings.TrimSpace(text), "-")
		for _, suffix := range []string{" desc", " DESC", " asc", " ASC"} {
			if before, found := strings.CutSuffix(name, suffix); found {
				name, down = before, down != (strings.ToLower(suffix) == " desc")
			}
		}
		i, err := c.columnNamed(strings.TrimSpace(name))
		if err != nil {
			return err
		}
		c.order = append(c.order, ordering{column: i, down: down})
	}
	return nil
}

func (c *compiler) columnNamed(name string) (int, error) {
	var names []string
	found := -1
	for i, o := range c.out {
		names = append(names, o.name)
		if sameText(o.name, name) {
			return i, nil
		}
		if fn, _, is := strings.Cut(o.name, "("); is && fn == name {
			if found >= 0 {
				return 0, &Error{Text: name, Message: "several columns are " + name,
					Hint: "write one of them in full"}
			}
			found = i
		}
	}
	if found < 0 {
		hint := expr.Nearest(name, names)
		if hint == "" {
			hint = "the columns are " + strings.Join(names, ", ")
		}
		return 0, &Error{Text: name, Message: "the result has no column " + name, Hint: hint}
	}
	return found, nil
}

// sameText compares texts without their spaces.
func sameText(a, b string) bool {
	return a == b || strings.Join(strings.Fields(a), "") == strings.Join(strings.Fields(b), "")
}
