package serve

import (
	"cmp"
	"fmt"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/queues"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// How many descriptors of files things take at most.
const (
	queueFiles  = 9 // lock, state, acks; the active segment twice, the next, two spares; folder
	readerFiles = 2 // a segment, and the one behind it
	otherFiles  = 64

	leastConnections = 16
	leastReaders     = 4
)

// FitDescriptors lowers how many connections, readers and new queues there may be to
// what the process has descriptors for, with a line in the log: a queue that finds
// none takes no appends meanwhile. It is called before [core.Open], with its folder.
// If there are too few for the queues that are there, it is a SetupError.
func FitDescriptors(dir string, root *core.Options, options *Options) error {
	limit, ok := descriptorLimit()
	if !ok {
		return nil
	}
	names, err := queues.Names(dir)
	if err != nil {
		return nil //nolint:nilerr // Open says what is wrong with the folder
	}
	return fitDescriptors(limit, dir, len(names), root, options)
}

func fitDescriptors(
	limit int, dir string, there int, root *core.Options, options *Options,
) error {
	connections := cmp.Or(max(0, options.Connections), DefaultConnections)
	readers := cmp.Or(max(0, root.Readers), core.DefaultReaders)
	most := max(there, cmp.Or(max(0, root.Queues), core.DefaultQueues))
	free := limit - otherFiles
	if connections+readers*readerFiles+most*queueFiles <= free {
		return nil
	}
	rest := free - there*queueFiles
	if rest < 2*(leastConnections+leastReaders*readerFiles) {
		return &nerve.SetupError{Server: dir,
			Reason: fmt.Sprintf("%d queues take more descriptors than the %d that a process may have",
				there, limit),
			Advice: "raise the limit, as with 'ulimit -n' or LimitNOFILE of systemd"}
	}
	options.Connections = min(connections, rest/2)
	root.Readers = min(readers, rest/4/readerFiles)
	root.Queues = there + (rest-options.Connections-root.Readers*readerFiles)/queueFiles
	root.Queues = max(1, min(root.Queues, most))
	if options.Logger != nil {
		options.Logger.Warn("nerve: limits are lowered to the descriptors of the process",
			"descriptors", limit, "max-connections", options.Connections,
			"max-readers", root.Readers, "max-queues", root.Queues)
	}
	return nil
}
