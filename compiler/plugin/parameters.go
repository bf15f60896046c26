package plugin

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/octopus-framework/octopus/compiler/gogo"
	"github.com/octopus-framework/octopus/compiler/golang"
	"github.com/octopus-framework/octopus/compiler/golang/gogoshape"
	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/schema"
)

const known = "known parameters: module=PATH, pointer_lists, json, json_hex=PATTERN, validate, " +
	"grpc, grpc_in=message, grpc_descriptors, connect, connect_in=message, " +
	"Mfile.proto=import/path;name, rename=full.Name=GoName, paths=source_relative; " +
	"for the shape of gogo/protobuf: preset=gogofaster, registry=gogo, plugins=grpc, readers"

// names are those of parameters without the ones of files.
var names = []string{"module", "pointer_lists", "json", "json_hex", "validate", "grpc", "grpc_in",
	"grpc_descriptors", "connect", "connect_in",
	"rename", "paths", "preset", "registry", "plugins"}

// parsed is what parameters say.
type parsed struct {
	golang.Options
	validate bool
	preset   string // of gogo's; "" for the native shape
	gogo     gogoshape.FileOptions
	paths    string
}

// presetOf returns the preset that the name of the program implies: protoc-gen-gogofaster behaves
// as gogo's plugin of that name. It returns "" for other names.
func presetOf(program string) string {
	name, ok := strings.CutPrefix(program, "protoc-gen-")
	name = strings.TrimSuffix(name, ".exe")
	if !ok || strings.HasPrefix(name, "k8s") || !slices.Contains(gogo.Presets(), name) {
		return ""
	}
	return name
}

// parameters reads what --gremlin_opt gave, joined by commas. An unknown one is an error: a
// misspelt parameter must not silently do nothing. preset is what the name of the program implies.
func parameters(text, preset string) (parsed, report.List) {
	opts := parsed{Options: golang.Options{GoPackage: map[string]string{},
		Renames: map[string]string{}, Parameters: true}, preset: preset}
	opts.gogo = gogoshape.FileOptions{Suffix: ".pb.go"}
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
				fail("write module=example.com/shop/gen",
					`parameter "module" needs the Go import path of the output folder`)
			}
		case key == "pointer_lists", key == "json", key == "grpc", key == "grpc_descriptors",
			key == "connect", key == "validate":
			on := true
			if hasValue {
				var err error
				if on, err = strconv.ParseBool(value); err != nil {
					fail("write "+key+" or "+key+"=false", "parameter %q is true or false, not %q",
						key, value)
				}
			}
			switch key {
			case "json":
				opts.JSON = on
			case "grpc":
				opts.GRPC, opts.NoServices = on, !on
			case "connect":
				opts.Connect = on
			case "validate":
				opts.validate = on
			case "grpc_descriptors":
				if opts.Descriptors = nil; on {
					opts.Descriptors, opts.GRPC = map[string][]byte{}, true
				}
			default:
				opts.PointerLists = on
			}
		case key == "json_hex":
			opts.JSON, opts.Hex = true, alsoMatching(opts.Hex, value)
			if value == "" || !doublestar.ValidatePattern(value) {
				fail("write json_hex=opentelemetry.proto.*.trace_id",
					"parameter %q needs a pattern over full names of fields, not %q", key, value)
			}
		case key == "grpc_in", key == "connect_in":
			if value != "message" && value != "reader" {
				fail(fmt.Sprintf("write %s=message or %[1]s=reader", key),
					"parameter %q is message or reader, not %q", key, value)
			}
			if key == "grpc_in" {
				opts.GRPC, opts.GRPCMessages = true, value == "message"
			} else {
				opts.Connect, opts.ConnectMessages = true, value == "message"
			}
		case key == "preset":
			if opts.preset = value; !slices.Contains(gogo.Presets(), value) {
				fail("one of "+strings.Join(gogo.Presets(), ", "), "there is no preset %q", value)
			}
		case key == "registry":
			if opts.gogo.Registry = value; !slices.Contains(gogoshape.Registries(), value) {
				fail("one of "+strings.Join(gogoshape.Registries(), ", "),
					"there is no registry %q", value)
			}
		case key == "readers":
			if opts.gogo.Readers = value == "true" || value == ""; value != "true" &&
				value != "false" && value != "" {
				fail("write readers=true", "parameter %q is true or false, not %q", key, value)
			}
		case key == "tags":
			if opts.gogo.GRPCSafe = value == "grpc-safe"; !opts.gogo.GRPCSafe {
				fail("write tags=grpc-safe", "parameter %q is grpc-safe, not %q", key, value)
			}
		case key == "plugins":
			opts.gogo.GRPC = value == "grpc"
			if value != "grpc" && value != "" {
				fail("write plugins=grpc", "there is no plugin %q", value)
			}
		case key == "paths" && preset != "":
			if opts.paths = value; value != "source_relative" && value != "import" {
				fail("write paths=source_relative or paths=import", "parameter %q is not %q", key,
					value)
			}
		case key == "paths":
			// Without it, too, files lie where their .proto does, unless M gives them another place
			// below module.
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
			if near := report.Nearest(key, names); len(near) > 0 {
				hint = fmt.Sprintf("did you mean %q?\n", near[0]) + known
			}
			fail(hint, "unknown parameter %q", key)
		}
	}
	if opts.gogo.Registry == "" {
		opts.gogo.Registry = gogoshape.RegistryGogo
		if opts.preset == "gocosmos" {
			opts.gogo.Registry = gogoshape.RegistryCosmos
		}
	}
	return opts, found
}

// unknownRenames finds renames of what the packages of the generated files do not have. Other
// packages may come with another request: buf sends one for each folder.
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
		d := report.Diagnostic{Message: fmt.Sprintf("parameter \"rename\": nothing has the name %q",
			name)}
		if near := report.Nearest(name, all); len(near) > 0 {
			d.Hint = fmt.Sprintf("did you mean %q?", near[0])
		}
		found = append(found, d)
	}
	return found
}
