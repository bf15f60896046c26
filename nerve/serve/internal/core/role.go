package core

import (
	"crypto/x509"
	"fmt"
	"path"
	"strings"
)

// Role is what a principal may do with a queue: a set of the constants.
type Role uint8

// The roles. None implies another one, except that Consume reads.
const (
	// Read reads records.
	Read Role = 1 << iota
	// Append appends records.
	Append
	// Consume claims names of consumers, saves their pointers and reads.
	Consume
	// Admin trims, moves and removes pointers of others.
	Admin

	// All is every role.
	All = Read | Append | Consume | Admin
)

var roleNames = []string{"read", "append", "consume", "admin"}

// String lists the roles, with commas.
func (r Role) String() string {
	var names []string
	for i, name := range roleNames {
		if r&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// RoleError says that there is no such role.
type RoleError struct{ Role string }

// Error implements error.
func (e *RoleError) Error() string {
	return fmt.Sprintf("nerve: no role %q; there are read, append, consume, admin and all", e.Role)
}

// ParseRoles reads a list such as "append,read"; "all" is all of them.
func ParseRoles(list string) (Role, error) {
	var roles Role
next:
	for _, word := range strings.Split(list, ",") {
		word = strings.TrimSpace(word)
		if word == "all" {
			roles |= All
			continue
		}
		for i, name := range roleNames {
			if word == name {
				roles |= 1 << i
				continue next
			}
		}
		return 0, &RoleError{Role: word}
	}
	return roles, nil
}

// Grant gives roles in the queues whose names match a glob, as path.Match has
// them.
type Grant struct {
	Queues string
	Roles  Role
}

// Principal is somebody who was authenticated. It does not change.
type Principal struct {
	name   string
	proof  string // proof of the credential by which the principal was found
	grants []Grant
	chain  []*x509.Certificate // certificates by which the principal was found, if any
	lease  *Lease              // lease of the request, nil if there is none

	address string // where an anonymous one asks from
}

// NewPrincipal returns one. A glob that is none is an error.
func NewPrincipal(name string, grants ...Grant) (*Principal, error) {
	for _, g := range grants {
		if _, err := path.Match(g.Queues, ""); err != nil || g.Queues == "" {
			return nil, fmt.Errorf("nerve: %q is no pattern for names of queues", g.Queues)
		}
	}
	return &Principal{name: name, grants: grants}, nil
}

// Name is the one in the list of tokens.
func (p *Principal) Name() string { return p.name }

// At returns p as he asks from an address: those who say nothing are told apart by it
// where what the server has is shared out.
func (p *Principal) At(address string) *Principal {
	if p.proof != "" {
		return p
	}
	q := *p
	q.address = address
	return &q
}

// Share names whose share p uses of what a server has.
func (p *Principal) Share() string {
	if p == nil {
		return ""
	}
	return p.name + " " + p.address
}

// Roles returns what p may do with a queue: nothing when its lease has ended.
func (p *Principal) Roles(queue string) Role {
	if p == nil || p.lease.Err() != nil {
		return 0
	}
	return p.granted(queue)
}

// granted is what the list gives p.
func (p *Principal) granted(queue string) Role {
	var roles Role
	for _, g := range p.grants {
		if ok, err := path.Match(g.Queues, queue); ok && err == nil {
			roles |= g.Roles
		}
	}
	return roles
}

// Only says that p is used for one queue from now on: its lease goes on as long as
// the roles in that queue stay what they are.
func (p *Principal) Only(queue string) {
	if p == nil || p.lease == nil {
		return
	}
	p.lease.auth.leases.mu.Lock()
	defer p.lease.auth.leases.mu.Unlock()
	p.lease.queue = queue
}
