import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { runCommand } from "../../test/support/run-command.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { startTestServer } from "../../test/support/test-server.js";
import { ExitCode } from "./io.js";

/**
 * Command lines, split at blanks, and behind the arrow the parts that their message must hold, with `;` between them. URL stands for the
 * address of a server that counts.
 */
const BAD_COMMANDS = String.raw`
  sweep localhost:80 => got "localhost:80" ; Did you mean "http://localhost:80"?
  sweep -t singel => got "singel" ; Did you mean "single"?
  sweep URL -c 1,x,3 => -c, --connections:  ; got "x" in "1,x,3"
  sweep URL -n 0 => -n, --requests: expected whole numbers of at least 1 ; got "0"
  sweep URL -c 50 -n 10 => got 10 requests (-n) for 50 connections (-c) ; -n 50 or more
  sweep URL -n 1000 -d 3s => Expected requests (-n) or duration (-d), got both
  sweep URL -d 0s => -d, --duration: expected a time longer than 0
  sweep URL --engine wrk -n 100 -c 1 --no-keepalive => cannot send a number of requests (-n) ; --engine: undici, ab or hey.
  sweep URL --connection 5 => unknown option '--connection' ; Did you mean --connections?
  sweep URL -c => '-c, --connections <list>' argument missing ; lbbench sweep --help
  sweep URL -t URL => targets: expected a different name for each ; twice
  sweep URL --reference other => expected the name of a target ; got "other"
  sweep URL --threshold p9<5ms => got "p9" ; Did you mean "p90"?
  sweep URL -H Acc(ept):x => -H, --header: expected the name of a header ; "Acc(ept)"
  sweep URL -b x --body-file y => '--body-file <file>' cannot be used with option '-b, --body <text>'
  sweep URL --expect-status fine => --expect-status: expected status codes ; got "fine"
  sweep URL -f pdf => formats (-f, --format): expected md, html, png, json, csv, ab, junit, openmetrics, github-action-benchmark or bencher ; got "pdf"
  sweep URL --engine autocanon => got "autocanon" ; Did you mean "autocannon"?
  sweep URL --engine autocannon --no-keepalive => The engine "autocannon" cannot open a connection for each request ; --engine: undici
  sweep URL -c 1 -r 10 => Expected levels of connections (-c) or of a rate (-r), got both
  sweep URL -o file/x => Expected a folder that can be written to ; ENOTDIR ; --out DIR
  sweep URL --config none.json => The config file  ; none.json could not be read: no such file
  sweep URL --margin 5% => margin (--margin): expected two targets or more
  sweep -t grpc --proto missing.proto => engine grpc:  ; missing.proto
  sweep -t grpc -b {"bodi":""} => engine grpc:  ; bodi
  sweep -t grpc --channels 0 => engines.grpc.channels (--channels): expected a number of at least 1, got 0
  sweep URL --engine undici --streams 2 => Expected streams (--streams) only with HTTP/2
  sweep URL --http2 --streams 2 --no-keepalive => Expected streams (--streams) only where connections are kept
  sweep URL --http2 -H Connection:close => headers are forbidden: "connection"
  sweep URL --live-port 4000 => --live-port: expected --live beside it
  sweep -c 5 --resume out => --resume: expected beside it only ; got --connections.
  sweep URL --resume out => --resume: expected beside it only --format, --charts, --config
  sweep --resume nowhere => Expected a result.json, or the folder of a report ; nowhere
  sweep URL --mix weightless.json => --mix weightless.json: [1].weight: expected a number
  sweep URL --mix half.json => --mix: expected a file of JSON, a list of requests such as
  sweep URL --mix missing.json => mix[1].bodiesFile (--mix): expected a file that can be read
  swep => unknown command 'swep' ; Did you mean sweep?
  report => missing required argument 'result' ; lbbench report --help
  report other.json => Expected a result.json of version 1 ; other.json
  proxy => required option '--backend <url>' not specified
  proxy --backend URL --port x => --port: expected a port from 0 to 65535, got "x"
  proxy --backend URL --backend-header a(b => expected the name of a header
  completion bash zsh => shell: expected bash, zsh or fish, got "bash zsh"
  serve clustr => kind: expected single, cluster, pool, grpc or grpc-gateway, got ; Did you mean "cluster"?
  serve --handler helo => Handler "helo": expected one of hello, json
  serve pool --policy simple --pool 2 => --pool: expected 1 with the policy ; one request at a time
  proxy --backend URL --policy rond-robin => --policy: expected ; round-robin
  serve grpc-gateway => --upstream: expected the gRPC service to call
  max --by users => --by: expected "connections" or "rate", got "users"
  max --beyond 0.5 => --beyond: expected a number above 1, such as 1.25, got 0.5
  max --trials 2 --needed 3 => --needed
  max --poisson => arrival: expected only with levels of a rate
  ramp --from 9 --to 3 => ramp.to (--to): expected at least as many users as there are from the start
  ramp -c 5 => unknown option '-c'
  compare a b --margin 5 => --margin: expected a share ; Did you mean "5%"?
  compare a b -f pdf => -f, --format: expected md or text, got "pdf"
  doctor --quik => unknown option '--quik' ; Did you mean --quick?
  import other.json -c many => -c, --connections: expected a whole number ; "many"
  import other.json --charts memaid => --charts: expected png, mermaid or none ; Did you mean "mermaid"?
  init --format yaml => --format: expected ts, js, mjs or json, got "yaml"
  init --url localhost:3000 => --url: expected a URL
  init --command $(a) => --command: expected a program and its arguments
  init --command a --backends none => --backends: expected a whole number from 1 to 100
  init --backends 2 => --backends: expected --command beside it
  init --url http://a --samples => --samples: expected one of --url and --samples, got both
  init --keep --force => expected one of --keep and --force
  init --url http://a --workflow => --workflow: expected a program
  proxy --backend URL --backend URL => for the second time
  proxy --backend URL --connect-timeout 5 => --connect-timeout: expected a time such as 500ms
  proxy --backend URL --retries -1 => --retries: expected a whole number of at least 0, got "-1"
  proxy --backend URL --log=xml => --log: expected combined or json, got "xml"
  proxy --backend URL --health-interval 1s => --health-interval: expected --health-check beside it
  proxy --backend URL --tls-cert file => --tls-cert: expected --tls-key beside it
  proxy --backend URL --tls-cert none.pem --tls-key file => --tls-cert: cannot read  ; ENOENT
  serve grpc-gateway --handler json => --handler is for single, cluster, pool or grpc, not for grpc-gateway
  serve pool --policy drop-tial => Did you mean "drop-tail"?
  sweep --config typed.json => typed.json: trials: expected a whole number of at least 1 ; got "three"
  sweep --config deep.json => request.headers.Accept: expected a text ; got 1
  sweep --config option.json => targets[0] ("a") ; there is no setting "handlr" ; Did you mean "handler"?
  sweep --config list.json => expected an object ; got [ 1, 2 ]
  sweep --config shop.json -t shopp => a target of the config file (shop), got "shopp" ; Did you mean "shop"?
  sweep --config throwing.mjs => The config file  ; throwing.mjs could not be read: no luck today
`;

