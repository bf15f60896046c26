package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	accountsv1 "github.com/octopus-framework/octopus/examples/signup/accounts/v1"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/validate"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

func TestRun(t *testing.T) {
	for in, want := range map[string]string{
		`{"name": "Ada", "email": "ada@example.com", "born": "1990-01-02T00:00:00Z",
			"addresses": [{"street": "A 1", "country": "DE"}], "plan": "PLAN_PAID"}`: "welcome, Ada\n",
		`{"name": "a", "email": "a", "phone": "1", "settings": {"Big": "x", "dark": "y"},
			"addresses": [{"street": "A 1", "country": "DE"}, {"country": "Mars"}]}`: `
                           message.oneof            only one of email, phone can be set
name                       string.min_len           must be at least 2 characters
email                      string.email             must be a valid email address
phone                      string.pattern           does not match regex pattern ` +
			"`^\\+[1-9][0-9]{6,14}$`" + `
born                       required                 value is required
addresses[1].street        required                 value is required
addresses[1].country       string.len               must be 2 characters
addresses[1].country       string.pattern           does not match regex pattern ` + "`^[A-Z]*$`" + `
settings["Big"]            string.pattern           does not match regex pattern ` + "`^[a-z_]+$`" + `
plan                       enum.not_in              must not be in list [0]
`,
	} {
		var out strings.Builder
		if err := run(strings.NewReader(in), &out); err != nil {
			t.Error(err)
		}
		if got := out.String(); got != strings.TrimPrefix(want, "\n") {
			t.Errorf("got\n%swant%s", got, want)
		}
	}
}

// valid returns a message that keeps all rules.
func valid() *accountsv1.SignUp {
	return &accountsv1.SignUp{Name: "Ada", Phone: "+4912345678",
		Born:     &wkt.Timestamp{Seconds: 1},
		Settings: map[string]string{"dark": "yes", "size": "1"}, Plan: accountsv1.Plan_PLAN_FREE,
		Addresses: []accountsv1.Address{{Street: "A 1", Country: "DE"}, {Street: "B 2",
			Country: "FR", Partner: &accountsv1.SignUp{Name: "Bob", Email: "bob@example.com",
				Born: &wkt.Timestamp{Seconds: 2}, Plan: accountsv1.Plan_PLAN_PAID,
				Addresses: []accountsv1.Address{{Street: "B 2", Country: "FR"}}}}}}
}

func TestValidMessagesCostNoMemory(t *testing.T) {
	s := valid()
	if err := s.Validate(); err != nil { // compiles the patterns, too
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestOptions(t *testing.T) {
	var s accountsv1.SignUp
	var all, first, two *validate.Error
	if !errors.As(s.Validate(), &all) || len(all.Violations) < 4 || all.Truncated {
		t.Fatalf("got %v", all)
	}
	if !errors.As(validate.Check(&s, validate.Options{FailFast: true}), &first) ||
		len(first.Violations) != 1 || first.Violations[0].String() != all.Violations[0].String() {
		t.Errorf("got %v", first)
	}
	if !errors.As(validate.Check(&s, validate.Options{Max: 2}), &two) ||
		len(two.Violations) != 2 || !two.Truncated {
		t.Errorf("got %v", two)
	}
	young := valid()
	if err := validate.Check(young, validate.Options{Now: time.Unix(1, 1)}); err == nil ||
		!strings.Contains(err.Error(), "addresses[1].partner.born: must be less than now") {
		t.Errorf("at its own time: %v", err)
	}
}

// TestEndless checks a message that contains itself.
func TestEndless(t *testing.T) {
	s := valid()
	s.Addresses[0].Partner = s
	if err := s.Validate(); !errors.Is(err, gremlin.TooDeep) {
		t.Errorf("got %v", err)
	}
	if err := (*accountsv1.SignUp)(nil).Validate(); err == nil ||
		!strings.Contains(err.Error(), "\n - name: must be at least 2 characters") {
		t.Errorf("nil: %v", err)
	}
}

// TestHostile checks a message that breaks a rule a million times.
func TestHostile(t *testing.T) {
	s := valid()
	s.Addresses = make([]accountsv1.Address, 1_000_000)
	var broken *validate.Error
	if !errors.As(s.Validate(), &broken) || len(broken.Violations) != validate.MaxViolations ||
		!broken.Truncated {
		t.Fatal("it has no errors, or too many")
	}
	if n := testing.AllocsPerRun(1, func() { _ = s.Validate() }); n > 10*validate.MaxViolations {
		t.Errorf("%v allocations", n)
	}
}
