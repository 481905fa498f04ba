"""Runs a program on a terminal of its own: open-terminal.py COLUMNS ROWS PROGRAM ARGUMENT...

Tells on lines of JSON what it prints, {"printed": BASE64}, and from when on the terminal has another size, {"size": [COLUMNS, ROWS]};
a line "COLUMNS ROWS" on the input asks for one, a line "type BASE64" types. Ends with the exit code of the program, and kills the
program when the input ends, because nobody looks at it any more.
"""

import base64
import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios


def tell(what):
    os.write(1, (json.dumps(what) + "\n").encode())


def resize(columns, rows):
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def read(source):
    try:
        return os.read(source, 4096)
    except OSError:
        # What a terminal says when the program has ended.
        return b""


def is_ready(source):
    return select.select([source], [], [], 0)[0] != []


def pass_on():
    printed = read(ours)
    if printed:
        tell({"printed": base64.b64encode(printed).decode()})
    return printed != b""


columns, rows, *command = sys.argv[1:]
ours, theirs = pty.openpty()
resize(int(columns), int(rows))
child = os.fork()
if child == 0:
    os.close(ours)
    os.setsid()
    fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
    for descriptor in range(3):
        os.dup2(theirs, descriptor)
    os.close(theirs)
    os.execvp(command[0], command)
os.close(theirs)
sources = [ours, 0]
while ours in sources:
    ready = select.select(sources, [], [])[0]
    if ours in ready and not pass_on():
        sources.remove(ours)
    if 0 in ready:
        asked = read(0)
        if not asked:
            os.killpg(child, signal.SIGKILL)
            sources.remove(0)
        for line in asked.splitlines():
            if line.startswith(b"type "):
                os.write(ours, base64.b64decode(line[5:]))
                continue
            # What was printed before is drawn in the old size.
            while is_ready(ours) and pass_on():
                pass
            size = [int(word) for word in line.split()]
            resize(*size)
            tell({"size": size})
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
