package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// shape is a message type that the generator made.
type shape struct {
	name   string
	fields []shapeField
}

// shapeField is a field: kind is int64, string, bool, double, message, or map of int64 by string.
type shapeField struct {
	name, kind string
	repeated   bool
	message    *shape
}

// shapes makes schemas, records and questions.
type shapes struct {
	*rand.Rand
	made []*shape
}

func (g *shapes) one(of ...string) string { return of[g.IntN(len(of))] }

// shape makes a type; one that is not deepest has messages in it.
func (g *shapes) shape(depth int) *shape {
	s := &shape{name: fmt.Sprintf("M%d", len(g.made))}
	g.made = append(g.made, s)
	add := func(kind string, repeated bool, m *shape) {
		s.fields = append(s.fields, shapeField{fmt.Sprintf("f%d", len(s.fields)+1), kind,
			repeated, m})
	}
	add("int64", false, nil)
	add("string", false, nil)
	for range 2 + g.IntN(3) {
		add(g.one("int64", "string", "bool", "double"), g.IntN(2) == 0, nil)
	}
	if g.IntN(2) == 0 {
		add("map", false, nil)
	}
	if depth > 0 {
		add("message", true, g.shape(depth-1))
		if g.IntN(2) == 0 {
			add("message", g.IntN(2) == 0, g.shape(depth-1))
		}
	}
	return s
}

