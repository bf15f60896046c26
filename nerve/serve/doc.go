// Package serve is a server for the queues of a folder: one port for the page,
// the JSON API, metrics, health, and the binary frames of package nerve/remote.
//
//	server, err := serve.Open("queues", serve.Options{Tokens: "tokens"})
//	err = server.Run(ctx) // until ctx ends; then what was accepted is committed
//
// The command is nerve serve; the guide is docs/serve.md.
package serve
