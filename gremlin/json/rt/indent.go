package rt

// appendIndented appends compact text, one element a line. Empty objects and arrays stay on one.
func appendIndented(b, text []byte, indent string) []byte {
	level := 0
	line := func() {
		b = append(b, '\n')
		for range level {
			b = append(b, indent...)
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '{', '[':
			b = append(b, c)
			if text[i+1] == c+2 {
				i++
				b = append(b, c+2)
				continue
			}
			level++
			line()
		case '}', ']':
			level--
			line()
			b = append(b, c)
		case ',':
			b = append(b, c)
			line()
		case ':':
			b = append(b, ':', ' ')
		case '"':
			start := i
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			b = append(b, text[start:i+1]...)
		default:
			b = append(b, c)
		}
	}
	return b
}
