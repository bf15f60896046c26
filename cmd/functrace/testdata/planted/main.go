// Command planted has bugs: each scenario goes well with some inputs and not with others, because
// of the one function that is marked BUG. Its arguments are a scenario and an input; it exits with
// 1 if the scenario went wrong.
package main

import (
	"fmt"
	"os"
)

var scenarios = map[string]func(input string) error{
	"config": loadConfig, "price": checkout, "cache": readThrough, "retry": fetch,
	"ranges": planShifts, "order": process, "escape": roundTrip, "date": book,
	"close": copyAll, "role": authorize,
}

func main() {
	if err := scenarios[os.Args[1]](os.Args[2]); err != nil {
		fmt.Println(err)
		defer os.Exit(1)
	}
}
