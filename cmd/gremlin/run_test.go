package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false,
	"rewrite the goldens; the run still fails, so that it is looked at")

// TestCommand runs the command on the archives in testdata. Their comment holds lines of text and,
// one a line,
//
//	run ARG...  arguments of the command; several are run one after the other
//	exit N      the exit code of the run before
//	stdin FILE  standard input of the runs behind it
//
// The files of the archive make up the working folder, apart from want.stdout and want.stderr, what
// all runs print, and want.files, the files in the working folder afterwards that were not there
// before.
func TestCommand(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	archives, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		full, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			runArchive(t, full)
		})
	}
}

func runArchive(t *testing.T, name string) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	want := map[string]string{}
	var inputs []txtar.File
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want.") {
			want[f.Name] = string(f.Data)
			continue
		}
		inputs = append(inputs, f)
		if err := os.MkdirAll(filepath.Dir(f.Name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	before := tree(t)

	var stdin []byte
	var stdout, stderr bytes.Buffer
	code, runs := 0, 0
	for line := range strings.Lines(string(archive.Comment)) {
		words := strings.Fields(line)
		switch {
		case len(words) > 0 && words[0] == "run":
			code = run(t.Context(), words[1:], bytes.NewReader(stdin), &stdout, &stderr)
			runs++
		case len(words) == 3 && words[0] == "env":
			t.Setenv(words[1], words[2])
		case len(words) == 2 && words[0] == "stdin":
			if stdin, err = os.ReadFile(words[1]); err != nil {
				t.Fatal(err)
			}
		case len(words) == 2 && words[0] == "exit":
			if n, err := strconv.Atoi(words[1]); err != nil || n != code {
				t.Errorf("exit code %d, want %s", code, words[1])
			}
		}
	}
	if runs == 0 {
		t.Fatal("the archive runs nothing")
	}
	after := tree(t)
	for f := range before {
		if before[f] == after[f] {
			delete(after, f)
		}
	}
	got := map[string]string{
		"want.stdout": stdout.String(),
		"want.stderr": stderr.String(),
		"want.files":  strings.Join(slices.Sorted(maps.Keys(after)), "\n"),
	}
	if got["want.files"] != "" {
		got["want.files"] += "\n"
	}
	for file, text := range got {
		if text != want[file] {
			t.Errorf("%s is\n%s\nwant\n%s", file, text, want[file])
		}
	}
	if *update && t.Failed() {
		archive.Files = inputs
		for _, file := range slices.Sorted(maps.Keys(got)) {
			if got[file] != "" {
				archive.Files = append(archive.Files,
					txtar.File{Name: file, Data: []byte(got[file])})
			}
		}
		if err := os.WriteFile(name, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// tree returns the files below the working folder with what tells a version of them from another.
func tree(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		out[filepath.ToSlash(name)] = fmt.Sprintf("%s %s", info.ModTime(), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
