package core

import "context"

type principalKey struct{}

// With returns a context that says who asks.
func With(ctx context.Context, p *Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// From returns who asks. The handlers of a server are called with somebody; nil
// may do nothing.
func From(ctx context.Context) *Principal {
	p, _ := ctx.Value(principalKey{}).(*Principal)
	return p
}
