// Package version tells which version of octopus a command was built from.
package version

import (
	"runtime/debug"
	"strings"
)

// String returns the version of the module that holds the running command, such as v0.1.0. What was
// built from a checkout has the commit in it: v0.1.1-0.20260102150405-0123456789ab, or devel with
// the commit where there is no tag to count from; "devel" alone says that the go command did not
// look (-buildvcs=false, or no repository).
func String() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	return of(info)
}

func of(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	commit, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " with changes"
		}
	}
	if commit == "" {
		return "devel"
	}
	return "devel " + commit + changed
}

// Query is what follows the @ of go install for the version of the running command: latest, unless
// it was built from a release.
func Query() string {
	if v := String(); strings.HasPrefix(v, "v") {
		return v
	}
	return "latest"
}
