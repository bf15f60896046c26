// Command chains is the example of functrace: three chains of calls reach the same function D, each
// in a goroutine of its own, and in one of them D fails. See docs/functrace.md for how functrace
// names the chain.
package main

import (
	"errors"
	"fmt"
	"sync"
)

func A1() error { return B1() }
func B1() error { return C1() }
func C1() error { return D(1) }

func A2() error { return B2() }
func B2() error { return C2() }
func C2() error { return D(-2) }

func A3() error { return B3() }
func B3() error { return C3() }
func C3() error { return D(3) }

// D is reached by three chains.
func D(n int) error {
	if n < 0 {
		return errors.New("D got a negative number")
	}
	return nil
}

func main() {
	var wg sync.WaitGroup
	for _, chain := range []func() error{A1, A2, A3} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := chain(); err != nil {
				fmt.Println("a chain failed:", err)
			}
		}()
	}
	wg.Wait()
}
