package query

import (
	"slices"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/nerve/query/column"
	"github.com/octopus-framework/octopus/nerve/query/internal/agg"
	"github.com/octopus-framework/octopus/nerve/query/internal/expr"
)

// found is an aggregate in a text.
type found struct {
	start, end int
	name       string
	args       string
}

// aggregates finds the calls of aggregates in a text, those inside others left out.
func aggregates(text string) (calls []found) {
	var name, before token
	open := -1
	for t := range tokens(text) {
		switch {
		case open >= 0:
			if t.kind == otherToken && text[t.start] == ')' && t.depth == open {
				calls = append(calls, found{start: name.start, end: t.end,
					name: text[name.start:name.end], args: text[name.end+1 : t.start]})
				open = -1
			}
		case t.kind == otherToken && text[t.start] == '(' && before.end == t.start &&
			before.kind == wordToken && slices.Contains(agg.Names, text[before.start:before.end]) &&
			!strings.HasSuffix(strings.TrimRight(text[:before.start], " "), "."):
			name, open = before, t.depth
		}
		before = t
	}
	return calls
}

// compileGroups is for queries with aggregates.
func (c *compiler) compileGroups() error {
	for _, item := range c.query.By {
		text, name := named(item)
		v, err := c.value(text)
		if err != nil {
			return err
		}
		if v.name = name; v.typ.Kind == column.List || v.typ.Kind == column.Message {
			return &Error{Text: text, Message: "groups cannot be by " + article(v.typ.Kind),
				Hint: "name a field of it, or [] for a row for each element"}
		}
		c.out = append(c.out, output{name: name, typ: v.typ, key: len(c.keys), call: -1})
		c.keys = append(c.keys, v)
	}
	type composite struct {
		out  int
		text string
	}
	var later []composite
	for _, item := range c.query.Select {
		text, name := named(item)
		calls := aggregates(text)
		switch {
		case len(calls) == 1 && calls[0].start == 0 && calls[0].end == len(text):
			i, err := c.call(text, calls[0])
			if err != nil {
				return err
			}
			c.out = append(c.out, output{name: name, typ: c.resultType(i), key: -1, call: i})
		case len(calls) == 0 && slices.ContainsFunc(c.keys, func(k value) bool {
			return sameText(k.text, text) || k.name == text
		}):
			// It is there already, as a key.
		case len(calls) == 0:
			return &Error{Text: text, Message: text + " is neither an aggregate nor in by",
				Hint: "add it to by, or use first(" + text + ")"}
		default:
			for _, f := range calls {
				if _, err := c.call(text, f); err != nil {
					return err
				}
			}
			later = append(later, composite{out: len(c.out), text: text})
			c.out = append(c.out, output{name: name, key: -1, call: -1})
		}
	}
	if c.query.Having != "" {
		for _, f := range aggregates(c.query.Having) {
			if _, err := c.call(c.query.Having, f); err != nil {
				return err
			}
		}
	}
	if err := c.plainNames(); err != nil {
		return err
	}
	for _, l := range later {
		x, err := c.plain.Compile(c.overResult(l.text))
		if err != nil {
			return inText(err, l.text)
		}
		c.out[l.out].expr, c.out[l.out].typ = x, x.Type
	}
	if c.query.Having == "" {
		return nil
	}
	x, err := c.plain.Compile(c.overResult(c.query.Having))
	if err != nil {
		return inText(err, c.query.Having)
	}
	if x.Type.Kind != column.Bool {
		return &Error{Text: c.query.Having, Message: "a condition is true or false, this is " +
			article(x.Type.Kind)}
	}
	c.having = x
	return nil
}

