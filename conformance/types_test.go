package conformance

import (
	"github.com/octopus-framework/octopus/conformance/internal/check"
	ed "github.com/octopus-framework/octopus/conformance/internal/gen/ed"
	known "github.com/octopus-framework/octopus/conformance/internal/gen/known"
	multi "github.com/octopus-framework/octopus/conformance/internal/gen/multi"
	names "github.com/octopus-framework/octopus/conformance/internal/gen/names"
	p2 "github.com/octopus-framework/octopus/conformance/internal/gen/p2"
	p3 "github.com/octopus-framework/octopus/conformance/internal/gen/p3"
	wide "github.com/octopus-framework/octopus/conformance/internal/gen/wide"
	pbed "github.com/octopus-framework/octopus/conformance/internal/pb/ed"
	pbknown "github.com/octopus-framework/octopus/conformance/internal/pb/known"
	pbmulti "github.com/octopus-framework/octopus/conformance/internal/pb/multi"
	pbnames "github.com/octopus-framework/octopus/conformance/internal/pb/names"
	pb2 "github.com/octopus-framework/octopus/conformance/internal/pb/p2"
	pb3 "github.com/octopus-framework/octopus/conformance/internal/pb/p3"
	pbwide "github.com/octopus-framework/octopus/conformance/internal/pb/wide"
)

// types are the messages that every test runs over; what they hold is reached through them.
var types = []check.Type{
	check.Of[p3.AllReader](&pb3.All{}),
	check.Of[p3.SingularReader](&pb3.Singular{}),
	check.Of[p3.OptionalReader](&pb3.Optional{}),
	check.Of[p3.ListsReader](&pb3.Lists{}),
	check.Of[p3.UnpackedReader](&pb3.Unpacked{}),
	check.Of[p3.ChoiceReader](&pb3.Choice{}),
	check.Of[p3.MapsReader](&pb3.Maps{}),
	check.Of[p3.TreeReader](&pb3.Tree{}),
	check.Of[p3.NumbersReader](&pb3.Numbers{}),
	check.Of[p3.EmptyReader](&pb3.Empty{}),
	check.Of[p3.NestedReader](&pb3.Nested{}),
	check.Of[p3.BoxReader](&pb3.Box{}),
	check.Of[p2.AllReader](&pb2.All{}),
	check.Of[p2.OptionalReader](&pb2.Optional{}),
	check.Of[p2.DefaultsReader](&pb2.Defaults{}),
	check.Of[p2.RequiredReader](&pb2.Required{}),
	check.Of[p2.NeedsReader](&pb2.Needs{}),
	check.Of[p2.HolderReader](&pb2.Holder{}),
	check.Of[p2.ListsReader](&pb2.Lists{}),
	check.Of[p2.PackedReader](&pb2.Packed{}),
	check.Of[p2.GroupsReader](&pb2.Groups{}),
	check.Of[p2.ChoiceReader](&pb2.Choice{}),
	check.Of[p2.MapsReader](&pb2.Maps{}),
	check.Of[p2.NumbersReader](&pb2.Numbers{}),
	check.Of[p2.ExtendableReader](&pb2.Extendable{}),
	check.Of[ed.PresenceReader](&pbed.Presence{}),
	check.Of[ed.EncodingReader](&pbed.Encoding{}),
	check.Of[ed.MixedReader](&pbed.Mixed{}),
	check.Of[wide.WideReader](&pbwide.Wide{}),
	check.Of[wide.SparseReader](&pbwide.Sparse{}),
	check.Of[wide.CrowdReader](&pbwide.Crowd{}),
	check.Of[names.MethodsReader](&pbnames.Methods{}),
	check.Of[names.WordsReader](&pbnames.Words{}),
	check.Of[names.HelpersReader](&pbnames.Helpers{}),
	check.Of[names.StylesReader](&pbnames.Styles{}),
	check.Of[names.ThingReaderReader](&pbnames.ThingReader{}),
	check.Of[names.OuterReader](&pbnames.Outer{}),
	check.Of[names.LowerCaseReader](&pbnames.LowerCase{}),
	check.Of[multi.AReader](&pbmulti.A{}),
	check.Of[multi.BReader](&pbmulti.B{}),
	check.Of[known.KnownReader](&pbknown.Known{}),
	check.Of[known.NamedReader](&pbknown.Named{}),
}
