// Command protoc-gen-gremlin is the gremlin compiler as a plugin of protoc and buf. See
// docs/protoc-and-buf.md.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/octopus-framework/octopus/internal/compiler/backend/all"
	"github.com/octopus-framework/octopus/internal/compiler/plugin"
	"github.com/octopus-framework/octopus/internal/version"
)

const usage = `protoc-gen-gremlin is a plugin: protoc and buf start it and talk to it on standard input.

  protoc -I proto --gremlin_out=gen --gremlin_opt=module=example.com/shop/gen shop/v1/deposit.proto

Parameters (--gremlin_opt, or opt in buf.gen.yaml), separated by commas:
`

func main() {
	backends := all.Backends()
	usage := usage + plugin.Usage(backends)
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "--version":
			fmt.Println("protoc-gen-gremlin", version.String())
		case "--help", "-h":
			fmt.Print(usage)
		default:
			fmt.Fprintf(os.Stderr, "protoc-gen-gremlin: error: unknown argument %q\n%s", os.Args[1],
				usage)
			os.Exit(2)
		}
		return
	}
	if err := plugin.Run(filepath.Base(os.Args[0]), backends, os.Stdin, os.Stdout,
		os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "protoc-gen-gremlin: error: %v\n", err)
		os.Exit(1)
	}
}
