package gremlingrpc

import (
	"errors"
	"strings"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/octopus-framework/octopus/gremlin"
)

// typeURL is what stands before the name of a message in an Any.
const typeURL = "type.googleapis.com/"

// Status returns an error with a code, a text and messages as details, for a handler to return.
// Clients in other languages find the details where they look for them. The result is nil for
// codes.OK.
func Status(c codes.Code, msg string, details ...gremlin.Message) error {
	p := &spb.Status{Code: int32(c), Message: msg}
	for _, d := range details {
		p.Details = append(p.Details, &anypb.Any{TypeUrl: typeURL + d.GremlinTable().Name,
			Value: d.Marshal()})
	}
	return status.ErrorProto(p)
}

// Detail finds the first detail of v's type in the status of an error and makes v read it. found is
// false where err has no status or no such detail; the error tells what is wrong with the one that
// was found.
func Detail(err error, v gremlin.Reader) (found bool, _ error) {
	var has interface{ GRPCStatus() *status.Status }
	if !errors.As(err, &has) {
		return false, nil
	}
	name := v.GremlinTable().Name
	for _, d := range has.GRPCStatus().Proto().GetDetails() {
		if d.GetTypeUrl()[strings.LastIndexByte(d.GetTypeUrl(), '/')+1:] != name {
			continue
		}
		if err := v.Unmarshal(d.GetValue()); err != nil {
			return true, err
		}
		return true, v.CheckEncoding()
	}
	return false, nil
}
