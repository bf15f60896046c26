// Package nervecollector holds a pair of components for the OpenTelemetry Collector, built with the
// collector's builder: nerveexporter puts telemetry into a queue, a folder or one behind nerve
// serve, and nervereceiver takes it out under the name of a consumer. Several receivers, each with
// a name of its own, get all of it.
package nervecollector
