package plugin

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/compiler/golang"
	"github.com/octopus-framework/octopus/compiler/report"
)

const known = "known parameters: module=PATH, pointer_lists, json, grpc, grpc_in=message, Mfile.proto=import/path;name, paths=source_relative"

// parameters reads what --gremlin_opt gave, joined by commas. An unknown one is an error: a misspelt parameter must not
// silently do nothing.
func parameters(text string) (golang.Options, report.List) {
	opts := golang.Options{GoPackage: map[string]string{}, Parameters: true}
	var found report.List
	fail := func(hint, format string, args ...any) {
		found = append(found, report.Diagnostic{Message: fmt.Sprintf(format, args...), Hint: hint})
	}
	for param := range strings.SplitSeq(text, ",") {
		key, value, hasValue := strings.Cut(param, "=")
		file, mapping := strings.CutPrefix(key, "M")
		switch {
		case param == "":
		case key == "module":
			if opts.Module = value; value == "" {
				fail("write module=example.com/shop/gen", `parameter "module" needs the Go import path of the output folder`)
			}
		case key == "pointer_lists", key == "json", key == "grpc":
			on := true
			if hasValue {
				var err error
				if on, err = strconv.ParseBool(value); err != nil {
					fail("write "+key+" or "+key+"=false", "parameter %q is true or false, not %q", key, value)
				}
			}
			switch key {
			case "json":
				opts.JSON = on
			case "grpc":
				opts.GRPC = on
			default:
				opts.PointerLists = on
			}
		case key == "grpc_in":
			if opts.GRPCMessages = value == "message"; !opts.GRPCMessages && value != "reader" {
				fail("write grpc_in=message or grpc_in=reader", "parameter %q is message or reader, not %q", key, value)
			}
		case key == "paths":
			// Without it, too, files lie where their .proto does, unless M gives them another place below module.
			if opts.SourceRelative = value == "source_relative"; !opts.SourceRelative {
				fail("leave it out", `parameter "paths" is source_relative, not %q`, value)
			}
		case mapping && file != "":
			if opts.GoPackage[file] = value; value == "" {
				fail("write M"+file+"=import/path;name", "parameter %q needs a Go package", key)
			}
		default:
			fail(known, "unknown parameter %q", key)
		}
	}
	return opts, found
}
