package query

// Explanation is how a plan is answered.
type Explanation struct {
	// Paths is what is read of records.
	Paths []string
	// Expressions is what is evaluated.
	Expressions []Expression
	Lazy        bool
	Workers     int
}

// Expression is one that a plan evaluates.
type Expression struct {
	Part    string // where, select, by, having
	Text    string
	Columns bool // the filter runs over columns; otherwise in the interpreter, for each record
}

// Explain says how p is answered.
func (p *Plan) Explain() Explanation {
	e := Explanation{Lazy: p.query.Lazy, Workers: p.workers()}
	for _, path := range p.env.Paths() {
		e.Paths = append(e.Paths, path.String())
	}
	if p.where != nil {
		e.Expressions = append(e.Expressions,
			Expression{Part: "where", Text: p.query.Where, Columns: p.where.Columns})
	}
	for _, list := range []struct {
		part   string
		values []value
	}{{"by", p.keys}, {"of", p.args}, {"select", p.values}} {
		for _, v := range list.values {
			columns := v.expr == nil || v.expr.Columns
			e.Expressions = append(e.Expressions,
				Expression{Part: list.part, Text: v.text, Columns: columns})
		}
	}
	if p.having != nil {
		e.Expressions = append(e.Expressions,
			Expression{Part: "having", Text: p.query.Having, Columns: p.having.Columns})
	}
	return e
}

// Split splits a list of columns at its commas, those in brackets and quotes left alone.
func Split(list string) []string { return split(list) }
