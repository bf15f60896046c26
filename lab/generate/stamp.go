package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// stampFile says what the code that is there was made from. It is ignored by git as that code is, so that both are removed
// together.
const stampFile = ".generated"

// inputs is a digest of all that the code depends on: our commands, the schemas, and the generators in this module.
func inputs() (string, error) {
	h := sha256.New()
	for _, root := range []string{ownTools, "schema", "generate", "gremlin.yaml", "go.mod", "jsonlab/schema", "jsonlab/generate",
		"jsonlab/gremlin.yaml", "jsonlab/internal/plain", "stdtime/beat.proto"} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			sum := sha256.Sum256(text)
			h.Write([]byte(path))
			h.Write(sum[:])
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func stamped(digest string) bool {
	got, err := os.ReadFile(stampFile)
	return err == nil && strings.TrimSpace(string(got)) == digest
}

func stamp(digest string) error { return os.WriteFile(stampFile, []byte(digest+"\n"), 0o666) }

// removeOld removes what was written before, the stamp first: what is interrupted is done again.
func removeOld() error {
	old := []string{stampFile, "internal/impl", "internal/pb", "minimal", "legacy/internal", "legacy/minimal", "legacy/workers",
		"jsonlab/internal/google", "jsonlab/internal/easy", "jsonlab/internal/gremlin", "jsonlab/workers", "stdtime/gen", "stdtime/dropin/gen"}
	workers, err := filepath.Glob("workers/*")
	if err != nil {
		return err
	}
	for _, dir := range workers {
		if filepath.Base(dir) != "floor" { // floor is written by hand
			old = append(old, dir)
		}
	}
	for _, path := range old {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}
