package plugin

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/golang"
	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/schema"
)

const known = "known parameters: module=PATH, pointer_lists, json, grpc, grpc_in=message, grpc_descriptors, " +
	"Mfile.proto=import/path;name, rename=full.Name=GoName, paths=source_relative"

// names are those of parameters without the ones of files.
var names = []string{"module", "pointer_lists", "json", "grpc", "grpc_in", "grpc_descriptors", "rename", "paths"}

// parameters reads what --gremlin_opt gave, joined by commas. An unknown one is an error: a misspelt parameter must not
// silently do nothing.
func parameters(text string) (golang.Options, report.List) {
	opts := golang.Options{GoPackage: map[string]string{}, Renames: map[string]string{}, Parameters: true}
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
		case key == "pointer_lists", key == "json", key == "grpc", key == "grpc_descriptors":
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
				opts.GRPC, opts.NoServices = on, !on
			case "grpc_descriptors":
				if opts.Descriptors = nil; on {
					opts.Descriptors, opts.GRPC = map[string][]byte{}, true
				}
			default:
				opts.PointerLists = on
			}
		case key == "grpc_in":
			opts.GRPC = true
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
		case key == "rename":
			fullName, goName, _ := strings.Cut(value, "=")
			if opts.Renames[fullName] = goName; fullName == "" || !golang.IsGoName(goName) {
				fail("write rename=shop.v1.Deposit_Part=DepositPart2",
					"parameter \"rename\" needs a full name and an exported Go name, not %q", value)
			}
		default:
			hint := known
			if near := compiler.Nearest(key, names); len(near) > 0 {
				hint = fmt.Sprintf("did you mean %q?\n", near[0]) + known
			}
			fail(hint, "unknown parameter %q", key)
		}
	}
	return opts, found
}

// unknownRenames finds renames of what the packages of the generated files do not have. Other packages may come with another
// request: buf sends one for each folder.
func unknownRenames(s *schema.Schema, renames map[string]string) (found report.List) {
	known := map[string]bool{}
	var all []string
	if len(renames) > 0 {
		all = slices.Collect(golang.Renamable(s))
	}
	for _, name := range all {
		known[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(renames)) {
		inPackage := slices.ContainsFunc(s.Files, func(f *schema.File) bool {
			return f.Generate && strings.HasPrefix(name, f.Package+".")
		})
		if known[name] || !inPackage {
			continue
		}
		d := report.Diagnostic{Message: fmt.Sprintf("parameter \"rename\": nothing has the name %q", name)}
		if near := compiler.Nearest(name, all); len(near) > 0 {
			d.Hint = fmt.Sprintf("did you mean %q?", near[0])
		}
		found = append(found, d)
	}
	return found
}