const FILES = {
  file: "",
  "other.json": '{"name": "other"}',
  "weightless.json": '[{}, {"weight": 0}]',
  "missing.json": '[{}, {"bodiesFile": "none"}]',
  "half.json": "[{",
  "typed.json": '{"trials": "three"}',
  "deep.json": '{"request": {"headers": {"Accept": 1}}}',
  "option.json": '{"targets": [{"name": "a", "server": "single", "options": {"handlr": "hello"}}]}',
  "list.json": "[1, 2]",
  "shop.json": '{"targets": [{"name": "shop", "server": "single"}]}',
  "throwing.mjs": 'throw new Error("no luck today")',
};

describe("lbbench with bad input", () => {
  it.each(
    BAD_COMMANDS.trim()
      .split("\n")
      .map((line) => line.trim().split(" => ")),
  )("refuses lbbench %s before a connection is made, and leaves nothing: %s", async (command = "", message = "") => {
    const server = await startTestServer();
    const cwd = temporaryFolder(FILES);
    const words = command.split(" ").map((word) => word.replace("URL", server.url));
    expectRefusal(await runCommand(words, cwd), message.split(" ; "));
    expect(server.connections()).toBe(0);
    expect(readdirSync(cwd).toSorted(), "files left behind").toEqual(Object.keys(FILES).toSorted());
  });

  it("explains itself on stderr when there is no command", async () => {
    const { code, stdout, stderr } = await runCommand([], temporaryFolder());
    expect({ code, stdout }).toEqual({ code: ExitCode.usage, stdout: "" });
    expect(stderr).toContain("Usage: lbbench [options] [command]");
  });
});
