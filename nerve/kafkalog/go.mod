module github.com/octopus-framework/octopus/nerve/kafkalog

go 1.26.0

require (
	github.com/klauspost/compress v1.20.3
	github.com/octopus-framework/octopus/internal/oracle v0.1.0
	github.com/octopus-framework/octopus/nerve v0.1.0
	github.com/pierrec/lz4/v4 v4.1.33
	github.com/twmb/franz-go v1.22.2
	github.com/twmb/franz-go/pkg/kmsg v1.15.0
)

require github.com/octopus-framework/octopus/gremlin v0.1.0 // indirect

require (
	github.com/twmb/franz-go/pkg/kfake v0.0.0-20260918054303-01f206a7e32c
	golang.org/x/sync v0.20.0 // indirect
)
