package compiler

import (
	"bufio"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/oracle"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// noProtoc is why tests skip that ask protoc. It is the version that make tools installs: others
// know less, or more.
const noProtoc = "protoc 33.2 is not here to compare with; make tools installs it"

// findProtoc returns that protoc, or "".
func findProtoc(t *testing.T) string {
	t.Helper()
	tool, err := filepath.Abs("../.tools/bin/protoc")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{tool, "protoc"} {
		version, err := exec.Command(name, "--version").Output()
		if err == nil && strings.TrimSpace(string(version)) == "libprotoc 33.2" {
			return name
		}
	}
	return ""
}

// needProtoc returns that protoc, or skips the test.
func needProtoc(t *testing.T) string {
	t.Helper()
	protoc := findProtoc(t)
	if protoc == "" {
		oracle.Skip(t, "protoc", noProtoc)
	}
	return protoc
}

// ourProtoc returns that protoc, or "" for a test that does something without it, too.
func ourProtoc(t *testing.T) string {
	t.Helper()
	protoc := findProtoc(t)
	if protoc == "" {
		oracle.Missing(t, "protoc", noProtoc+"; the rest is tested")
	}
	return protoc
}

var updateOptions = flag.Bool("update-options", false,
	"write what protoc makes of testdata/options.txt into it")

// TestOptionValues compares the options of a file, byte by byte, with what protoc made of them.
// testdata/options.txt has a statement in a line, a Go string where it must be, and then what the
// options of the file are encoded as, or "refused".
func TestOptionValues(t *testing.T) {
	const name = "testdata/options.txt"
	prelude, err := os.ReadFile("testdata/options.proto")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	protoc := ourProtoc(t)
	var out strings.Builder
	for s := bufio.NewScanner(strings.NewReader(string(data))); s.Scan(); {
		line, want, _ := strings.Cut(s.Text(), "\t")
		text := line
		if u, err := strconv.Unquote(line); err == nil {
			text = u
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.proto"), append(prelude, text+"\n"...),
			0o666); err != nil {
			t.Fatal(err)
		}
		if protoc != "" {
			theirs := protocsOptions(t, protoc, dir)
			if *updateOptions {
				want = theirs
			}
			if theirs != want {
				t.Errorf("%s: protoc says %s, the file %s", text, theirs, want)
			}
		}
		fmt.Fprintf(&out, "%s\t%s\n", line, want)
		res := Compile(t.Context(), Options{Sources: source.New(dir), Files: []string{"a.proto"}})
		got := "refused"
		if res.Schema != nil {
			got = encodedOptions(t, res.Descriptors)
		}
		if got != want {
			t.Errorf("%s: %s, want %s\n%v", text, got, want, res.Diagnostics)
		}
		for _, d := range res.Diagnostics {
			if d.File == "" || strings.Contains(d.Message, "internal") {
				t.Errorf("%s: diagnostic %v", text, d)
			}
			if strings.HasPrefix(d.Message, "unused import") && strings.Contains(text, "any") {
				t.Errorf("%s: %v", text, d)
			}
		}
	}
	if *updateOptions {
		if err := os.WriteFile(name, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		t.Error("updated: look at the changes and run again")
	}
}

// encodedOptions returns the options of the last file.
func encodedOptions(t *testing.T, fds *descriptorpb.FileDescriptorSet) string {
	b, err := proto.MarshalOptions{Deterministic: true,
		AllowPartial: true}.Marshal(fds.File[len(fds.File)-1].GetOptions())
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(b)
}

func protocsOptions(t *testing.T, protoc, dir string) string {
	out := filepath.Join(dir, "out")
	if exec.Command(protoc, "-I", dir, "-I", filepath.Join("..", ".tools", "include"),
		"--retain_options", "-o", out, "a.proto").Run() != nil {
		return "refused"
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var fds descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(data, &fds); err != nil {
		t.Fatal(err)
	}
	return encodedOptions(t, &fds)
}
