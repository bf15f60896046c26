// Package protoc reads the command line of protoc.
package protoc

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/plugin/host"
)

// Command is what a command line asks for.
type Command struct {
	Help, Version bool

	Roots []string // folders of --proto_path; "a/b=dir" is a folder whose files are below a/b
	Files []string // .proto files, in their order
	Sets  []string // files of --descriptor_set_in

	Plugins []host.Plugin // those of --X_out, in their order

	DescriptorSet  string // file of --descriptor_set_out
	Imports        bool   // --include_imports
	SourceInfo     bool   // --include_source_info
	RetainOptions  bool   // --retain_options
	DependencyFile string // file of --dependency_out
	FatalWarnings  bool
	Encode, Decode string // types of --encode and --decode
	DecodeRaw      bool

	// MissingRoots are folders of --proto_path that do not exist, of which protoc warns.
	MissingRoots []string

	programs    map[string]string // paths of --plugin by name
	options     map[string]string // parameters of --X_opt by name of the plugin
	optionNames []string          // names of plugins in the order of their options
}

// flags are those that take no value.
var flags = map[string]func(*Command){
	"-h":                    func(c *Command) { c.Help = true },
	"--help":                func(c *Command) { c.Help = true },
	"--version":             func(c *Command) { c.Version = true },
	"--include_imports":     func(c *Command) { c.Imports = true },
	"--include_source_info": func(c *Command) { c.SourceInfo = true },
	"--retain_options":      func(c *Command) { c.RetainOptions = true },
	"--fatal_warnings":      func(c *Command) { c.FatalWarnings = true },
	"--decode_raw":          func(c *Command) { c.DecodeRaw = true },
	// Both are without effect here: what is encoded is always in one order.
	"--deterministic_output":               func(*Command) {},
	"--experimental_allow_proto3_optional": func(*Command) {},
	"--experimental_editions":              func(*Command) {},
	"--enable_codegen_trace":               nil,
	"--disallow_services":                  nil,
	"--print_free_field_numbers":           nil,
	"--notices":                            nil,
	"--direct_dependencies":                nil,
	"--direct_dependencies_violation_msg":  nil,
	"--option_dependencies":                nil,
	"--option_dependencies_violation_msg":  nil,
	"--edition_defaults_out":               nil,
	"--edition_defaults_minimum":           nil,
	"--edition_defaults_maximum":           nil,
}

// once are the flags that protoc takes once only.
var once = []string{"--include_imports", "--include_source_info", "--retain_options",
	"--fatal_warnings", "-o", "--descriptor_set_out", "--dependency_out", "--descriptor_set_in"}

// builtIn are the languages that are part of protoc.
var builtIn = []string{"cpp", "csharp", "java", "kotlin", "objc", "php", "pyi", "python", "ruby",
	"rust"}

// Parse reads a command line without the name of the program.
func Parse(args []string) (*Command, error) {
	args, err := expand(args)
	if err != nil {
		return nil, err
	}
	c := &Command{programs: map[string]string{}, options: map[string]string{}}
	seen := map[string]bool{}
	for i := 0; i < len(args); i++ {
		name, value, given := split(args[i])
		set, isFlag := flags[name]
		switch {
		case isFlag && set == nil:
			return nil, fmt.Errorf("%s is for protoc: gremlin does not have it", name)
		case isFlag && given:
			return nil, fmt.Errorf("%s takes no value", name)
		case isFlag:
		case !given && (i+1 == len(args) || strings.HasPrefix(args[i+1], "-")):
			return nil, fmt.Errorf("flag %s has no value", name)
		case !given:
			i++
			value = args[i]
		}
		if seen[name] && slices.Contains(once, name) {
			return nil, fmt.Errorf("%s is given twice", name)
		}
		seen[name] = true
		if isFlag {
			set(c)
		} else if err := c.set(name, value); err != nil {
			return nil, err
		}
		if c.Help || c.Version { // protoc looks no further
			return c, nil
		}
	}
	return c, c.finish(len(args) == 0)
}

// expand replaces @FILE by the lines of the file.
func expand(args []string) (out []string, err error) {
	for _, a := range args {
		name, ok := strings.CutPrefix(a, "@")
		if !ok {
			out = append(out, a)
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("argument file %q cannot be read: %w", name, err)
		}
		for line := range strings.Lines(string(data)) {
			out = append(out, strings.TrimSuffix(line, "\n"))
		}
	}
	return out, nil
}

// split takes an argument apart: the name is empty for a file.
func split(arg string) (name, value string, given bool) {
	switch {
	case !strings.HasPrefix(arg, "-") || arg == "-":
		return "", arg, true
	case strings.HasPrefix(arg, "--"):
		name, value, given = strings.Cut(arg, "=")
		return name, value, given
	}
	return arg[:2], arg[2:], len(arg) > 2
}

