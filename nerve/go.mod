module github.com/octopus-framework/octopus/nerve

go 1.25.0

require (
	github.com/klauspost/compress v1.20.3
	github.com/octopus-framework/octopus/gremlin v0.1.0
	github.com/pierrec/lz4/v4 v4.1.33
	golang.org/x/sync v0.20.0
	golang.org/x/sys v0.41.0
)
