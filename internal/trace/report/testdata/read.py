"""Reads a file that functrace exported with its format's own definition, and prints each call:
goroutine or trace, depth, name. Arguments: the format, the file, for speedscope its schema."""
import json
import sys


def perfetto(data):
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

    trace = Trace.FromString(data)
    names, tracks, depth, flows, ended = {}, {}, {}, set(), set()
    for p in trace.packet:
        for n in p.interned_data.event_names:
            names[n.iid] = n.name
        if p.HasField("track_descriptor"):
            d = p.track_descriptor
            if d.parent_uuid:
                assert tracks[d.parent_uuid].startswith("process "), d
            tracks[d.uuid] = d.name or "process %s" % d.process.process_name
        if not p.HasField("track_event"):
            continue
        e = p.track_event
        d = depth.setdefault(e.track_uuid, [])
        if e.type == TrackEvent.TYPE_INSTANT:
            flows.update(e.flow_ids)
        elif e.type == TrackEvent.TYPE_SLICE_BEGIN:
            notes = ["%s=%s" % (a.name, a.string_value) for a in e.debug_annotations]
            print(tracks[e.track_uuid], len(d), names[e.name_iid], *notes)
            ended.update(e.terminating_flow_ids)
            d.append(p.timestamp)
        else:
            assert e.type == TrackEvent.TYPE_SLICE_END and d.pop() <= p.timestamp
    assert not any(depth.values()) and flows == ended


def otlp(data):
    from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

    spans = {}
    for r in TracesData.FromString(data).resource_spans:
        for s in r.scope_spans:
            for span in s.spans:
                spans[span.span_id] = span
    for span in spans.values():
        depth, up = 0, span
        while up.parent_span_id:
            up = spans[up.parent_span_id]
            assert up.trace_id == span.trace_id and len(up.trace_id) == 16
            depth += 1
        assert span.start_time_unix_nano <= span.end_time_unix_nano
        notes = [a.key + "=" + a.value.string_value for a in span.attributes
                 if a.key.startswith("functrace.")]
        print("trace", depth, span.name, *notes, span.status.message)


def speedscope(data):
    import jsonschema

    file = json.loads(data)
    with open(sys.argv[3]) as f:
        jsonschema.validate(file, json.load(f))
    for profile in file["profiles"]:
        depth, at = [], profile["startValue"]
        for e in profile["events"]:
            assert at <= e["at"] <= profile["endValue"], e
            at = e["at"]
            if e["type"] == "O":
                print(profile["name"], len(depth), file["shared"]["frames"][e["frame"]]["name"])
                depth.append(e["frame"])
            else:
                assert depth.pop() == e["frame"]
        assert not depth


with open(sys.argv[2], "rb") as f:
    globals()[sys.argv[1]](f.read())