// set takes a flag with its value, or a file.
func (c *Command) set(name, value string) error {
	switch name {
	case "":
		if value == "" {
			return errors.New("an argument is empty")
		}
		c.Files = append(c.Files, value)
	case "-I", "--proto_path":
		return c.addRoots(value)
	case "--descriptor_set_in":
		c.Sets = filepath.SplitList(value)
		return needsValue(name, value)
	case "-o", "--descriptor_set_out":
		if c.DescriptorSet != "" {
			return fmt.Errorf("%s is given twice", name)
		}
		c.DescriptorSet = value
		return needsValue(name, value)
	case "--dependency_out":
		c.DependencyFile = value
		return needsValue(name, value)
	case "--encode", "--decode":
		if c.Encode+c.Decode != "" {
			return errors.New("only one of --encode and --decode can be given")
		}
		if name == "--encode" {
			c.Encode = value
		} else {
			c.Decode = value
		}
		return needsValue(name, value)
	case "--error_format":
		if value != "gcc" && value != "msvs" {
			return fmt.Errorf("error format %q is not known", value)
		}
	case "--plugin":
		plugin, program, ok := strings.Cut(value, "=")
		if !ok {
			plugin, program = path.Base(value), value
		}
		c.programs[plugin] = program
	default:
		return c.setPlugin(name, value)
	}
	return nil
}

func needsValue(name, value string) error {
	if value == "" {
		return fmt.Errorf("flag %s has no value", name)
	}
	return nil
}

// addRoots adds folders with colons between.
func (c *Command) addRoots(value string) error {
	for _, root := range strings.FieldsFunc(value, func(r rune) bool {
		return r == filepath.ListSeparator
	}) {
		virtual, dir, ok := strings.Cut(root, "=")
		if !ok {
			virtual, dir = "", root
		}
		if dir == "" {
			return errors.New(`--proto_path has an empty folder: "." is the working folder`)
		}
		if _, err := os.Stat(dir); err != nil {
			c.MissingRoots = append(c.MissingRoots, dir)
			continue
		}
		if virtual != "" {
			dir = virtual + "=" + dir
		}
		c.Roots = append(c.Roots, dir)
	}
	return nil
}

// setPlugin takes --X_out and --X_opt.
func (c *Command) setPlugin(name, value string) error {
	long, ok := strings.CutPrefix(name, "--")
	if language, is := strings.CutSuffix(long, "_out"); ok && is {
		parameter, out, found := strings.Cut(value, ":")
		if !found {
			parameter, out = "", value
		}
		c.Plugins = append(c.Plugins, host.Plugin{Name: host.Prefix + language,
			Parameter: parameter, Out: out})
		return nil
	}
	if language, is := strings.CutSuffix(long, "_opt"); ok && is {
		plugin := host.Prefix + language
		if c.options[plugin] != "" {
			c.options[plugin] += ","
		}
		c.options[plugin] += value
		c.optionNames = append(c.optionNames, plugin)
		return nil
	}
	return fmt.Errorf("flag %s is not known", name)
}

// finish checks what is about several flags.
func (c *Command) finish(empty bool) error {
	if empty {
		c.Help = true
		return nil
	}
	for _, name := range c.optionNames {
		if c.programs[name] == "" && !slices.ContainsFunc(c.Plugins,
			func(p host.Plugin) bool { return p.Name == name }) {
			return fmt.Errorf("flag --%s_opt is not known", strings.TrimPrefix(name, host.Prefix))
		}
	}
	for i := range c.Plugins {
		if err := c.complete(&c.Plugins[i]); err != nil {
			return err
		}
	}
	if len(c.Roots)+len(c.MissingRoots)+len(c.Sets) == 0 {
		c.Roots = []string{"."}
	}
	outputs := len(c.Plugins) > 0 || c.DescriptorSet != ""
	codec := c.DecodeRaw || c.Encode+c.Decode != ""
	switch {
	case codec && outputs:
		return errors.New("--encode and --decode do not go with output of code or descriptors")
	case c.DecodeRaw && c.Encode+c.Decode != "":
		return errors.New("only one of --encode and --decode can be given")
	case c.DecodeRaw && len(c.Files)+len(c.Sets) > 0:
		return errors.New("--decode_raw takes no files")
	case c.DecodeRaw:
	case len(c.Files) == 0 && (!codec || len(c.Sets) == 0):
		return errors.New("there is no input file")
	case !codec && !outputs:
		return errors.New("there is nothing to write: no --X_out and no --descriptor_set_out")
	}
	switch {
	case c.DependencyFile == "":
	case codec:
		return errors.New("--dependency_out is for output of code")
	case len(c.Sets) > 0:
		return errors.New("--dependency_out does not go with --descriptor_set_in")
	case len(c.Files) > 1:
		return errors.New("--dependency_out is for one input file")
	}
	return nil
}

// complete gives a plugin its program and its options, those of --X_opt last.
func (c *Command) complete(p *host.Plugin) error {
	language := strings.TrimPrefix(p.Name, host.Prefix)
	p.Path = c.programs[p.Name]
	if p.Path == "" && slices.Contains(builtIn, language) {
		return fmt.Errorf("--%s_out is a part of protoc, which gremlin does not have", language)
	}
	if options := c.options[p.Name]; options != "" {
		if p.Parameter != "" {
			p.Parameter += ","
		}
		p.Parameter += options
	}
	switch path.Ext(p.Out) {
	case ".zip", ".jar":
		return fmt.Errorf("--%s_out: archives such as %q are not written: name a folder", language,
			p.Out)
	}
	if info, err := os.Stat(p.Out); err != nil || !info.IsDir() {
		return fmt.Errorf("--%s_out: output folder %q does not exist", language, p.Out)
	}
	return nil
}
