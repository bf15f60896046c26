package report

import (
	"io"
	"os"
	"path/filepath"
)

// WriteFiles writes index.html and summary.md into a folder and returns their paths.
func WriteFiles(folder string, r *Results) (paths []string, err error) {
	for _, out := range []struct {
		name  string
		write func(io.Writer, *Results) error
	}{{"index.html", WritePage}, {"summary.md", WriteSummary}} {
		path := filepath.Join(folder, out.name)
		f, err := os.Create(path)
		if err != nil {
			return paths, err
		}
		if err := out.write(f, r); err != nil {
			_ = f.Close() // the first error is the one to tell
			return paths, err
		}
		if err := f.Close(); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
