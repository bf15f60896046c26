package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
)

// compareTotals compares totals that somebody else made of the queue in dir, as CSV with a header,
// with those that the consumer by-user has counted.
func compareTotals(w io.Writer, in io.Reader, dir string) error {
	counted := result{name: "by-user"}
	if err := counted.load(filepath.Join(dir, counted.name+".json")); err != nil {
		return err
	}
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		return err
	}
	if len(rows) == 0 || len(rows)-1 != len(counted.Sums) || len(counted.Sums) == 0 {
		return fmt.Errorf("%d lines for %d users and a header", len(rows), len(counted.Sums))
	}
	for _, row := range rows[1:] {
		if len(row) < 2 {
			return errors.New("a line without a total")
		}
		total, err := strconv.ParseInt(row[1], 10, 64)
		if want := counted.Sums[row[0]]; err != nil || total != want {
			return fmt.Errorf("user %s: %s, the program counted %d", row[0], row[1], want)
		}
	}
	fmt.Fprintf(w, "the totals of %d users are those that the program counted\n", len(rows)-1)
	return nil
}
