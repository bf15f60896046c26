// Package claims decides who may have the name of a consumer and change its
// pointer, for every log: [State] is the decision, [Table] keeps the claims of a
// log that one process has open for writing.
package claims

import (
	"math"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// Forever is left of a claim that does not lapse.
const Forever = time.Duration(math.MaxInt64)

// State is the last claim of a name.
type State struct {
	// Epoch of the claim; 0 if the name was never claimed.
	Epoch uint64
	// Where says who claimed the name. Empty is nobody: the claim was released.
	Where string
	// Left is how long the lease lasts; 0 or less if it lapsed.
	Left time.Duration
}

// Held says whether somebody has the name now.
func (s State) Held() bool { return s.Where != "" && s.Left > 0 }

// CanClaim is an OpenError while somebody has the name.
func (s State) CanClaim(name string) error {
	if !s.Held() {
		return nil
	}
	e := &nerve.OpenError{Name: name, Where: s.Where}
	if s.Left != Forever {
		e.Lease = s.Left
	}
	return e
}

// Check says whether the pointer of a name may be changed under an epoch, 0 for
// no claim. A claim that lapsed counts for its owner until the name is claimed
// again, and keeps nobody else out.
func (s State) Check(name string, epoch uint64) error {
	if epoch == 0 {
		return s.CanClaim(name)
	}
	return s.CanRenew(nerve.Claim{Name: name, Epoch: epoch})
}

// CanRenew is a FencedError unless c is the last claim and was not released.
func (s State) CanRenew(c nerve.Claim) error {
	if c.Epoch == 0 || s.Where == "" || s.Epoch != c.Epoch {
		return &nerve.FencedError{What: "consumer", Name: c.Name, Epoch: c.Epoch}
	}
	return nil
}
