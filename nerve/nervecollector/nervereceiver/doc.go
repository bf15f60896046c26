// Package nervereceiver is a receiver of the OpenTelemetry Collector, nerve: it takes telemetry out
// of a queue, a folder or one behind nerve serve, under the name of a consumer, and acknowledges
// what the pipeline accepted. Each name gets all of it, once and after a crash again from what was
// not acknowledged.
//
//	receivers:
//	  nerve:
//	    queue: /var/lib/otelcol/{signal}
//	    consumer: backend
package nervereceiver
