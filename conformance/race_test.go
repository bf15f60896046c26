//go:build race

package conformance

// raceEnabled tells that the race detector is on, under which growing a slice allocates twice.
const raceEnabled = true
