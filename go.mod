module github.com/octopus-framework/octopus

go 1.25.6

require (
	github.com/klauspost/compress v1.20.3
	github.com/pierrec/lz4/v4 v4.1.33
	golang.org/x/sync v0.19.0
	golang.org/x/sys v0.39.0
)
