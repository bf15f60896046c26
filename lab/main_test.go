package main

import (
	"strings"
	"testing"
)

func TestWrongUse(t *testing.T) {
	for args, want := range map[string]string{
		"":                        "there are: full, json, list, quick",
		"quik":                    "there are: full, json, list, quick",
		"quick -op raed":          "there are: index, unmarshal",
		"quick -workload Sumbit":  "there are: Submit,",
		"quick -rounds 0":         "above zero",
		"quick Submit":            "unknown argument",
		"full -workload Nesting1": "there are: Submit,",
		"json -workload nothing":  "there are: Submit, Deposit, empty object,",
		"json -op read2":          "there are: encode, encode-append,",
		"quick -op encode":        "there are: index, unmarshal",
	} {
		if err := run(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("lab %s: %v, want %q", args, err, want)
		}
	}
}
