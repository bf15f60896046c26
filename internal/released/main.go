// Released tries what users get: it packs the published modules of the checkout as they are into a
// module proxy of files and, from empty modules that know nothing of the checkout, installs the
// commands, generates code, and builds and runs programs with it. What the guides say is run as
// they say it.
//
//	go run ./internal/released          # in the root of the repository
//	go run ./internal/released -tidy    # go mod tidy for each published module, which cannot ask for the others
//	go run ./internal/released -keep D  # only pack the modules, into folder D, and say how to use it
//
//	go run ./internal/released -release v0.2.0   # a dry run of a release; -tag makes the tags
//
// Nothing of ours comes from the network; what our modules require comes from the module cache or
// the environment's proxy.
package main

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

func main() {
	tidy := flag.Bool("tidy", false,
		"bring go.mod and go.sum of each published module into order instead")
	keep := flag.String("keep", "", "only pack the modules into a proxy in this `folder`, which stays")
	version := flag.String("release", "",
		"tag the modules with this version instead, in a copy unless -tag is given")
	tag := flag.Bool("tag", false, "with -release: tag them here")
	flag.Parse()
	var err error
	switch {
	case *version != "":
		err = release(".", *version, *tag)
	case *keep != "":
		err = packInto(".", *keep)
	default:
		err = run(".", *tidy)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "released:", err)
		os.Exit(1)
	}
}

func run(root string, tidy bool) (err error) {
	tmp, err := os.MkdirTemp("", "released")
	if err != nil {
		return err
	}
	defer func() {
		if rerr := os.RemoveAll(tmp); err == nil {
			err = rerr
		}
	}()
	proxy := filepath.Join(tmp, "proxy")
	modules, err := packAll(root, proxy)
	if err != nil {
		return err
	}
	env, err := environment(tmp, proxy)
	if err != nil {
		return err
	}
	for _, m := range modules {
		if err := m.tidy(root, env, tidy); err != nil {
			return fmt.Errorf("%s: %w", m.Path, err)
		}
	}
	if tidy {
		return nil
	}
	all, err := scenarios(root, modules)
	if err != nil {
		return err
	}
	for i, s := range all {
		fmt.Printf("== %s\n", s.name)
		s.dir = filepath.Join(tmp, fmt.Sprintf("module%d", i))
		if err := s.play(env, modules); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// packInto packs the modules into a proxy that stays, and says how it is used.
func packInto(root, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	modules, err := packAll(root, dir)
	if err != nil {
		return err
	}
	fmt.Printf(`use it in a shell, from any module:

  export GOPROXY="file://%s,$(go env GOPROXY)" GONOSUMDB="%s/*" GOWORK=off
  export GOMODCACHE="$(mktemp -d)" GOFLAGS=-modcacherw   # packed anew, a version is another one

`, filepath.ToSlash(dir), path.Dir(modules[0].Path))
	return nil
}

// packAll packs the published modules into a proxy.
func packAll(root, proxy string) ([]packed, error) {
	modules, err := published(root)
	if err != nil {
		return nil, err
	}
	for _, m := range modules {
		size, err := m.pack(root, proxy)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Path, err)
		}
		fmt.Printf("packed %s: %d KB\n", m.Version, size>>10)
	}
	return modules, nil
}

// environment returns the environment of somebody who has the go command and the proxies alone. The
// module cache is a new one, so that it never holds what was not published; the checkout's serves
// as a proxy for what others published, whose sums were checked when it was filled.
func environment(tmp, proxy string) ([]string, error) {
	vars, err := output(nil, ".", "go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return nil, err
	}
	cache, others, _ := strings.Cut(strings.TrimSpace(vars), "\n")
	bin := filepath.Join(tmp, "bin")
	return append(os.Environ(),
		"GOPROXY=file://"+proxy+",file://"+filepath.Join(cache, "cache", "download")+","+
			strings.TrimSpace(others),
		"GOSUMDB=off", "GOPRIVATE=", "GONOPROXY=", "GOWORK=off",
		// so that it can be removed, and packages built before are found
		"GOFLAGS=-modcacherw -trimpath",
		"GOMODCACHE="+filepath.Join(tmp, "modcache"),
		"GOBIN="+bin, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH")), nil
}
