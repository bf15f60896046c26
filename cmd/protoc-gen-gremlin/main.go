// Command protoc-gen-gremlin is the gremlin compiler as a plugin of protoc and buf. See
// docs/protoc-and-buf.md.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/octopus-framework/octopus/compiler/plugin"
	"github.com/octopus-framework/octopus/internal/version"
)

const usage = `protoc-gen-gremlin is a plugin: protoc and buf start it and talk to it on standard input.

  protoc -I proto --gremlin_out=gen --gremlin_opt=module=example.com/shop/gen shop/v1/deposit.proto

Parameters (--gremlin_opt, or opt in buf.gen.yaml), separated by commas:
  module=PATH                      Go import path of the output folder
  pointer_lists                    repeated messages as []*T and not []T
  json                             code for JSON too, in files of its own
  grpc                             gRPC clients and servers too: grpc_in=message, grpc_descriptors say more
  connect                          Connect handlers and clients too, in packages of their own; or connect_in=message
  Mfile.proto=import/path;name     Go package of a file; either part may be missing
  paths=source_relative            accepted; files always lie where their .proto does
Code in the shape of gogo/protobuf:
  preset=gogofaster                gogo, gofast, gogofast, gogofaster, gogoslick, gocosmos or k8s; implied when the plugin
                                   is started under the name of such a plugin, protoc-gen-gogofaster
  registry=gogo                    gogo, golang, cosmos or none: the library that types are registered with
  plugins=grpc                     gRPC stubs too
  paths=import                     files lie where the import path of their package says (default in this shape)
`

func main() {
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
	if err := plugin.Run(filepath.Base(os.Args[0]), os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "protoc-gen-gremlin: error: %v\n", err)
		os.Exit(1)
	}
}
