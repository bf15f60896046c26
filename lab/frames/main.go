// Command frames answers whether messages are worth compressing: it puts real messages into frames of
// package frame, one by one and in batches, and measures how small they get and what that costs. From
// both follows the bandwidth below which compressing makes a message arrive sooner.
//
// It writes a table to the standard output, and all figures and a chart into a folder. Progress goes
// to the standard error.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// results are what is written as JSON.
type results struct {
	CPU     string  `json:"cpu"`
	Go      string  `json:"go"`
	Date    string  `json:"date"`
	Sets    []row   `json:"sets"`
	Classes []class `json:"classes"`
}

func main() {
	corpora := flag.String("corpora", "../../shared/corpora", "folder of the real messages")
	out := flag.String("out", "out", "folder for frames.json, frames.md and frames.svg")
	quick := flag.Bool("quick", false, "measure for a few milliseconds each, in about half a minute")
	flag.Parse()
	if err := run(*corpora, *out, *quick); err != nil {
		fmt.Fprintln(os.Stderr, "frames:", err)
		os.Exit(1)
	}
}

func run(corpora, out string, quick bool) error {
	sets, err := load(corpora)
	if err != nil {
		return err
	}
	atLeast := 200 * time.Millisecond
	if quick {
		atLeast = 20 * time.Millisecond
	}
	res := results{CPU: cpu(), Go: runtime.Version(), Date: time.Now().UTC().Format(time.DateOnly)}
	for _, s := range sets {
		fmt.Fprintf(os.Stderr, "frames: %s, %d messages\n", s.name, len(s.messages))
		for _, c := range codecs {
			res.Sets = append(res.Sets, row{Set: s.name, Messages: len(s.messages), measured: measure(s.messages, c, atLeast)})
		}
	}
	res.Classes = classes(sets, atLeast)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	text, err := json.MarshalIndent(res, "", "  ")
	if err != nil {
		return err
	}
	table := markdown(res)
	for name, b := range map[string][]byte{"frames.json": text, "frames.md": table, "frames.svg": chart(res)} {
		if err := os.WriteFile(filepath.Join(out, name), b, 0o644); err != nil {
			return err
		}
	}
	_, err = os.Stdout.Write(table)
	return err
}
