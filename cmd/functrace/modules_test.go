package main

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// proxy writes a module proxy into a folder and has the go command use it and nothing else. With
// the go.mod file given as "", the module is one from before there were modules.
func proxy(t *testing.T, name, version, goMod string, files map[string]string) {
	t.Helper()
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for file, text := range files {
		f, err := w.Create(name + "@" + version + "/" + file)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.Write([]byte(text))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if goMod == "" {
		goMod = "module " + name + "\n"
	}
	at := name + "/@v/" + version
	dir := tree(t, map[string]string{at + ".mod": goMod,
		at + ".info": `{"Version": "` + version + `"}`, at + ".zip": archive.String()})
	for k, v := range map[string]string{"GOPROXY": "file://" + filepath.ToSlash(dir),
		"GOSUMDB": "off", "GOFLAGS": "-modcacherw",
		"GOMODCACHE": filepath.Join(t.TempDir(), "mod"), "GOWORK": ""} {
		t.Setenv(k, v)
	}
}

// The go command lets no file in the module cache be overlaid: dependencies there, and Go
// installations.
func TestModuleCache(t *testing.T) {
	const lib = "package lib\n\nfunc Hello() { println(\"hello\", text) }\n"
	for _, test := range []struct {
		name, dir, goMod string
		replaced         bool
		files            map[string]string
	}{
		{name: "module", files: map[string]string{"main.go": helloMain}},
		{name: "with go.mod", goMod: "module ex.test/a\n\ngo 1.21\n",
			files: map[string]string{"main.go": helloMain}},
		{name: "replaced", files: map[string]string{"main.go": helloMain}, replaced: true},
		{name: "workspace", dir: "m", files: map[string]string{"m/main.go": helloMain,
			"go.work": "go 1.21\n\nuse ./m\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			name, version, mod := "ex.test/a", "v1.2.3",
				goMod("ex.test/m")+"\nrequire ex.test/a v1.2.3\n"
			if test.replaced {
				name, version = "ex.test/fork", "v1.0.0"
				mod += "\nreplace ex.test/a v1.2.3 => ex.test/fork v1.0.0\n"
			}
			files := map[string]string{"lib/lib.go": lib,
				"lib/text.go": "package lib\n\nimport _ \"embed\"\n\n//go:embed t.txt\nvar text string\n", "lib/t.txt": "embedded"}
			if test.goMod != "" {
				files["go.mod"] = test.goMod
			}
			proxy(t, name, version, test.goMod, files)
			test.files[filepath.Join(test.dir, "go.mod")] = mod
			dir := tree(t, test.files)
			t.Chdir(filepath.Join(dir, test.dir))
			if out, err := exec.Command("go", "mod", "tidy").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if out, err := exec.Command("go", "build", "-o", os.DevNull,
				".").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out) // go.sum is complete
			}
			before := checksum(t, dir) + checksum(t, os.Getenv("GOMODCACHE"))
			code, _, stderr := functrace(t, ".", "run", "--pkg", "ex.test/a/...", ".")
			if code != 0 || !strings.Contains(stderr, "hello embedded\n") ||
				!strings.Contains(stderr, "->ex.test/a/lib.Hello\n") {
				t.Errorf("exit code %d:\n%s", code, stderr)
			}
			if checksum(t, dir)+checksum(t, os.Getenv("GOMODCACHE")) != before {
				t.Error("files changed")
			}
		})
	}
	t.Run("toolchain", func(t *testing.T) {
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("GOMODCACHE", filepath.Dir(strings.TrimSpace(string(root))))
		dir := tree(t, map[string]string{"go.mod": goMod("ex.test/a"), "main.go": helloMain,
			"lib/lib.go": "package lib\n\nfunc Hello() {}\n"})
		for range 2 {
			if code, _, stderr := functrace(t, dir, "run", "."); code != 0 ||
				!strings.Contains(stderr, "->ex.test/a/lib.Hello\n") {
				t.Errorf("exit code %d:\n%s", code, stderr)
			}
		}
	})
}

// run takes a package with a version, as go run does, and runs it where it was called.
func TestRunVersion(t *testing.T) {
	proxy(t, "ex.test/a", "v1.2.3", goMod("ex.test/a"), map[string]string{
		"cmd/hi/main.go": "package main\n\nimport (\n\t\"os\"\n\n\t\"ex.test/a/lib\"\n)\n\n" +
			"func main() {\n\tlib.Hello()\n\tif _, err := os.Stat(\"here\"); err != nil {\n" +
			"\t\tpanic(err)\n\t}\n}\n",
		"lib/lib.go": "package lib\n\nfunc Hello() { println(\"hello\") }\n",
	})
	dir := tree(t, map[string]string{"here": "x"})
	code, _, stderr := functrace(t, dir, "run", "ex.test/a/cmd/hi@v1.2.3")
	if code != 0 || !strings.Contains(stderr, "hello\n") ||
		!strings.Contains(stderr, "->ex.test/a/lib.Hello\n") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"run", "ex.test/a/cmd/hi@v9.9.9"}, 1, "ex.test/a/cmd/hi@v9.9.9 cannot be had"},
		{[]string{"run", "./hi@v1.2.3"}, 2, "a version is for a package in a module"},
		{[]string{"build", "ex.test/a/cmd/hi@v1.2.3"}, 2, "only run takes"},
	} {
		if code, _, stderr := functrace(t, dir, test.args...); code != test.code ||
			!strings.Contains(stderr, test.want) {
			t.Errorf("%v: exit code %d, want %d and %q:\n%s", test.args, code, test.code, test.want,
				stderr)
		}
	}
}
