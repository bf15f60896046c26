// Package serve is the server: one port for the page, the JSON API, metrics, health, and the binary
// frames of package nerve/remote.
//
// What is asked for goes through these, in this order:
//
//	listener   the number of connections, and of those that have not said anything
//	Host       names that are not the server's are refused
//	Origin     pages of others may not write
//	who        token, session cookie, client certificate, or anonymous
//	core       whether that principal may do it with this queue
package serve
