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
 * Command lines, split at blanks, and behind the arrow the parts that their message must hold, with `;` between them. URL stands for the
 * address of a server that counts, and a bar for an empty word.
 */
const BAD_COMMANDS = String.raw`
  sweep localhost:80 => got "localhost:80" ; Did you mean "http://localhost:80"?
  sweep htp://x => Expected a target: a URL such as ; got "htp://x"
  sweep foo => a built-in server (single, cluster, pool, balanced, nginx,  ; got "foo"
  sweep -t singel => got "singel" ; Did you mean "single"?
  sweep http:// => Expected a URL such as http://127.0.0.1:8080/, got "http://"
  sweep URL -c | => -c, --connections: expected whole numbers of at least 1 ; got ""
  sweep URL -c many => -c, --connections: expected whole numbers of at least 1 ; got "many"
  sweep URL -c 1,x,3 => -c, --connections:  ; got "x" in "1,x,3"
  sweep URL -c 0 => -c, --connections:  ; got "0"
  sweep URL -c 10:1:1 => expected a range that rises, such as 10:100:10 ; got "10:1:1"
  sweep URL -n 0 => -n, --requests: expected whole numbers of at least 1 ; got "0"
  sweep URL -c 50 -n 10 => got 10 requests (-n) for 50 connections (-c) ; -n 50 or more
  sweep URL -n 1000 -d 3s => Expected requests (-n) or duration (-d), got both
  sweep URL -d 5 => -d, --duration: expected a time such as ; got "5" ; 5s, 5ms
  sweep URL -d 0s => -d, --duration: expected a time longer than 0
  sweep URL --timeout 600h => --timeout: expected a time of at most 576h (24 days)
  sweep URL -H X:€ => -H, --header: expected the value of a header, of characters up to U+00FF
  sweep URL --channels 2 => engines.grpc (--channels): expected options of an engine that loads a target ; It speaks grpc, and no target does: leave them out.
  sweep -t grpc --channels x => engines.grpc.channels (--channels): expected a number, got "x"
  sweep URL --engine wrk -n 100 -c 1 --no-keepalive => cannot send a number of requests (-n) ; --engine: undici, ab or hey.
  sweep URL --trials 0 => --trials: expected a whole number of at least 1, got 0
  sweep URL --generators all => --generators: expected a whole number ; got "all"
  sweep URL --connection 5 => unknown option '--connection' ; Did you mean --connections?
  sweep URL -c => '-c, --connections <list>' argument missing ; lbbench sweep --help
  sweep URL URL => too many arguments for 'sweep' ; lbbench sweep --help
  sweep URL -t URL => targets: expected a different name for each ; twice
  sweep URL --reference other => expected the name of a target ; got "other"
  sweep URL --threshold fast => --threshold: expected a condition with ; got "fast"
  sweep URL --threshold p9<5ms => got "p9" ; Did you mean "p90"?
  sweep URL -H Accept => -H, --header: expected a header such as ; got "Accept"
  sweep URL -H Acc(ept):x => -H, --header: expected the name of a header ; "Acc(ept)"
  sweep URL --body-file none.txt => --body-file:  ; no such file or directory (ENOENT)
  sweep URL -b x --body-file y => '--body-file <file>' cannot be used with option '-b, --body <text>'
  sweep URL --expect-status fine => --expect-status: expected status codes ; got "fine"
  sweep URL -f pdf => formats (-f, --format): expected md, html, png, json, csv, ab, junit, openmetrics, github-action-benchmark or bencher ; got "pdf"
  sweep URL --engine autocanon => got "autocanon" ; Did you mean "autocannon"?
  sweep URL --engine autocannon --no-keepalive => The engine "autocannon" cannot open a connection for each request ; --engine: undici
  sweep URL --engine autocannon -r 10 => cannot send at a rate ; undici
  sweep URL -c 1 -r 10 => Expected levels of connections (-c) or of a rate (-r), got both
  sweep URL -o file/x => Expected a folder that can be written to ; ENOTDIR ; --out DIR
  sweep URL -o /proc/x/y => /proc/x/y cannot:  ; Choose another one with --out
  sweep URL --config none.json => The config file  ; none.json could not be read: no such file
  sweep URL --margin 5 => --margin: expected a share from 0 % to below 100 % ; got "5"
  sweep URL --margin 5% => margin (--margin): expected two targets or more
  sweep -t grpc --proto missing.proto => engine grpc:  ; missing.proto
  sweep -t grpc --call lbbench.sample.Work/Undo => engine grpc:  ; Undo
  sweep -t grpc -b {"bodi":""} => engine grpc:  ; bodi
  sweep -t grpc --channels 0 => engines.grpc.channels (--channels): expected a number of at least 1, got 0
  sweep URL --http2 --engine autocannon => The engine "autocannon" cannot speak HTTP/2.
  sweep URL --engine undici --streams 2 => Expected streams (--streams) only with HTTP/2
  sweep URL --http2 --streams 0 => engines.undici.streams
  sweep URL --http2 --streams 2 --no-keepalive => Expected streams (--streams) only where connections are kept
  sweep URL --http2 -H Connection:close => got "Connection", which is about the connection
  sweep URL --live --live-port many => --live-port: expected a port ; "many"
  sweep URL --live-port 4000 => --live-port: expected --live beside it
  sweep -c 5 --resume out => --resume: expected beside it only ; got --connections.
  sweep --no-keepalive --resume out => got --no-keepalive.
  sweep --max-in-flight 5 --resume out => got --max-in-flight.
  sweep URL --resume out => --resume: expected beside it only --format, --charts, --config
  sweep --resume nowhere => Expected a result.json, or the folder of a report ; nowhere
  sweep URL --mix weightless.json => --mix weightless.json: [1].weight: expected a number
  sweep URL --mix missing.json => mix[1].bodiesFile (--mix): expected a file that can be read
  sweep URL --mix own.json -b x => request.body (-b, --body-file): expected an entry of the mix
  sweep URL --mix own.json --engine autocannon => The engine "autocannon" cannot send a mix of requests (--mix) ; undici
  swep => unknown command 'swep' ; Did you mean sweep?
  report => missing required argument 'result' ; lbbench report --help
  report none => cannot be read: no such file or directory (ENOENT)
  report . => Expected a result.json, or the folder of a report ; result.json cannot be read
  report other.json => Expected a result.json of version 1 ; other.json
  proxy => required option '--backend <url>' not specified
  proxy --backend foo => --backend: expected a URL such as http://127.0.0.1:8080, got "foo"
  proxy --backend URL --port x => --port: expected a port from 0 to 65535, got "x"
  serve --port 70000 => --port: expected a port from 0 to 65535
  proxy --backend URL --policy robin => --policy: expected one of round-robin ; got "robin"
  proxy --backend URL --backend-header a(b => expected the name of a header
  serve clustr => Expected single, cluster, pool, grpc or grpc-gateway to be served ; Did you mean "cluster"?
  serve --handler helo => Handler "helo": expected one of hello, json
  serve cluster --workers 0 => --workers: expected a whole number of at least 1, got "0"
  serve pool --policy simple --pool 2 => one request at a time
  serve grpc-gateway => --upstream: expected the gRPC service to call
  serve --workers 2 => lbbench serve cluster --workers 2
  max --by users => --by: expected "connections" or "rate", got "users"
  max --beyond 0.5 => --beyond: expected a number above 1, such as 1.25, got 0.5
  max --resolution x => --resolution: expected a ratio of at least 0 and below 1 ; got "x"
  max --trials 2 --needed 3 => --needed
  max --poisson => arrival: expected only with levels of a rate
  ramp --to 0 => --to: expected a whole number of at least 1, got 0
  ramp --from x => --from: expected a whole number of at least 1, got "x"
  ramp --over 10 => --over: expected a time such as 500ms, 5s or 2m
  ramp --hold 0 => --hold: expected a time longer than 0
  ramp --from 9 --to 3 => ramp.to (--to): expected at least as many users as there are from the start
  ramp --to 3 --steps 3 => ramp.steps (--steps): expected at most 2
  ramp -c 5 => unknown option '-c'
  ramp --resume out --to 5 => --resume: expected beside it only
  compare none none => Expected a result.json ; none cannot be read
  compare none => missing required argument 'B'
  compare a b --marg => unknown option '--marg'
  compare a b --margin 5 => --margin: expected a share ; Did you mean "5%"?
  compare a b -f pdf => -f, --format: expected md or text, got "pdf"
  doctor --quik => unknown option '--quik' ; Did you mean --quick?
  doctor now => too many arguments for 'doctor' ; lbbench doctor --help
  import other.json -c many => -c, --connections: expected a whole number ; "many"
  import other.json -d long => duration (-d, --duration): expected a time
  import other.json --charts memaid => --charts: expected png, mermaid or none ; Did you mean "mermaid"?
  import none.txt => none.txt cannot be read: no such file or directory (ENOENT)
  import . => cannot be read: illegal operation on a directory
  init --format yaml => --format: expected ts, js, mjs or json, got "yaml"
  init --url localhost:3000 => --url: expected a URL
  init --command $(a) => --command: expected a program and its arguments
  init --command a --backends none => --backends: expected a whole number from 1 to 100
  init --backends 2 => --backends: expected --command beside it
  init --url http://a --samples => --samples: expected one of --url and --samples, got both
  init --keep --force => expected one of --keep and --force
  init -c none => -c, --connections: expected whole numbers
  init -d 0 => -d, --duration: expected a time longer than 0
  init --threshold p99 => --threshold: expected a condition
  init --url http://a --workflow => --workflow: expected a program
  proxy --backend URL --port 0 --policy fair => "fair"
  proxy --backend URL --backend URL => for the second time
`;

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
  it.each(
    BAD_COMMANDS.trim()
      .split("\n")
      .map((line) => line.trim().split(" => ")),
  )("refuses lbbench %s before a connection is made, and leaves nothing: %s", async (command = "", message = "") => {
    const server = await startTestServer();
    const cwd = temporaryFolder();
    for (const [name, content] of Object.entries(FILES)) writeFileSync(join(cwd, name), content);
    const words = command.split(" ").map((word) => (word === "|" ? "" : word.replace("URL", server.url)));
    expectRefusal(await runCommand(words, cwd), message.split(" ; "));
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
