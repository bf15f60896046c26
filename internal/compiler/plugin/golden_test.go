package plugin_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
)

var update = flag.Bool("update", false,
	"rewrite the goldens; the run still fails, so that it is looked at")

// TestGolden sends the .proto files of each archive in testdata/requests in one request. Lines of
// the comment "parameter TEXT" are the parameters; "generate FILE..." names the files to generate,
// all if there is none. want.error is the error of the response, want.warnings what is said beside
// it, want.files the names of the files.
func TestGolden(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("testdata", "requests", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			runArchive(t, name)
		})
	}
}

func runArchive(t *testing.T, name string) {
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	want, got := map[string]string{}, map[string]string{}
	var inputs []txtar.File
	var files, parameters []string
	for _, f := range a.Files {
		if strings.HasPrefix(f.Name, "want.") {
			want[f.Name] = string(f.Data)
			continue
		}
		inputs = append(inputs, f)
		files = append(files, f.Name)
		writeFile(t, filepath.Join(dir, f.Name), f.Data)
	}
	res := compiler.Compile(context.Background(),
		compiler.Options{Sources: source.New(dir), Files: files})
	if res.Schema == nil {
		t.Fatal(res.Diagnostics)
	}
	for line := range strings.Lines(string(a.Comment)) {
		switch words := strings.Fields(line); {
		case len(words) == 2 && words[0] == "parameter":
			parameters = append(parameters, words[1])
		case len(words) > 1 && words[0] == "generate":
			files = words[1:]
		}
	}
	resp, warnings := run(t, &pluginpb.CodeGeneratorRequest{
		FileToGenerate: files,
		Parameter:      proto.String(strings.Join(parameters, ",")),
		ProtoFile:      res.Descriptors.File,
	})
	got["want.warnings"] = warnings
	if resp.GetError() != "" {
		got["want.error"] = resp.GetError() + "\n"
	}
	for _, f := range resp.File {
		got["want.files"] += f.GetName() + "\n"
	}
	a.Files = inputs
	for _, part := range []string{"want.error", "want.warnings", "want.files"} {
		if got[part] != want[part] {
			t.Errorf("%s is\n%s\nwant\n%s", part, got[part], want[part])
		}
		if got[part] != "" {
			a.Files = append(a.Files, txtar.File{Name: part, Data: []byte(got[part])})
		}
	}
	if *update && t.Failed() {
		if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
