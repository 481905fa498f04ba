import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { needs } from "@lbbench/test-support/needs.js";
import { startProgram } from "@lbbench/test-support/run-program.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { expect, it } from "vitest";
import { BIN } from "../../test/support/run-cli.js";

/**
 * Runs a program on a terminal, has it read its certificates again, closes the terminal, and tells that the program has ended. By which code is not asked: Node
 * aborts at its exit when it cannot restore its terminal.
 */
const CLOSE_TERMINAL = `
import os, pty, signal, sys
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
printed = b""
while b"Balancing" not in printed:
    printed += os.read(terminal, 4096)
os.kill(child, signal.SIGHUP)
while b"read again" not in printed:
    printed += os.read(terminal, 4096)
os.close(terminal)
os.waitpid(child, 0)
print("ended")
`;

it.runIf(needs("python3"))(
  "a proxy that reads its certificates again on SIGHUP ends all the same when its terminal is closed",
  async () => {
    const cwd = temporaryFolder({ "one.pem": Buffer.concat([LOCALHOST.cert, LOCALHOST.key]) });
    const flags = ["--port", "0", "--backend", "http://127.0.0.1:1", "--tls-cert", "one.pem", "--tls-key", "one.pem"];
    const program = ["-c", CLOSE_TERMINAL, process.execPath, BIN, "proxy", ...flags];
    const { processes, ended } = startProgram("python3", program, cwd);
    expect(await ended).toMatchObject({ code: 0, stdout: "ended\n" });
    expect(processes()).toEqual([]);
  },
);
