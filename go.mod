module github.com/octopus-framework/octopus

go 1.25.0

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4
	github.com/klauspost/compress v1.20.3
	github.com/octopus-framework/octopus/functrace v0.1.0
	github.com/octopus-framework/octopus/gremlin v0.1.0
	github.com/octopus-framework/octopus/internal/oracle v0.1.0
	github.com/octopus-framework/octopus/internal/trace v0.1.0
	github.com/octopus-framework/octopus/nerve v0.1.0
	github.com/pierrec/lz4/v4 v4.1.33
	github.com/rivo/uniseg v0.4.7
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.9
	go.yaml.in/yaml/v3 v3.0.6
	golang.org/x/mod v0.32.0
	golang.org/x/sys v0.41.0
	golang.org/x/term v0.40.0
	golang.org/x/tools v0.41.0
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	golang.org/x/sync v0.20.0 // indirect
)
