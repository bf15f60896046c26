// Package exitcode has the exit codes that all commands share.
package exitcode

// The exit codes. functrace run ends with that of the program it runs.
const (
	OK     = 0
	Failed = 1 // it did not work, or the input or output is at fault
	Usage  = 2 // wrong use: an unknown flag or key, a missing argument
)
