package cli

import (
	"bytes"
	"testing"

	"github.com/spf13/cobra"
)

func TestSimilar(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"genrate"}, "generate"},
		{[]string{"gnerate"}, "generate"},
		{[]string{"chekc"}, "check"},
		{[]string{"something"}, ""},
		{[]string{"generate", "--josn"}, "--json"}, // and not --jobs, which is as many letters away
		{[]string{"generate", "--josn=true"}, "--json"},
		{[]string{"generate", "-output"}, "--output"},
		{[]string{"generate", "--colour"}, ""},
		{[]string{"generate", "-x"}, ""},
		{[]string{"hiden"}, ""},
	} {
		root := &cobra.Command{Use: "tool", Args: cobra.NoArgs, SilenceErrors: true,
			SilenceUsage: true, RunE: func(*cobra.Command, []string) error { return nil }}
		run := func(*cobra.Command, []string) {}
		generate := &cobra.Command{Use: "generate", Run: run}
		generate.Flags().Bool("json", false, "")
		generate.Flags().Int("jobs", 0, "")
		generate.Flags().String("output", "", "")
		root.AddCommand(generate, &cobra.Command{Use: "check", Run: run},
			&cobra.Command{Use: "hidden", Hidden: true, Run: run})
		root.SetArgs(test.args)
		cmd, err := root.ExecuteC()
		if err == nil {
			t.Fatalf("%q is right", test.args)
		}
		if got := Similar(cmd, err); got != test.want {
			t.Errorf("%q: %q, want %q (%v)", test.args, got, test.want, err)
		}
	}
	if IsTerminal(new(bytes.Buffer)) {
		t.Error("a buffer is a terminal")
	}
}
