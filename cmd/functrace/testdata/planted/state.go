package main

import (
	"errors"
	"slices"
)

// cache: keys that are read, the last of them must come from the cache

type cache struct {
	keys  []int
	loads int
}

func readThrough(input string) error {
	c := new(cache)
	keys := numbers(input)
	for _, k := range keys {
		c.get(k)
	}
	before := c.loads
	c.get(keys[len(keys)-1])
	return expectLoads(before, c.loads)
}

func (c *cache) get(key int) {
	if slices.Contains(c.keys, key) {
		return
	}
	c.load(key)
	if len(c.keys) > 3 {
		c.evict()
	}
}

func (c *cache) load(key int) {
	c.loads++
	c.keys = append(c.keys, key)
}

// BUG: the newest goes and not the oldest.
func (c *cache) evict() { c.keys = c.keys[:len(c.keys)-1] }

func expectLoads(want, got int) error {
	if want != got {
		return errors.New("loaded again")
	}
	return nil
}

// retry: how often the server fails

func fetch(input string) error {
	failures := numbers(input)[0]
	tries := 0
	for {
		tries++
		if request(tries > failures) == nil {
			return budget(tries)
		}
		if !again(tries) {
			return errors.New("given up")
		}
		pause(tries)
	}
}

func request(up bool) error {
	if !up {
		return errors.New("unavailable")
	}
	return nil
}

// BUG: three tries are the most.
func again(tries int) bool { return tries < 30 }

func pause(int) {}

func budget(tries int) error {
	if tries > 3 {
		return errors.New("too many tries")
	}
	return nil
}

// order: amount,urgent

func process(input string) error {
	n := numbers(input)
	ledger := 0
	// BUG: what is urgent is stored before it is checked.
	if n[1] == 1 {
		store(&ledger, n[0])
		if validate(n[0]) != nil {
			return balance(ledger)
		}
		return nil
	}
	if validate(n[0]) != nil {
		return balance(ledger)
	}
	store(&ledger, n[0])
	return nil
}

func validate(amount int) error {
	if amount < 0 {
		return errors.New("negative")
	}
	return nil
}

func store(ledger *int, amount int) { *ledger += amount }

func balance(ledger int) error {
	if ledger != 0 {
		return errors.New("the ledger does not balance")
	}
	return nil
}

// close: sizes of files that are copied

type files struct{ open int }

func copyAll(input string) error {
	f := new(files)
	for _, size := range numbers(input) {
		f.copyOne(size)
	}
	return f.leaks()
}

// BUG: an empty file is not closed.
func (f *files) copyOne(size int) {
	f.openFile()
	if size == 0 {
		return
	}
	f.write(size)
	f.closeFile()
}

func (f *files) openFile()  { f.open++ }
func (f *files) write(int)  {}
func (f *files) closeFile() { f.open-- }

func (f *files) leaks() error {
	if f.open > 0 {
		return errors.New("files are open")
	}
	return nil
}
