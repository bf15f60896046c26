package query

// Spent is what the matcher's condition has cost.
func (m *Matcher) Spent() int64 { return m.scanner.in.Meter.Spent() }
