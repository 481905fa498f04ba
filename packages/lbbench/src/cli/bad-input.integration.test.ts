import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { runCommand } from "../../test/support/run-command.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { startTestServer } from "../../test/support/test-server.js";
import { ExitCode } from "./exit-code.js";

/** A command line with URL in place of the address of a server that counts, and what the message must hold. */
type BadCommand = readonly [what: string, command: string, ...message: readonly string[]];

const BAD_SWEEPS: readonly BadCommand[] = [
  ["an address without a scheme", "localhost:80", 'got "localhost:80"', 'Did you mean "http://localhost:80"?'],
  ["a scheme that is none", "htp://x", "Expected a target: a URL such as", 'got "htp://x"'],
  ["a word that is no target", "foo", "a built-in server (single, cluster, pool, balanced, nginx, ", 'got "foo"'],
  ["a target that is nearly one", "-t singel", 'got "singel"', 'Did you mean "single"?'],
  ["a URL without a host", "http://", 'Expected a URL such as http://127.0.0.1:8080/, got "http://"'],
  ["an empty list", "URL -c |", "-c, --connections: expected whole numbers of at least 1", 'got ""'],
  ["a list of words", "URL -c many", "-c, --connections: expected whole numbers of at least 1", 'got "many"'],
  ["an entry that is no number", "URL -c 1,x,3", "-c, --connections: ", 'got "x" in "1,x,3"'],
  ["no connections", "URL -c 0", "-c, --connections: ", 'got "0"'],
  ["fewer than no connections", "URL -c -5", "-c, --connections: ", 'got "-5"'],
  ["a range that falls", "URL -c 10:1:1", "expected a range that rises, such as 10:100:10", 'got "10:1:1"'],
  ["no requests", "URL -n 0", "-n, --requests: expected whole numbers of at least 1", 'got "0"'],
  ["requests that are no number", "URL -n lots", "-n, --requests: ", 'got "lots"'],
  [
    "more connections than requests",
    "URL -c 50 -n 10",
    "got 10 requests (-n) for 50 connections (-c)",
    "-n 50 or more",
  ],
  ["requests and a duration", "URL -n 1000 -d 3s", "Expected requests (-n) or duration (-d), got both"],
  ["a time without a unit", "URL -d 5", "-d, --duration: expected a time such as", 'got "5"', "5s, 5ms"],
  ["a duration of nothing", "URL -d 0s", "-d, --duration: expected a time longer than 0"],
  ["a timeout of nothing", "URL --timeout 0", "--timeout: expected a time longer than 0"],
  ["a warm-up that is no time", "URL --warmup long", "--warmup: expected a time such as", 'got "long"'],
  ["a time longer than timers can wait", "URL --timeout 600h", "--timeout: expected a time of at most 576h (24 days)"],
  [
    "a header that is not Latin-1",
    "URL -H X:€",
    "-H, --header: expected the value of a header, of characters up to U+00FF",
  ],
  [
    "options of an engine that no target needs",
    "URL --channels 2",
    "engines.grpc (--channels): expected options of an engine that loads a target",
    "It speaks grpc, and no target does: leave them out.",
  ],
  [
    "channels that are no number",
    "-t grpc --channels x",
    'engines.grpc.channels (--channels): expected a number, got "x"',
  ],
  [
    "an engine that cannot, beside what others cannot",
    "URL --engine wrk -n 100 -c 1 --no-keepalive",
    "cannot send a number of requests (-n)",
    "--engine: undici, ab or hey.",
  ],
  ["no trials", "URL --trials 0", "--trials: expected a whole number of at least 1, got 0"],
  ["generators that are no number", "URL --generators all", "--generators: expected a whole number", 'got "all"'],
  ["a flag that is nearly one", "URL --connection 5", "unknown option '--connection'", "Did you mean --connections?"],
  ["a flag without its value", "URL -c", "'-c, --connections <list>' argument missing", "lbbench sweep --help"],
  ["two URLs", "URL URL", "too many arguments for 'sweep'", "lbbench sweep --help"],
  ["the same target twice", "URL -t URL", "targets: expected a different name for each", "twice"],
  ["a reference that is no target", "URL --reference other", "expected the name of a target", 'got "other"'],
  ["a threshold that is none", "URL --threshold fast", "--threshold: expected a condition with", 'got "fast"'],
  ["a metric that is nearly one", "URL --threshold p9<5ms", 'got "p9"', 'Did you mean "p90"?'],
  ["a threshold without a unit", "URL --threshold p99<50", 'did you mean "p99<50ms"?'],
  ["a header without a colon", "URL -H Accept", "-H, --header: expected a header such as", 'got "Accept"'],
  ["a header whose name is none", "URL -H Acc(ept):x", "-H, --header: expected the name of a header", '"Acc(ept)"'],
  ["a body from a missing file", "URL --body-file none.txt", "--body-file: ", "no such file or directory (ENOENT)"],
  ["two bodies", "URL -b x --body-file y", "'--body-file <file>' cannot be used with option '-b, --body <text>'"],
  ["a status that is none", "URL --expect-status fine", "--expect-status: expected status codes", 'got "fine"'],
  [
    "a format that is unknown",
    "URL -f pdf",
    "formats (-f, --format): expected md, html, png, json, csv, ab, junit, openmetrics, github-action-benchmark or bencher",
    'got "pdf"',
  ],
  ["an engine that is unknown", "URL --engine autocanon", 'got "autocanon"', 'Did you mean "autocannon"?'],
  [
    "no keep-alive by an engine that keeps connections",
    "URL --engine autocannon --no-keepalive",
    'The engine "autocannon" cannot open a connection for each request',
    "--engine: undici",
  ],
  ["a rate by an engine without a schedule", "URL --engine autocannon -r 10", "cannot send at a rate", "undici"],
  ["connections and a rate", "URL -c 1 -r 10", "Expected levels of connections (-c) or of a rate (-r), got both"],
  ["no rate", "URL -r 0", "-r, --rate: ", 'got "0"'],
  [
    "an output folder that cannot be",
    "URL -o file/x",
    "Expected a folder that can be written to",
    "ENOTDIR",
    "--out DIR",
  ],
  ["a missing config file", "URL --config none.json", "The config file ", "none.json could not be read: no such file"],
];