// call adds an aggregate, once.
func (c *compiler) call(text string, f found) (int, error) {
	whole := text[f.start:f.end]
	for i, have := range c.calls {
		if sameText(have.text, whole) {
			return i, nil
		}
	}
	at := func(message, hint string) error {
		return &Error{Text: text, Offset: f.start, Message: message, Hint: hint}
	}
	args := split(f.args)
	if args[0] == "" {
		args = nil
	}
	want := 1
	if f.name == "quantile" || f.name == "top" {
		want = 2
	}
	if len(args) != want && !(f.name == "count" && len(args) == 0) {
		return 0, at(f.name+" takes "+strconv.Itoa(want)+" arguments", forms[f.name])
	}
	x := call{text: whole, fn: agg.Func{Name: f.name}, arg: -1}
	switch f.name {
	case "quantile":
		p, err := strconv.ParseFloat(args[1], 64)
		if err != nil || !(p >= 0 && p <= 1) {
			return 0, at("the second argument of quantile is a number from 0 to 1", forms[f.name])
		}
		x.fn.P = p
	case "top":
		k, err := strconv.Atoi(args[1])
		if err != nil || k < 1 || k > 10000 {
			return 0, at("the second argument of top is a number from 1 to 10000", forms[f.name])
		}
		x.fn.K = k
	}
	if len(args) > 0 {
		v, err := c.value(args[0])
		if err != nil {
			return 0, err
		}
		x.fn.Arg, x.arg = v.typ, len(c.args)
		c.args = append(c.args, v)
	}
	if _, wrong := agg.New(x.fn); wrong != "" {
		return 0, at(wrong, "")
	}
	c.calls = append(c.calls, x)
	return len(c.calls) - 1, nil
}

var forms = map[string]string{
	"sum": "write sum(amount)", "min": "write min(amount)", "max": "write max(amount)",
	"avg": "write avg(amount)", "first": "write first(amount)", "last": "write last(amount)",
	"distinct": "write distinct(user.id)", "count": "write count() or count(path)",
	"quantile": "write quantile(amount, 0.99)", "top": "write top(currency, 3)",
}

func (c *compiler) resultType(i int) column.Type {
	s, _ := agg.New(c.calls[i].fn)
	col, _ := s.Result()
	return col.Type
}

// plainNames makes the names that expressions over the result may use.
func (c *compiler) plainNames() error {
	var vars []expr.Variable
	seen := map[string]bool{}
	add := func(name string, t column.Type, v variable) {
		if !seen[name] {
			seen[name] = true
			vars = append(vars, expr.Variable{Name: name, Type: t})
			c.vars = append(c.vars, v)
		}
	}
	for i := range c.calls {
		add("_a"+strconv.FormatInt(int64(i), 36), c.resultType(i), variable{key: -1, call: i})
	}
	for i, k := range c.keys {
		add("_k"+strconv.FormatInt(int64(i), 36), k.typ, variable{key: i, call: -1})
	}
	for _, o := range c.out {
		if _, end := nameAt(o.name, 0); end == len(o.name) && (o.key >= 0 || o.call >= 0) {
			add(o.name, o.typ, variable{key: o.key, call: o.call})
		}
	}
	var err error
	c.plain, err = expr.NewPlainEnv(vars, c.query.Now)
	return err
}

// overResult replaces aggregates and keys in a text by names of the same length.
func (c *compiler) overResult(text string) string {
	out := []byte(text)
	replace := func(start, end int, name string) {
		copy(out[start:end], name+strings.Repeat(" ", max(end-start-len(name), 0)))
	}
	for _, f := range aggregates(text) {
		for i, have := range c.calls {
			if sameText(have.text, text[f.start:f.end]) {
				replace(f.start, f.end, "_a"+strconv.FormatInt(int64(i), 36))
			}
		}
	}
	for i, k := range c.keys {
		if len(k.text) < 3 || !strings.ContainsAny(k.text, ".[(") {
			continue
		}
		for from := 0; ; {
			n := strings.Index(string(out[from:]), k.text)
			if n < 0 {
				break
			}
			replace(from+n, from+n+len(k.text), "_k"+strconv.FormatInt(int64(i), 36))
			from += n + len(k.text)
		}
	}
	return string(out)
}
