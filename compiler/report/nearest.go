package report

// Nearest returns those of names that are closest to name, as many slips away as the closest one,
// in their order; none when none is close enough to be meant.
func Nearest(name string, names []string) (near []string) {
	distance := max(2, len(name)/4) + 1
	for _, n := range names {
		d := EditDistance(name, n, distance+1)
		if d < distance {
			near, distance = nil, d
		}
		if d == distance && d <= max(2, len(name)/4) {
			near = append(near, n)
		}
	}
	return near
}

// EditDistance is how many bytes must be added, taken away, changed or swapped with the next one to
// make b of a, or limit when it is at least that.
func EditDistance(a, b string, limit int) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) >= limit {
		return limit
	}
	size := len(a) + 1
	rows := make([]int, 3*size)
	before, last, row := rows[:size], rows[size:2*size], rows[2*size:] // one a byte of b
	for i := range row {
		row[i] = i
	}
	for j := range len(b) {
		before, last, row = last, row, before
		row[0] = j + 1
		for i := range len(a) {
			cost := last[i]
			if a[i] != b[j] {
				cost++
			}
			row[i+1] = min(cost, last[i+1]+1, row[i]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[i+1] = min(row[i+1], before[i-1]+1)
			}
		}
	}
	return min(row[len(a)], limit)
}
