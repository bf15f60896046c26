package plugin

import "github.com/bmatcuk/doublestar/v4"

// alsoMatching adds the names that match a pattern to those that matches tells of.
func alsoMatching(matches func(string) bool, pattern string) func(string) bool {
	return func(name string) bool {
		return matches != nil && matches(name) || doublestar.MatchUnvalidated(pattern, name)
	}
}
