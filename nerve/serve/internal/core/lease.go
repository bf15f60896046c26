package core

import (
	"context"
	"crypto/x509"
	"slices"
	"sync"

	"github.com/octopus-framework/octopus/nerve"
)

// Lease is the time for which somebody is who he was found to be. Every request
// and every connection holds one. A change of the list that takes its principal
// away, or changes what he may do, ends it: its context ends, and nothing that was
// reached through its principal works any more.
type Lease struct {
	auth      *Auth
	principal *Principal
	ctx       context.Context
	cancel    context.CancelCauseFunc
	queue     string // the only one that it is used for, "" if there may be others
}

// errReplaced is why a lease ended.
var errReplaced = &nerve.CredentialsError{Reason: "the list of tokens was changed"}

// leases are those that an Auth has given.
type leases struct {
	mu  sync.Mutex
	all map[*Lease]struct{}
}

// Lease begins a lease of p, which Auth found. [From] finds the principal in the
// context, which ends with the lease; the cause of that is a CredentialsError.
// End gives the lease back.
func (a *Auth) Lease(ctx context.Context, p *Principal) (context.Context, *Lease) {
	l := &Lease{auth: a}
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	held := *p
	held.lease = l
	l.principal = &held
	a.leases.mu.Lock()
	defer a.leases.mu.Unlock()
	a.leases.all[l] = struct{}{}
	l.check()
	return With(l.ctx, l.principal), l
}

// End ends the lease for a reason, nil if its holder needs it no more.
func (l *Lease) End(reason error) {
	l.auth.leases.mu.Lock()
	delete(l.auth.leases.all, l)
	l.auth.leases.mu.Unlock()
	l.cancel(reason)
}

// Err is why the lease ended before its holder ended it, nil if it did not.
func (l *Lease) Err() error {
	if l == nil || l.ctx.Err() == nil {
		return nil
	}
	return context.Cause(l.ctx)
}

// check ends the lease if its principal is not what he was. The mutex is held.
func (l *Lease) check() {
	now := l.auth.Known(l.principal)
	if now == nil || !l.unchanged(now) {
		l.cancel(errReplaced)
		delete(l.auth.leases.all, l)
	}
}

// unchanged reports whether now may do what the lease's principal may.
func (l *Lease) unchanged(now *Principal) bool {
	if now.name != l.principal.name {
		return false
	}
	if l.queue != "" {
		return now.granted(l.queue) == l.principal.granted(l.queue)
	}
	has := func(in []Grant, g Grant) bool { return slices.Contains(in, g) }
	for _, g := range now.grants {
		if !has(l.principal.grants, g) {
			return false
		}
	}
	for _, g := range l.principal.grants {
		if !has(now.grants, g) {
			return false
		}
	}
	return true
}

// recheck ends the leases of those who are no longer what they were. The mutex is
// held.
func (a *Auth) recheck() {
	for l := range a.leases.all {
		l.check()
	}
}

// verifies reports whether authorities still sign a chain of certificates. Without
// authorities it is the business of TLS.
func verifies(chain []*x509.Certificate, authorities *x509.CertPool) bool {
	if authorities == nil || len(chain) == 0 {
		return true
	}
	between := x509.NewCertPool()
	for _, c := range chain[1:] {
		between.AddCert(c)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{Roots: authorities, Intermediates: between,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	return err == nil
}
