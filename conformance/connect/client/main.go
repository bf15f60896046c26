// Command client is gremlin's client under the conformance suite: it reads on standard input which
// calls to make, and writes what came of them.
package main

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"sync"

	"github.com/octopus-framework/octopus/conformance/connect/suite"
	"github.com/octopus-framework/octopus/conformance/connect/wire"
)

// parallel is how many calls are made at a time.
const parallel = 8

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(in io.Reader, out io.Writer) error {
	var writing sync.Mutex
	var failed error
	var calls sync.WaitGroup
	defer calls.Wait()
	free := make(chan struct{}, parallel)
	for {
		var req suite.ClientCompatRequest
		if err := wire.Read(in, &req); errors.Is(err, io.EOF) {
			calls.Wait()
			return failed
		} else if err != nil {
			return err
		}
		free <- struct{}{}
		calls.Go(func() {
			resp := suite.ClientCompatResponse{TestName: req.TestName}
			if result, err := call(context.Background(), &req); err != nil {
				failure := &suite.ClientErrorResult{Message: err.Error()}
				resp.Result = &suite.ClientCompatResponse_Error{Error: failure}
			} else {
				resp.Result = &suite.ClientCompatResponse_Response{Response: result}
			}
			writing.Lock()
			failed = errors.Join(failed, wire.Write(out, &resp))
			writing.Unlock()
			<-free
		})
	}
}
