"""A server or a client of gRPC, for tests of the balancer. README.md of this folder says what it is told and what it prints."""

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from queue import Queue

import grpc

STATUSES = {code.value[0]: code for code in grpc.StatusCode}


def serve():
    server = grpc.server(ThreadPoolExecutor(max_workers=16))
    port = server.add_insecure_port("127.0.0.1:0")

    def unary(request, context):
        given = dict(context.invocation_metadata())
        left = context.time_remaining()
        value = given.get("x-given", "")
        context.send_initial_metadata((("x-leading", value),))
        context.set_trailing_metadata((
            ("x-trailing", value),
            ("x-trailing-bin", given.get("x-given-bin", b"")),
            ("x-deadline", "true" if left is not None and 0 < left <= 60 else "false"),
        ))
        return request

    def fail(request, context):
        wanted = dict(context.invocation_metadata())["x-status-bin"]
        context.set_trailing_metadata((("grpc-status-details-bin", wanted),))
        code, _, message = request.decode().partition(" ")
        context.abort(STATUSES[int(code)], message)

    def wait(_, context):
        ended = threading.Event()
        if context.add_callback(ended.set):
            ended.wait()
        print("cancelled", flush=True)
        return b""

    def down(request, _):
        for at in range(int(request)):
            yield bytes([at]) * 1000

    def up(requests, _):
        return str(sum(len(message) for message in requests)).encode()

    def both(requests, _):
        yield from requests

    handlers = {
        "Unary": grpc.unary_unary_rpc_method_handler(unary),
        "Fail": grpc.unary_unary_rpc_method_handler(fail),
        "Wait": grpc.unary_unary_rpc_method_handler(wait),
        "Down": grpc.unary_stream_rpc_method_handler(down),
        "Up": grpc.stream_unary_rpc_method_handler(up),
        "Both": grpc.stream_stream_rpc_method_handler(both),
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("test.Test", handlers),))
    server.start()
    print("port", port, flush=True)
    server.wait_for_termination()


def call(channel, failure, wanted):
    return {
        "unary": call_unary(channel),
        "down": [f"{len(message)} of {message[0]}" for message in channel.unary_stream("/test.Test/Down")(b"200")],
        "up": channel.stream_unary("/test.Test/Up")(bytes(1000) for _ in range(200)).decode(),
        "both": call_both(channel),
        "fail": call_fail(channel, failure, wanted),
        "deadline": call_wait(channel),
    }


def call_unary(channel):
    given = (("x-given", "with it"), ("x-given-bin", b"\x00\xff"))
    answer, made = channel.unary_unary("/test.Test/Unary").with_call(b"hello", timeout=60, metadata=given)
    leading, trailing = dict(made.initial_metadata()), dict(made.trailing_metadata())
    return {
        "answer": answer.decode(),
        "leading": leading.get("x-leading"),
        "trailing": trailing.get("x-trailing"),
        "trailingBin": trailing.get("x-trailing-bin", b"").hex(),
        "deadline": trailing.get("x-deadline"),
    }


def call_both(channel):
    requests = Queue()
    answers = channel.stream_stream("/test.Test/Both")(iter(requests.get, None))
    said = []
    for at in range(20):
        requests.put(f"round {at}".encode())
        said.append(next(answers).decode())
    requests.put(None)
    for message in answers:
        raise AssertionError(f"expected the end of the stream, got {message}")
    return said


def call_fail(channel, failure, wanted):
    try:
        channel.unary_unary("/test.Test/Fail")(failure.encode(), metadata=(("x-status-bin", wanted),))
    except grpc.RpcError as error:
        details = dict(error.trailing_metadata()).get("grpc-status-details-bin", b"")
        return {"code": error.code().value[0], "message": error.details(), "details": details.hex()}
    raise AssertionError("expected a failed call")


def call_wait(channel):
    try:
        channel.unary_unary("/test.Test/Wait")(b"", timeout=0.3)
    except grpc.RpcError as error:
        return error.code().value[0]
    raise AssertionError("expected a failed call")


def main(command, *args):
    if command == "serve":
        serve()
    if command != "call":
        raise ValueError(f"expected serve or call, got {command}")
    port, failure, wanted = args
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        print(json.dumps(call(channel, failure, bytes.fromhex(wanted))))


main(*sys.argv[1:])