// proto is the schema of all types as a file.
func (g *shapes) proto() string {
	var b strings.Builder
	b.WriteString("syntax = \"proto3\";\npackage rows;\n")
	for _, s := range g.made {
		fmt.Fprintf(&b, "message %s {\n", s.name)
		for i, f := range s.fields {
			kind := f.kind
			switch {
			case kind == "map":
				kind = "map<string, int64>"
			case kind == "message":
				kind = f.message.name
			}
			if f.repeated {
				kind = "repeated " + kind
			}
			fmt.Fprintf(&b, "  %s %s = %d;\n", kind, f.name, i+1)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// duckType is the type of a message in DuckDB.
func (s *shape) duckType() string {
	var fields []string
	for _, f := range s.fields {
		kind := map[string]string{"int64": "BIGINT", "string": "VARCHAR", "bool": "BOOLEAN",
			"double": "DOUBLE", "map": "MAP(VARCHAR, BIGINT)"}[f.kind]
		if f.kind == "message" {
			kind = f.message.duckType()
		}
		if f.repeated {
			kind += "[]"
		}
		fields = append(fields, f.name+" "+kind)
	}
	return "STRUCT(" + strings.Join(fields, ", ") + ")"
}

// record makes a message with all its fields, but for some messages.
func (g *shapes) record(s *shape) map[string]any {
	m := map[string]any{}
	for _, f := range s.fields {
		if f.kind == "map" {
			labels := map[string]any{}
			for range g.IntN(3) {
				labels[g.one("j", "k", "l")] = json.Number(fmt.Sprint(1 + g.IntN(9)))
			}
			m[f.name] = labels
			continue
		}
		if f.repeated {
			list := []any{}
			for range g.IntN(4) {
				list = append(list, g.value(f))
			}
			m[f.name] = list
		} else if f.kind != "message" || g.IntN(3) > 0 {
			m[f.name] = g.value(f)
		}
	}
	return m
}

func (g *shapes) value(f shapeField) any {
	switch f.kind {
	case "message":
		return g.record(f.message)
	case "int64":
		return json.Number(fmt.Sprint(g.IntN(6)))
	case "double":
		return json.Number(fmt.Sprint(float64(g.IntN(8)) / 4))
	case "bool":
		return g.IntN(2) == 0
	}
	return g.one("", "a", "b", "ab", "größe")
}

// level is a list of which each element is a row, or at first the record.
type level struct {
	text    string // the path to it, with a dot behind it
	sql     string // the column that has the element
	message *shape // nil for a scalar
	kind    string // the kind of a scalar, "" for a message
}

// picked is a path, or what is computed of it, with the same in SQL.
type picked struct {
	text, sql string
	kind      string // the kind of a scalar, "json" for messages and maps
	list      bool
	level     int
}

// levels chooses lists, each below the one before.
func (g *shapes) levels(root *shape, most int) []level {
	levels := []level{{"", "e0", root, ""}}
	for len(levels) <= most {
		at := levels[len(levels)-1]
		var lists []shapeField
		for _, f := range at.message.fields {
			if f.repeated {
				lists = append(lists, f)
				if f.kind == "message" {
					lists = append(lists, f, f)
				}
			}
		}
		if len(lists) == 0 {
			break
		}
		f := lists[g.IntN(len(lists))]
		levels = append(levels, level{text: at.text + f.name + "[]", kind: f.kind,
			sql: at.sql + "." + f.name, message: f.message})
		if f.message == nil {
			break
		}
		levels[len(levels)-1].text += "."
	}
	return levels
}

// rows is the SQL of a table with a row for each element of the innermost list.
func rows(levels []level, inner bool) string {
	sql := "t"
	for i, l := range levels[1:] {
		list := fmt.Sprintf("coalesce(%s, [])", strings.Replace(l.sql, levels[i].sql,
			fmt.Sprintf("e%d", i), 1))
		if !inner {
			list = fmt.Sprintf("CASE WHEN len(%s) = 0 THEN [NULL] ELSE %s END", list, list)
		}
		sql = fmt.Sprintf("(SELECT *, unnest(%s) AS e%d, unnest(range(len(%s))) AS i%d FROM %s)",
			list, i+1, list, i+1, sql)
	}
	return sql
}

// pick chooses what lies below an element; scalar asks for one value.
func (g *shapes) pick(levels []level, at int, scalar bool) picked {
	l := levels[at]
	row := fmt.Sprintf("e%d", at)
	p := picked{text: strings.TrimSuffix(l.text, "."), sql: row, kind: l.kind, level: at}
	if l.message != nil {
		p = g.below(l.message, row, scalar, 0)
		p.text, p.level = l.text+p.text, at
	}
	if p.list {
		p.sql = fmt.Sprintf("CASE WHEN %s IS NULL THEN NULL ELSE %s END", row, p.sql)
	}
	return p
}

// below chooses what lies below message x, an expression in SQL.
func (g *shapes) below(s *shape, x string, scalar bool, nested int) picked {
	f := s.fields[g.IntN(len(s.fields))]
	sql := x + "." + f.name
	whole := func(list bool) picked {
		p := picked{text: f.name, sql: sql, kind: f.kind, list: list}
		if f.kind == "message" || f.kind == "map" {
			p.kind = "json"
			p.sql = fmt.Sprintf("CASE WHEN %s IS NULL THEN NULL ELSE to_json(%s) END", sql, sql)
		}
		if list {
			empty := map[string]string{"map": "'{}'", "message": "'[]'"}[f.kind]
			p.sql = fmt.Sprintf("coalesce(%s, %s)", p.sql, cmp.Or(empty, "[]"))
		}
		return p
	}
	element := fmt.Sprintf("%s[%d]", sql, 1)
	switch {
	case f.kind == "map" && scalar:
		return g.below(s, x, scalar, nested)
	case f.kind == "map" && g.IntN(2) == 0:
		return picked{text: f.name + `["k"]`, sql: sql + "['k']", kind: "int64"}
	case f.kind == "map":
		return whole(true)
	case !f.repeated && f.kind != "message":
		return whole(false)
	case !f.repeated && (scalar || g.IntN(3) > 0):
		p := g.below(f.message, sql, scalar, nested)
		p.text = f.name + "." + p.text
		return p
	case !f.repeated:
		return whole(false)
	case scalar:
		return g.below(s, x, scalar, nested)
	}
	switch g.IntN(4) {
	case 0:
		return whole(true)
	case 1:
		p := whole(true)
		p.text += "[*]"
		return p
	case 2:
		if f.kind != "message" {
			return picked{text: f.name + "[0]", sql: element, kind: f.kind}
		}
		p := g.below(f.message, element, scalar, nested)
		p.text = f.name + "[0]." + p.text
		return p
	}
	if f.kind != "message" {
		return whole(true)
	}
	y := fmt.Sprintf("y%d", nested)
	p := g.below(f.message, y, scalar, nested+1)
	p.text = f.name + "[*]." + p.text
	p.sql = fmt.Sprintf("list_transform(coalesce(%s, []), lambda %s: %s)", sql, y, p.sql)
	p.list = true
	return p
}
