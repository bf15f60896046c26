// Package nerveexporter is an exporter of the OpenTelemetry Collector, nerve: it appends what it
// gets to a queue, a folder or one behind nerve serve, and returns when that is durable. Requests
// that come together share a commit.
//
//	exporters:
//	  nerve:
//	    queue: /var/lib/otelcol/{signal}
package nerveexporter
