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

// EditDistance is the Levenshtein distance of a and b in bytes, or limit when it is at least that.
func EditDistance(a, b string, limit int) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(a)+1)
	for i := range row {
		row[i] = i
	}
	for j := range len(b) {
		diagonal := row[0]
		row[0] = j + 1
		for i := range len(a) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[i+1]
			row[i+1] = min(cost, row[i]+1, row[i+1]+1)
		}
	}
	return min(row[len(a)], limit)
}
