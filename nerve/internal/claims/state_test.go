package claims_test

import (
	"errors"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/claims"
)

// verdict is an error in a word.
func verdict(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return "ok"
	}
	var open *nerve.OpenError
	if errors.As(err, &open) && open.Name == "a" && open.Where == "host" {
		return "open " + open.Lease.String()
	}
	var fenced *nerve.FencedError
	if errors.As(err, &fenced) && fenced.What == "consumer" && fenced.Name == "a" {
		return "fenced"
	}
	t.Fatalf("an error of another kind: %#v", err)
	return ""
}

// TestState is what all logs decide by.
func TestState(t *testing.T) {
	second := time.Second
	const host = "host"
	for _, test := range []struct {
		name  string
		state claims.State
		held  bool
		claim string // CanClaim, and Check without an epoch
		last  string // Check and CanRenew with the epoch 3
		other string // with 2 and 4
	}{
		{"never claimed", claims.State{}, false, "ok", "fenced", "fenced"},
		{"held", claims.State{Epoch: 3, Where: host, Left: second},
			true, "open 1s", "ok", "fenced"},
		{"held for good", claims.State{Epoch: 3, Where: host, Left: claims.Forever},
			true, "open 0s", "ok", "fenced"},
		{"lapsed now", claims.State{Epoch: 3, Where: host}, false, "ok", "ok", "fenced"},
		{"lapsed long ago", claims.State{Epoch: 3, Where: host, Left: -second},
			false, "ok", "ok", "fenced"},
		{"released", claims.State{Epoch: 3, Where: "", Left: second},
			false, "ok", "fenced", "fenced"},
		{"released for good", claims.State{Epoch: 3, Left: claims.Forever},
			false, "ok", "fenced", "fenced"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := test.state
			check := func(what, want string, err error) {
				t.Helper()
				if got := verdict(t, err); got != want {
					t.Errorf("%s: %s, want %s", what, got, want)
				}
			}
			if s.Held() != test.held {
				t.Errorf("held: %v", s.Held())
			}
			check("claim", test.claim, s.CanClaim("a"))
			check("write of nobody", test.claim, s.Check("a", 0))
			check("renew without an epoch", "fenced", s.CanRenew(nerve.Claim{Name: "a"}))
			for epoch, want := range map[uint64]string{2: test.other, 3: test.last, 4: test.other} {
				check("write", want, s.Check("a", epoch))
				check("renew", want, s.CanRenew(nerve.Claim{Name: "a", Epoch: epoch}))
			}
		})
	}
}

// TestTableTellsWhatIsLeft says of a name that is taken how long it will be.
func TestTableTellsWhatIsLeft(t *testing.T) {
	now := time.Unix(1000, 0)
	table := claims.Table{Lease: time.Minute, Now: func() time.Time { return now }}
	c, err := table.Claim("a", 6)
	if err != nil || c.Epoch != 7 || c.Lease != time.Minute {
		t.Fatalf("%+v, %v", c, err)
	}
	now = now.Add(45 * time.Second)
	_, err = table.Claim("a", 0)
	var open *nerve.OpenError
	if !errors.As(err, &open) || open.Lease != 15*time.Second {
		t.Fatalf("%v, want 15 s left", err)
	}
	now = now.Add(15 * time.Second)
	if table.Held("a") {
		t.Fatal("a lease that ended")
	}
	if next, err := table.Claim("a", 0); err != nil || next.Epoch != 8 {
		t.Fatalf("%+v, %v", next, err)
	}
	if _, err := table.Resume(c); verdict(t, err) != "fenced" {
		t.Fatalf("%v", err)
	}
}
