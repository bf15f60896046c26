module github.com/octopus-framework/octopus/nerve/serve

go 1.26.0

require (
	github.com/octopus-framework/octopus v0.1.0
	golang.org/x/sync v0.22.0
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/octopus-framework/octopus/gremlin v0.1.0 // indirect
	github.com/pierrec/lz4/v4 v4.1.33 // indirect
	golang.org/x/sys v0.41.0 // indirect
)
