//go:build !windows

package nervestorage

const defaultDirectory = "/var/lib/otelcol/nerve_storage"
