//go:build pin

package gogo

// What the tests build and what the code they generate imports: go mod tidy keeps the modules
// because of this file.
import (
	_ "github.com/gogo/protobuf/gogoproto"
	_ "github.com/gogo/protobuf/protoc-gen-gogofaster"
	_ "github.com/octopus-framework/octopus/gremlin/gogo"
)
