// Package serve is a server for the queues of a folder: one port for the page,
// the JSON API, metrics, health, and the binary frames of package nerve/remote.
//
//	root, err := core.Open("queues", core.Options{})
//	server, err := serve.New(root, serve.Options{Auth: auth})
//	err = server.Run(ctx) // until ctx ends; then what was accepted is committed
//
// What is asked for goes through these, in this order:
//
//	listener   the number of connections, and of those that have not said anything
//	Host       names that are not the server's are refused
//	Origin     pages of others may not write
//	who        token, session cookie, client certificate, or anonymous
//	core       whether that principal may do it with this queue
//
// The command is nerve serve; the guide is docs/serve.md.
package serve
