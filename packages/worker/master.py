"""
Locust's master for lbbench, with Locust as a library: registers workers, starts and stops their users, watches heartbeats, adds up.

    python3 master.py ADDRESS PORT        (port 0 takes a free one)

Speaks JSON lines with the process that started it, and ends with it. It reads:
    {"do": "send", "to": ID, "data": TEXT}     hand a text to a worker
    {"do": "start", "users": N}                start so many users at once
    {"do": "stop"}                             end them
It prints `event`s: listening {port, locust}, ready, gone, missing and returned {worker}, message {worker, data},
stopped {requests, failures}: what Locust has added up since the start; failed {reason, module?}, before it ends.
"""

import json
import os
import sys

# What workers report is checked by lbbench, so that a short load is not waited for.
os.environ.setdefault("LOCUST_WAIT_FOR_WORKERS_REPORT_AFTER_RAMP_UP", "0.1")


def tell(event, **details):
    # Any peer may send numbers that JSON does not have, such as NaN.
    plain = {name: value if isinstance(value, (str, int)) else str(value) for name, value in details.items()}
    sys.stdout.write(json.dumps({"event": event, **plain}) + "\n")
    sys.stdout.flush()


try:
    import locust
    from locust.env import Environment
    from locust.exception import RPCError
    import gevent
    from gevent.fileobject import FileObject
except ImportError as error:
    tell("failed", reason=str(error), module=error.name)
    sys.exit(1)

MESSAGE = "lbbench"
LOOK_S = 0.05
PING_S = 1
# So long workers have, after a stop, to say that they are ready again.
STOPPED_S = 5
# More a second than there can be: all users come at once.
SPAWN_RATE = 10_000_000


class LbbenchUser(locust.User):
    """Never run here: the workers are lbbench's own, for which users are connections."""

    @locust.task
    def nothing(self):
        pass


def meet(worker, node, known):
    """Tells of a worker that was not known that it has come."""
    if worker not in known:
        tell("ready", worker=worker)
        known[worker] = (node, None)


def watch(runner, known, is_stopping):
    """Tells who has come, gone, fallen silent or come back: of those it finds, and of those who are `known` by what they said."""
    while True:
        for worker in [worker for worker in known if worker not in runner.clients and not is_stopping()]:
            del known[worker]
            tell("gone", worker=worker)
        for worker, node in list(runner.clients.items()):
            meet(worker, node, known)
            before, state = known[worker]
            if before is not node and not is_stopping():
                tell("returned", worker=worker)
            if node.state == "missing" and state != "missing":
                tell("missing", worker=worker)
            known[worker] = (node, node.state)
        gevent.sleep(LOOK_S)


def ping(runner):
    """Lets workers know that the master lives: the oldest Locust does not answer their heartbeats."""
    while True:
        for worker in list(runner.clients):
            runner.send_message(MESSAGE, None, client_id=worker)
        gevent.sleep(PING_S)


def main(address, port):
    environment = Environment(user_classes=[LbbenchUser], host="")
    try:
        runner = environment.create_master_runner(address, port)
    except (RPCError, SystemExit, OSError) as error:
        tell("failed", reason=f"the port {address}:{port} could not be opened: {error}")
        return 1
    known = {}

    def hear(environment, msg, **_):
        worker = msg.node_id
        # One that leaves before the next look is to be missed, too.
        if worker in runner.clients:
            meet(worker, runner.clients[worker], known)
        tell("message", worker=worker, data=msg.data)

    runner.register_message(MESSAGE, hear)
    stopping = False
    starting = None

    def stop():
        nonlocal stopping
        stopping = True
        if starting is not None:
            starting.join()
        workers = {worker for worker, node in runner.clients.items() if node.state != "missing"}
        runner.stop()
        with gevent.Timeout(STOPPED_S, False):
            while any(worker not in runner.clients or runner.clients[worker].state != "ready" for worker in workers):
                gevent.sleep(0.005)
        # Who looks next finds them as they are now.
        gevent.sleep(2 * LOOK_S)
        stopping = False
        total = runner.stats.total
        tell("stopped", requests=total.num_requests, failures=total.num_failures)

    gevent.spawn(watch, runner, known, lambda: stopping)
    gevent.spawn(ping, runner)
    tell("listening", port=runner.server.port, locust=locust.__version__)
    for line in FileObject(sys.stdin.buffer, "rb"):
        asked = json.loads(line)
        if asked["do"] == "send":
            runner.send_message(MESSAGE, asked["data"], client_id=asked["to"])
        elif asked["do"] == "start":
            starting = gevent.spawn(runner.start, asked["users"], SPAWN_RATE)
        elif asked["do"] == "stop":
            gevent.spawn(stop)
    runner.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
