package kafkalog

import "time"

// SetClock sets the clock of claims.
func SetClock(o *Options, now func() time.Time) { o.now = now }
