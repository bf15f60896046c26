package functrace_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/octopus-framework/octopus/functrace"
)

// transfer is traced when the program is built with the tag trace; without it the statement is not
// compiled at all. `functrace inject -w` writes such lines, `functrace remove -w` takes them out,
// and `functrace run` needs neither.
func transfer(amount int) error {
	if functrace.Enabled {
		defer functrace.Trace()()
	}
	if amount < 0 {
		return fmt.Errorf("amount is %d", amount)
	}
	return nil
}

// A program may choose where the recording goes and what it holds at most; without Start the first
// traced call begins one. `functrace report` reads the file.
func Example() {
	dir, err := os.MkdirTemp("", "calls")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "calls.functrace")
	if err := functrace.Start(functrace.Options{Path: path, MaxBytes: 1 << 20}); err != nil {
		panic(err)
	}
	fmt.Println(transfer(1), transfer(-1))
	if _, err := functrace.Stop(); err != nil {
		panic(err)
	}
	// Output: <nil> amount is -1
}
