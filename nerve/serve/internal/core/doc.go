// Package core is what lies below every transport of a nerve server: the queues
// of a root folder, who may do what with them, and what is counted. The binary
// frames, the JSON API and the page reach a queue through it and in no other
// way, so that there is one check of rights.
//
// A transport finds out who asks ([Auth.Token], [Auth.Certificate],
// [Auth.Anonymous]), which gives a [Principal], and asks for a queue:
//
//	access, err := root.Access(principal, "orders")
//	cursor, err := access.Read(ctx, 1)
//
// Each method of [Access] says in its comment which role it takes. Without it
// the error is a [nerve.AccessError]; a queue with which the principal may do
// nothing at all is a [nerve.NotFoundError], as one that does not exist. Handlers
// of HTTP find the principal in the context of their request, see [From].
package core
