package link

// Symbols is how many symbols the table has room for, those of files that are gone included.
func (p *Pool) Symbols() int { return len(p.symbols) }
