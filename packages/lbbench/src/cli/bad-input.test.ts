import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { runCommand } from "../../test/support/run-command.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { startTestServer } from "../../test/support/test-server.js";
import { writeConfig } from "../../test/support/write-config.js";
import { ExitCode } from "./exit-code.js";

/**
 * A command line split at blanks, with URL in place of the address of a server that counts and `|` for an empty word, and what
 * the message must hold.
 */
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
  [
    "an output folder below one that takes none",
    "URL -o /proc/x/y",
    "/proc/x/y cannot: ",
    "Choose another one with --out",
  ],
  ["a missing config file", "URL --config none.json", "The config file ", "none.json could not be read: no such file"],
  ["a margin that is no share", "URL --margin 5", "--margin: expected a share from 0 % to below 100 %", 'got "5"'],
  ["a margin without a second target", "URL --margin 5%", "margin (--margin): expected two targets or more"],
  ["a file of gRPC that is not there", "-t grpc --proto missing.proto", "engine grpc: ", "missing.proto"],
  ["a method of gRPC that is not there", "-t grpc --call lbbench.sample.Work/Undo", "engine grpc: ", "Undo"],
  ["a message of gRPC with another field", '-t grpc -b {"bodi":""}', "engine grpc: ", "bodi"],
  ["no channels", "-t grpc --channels 0", "engines.grpc.channels (--channels): expected a number of at least 1, got 0"],
  [
    "HTTP/2 by an engine that cannot",
    "URL --http2 --engine autocannon",
    'The engine "autocannon" cannot speak HTTP/2.',
  ],
  ["streams without HTTP/2", "URL --engine undici --streams 2", "Expected streams (--streams) only with HTTP/2"],
  ["no streams", "URL --http2 --streams 0", "engines.undici.streams"],
  [
    "streams of connections that are not kept",
    "URL --http2 --streams 2 --no-keepalive",
    "Expected streams (--streams) only where connections are kept",
  ],
  ["headers of connections", "URL --http2 -H Connection:close", 'got "Connection", which is about the connection'],
  ["a port of a page that is none", "URL --live --live-port many", "--live-port: expected a port", '"many"'],
  ["a port of no page", "URL --live-port 4000", "--live-port: expected --live beside it"],
  ["connections beside --resume", "-c 5 --resume out", "--resume: expected beside it only", "got --connections."],
  ["a negated flag beside --resume", "--no-keepalive --resume out", "got --no-keepalive."],
  ["a flag of two words beside --resume", "--max-in-flight 5 --resume out", "got --max-in-flight."],
  ["a URL beside --resume", "URL --resume out", "--resume: expected beside it only --format, --charts, --config"],
  ["nothing to go on with", "--resume nowhere", "Expected a result.json, or the folder of a report", "nowhere"],
  [
    "a mix with an entry of no weight",
    "URL --mix weightless.json",
    "--mix weightless.json: [1].weight: expected a number",
  ],
  ["a mix of a missing file", "URL --mix missing.json", "mix[1].bodiesFile (--mix): expected a file that can be read"],
  ["a mix of the same twice", "URL --mix twice.json", "mix[1] (--mix): expected a name that no other entry has"],
  ["a mix and a body", "URL --mix own.json -b x", "request.body (-b, --body-file): expected an entry of the mix"],
  [
    "a mix by an engine that cannot",
    "URL --mix own.json --engine autocannon",
    'The engine "autocannon" cannot send a mix of requests (--mix)',
    "undici",
  ],
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
  ["users to search by", "max --by users", '--by: expected "connections" or "rate", got "users"'],
  ["a factor that is not beyond", "max --beyond 0.5", "--beyond: expected a number above 1, such as 1.25, got 0.5"],
  [
    "a resolution that is none",
    "max --resolution x",
    "--resolution: expected a ratio of at least 0 and below 1",
    'got "x"',
  ],
  ["more trials needed than there are", "max --trials 2 --needed 3", "--needed"],
  ["a schedule without a rate", "max --poisson", "arrival: expected only with levels of a rate"],
  ["a ramp to nobody", "ramp --to 0", "--to: expected a whole number of at least 1, got 0"],
  ["a ramp from what is no number", "ramp --from x", '--from: expected a whole number of at least 1, got "x"'],
  ["a ramp over no time", "ramp --over 10", "--over: expected a time such as 500ms, 5s or 2m"],
  ["a ramp that does not hold", "ramp --hold 0", "--hold: expected a time longer than 0"],
  [
    "a ramp that falls",
    "ramp --from 9 --to 3",
    "ramp.to (--to): expected at least as many users as there are from the start",
  ],
  ["more steps than users", "ramp --to 3 --steps 3", "ramp.steps (--steps): expected at most 2"],
  [
    "a ramp by an engine that cannot",
    "ramp --engine autocannon",
    'The engine "autocannon" cannot raise users over time',
  ],
  ["levels of a ramp", "ramp -c 5", "unknown option '-c'"],
  ["a ramp that goes on as another", "ramp --resume out --to 5", "--resume: expected beside it only"],
  ["a result that is not there to compare", "compare none none", "Expected a result.json", "none cannot be read"],
  ["half a comparison", "compare none", "missing required argument 'B'"],
  ["a flag of a comparison that is nearly one", "compare a b --marg", "unknown option '--marg'"],
  [
    "a margin of a comparison that is no share",
    "compare a b --margin 5",
    "--margin: expected a share",
    'Did you mean "5%"?',
  ],
  ["a comparison in another format", "compare a b -f pdf", '-f, --format: expected md or text, got "pdf"'],
  ["a flag of the doctor that is nearly one", "doctor --quik", "unknown option '--quik'", "Did you mean --quick?"],
  ["a word for the doctor", "doctor now", "too many arguments for 'doctor'", "lbbench doctor --help"],
  [
    "connections of an import that are none",
    "import other.json -c many",
    "-c, --connections: expected a whole number",
    '"many"',
  ],
  ["a time of an import that is none", "import other.json -d long", "duration (-d, --duration): expected a time"],
  [
    "charts of an import that are none",
    "import other.json --charts memaid",
    "--charts: expected png, mermaid or none",
    'Did you mean "mermaid"?',
  ],
  [
    "output that is not there to import",
    "import none.txt",
    "none.txt cannot be read: no such file or directory (ENOENT)",
  ],
  ["a folder to import", "import .", "cannot be read: illegal operation on a directory"],
  ["a project in another language", "init --format yaml", '--format: expected ts, js, mjs or json, got "yaml"'],
  ["a project of no URL", "init --url localhost:3000", "--url: expected a URL"],
  ["a project with a command for a shell", "init --command $(a)", "--command: expected a program and its arguments"],
  [
    "a project with no number of backends",
    "init --command a --backends none",
    "--backends: expected a whole number from 1 to 100",
  ],
  ["backends of no program", "init --backends 2", "--backends: expected --command beside it"],
  [
    "a project of two subjects",
    "init --url http://a --samples",
    "--samples: expected one of --url and --samples, got both",
  ],
  ["files to keep and to overwrite", "init --keep --force", "expected one of --keep and --force"],
  ["a project with levels that are none", "init -c none", "-c, --connections: expected whole numbers"],
  ["a project with no time", "init -d 0", "-d, --duration: expected a time longer than 0"],
  ["a project with a threshold that is none", "init --threshold p99", "--threshold: expected a condition"],
  ["a workflow of a URL", "init --url http://a --workflow", "--workflow: expected a program"],
  ["a policy that is nothing", "proxy --backend URL --port 0 --policy fair", '"fair"'],
  ["a mode that is none", "proxy --backend URL --mode udp", '--mode: expected "http" or "tcp", got "udp"'],
  ["a backend twice", "proxy --backend URL --backend URL", "for the second time"],
  ["no workers of a balancer", "proxy --backend URL --workers 0", "--workers: expected 1 or more"],
];

