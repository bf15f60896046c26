package schema

// Circle returns the messages that contain m and are contained in it, m among them; none when m
// cannot contain itself. A circle lies in one file, because files do not import each other in a
// circle.
func (m *Message) Circle() map[*Message]bool {
	seen := map[*Message]bool{m: true}
	usedBy := map[*Message][]*Message{}
	for next := []*Message{m}; len(next) > 0; {
		x := next[len(next)-1]
		next = next[:len(next)-1]
		for _, f := range x.Fields {
			sub := f.Message
			if f.MapValue != nil {
				sub = f.MapValue.Message
			}
			if sub == nil {
				continue
			}
			usedBy[sub] = append(usedBy[sub], x)
			if !seen[sub] {
				seen[sub] = true
				next = append(next, sub)
			}
		}
	}
	circle := map[*Message]bool{}
	for next := usedBy[m]; len(next) > 0; {
		x := next[len(next)-1]
		next = next[:len(next)-1]
		if !circle[x] {
			circle[x] = true
			next = append(next, usedBy[x]...)
		}
	}
	return circle
}
