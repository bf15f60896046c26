package link

// View looks names up as one file sees them. It belongs to one goroutine.
type View struct {
	pool *Pool
	file *File

	// For each file whether the current one sees it: the number of the visit, or less.
	stamp    uint32
	types    []uint32 // all of its declarations are seen
	fields   []uint32 // its extensions are seen
	direct   []int32  // where either stamp is that of the visit: the number of the import, or -1
	packages []uint32 // tells of each package whether it is seen

	seen     []*File // all files that are marked
	inside   int     // how many of them have their packages marked
	indirect bool    // files that come by public imports have been marked
	missed   missed

	suggested int // names of the file for which others were suggested
}

// missed is why the last name was not found.
type missed struct {
	hidden   id // a symbol in a file that is not imported
	resolved id // what the first part of the name led to
}

// View returns a view of the files of the pool, which have to be linked already.
func (p *Pool) View() *View { return &View{pool: p} }

// Enter makes the view that of a file. What is looked up then counts as use of the file's imports:
// no two views may be in one file at a time.
func (v *View) Enter(f *File) {
	if len(v.types) != len(v.pool.files) {
		n := len(v.pool.files)
		v.types, v.fields, v.direct = make([]uint32, n), make([]uint32, n), make([]int32, n)
		v.stamp = 0
	}
	if len(v.packages) != len(v.pool.packages) {
		v.packages = make([]uint32, len(v.pool.packages))
	}
	v.stamp++
	v.file = f
	v.seen, v.inside, v.indirect = v.seen[:0], 0, false
	v.suggested = 0
	v.see(f, -1, false)
	for i := range f.Imports {
		if imp := &f.Imports[i]; imp.File != nil {
			v.see(imp.File, int32(i), imp.Option)
		}
	}
}

// see marks a file, unless it is marked.
func (v *View) see(f *File, direct int32, option bool) bool {
	marks := v.types
	if option {
		marks = v.fields
	}
	if marks[f.number] == v.stamp {
		return false
	}
	if v.types[f.number] != v.stamp && v.fields[f.number] != v.stamp {
		v.direct[f.number] = direct
		v.seen = append(v.seen, f)
	}
	marks[f.number] = v.stamp
	return true
}

// seeIndirect marks what comes by public imports. It waits until something is not found without.
func (v *View) seeIndirect() {
	v.indirect = true
	var queue []*File
	for _, option := range []bool{false, true} {
		for _, imp := range v.file.Imports {
			if imp.File != nil && imp.Option == option {
				queue = append(queue, imp.File)
			}
		}
		for ; len(queue) > 0; queue = queue[1:] {
			if !queue[0].public {
				continue
			}
			for _, imp := range queue[0].Imports {
				if imp.Public && imp.File != nil && v.see(imp.File, -1, option) {
					queue = append(queue, imp.File)
				}
			}
		}
	}
}

// sees tells whether the file sees a declaration of another one.
func (v *View) sees(s *symbol) bool {
	for {
		if v.types[s.file] == v.stamp ||
			v.fields[s.file] == v.stamp && (s.kind == Extension || s.kind == Field) {
			return true
		}
		if v.indirect {
			return false
		}
		v.seeIndirect()
	}
}

// seesPackage tells whether the file or one that it sees is in a package.
func (v *View) seesPackage(pkg uint32) bool {
	for {
		for ; v.inside < len(v.seen); v.inside++ {
			for n := v.seen[v.inside].pkg; n != root; n = v.pool.symbols[n].parent {
				at := v.pool.symbols[n].file
				if v.packages[at] == v.stamp {
					break
				}
				v.packages[at] = v.stamp
			}
		}
		if v.packages[pkg] == v.stamp {
			return true
		}
		if v.indirect {
			return false
		}
		v.seeIndirect()
	}
}