/** What is in a config file, and what the message must hold. */
const BAD_CONFIGS: readonly (readonly [what: string, content: unknown, ...message: readonly string[]])[] = [
  ["a wrong type", { trials: "three" }, "trials: expected a whole number of at least 1", 'got "three"'],
  [
    "a wrong type deep inside",
    { request: { headers: { Accept: 1 } } },
    "request.headers.Accept: expected a text",
    "got 1",
  ],
  [
    "a setting that is nearly one",
    { conections: 5 },
    'there is no setting "conections"',
    'Did you mean "connections"?',
  ],
  [
    "an option of a server that it does not have",
    { targets: [{ name: "a", server: "single", options: { handlr: "hello" } }] },
    'targets[0] ("a")',
    'there is no setting "handlr"',
    'Did you mean "handler"?',
  ],
  [
    "a server that is unknown",
    { targets: [{ name: "a", server: "nginz" }] },
    "targets[0].server: expected single, cluster",
    '"nginz"',
  ],
  ["something that is no object", [1, 2], "expected an object", "got [ 1, 2 ]"],
];

const FILES = {
  file: "",
  "other.json": '{"name": "other"}',
  "weightless.json": '[{}, {"weight": 0}]',
  "missing.json": '[{}, {"bodiesFile": "none"}]',
  "twice.json": "[{}, {}]",
  "own.json": '[{"body": "own"}]',
};

describe("lbbench with bad input", () => {
  it.each([
    ...BAD_SWEEPS.map(([what, command, ...parts]) => [what, `sweep ${command}`, ...parts]),
    ...OTHER_BAD_COMMANDS,
  ])("refuses %s before a connection is made, and leaves nothing: %s", async (_, command = "", ...message) => {
    const server = await startTestServer();
    const cwd = temporaryFolder();
    for (const [name, content] of Object.entries(FILES)) writeFileSync(join(cwd, name), content);
    const words = command.split(" ").map((word) => (word === "|" ? "" : word.replace("URL", server.url)));
    expectRefusal(await runCommand(words, cwd), message);
    expect(server.connections()).toBe(0);
    expect(readdirSync(cwd).toSorted(), "files left behind").toEqual(Object.keys(FILES).toSorted());
  });

  it.each(BAD_CONFIGS)("names the place and the value of %s in a config file", async (_, content, ...message) => {
    const cwd = temporaryFolder();
    writeConfig(cwd, content);
    expectRefusal(await runCommand(["sweep"], cwd), message.map(String));
  });

  it("suggests a target of the config file", async () => {
    const cwd = temporaryFolder();
    writeConfig(cwd, { targets: [{ name: "shop", server: "single" }] });
    const outcome = await runCommand(["sweep", "-t", "shopp"], cwd);
    expectRefusal(outcome, ['a target of the config file (shop), got "shopp"', 'Did you mean "shop"?']);
  });

  it.each([
    ["lbbench.config.mjs", 'throw new Error("no luck today")', "no luck today"],
    ["lbbench.config.json", "{ targets: }", "could not be read: "],
    ["lbbench.config.ts", "export default { name: ", "could not be read: "],
  ])("says that %s cannot be read, and why", async (name, content, why) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, name), content);
    expectRefusal(await runCommand(["sweep"], cwd), [`The config file ${join(cwd, name)} could not be read`, why]);
  });

  it("explains itself on stderr when there is no command", async () => {
    const { code, stdout, stderr } = await runCommand([], temporaryFolder());
    expect({ code, stdout }).toEqual({ code: ExitCode.usage, stdout: "" });
    expect(stderr).toContain("Usage: lbbench [options] [command]");
  });
});
