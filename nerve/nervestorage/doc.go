// Package nervestorage is an extension of the OpenTelemetry Collector, nerve_storage: the disk
// under sending queues, and under whatever else keeps state. It takes the place of file_storage by
// one line of configuration:
//
//	extensions:
//	  nerve_storage:
//	    directory: /var/lib/otelcol/queue
//	exporters:
//	  otlp:
//	    sending_queue:
//	      storage: nerve_storage
//
// Each component gets a folder with a log of package seglog in it. A request that is queued is one
// append; what is read and done rides along with later ones.
package nervestorage
