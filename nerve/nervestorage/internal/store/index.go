package store

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"github.com/octopus-framework/octopus/nerve"
)

// index says where items are: their numbers, which usually grow, to ids of records. Items with
// growing numbers in records with growing ids are a run, so that millions take a few bytes.
type index struct {
	runs []run               // number and id both grow
	odd  map[uint64]nerve.ID // items with numbers that do not grow, which come before the runs
	live live
}

// run is count items, number and id growing by one.
type run struct {
	number uint64
	id     nerve.ID
	count  uint64
}

// oddSize is about what an entry of odd takes, in bytes.
const oddSize = 64

// find returns the record of an item, 0 if it is not there.
func (x *index) find(number uint64) nerve.ID {
	if id := x.odd[number]; x.live.has(id) {
		return id
	}
	i := sort.Search(len(x.runs), func(i int) bool { return x.runs[i].number > number }) - 1
	if i < 0 || number-x.runs[i].number >= x.runs[i].count {
		return 0
	}
	id := x.runs[i].id + nerve.ID(number-x.runs[i].number)
	if !x.live.has(id) {
		return 0
	}
	return id
}

// grows reports whether an item of this number extends the runs.
func (x *index) grows(number uint64) bool {
	if len(x.runs) == 0 {
		return true
	}
	last := x.runs[len(x.runs)-1]
	return number >= last.number && number-last.number >= last.count
}

// add notes that count items lie in records from id on, the highest so far. Items of the same
// numbers are replaced.
func (x *index) add(r run) {
	if !x.grows(r.number) {
		for i := range r.count {
			x.addOdd(r.number+i, r.id+nerve.ID(i))
		}
		return
	}
	// Numbers above the runs may be among the others all the same.
	for i := uint64(0); len(x.odd) > 0 && i < r.count; i++ {
		x.live.remove(x.odd[r.number+i])
		delete(x.odd, r.number+i)
	}
	x.live.add(r.id, r.count)
	if n := len(x.runs); n > 0 {
		last := &x.runs[n-1]
		if r.number == last.number+last.count && r.id == last.id+nerve.ID(last.count) {
			last.count += r.count
			return
		}
	}
	x.runs = append(x.runs, r)
}

func (x *index) addOdd(number uint64, id nerve.ID) {
	if old := x.find(number); old != 0 {
		x.live.remove(old)
	}
	x.live.add(id, 1)
	if x.odd == nil {
		x.odd = make(map[uint64]nerve.ID)
	}
	x.odd[number] = id
}

// forget drops what is known of items that are gone. The last run stays: it says how far the
// numbers have grown.
func (x *index) forget() {
	low, ok := x.live.lowest()
	n := 0
	for n < len(x.runs)-1 && (!ok || x.runs[n].id+nerve.ID(x.runs[n].count) <= low) {
		n++
	}
	if n > len(x.runs)/2 {
		x.runs = slices.Clone(x.runs[n:])
	}
	maps.DeleteFunc(x.odd, func(_ uint64, id nerve.ID) bool { return !x.live.has(id) })
}

// all yields the items as runs by id, as long as they can be.
func (x *index) all(yield func(run) bool) {
	var odd []run
	for number, id := range x.odd {
		if x.live.has(id) {
			odd = append(odd, run{number: number, id: id, count: 1})
		}
	}
	slices.SortFunc(odd, func(a, b run) int { return cmp.Compare(a.id, b.id) })
	for _, r := range x.runs {
		for from := range x.live.runs(r.id, r.count) {
			for len(odd) > 0 && odd[0].id < from.id {
				if !yield(odd[0]) {
					return
				}
				odd = odd[1:]
			}
			from.number = r.number + uint64(from.id-r.id)
			if !yield(from) {
				return
			}
		}
	}
	for _, r := range odd {
		if !yield(r) {
			return
		}
	}
}
