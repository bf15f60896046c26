package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// release sets one version in all modules, commits that, and tags the commit once for each
// published module. It pushes nothing. Without run it does so in a clone, asks the go command for
// every module at its tag, and leaves the checkout alone.
//
// All tags are on one commit, because what go.sum says of our own modules is known before anybody
// has seen the tags: the hash of a module is that of its files, and these are packed here as the go
// command packs them, each module after those that it requires.
func release(root, version string, run bool) error {
	if !semver.IsValid(version) || semver.Canonical(version) != version {
		return fmt.Errorf("%q is no version such as v0.2.0", version)
	}
	if err := ready(root, version, run); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if !run {
		clone := filepath.Join(tmp, "clone")
		if _, err := output(nil, ".", "git", "clone", "-q", "--shared", root, clone); err != nil {
			return err
		}
		root = clone
	}
	if err := setVersion(root, version); err != nil {
		return err
	}
	modules, err := published(root)
	if err != nil {
		return err
	}
	modules = inOrder(modules)
	if err := sumUp(root, tmp, modules); err != nil {
		return err
	}
	// A module that requires nothing but ours has a go.sum from now on.
	if _, err := output(nil, root, "git", "add", "*go.mod", "*go.sum", "go.work"); err != nil {
		return err
	}
	if _, err := output(nil, root, "git", "commit", "-qm", "release "+version); err != nil {
		return err
	}
	var tags []string
	for _, m := range modules {
		tags = append(tags, m.tag())
		if _, err := output(nil, root, "git", "tag", m.tag()); err != nil {
			return err
		}
		fmt.Println("tagged", m.tag())
	}
	if !run {
		if err := download(root, tmp, modules); err != nil {
			return err
		}
		fmt.Println("This was a dry run in a copy; RUN=1 does it here.")
		return nil
	}
	fmt.Printf("To publish it: git push --atomic origin HEAD %s\n", strings.Join(tags, " "))
	return nil
}

// tag is the name of m's tag: the version, behind the folder unless that is the root.
func (m packed) tag() string {
	if m.dir == "." {
		return m.Version.Version
	}
	return m.dir + "/" + m.Version.Version
}

// ready tells why a checkout cannot be released as version. In a dry run a heading in CHANGELOG.md
// can be missing.
func ready(root, version string, run bool) error {
	changed, err := output(nil, root, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" {
		return errors.New("there are changes that are not committed:\n" + changed)
	}
	tags, err := output(nil, root, "git", "tag", "--list", version, "*/"+version)
	if err != nil {
		return err
	}
	if tags != "" {
		return fmt.Errorf("%s is tagged already; a tag is never moved, take the next version", version)
	}
	text, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	if !regexp.MustCompile(`(?m)^## ` + regexp.QuoteMeta(version) + `\b`).Match(text) {
		err = fmt.Errorf("CHANGELOG.md has no heading \"## %s\"", version)
		if run {
			return err
		}
		fmt.Println("still to be done:", err)
	}
	return nil
}

// ownVersion is a module of ours with its version, as go.mod and go.work write it.
var ownVersion = regexp.MustCompile(
	`(` + regexp.QuoteMeta(rootModule) + `(?:/[a-z/-]+)?) v[0-9][^\s]*`)

// setVersion sets the version of our modules in go.work and in the go.mod of its modules.
func setVersion(root, version string) error {
	files, err := output(nil, root, "git", "ls-files", "go.work", "go.mod", "*/go.mod")
	if err != nil {
		return err
	}
	for _, name := range strings.Fields(files) {
		if strings.HasPrefix(name, "lab/") || strings.Contains(name, "testdata/") {
			continue // they replace our modules by folders
		}
		path := filepath.Join(root, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		set := ownVersion.ReplaceAll(text, []byte("$1 "+version))
		if err := os.WriteFile(path, set, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// inOrder brings modules into an order in which each comes after those that it requires.
func inOrder(modules []packed) (sorted []packed) {
	for len(modules) > 0 {
		i := slices.IndexFunc(modules, func(m packed) bool {
			return !slices.ContainsFunc(modules, func(other packed) bool {
				return other.Path != m.Path &&
					strings.Contains(string(m.goMod), "\t"+other.Path+" "+other.Version.Version)
			})
		})
		if i < 0 {
			panic("modules of ours require each other in a circle")
		}
		sorted = append(sorted, modules[i])
		modules = slices.Delete(modules, i, i+1)
	}
	return sorted
}

// sumUp writes what go.sum of each module says of our own modules.
func sumUp(root, tmp string, modules []packed) error {
	proxy := filepath.Join(tmp, "proxy")
	env, err := environment(tmp, proxy)
	if err != nil {
		return err
	}
	for _, m := range modules {
		if _, err := output(env, filepath.Join(root, m.dir), "go", "mod", "tidy"); err != nil {
			return fmt.Errorf("%s: %w", m.Path, err)
		}
		if m.goMod, err = os.ReadFile(filepath.Join(root, m.dir, "go.mod")); err != nil {
			return err
		}
		if _, err := m.pack(root, proxy); err != nil {
			return fmt.Errorf("%s: %w", m.Path, err)
		}
		fmt.Println("summed up", m.Path)
	}
	return nil
}

// download asks the go command for all modules by their tags in a repository on this machine, which
// stands in the place of the published one, and compares with their sums.
func download(root, tmp string, modules []packed) error {
	env, err := environment(filepath.Join(tmp, "fresh"), filepath.Join(tmp, "proxy"))
	if err != nil {
		return err
	}
	config := fmt.Sprintf("[url %q]\n\tinsteadOf = https://%s\n[safe]\n\tdirectory = *\n",
		"file://"+root, rootModule)
	if err := os.WriteFile(filepath.Join(tmp, "gitconfig"), []byte(config), 0o666); err != nil {
		return err
	}
	env = append(env, "GIT_CONFIG_GLOBAL="+filepath.Join(tmp, "gitconfig"),
		"GONOPROXY="+rootModule+","+rootModule+"/*")
	for _, m := range modules {
		if _, err := output(env, filepath.Join(root, m.dir), "go", "mod", "download"); err != nil {
			return fmt.Errorf("%s: %w", m.tag(), err)
		}
	}
	return nil
}
