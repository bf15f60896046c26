package inject

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// tagsOf returns the build tags that the flags set.
func tagsOf(flags []string) []string {
	return strings.FieldsFunc(flagValue(flags, "tags"), func(r rune) bool {
		return r == ',' || r == ' '
	})
}

// flagValue returns the value of a flag, the last if it is there more than once, "" if it is not.
func flagValue(flags []string, name string) (last string) {
	for i, f := range flags {
		key, value, ok := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if !strings.HasPrefix(f, "-") || key != name {
			continue
		}
		if !ok && i+1 < len(flags) {
			value = flags[i+1]
		}
		last = value
	}
	return last
}

// tags returns the flag that sets the tags of the overlay as well as those of the flags.
func (o *Overlay) tags(flags []string) string {
	return "-tags=" + strings.Join(append(slices.Clone(o.Tags), tagsOf(o.env.flags(flags))...), ",")
}

// Command returns a go command that uses the overlay: name is build, run, test or the like, flags
// are the Flags of Config or the like, args what comes after them. It runs in the current directory
// unless the caller sets another.
func (o *Overlay) Command(name string, flags []string, args ...string) *exec.Cmd {
	// the go command takes the last one of a kind
	all := append(append([]string{name}, flags...), "-overlay="+o.File)
	if len(o.Tags) > 0 {
		all = append(all, o.tags(flags))
	}
	cmd := exec.Command("go", append(all, args...)...)
	if o.root != "" {
		cmd = exec.Command(filepath.Join(o.root, "bin", "go"), append(all, args...)...)
		cmd.Env = append(os.Environ(), "GOROOT="+o.root, "GOTOOLCHAIN=local")
	}
	return cmd
}
