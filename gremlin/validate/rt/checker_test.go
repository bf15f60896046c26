package rt

import (
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

var (
	name   = Field{Number: 1, Name: "name", Type: typeString}
	items  = Field{Number: 2, Name: "items", Type: typeMessage}
	labels = Field{Number: 3, Name: "labels", Type: typeMessage, KeyType: 9, ValueType: 9}
)

func TestPathsAreBuiltFromTheInside(t *testing.T) {
	var c Checker
	c.Check(true, &name, "string.len", "unseen")
	entry := c.Enter()
	item := c.Enter()
	c.Check(false, &name, "string.min_len", "must be at least 3 characters")
	c.LeaveItem(item, &items, 4)
	c.LeaveString(entry, &labels, "a\"b")
	c.CheckOneof(false, "payload")
	c.CheckFields(false, "a, b", true, true)
	err := c.Err()
	want := "validation errors:" +
		"\n - labels[\"a\\\"b\"].items[4].name: must be at least 3 characters" +
		"\n - payload: exactly one field is required in oneof" +
		"\n - only one of a, b can be set"
	if err.Error() != want {
		t.Errorf("got %v", err)
	}
	rule := err.(*Error).Violations[0].Rule
	if len(rule) != 2 || rule[0] != (Element{Number: 14, Name: "string", Type: typeMessage}) ||
		rule[1] != (Element{Number: 2, Name: "min_len", Type: 4}) {
		t.Errorf("rule path %+v", rule)
	}
}

func TestViolationsAreLimited(t *testing.T) {
	var c Checker
	for range 5000 {
		c.Check(false, &name, "string.len", "wrong")
	}
	err := c.Err().(*Error)
	if len(err.Violations) != MaxViolations || !err.Truncated ||
		!strings.HasSuffix(err.Error(), "\n - and more") {
		t.Errorf("%d violations, truncated %v", len(err.Violations), err.Truncated)
	}
	deep := Checker{}
	for range 500 { // each level has a violation, of which all levels above are in the path
		deep.Enter()
		deep.Check(false, &name, "string.len", "wrong")
	}
	for range 500 {
		deep.Leave(0, &items)
	}
	err = deep.Err().(*Error)
	elements := 0
	for _, v := range err.Violations {
		elements += len(v.Field)
	}
	if elements > 2*maxElements || !err.Truncated || len(err.Violations[0].Field) != 501 {
		t.Errorf("%d elements, %d violations, the first has %d", elements, len(err.Violations),
			len(err.Violations[0].Field))
	}
}

// endless is a message that contains itself.
type endless struct{}

func (endless) GremlinValidate(c *Checker) {
	if c.TooDeep(&rt.Table{Name: "a.Endless"}) {
		return
	}
	mark := c.Enter()
	endless{}.GremlinValidate(c)
	c.Leave(mark, &items)
}

func TestEndlessMessage(t *testing.T) {
	err, ok := Check(endless{}, Options{}).(*rt.Error)
	if !ok || err.Code != rt.TooDeep || err.Message != "a.Endless" {
		t.Errorf("got %v", err)
	}
}

func TestEntriesAreSorted(t *testing.T) {
	var c Checker
	all := c.Enter()
	for _, key := range []int64{5, -3, 1} {
		mark := c.Enter()
		c.Check(false, nil, "map.values.string.len", "wrong")
		c.ForKeys(mark)
		c.LeaveInt(mark, &labels, key)
	}
	c.LeaveMap(all)
	err := c.Err().(*Error)
	got := ""
	for _, v := range err.Violations {
		got += v.Field.String() + " "
		if !v.ForKey {
			t.Error("not for the key")
		}
	}
	if got != "labels[-3] labels[1] labels[5] " {
		t.Errorf("got %s", got)
	}
}
