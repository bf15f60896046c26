// Package remote is a queue on a server, nerve serve: a nerve.Log over one
// connection, with keys and claims. It needs the standard library alone.
//
//	log, err := remote.Open(ctx, "nerve://host:7171/events", remote.Options{Token: token})
//	queue := nerve.New(log, nerve.Options{})
//
// A connection that is lost is made again, with pauses that grow, for as long as
// the context of a call allows. What was asked for and not answered is asked
// again: the server remembers the last appends of each client and stores none
// of them twice. After a restart of the server that memory is gone. An append
// with a [nerve.Key] is then repeated with it and stored once; of one without a
// key that was under way the outcome is a [nerve.OutcomeError].
//
// Readers are sent as much as they have given credit for, [Options.Window] each,
// and go on where they were after a lost connection.
package remote
