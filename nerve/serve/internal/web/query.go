package web

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/octopus-framework/octopus/nerve/query"
	"github.com/octopus-framework/octopus/nerve/query/column"
	"github.com/octopus-framework/octopus/nerve/query/format"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

const (
	maxQuery    = 16 << 10         // bytes of a question
	maxRows     = 1000             // of an answer
	queryMemory = 64 << 20         // bytes of groups
	queryTime   = 60 * time.Second // that an answer may take
	maxQueries  = 4                // at a time; a query takes what processors there are
	maxCell     = 16 << 10         // bytes of a list or message as JSON
	maxAnswer   = 4 << 20          // bytes of lists, messages and texts
)

// queryAnswer is a question with its answer.
type queryAnswer struct {
	Columns []queryColumn `json:"columns"`
	Rows    [][]any       `json:"rows"`
	Cut     bool          `json:"cut,omitempty"` // there are more rows
	Explain string        `json:"explain"`
	Stats   struct {
		Records int64   `json:"records"`
		Bytes   int64   `json:"bytes"`
		Matched int64   `json:"matched"`
		Skipped int64   `json:"skipped"`
		First   string  `json:"first,omitempty"` // why one was skipped
		Seconds float64 `json:"seconds"`
	} `json:"stats"`
}

type queryColumn struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// query answers a question over all records.
func (a *App) query(w http.ResponseWriter, r *http.Request, q *core.Access) error {
	var request struct {
		Text string `json:"text"`
	}
	body := http.MaxBytesReader(w, r.Body, maxQuery)
	if err := json.NewDecoder(body).Decode(&request); err != nil {
		return &badRequest{Message: "the body is not the JSON that was expected: " + err.Error()}
	}
	if err := q.Need(core.Read | core.Consume); err != nil {
		return err
	}
	s := a.schemas.of(r.Context(), q.Name())
	question, err := query.Parse(request.Text)
	if err != nil {
		return expressionError(err)
	}
	question.Memory, question.Cost = queryMemory, requestCost
	plan, err := query.Compile(s.typeOf(), question)
	if err != nil {
		return s.typeError(expressionError(err))
	}
	select {
	case a.querying <- struct{}{}:
		defer func() { <-a.querying }()
	default:
		return errBusy()
	}
	ctx, cancel := a.until(r.Context())
	defer cancel()
	ctx, stop := context.WithTimeoutCause(ctx, queryTime, &badRequest{
		Message: "the query takes too long for the page", Hint: "use the command nerve query"})
	defer stop()
	answer, err := run(ctx, plan, q)
	if err != nil {
		return limited(err)
	}
	return respond(w, answer)
}

func run(ctx context.Context, plan *query.Plan, q *core.Access) (*queryAnswer, error) {
	began := time.Now()
	result, err := plan.Run(ctx, q)
	if err != nil {
		return nil, err
	}
	answer := &queryAnswer{Rows: [][]any{}, Explain: explained(plan.Explain())}
	for _, c := range result.Columns() {
		answer.Columns = append(answer.Columns, queryColumn{c.Name, c.Type.Kind.String()})
	}
	bytes := 0
	for b, err := range result.Batches() {
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return nil, err
		}
		for i := range b.Rows {
			if answer.Cut = len(answer.Rows) == maxRows || bytes > maxAnswer; answer.Cut {
				break
			}
			row := make([]any, len(b.Columns))
			for n, c := range b.Columns {
				row[n] = cell(c, i)
				switch v := row[n].(type) {
				case string:
					bytes += len(v)
				case json.RawMessage:
					bytes += len(v)
				}
			}
			answer.Rows = append(answer.Rows, row)
		}
		if answer.Cut {
			break
		}
	}
	st := result.Stats()
	answer.Stats.Records, answer.Stats.Bytes = st.Records, st.Bytes
	answer.Stats.Matched = st.Matched
	answer.Stats.Skipped, answer.Stats.First = st.Undecodable+st.Errors, firstProblem(st)
	answer.Stats.Seconds = time.Since(began).Seconds()
	return answer, nil
}

// explained is how a plan is answered, for people.
func explained(e query.Explanation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "read of each record: %s\n", strings.Join(e.Paths, ", "))
	for _, x := range e.Expressions {
		how := "in the interpreter, record by record"
		if x.Columns {
			how = "over columns"
		}
		fmt.Fprintf(&b, "%s %s: %s\n", x.Part, x.Text, how)
	}
	fmt.Fprintf(&b, "by %d workers", e.Workers)
	return b.String()
}

// maxExact is the largest whole number that JavaScript has exactly.
const maxExact = 1 << 53

// cell is a value as JSON: lists, maps and messages as the command writes them, but as the
// beginning of a text if they are long. Numbers that JavaScript would round are texts.
func cell(c *column.Column, i int) any {
	if c.Null(i) {
		return nil
	}
	switch c.Kind {
	case column.Bool:
		return c.Ints[i] != 0
	case column.Int:
		if v := c.Ints[i]; v > maxExact || v < -maxExact {
			return fmt.Sprint(v)
		}
		return c.Ints[i]
	case column.Uint:
		if v := uint64(c.Ints[i]); v > maxExact {
			return fmt.Sprint(v)
		}
		return uint64(c.Ints[i])
	case column.Float:
		if v := c.Floats[i]; !math.IsNaN(v) && !math.IsInf(v, 0) {
			return v
		}
		return fmt.Sprint(c.Floats[i])
	case column.String:
		return cut(c.Strings[i], maxPreview)
	case column.Enum:
		if name, ok := c.Enum.NameOf(int32(c.Ints[i])); ok {
			return name
		}
		return fmt.Sprint(c.Ints[i])
	case column.Time:
		return timeText(c.Ints[i])
	case column.Duration:
		return time.Duration(c.Ints[i]).Seconds()
	case column.List, column.Message:
		text := format.Text(c, i, format.Options{TextNumbers: true})
		if len(text) > maxCell {
			return cut(text, maxPreview)
		}
		return json.RawMessage(text)
	}
	head := c.Strings[i][:min(len(c.Strings[i]), maxPreview)]
	return base64.StdEncoding.EncodeToString([]byte(head))
}
