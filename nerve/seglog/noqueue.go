package seglog

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// IsLog tells whether a folder holds a log, or what is left of one.
func IsLog(dir string) bool {
	if _, err := os.Stat(join(dir, stateName)); err == nil {
		return true
	}
	files, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(files, func(f os.DirEntry) bool {
		return strings.HasSuffix(f.Name(), segmentSuffix)
	})
}

// maxNamed is how many queues an error names.
const maxNamed = 5

// noQueue says that a folder is none, and names the queues in its folders, as far as the operating
// system knows them: a folder that holds several is easily taken for one of them.
func noQueue(disk vfs.FS, dir string) error {
	if _, err := disk.List(dir); errors.Is(err, fs.ErrNotExist) {
		return &nerve.FormatError{Path: dir,
			Reason: "there is no queue in this folder; it does not exist"}
	}
	reason := "there is no queue in this folder"
	if queues := queuesBelow(dir); len(queues) > 0 {
		reason += "; there are some in folders of it: " + strings.Join(queues, ", ")
	}
	return &nerve.FormatError{Path: dir, Reason: reason}
}

func queuesBelow(dir string) (names []string) {
	folders, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, f := range folders {
		if _, err := os.Stat(join(join(dir, f.Name()), stateName)); err != nil {
			continue
		}
		if len(names) == maxNamed {
			return append(names, "...")
		}
		names = append(names, f.Name())
	}
	return names
}
