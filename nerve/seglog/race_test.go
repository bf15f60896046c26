//go:build race

package seglog_test

const raceEnabled = true