const OTHER_BAD_COMMANDS: readonly BadCommand[] = [
  ["a command that is nearly one", "swep", "unknown command 'swep'", "Did you mean sweep?"],
  ["no result", "report", "missing required argument 'result'", "lbbench report --help"],
  ["a result that is not there", "report none", "cannot be read: no such file or directory (ENOENT)"],
  [
    "a folder without a result",
    "report .",
    "Expected a result.json, or the folder of a report",
    "result.json cannot be read",
  ],
  ["a result that is something else", "report other.json", "Expected a result.json of version 1", "other.json"],
  ["no backend", "proxy", "required option '--backend <url>' not specified"],
  [
    "a backend that is no URL",
    "proxy --backend foo",
    '--backend: expected a URL such as http://127.0.0.1:8080, got "foo"',
  ],
  ["a port that is none", "proxy --backend URL --port x", '--port: expected a port from 0 to 65535, got "x"'],
  ["a port that is too large", "serve --port 70000", "--port: expected a port from 0 to 65535"],
  [
    "a policy that is unknown",
    "proxy --backend URL --policy robin",
    "--policy: expected one of round-robin",
    'got "robin"',
  ],
  ["a header that is none", "proxy --backend URL --backend-header a(b", "expected the name of a header"],
  [
    "a server that is nearly one",
    "serve clustr",
    "Expected single, cluster, pool, grpc or grpc-gateway to be served",
    'Did you mean "cluster"?',
  ],
  ["a handler that is unknown", "serve --handler helo", 'Handler "helo": expected one of hello, json'],
  ["no workers", "serve cluster --workers 0", '--workers: expected a whole number of at least 1, got "0"'],
  [
    "a pool that serves one at a time with more threads",
    "serve pool --policy simple --pool 2",
    "one request at a time",
  ],
  ["a gateway to nothing", "serve grpc-gateway", "--upstream: expected the gRPC service to call"],
  ["workers of a single process", "serve --workers 2", "lbbench serve cluster --workers 2"],
];

describe("lbbench with bad input", () => {
  it.each(BAD_SWEEPS)("refuses to sweep with %s before a connection is made", async (_, command, ...message) => {
    const server = await startTestServer();
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "file"), "");
    const outcome = await runCommand(["sweep", ...words(command, server.url)], cwd);
    expectRefusal(outcome, message);
    expect(server.connections()).toBe(0);
    expect(readdirSync(cwd), "files left behind").toEqual(["file"]);
  });

  it("explains itself on stderr when there is no command", async () => {
    const { code, stdout, stderr } = await runCommand([], temporaryFolder());
    expect({ code, stdout }).toEqual({ code: ExitCode.usage, stdout: "" });
    expect(stderr).toContain("Usage: lbbench [options] [command]");
  });

  it.each(OTHER_BAD_COMMANDS)("refuses %s", async (_, command, ...message) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "other.json"), '{"name": "other"}');
    expectRefusal(await runCommand(words(command, "http://127.0.0.1:9/"), cwd), message);
  });
});

/** Splits at blanks; `|` stands for an empty word. */
function words(command: string, url = ""): readonly string[] {
  return command
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => (word === "|" ? "" : word.replace("URL", url)));
}
