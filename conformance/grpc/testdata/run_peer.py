"""The Peer service in Python: a server, and a client that checks what another server answers.

    run_peer.py serve        prints the port, serves until its standard input ends
    run_peer.py call ADDR    prints "passed" when everything is as it should be

The folder with the generated peer_pb2 files is on PYTHONPATH.
"""

import sys
from concurrent import futures

import grpc
from google.protobuf import any_pb2
from google.rpc import status_pb2
from peer import peer_pb2, peer_pb2_grpc, types_pb2

DETAILS = "grpc-status-details-bin"


def echo(request, context):
    if request.code:
        detail = any_pb2.Any()
        detail.Pack(peer_pb2.Problem(text="detail of " + request.item.name))
        rich = status_pb2.Status(code=request.code, message="as asked", details=[detail])
        context.set_trailing_metadata([(DETAILS, rich.SerializeToString())])
        code = next(c for c in grpc.StatusCode if c.value[0] == request.code)
        context.abort(code, "as asked")
    return peer_pb2.Answer(items=[request.item] * request.count)


class Peer(peer_pb2_grpc.PeerServicer):
    def Echo(self, request, context):
        return echo(request, context)

    def Expand(self, request, context):
        for _ in range(request.count):
            yield peer_pb2.Answer(items=[request.item])

    def Collect(self, requests, context):
        return peer_pb2.Answer(items=[r.item for r in requests])

    def Chat(self, requests, context):
        for r in requests:
            yield echo(r, context)


def item(name, size=0):
    i = types_pb2.Item(name=name, color=types_pb2.COLOR_RED, numbers=range(-3, 300), data=bytes(size), weight=-0.5)
    i.time.FromJsonString("2026-11-22T10:00:00.5Z")
    i.parts["größe"].name = "part of " + name
    i.parts["empty"].SetInParent()
    return i


def call(addr):
    with grpc.insecure_channel(addr) as channel:
        stub = peer_pb2_grpc.PeerStub(channel)
        for size in 0, 1, 1024, 20000, 1000000:
            a = stub.Echo(peer_pb2.Request(item=item("a", size), count=3))
            assert list(a.items) == [item("a", size)] * 3, size
        assert stub.Echo(peer_pb2.Request()) == peer_pb2.Answer()
        answers = list(stub.Expand(peer_pb2.Request(item=item("b", 5000), count=100)))
        assert len(answers) == 100 and all(a.items[0] == item("b", 5000) for a in answers)
        a = stub.Collect(peer_pb2.Request(item=item(str(i), i)) for i in range(100))
        assert [i.name for i in a.items] == [str(i) for i in range(100)]
        answers = stub.Chat(peer_pb2.Request(item=item(str(i), 100 * i), count=1) for i in range(50))
        assert [len(a.items[0].data) for a in answers] == [100 * i for i in range(50)]
        try:
            stub.Echo(peer_pb2.Request(item=item("c"), code=9))
            raise AssertionError("no error")
        except grpc.RpcError as e:
            assert e.code() == grpc.StatusCode.FAILED_PRECONDITION and e.details() == "as asked", e
            rich = status_pb2.Status.FromString(dict(e.trailing_metadata())[DETAILS])
            problem = peer_pb2.Problem()
            assert rich.details[0].Unpack(problem) and problem.text == "detail of c", rich
    print("passed")


def serve():
    server = grpc.server(futures.ThreadPoolExecutor(4))
    peer_pb2_grpc.add_PeerServicer_to_server(Peer(), server)
    port = server.add_insecure_port("localhost:0")
    server.start()
    print(port, flush=True)
    sys.stdin.read()
    server.stop(None)


if sys.argv[1] == "serve":
    serve()
else:
    call(sys.argv[2])
