import type { ChartStyle } from "../plugin.js";
import { DEFAULTS as D } from "./defaults.js";
import { defined } from "../stats/defined.js";

/** How charts can be shown in a text. */
export const CHART_STYLES = ["png", "mermaid", "none"] as const satisfies readonly ChartStyle[];

/** The names of the formats that a report can have, as help lists them; a test compares them with the reporters. */
// oxfmt-ignore
export const FORMAT_NAMES: readonly string[] = [
  "md", "html", "png", "json", "csv", "ab", "junit", "github-action-benchmark", "bencher",
];

/** Built-in servers that are a target by themselves, and those that need options; a test compares both with the servers. */
// oxfmt-ignore
export const SERVER_NAMES = [
  "single", "cluster", "pool", "balanced", "nginx", "haproxy", "grpc", "grpc-gateway",
] as const;
/** See {@link SERVER_NAMES}. */
export const SERVERS_WITH_OPTIONS = ["url", "command"] as const;

/** Built-in engines, and when to take which: help and `docs/engines.md` say so. A test compares them with the engines. */
export const ENGINES: readonly (readonly [name: string, when: string])[] = [
  ["autocannon", "closed loops over kept connections; what auto takes for them"],
  ["wire", "rates, ramps, mixes, no keep-alive, HTTP/2; less processor time for each request"],
  ["grpc", "unary calls of a gRPC service"],
  ["ab", "figures of ApacheBench itself; only when named"],
];
const ENGINE_NAMES = ENGINES.map(([name]) => name);

/** Commands whose flags are in the table. */
export type SettingCommand = "sweep" | "faults" | "max" | "ramp" | "report" | "compare" | "import" | "init";

/**
 * How the words of a flag are read. `text`: as they are, for the check of the input; `number`, `share`: a number where they are one;
 * `repeat`: every time one more; `list`: split at commas; `headers`, `body`, `bodyFile`, `mixFile`: as their names say; `path`: of a
 * file, which begins where the input does. The others are checked at once: `word` (one of `words`), `time`, `address`, `workers`, `count` (a
 * whole number), `some` (of at least 1), `port`, `content` (what is in a file).
 */
export type Kind =
  | ("text" | "number" | "share" | "repeat" | "list" | "headers" | "body" | "bodyFile" | "mixFile" | "path")
  | ("word" | "time" | "address" | "workers" | "count" | "some" | "port" | "content");

/** Something that can be said of a run, on the command line, in a config file, or both. */
export interface Setting {
  /** Where it stands in the input: `request.method`, `targets[].name`; without it the command itself reads it. */
  readonly path?: string;
  /** Its flags: `-c, --connections <list>`; without it a config file alone can say it. */
  readonly flags?: string;
  readonly commands?: readonly SettingCommand[];
  /** `text` without it. */
  readonly kind?: Kind;
  /** What its flag sets where no words follow it; `true` without it. */
  readonly value?: unknown;
  /** A sentence, begun in lower case, which can be followed by an example and the default. */
  readonly about: string;
  /** What its flag does, where that is not the same. */
  readonly flagAbout?: string;
  /** As it is printed. */
  readonly default?: string;
  readonly example?: string;
  /** What another command, or the GitHub Action, says of it. */
  readonly in?: {
    readonly [Command in SettingCommand | "action"]?: Partial<Pick<Setting, "about" | "example" | "default" | "words">>;
  };
  /** Words that can be completed. */
  readonly words?: readonly string[];
  /** The document that tells more. */
  readonly page?: string;
  /** The input of the GitHub Action. */
  readonly action?: string;
  /** Attributes of flags that cannot be beside it. */
  readonly conflicts?: readonly string[];
  /** The flag without which it means nothing. */
  readonly needs?: string;
  /** Whether it may stand beside `--resume`. */
  readonly resumes?: boolean;
  readonly isRequired?: boolean;
}

/** Runs at any load, also of gRPC, and from other machines. */
const STEADY_RUNS = ["sweep", "max", "ramp"] as const;
const RUNS = [...STEADY_RUNS, "faults"] as const;
const seconds = (ms: number): string => `${ms / 1000}s`;
const timedStep = (durationMs: number) => ({ about: "time per step", default: seconds(durationMs) });
const percent = (part: number): string => `${Number((part * 100).toPrecision(6))}%`;
const OWN_TARGETS = D.targets.map(({ name }) => name);
const either = (of: { readonly connections: number; readonly rate: number }): string =>
  `${of.connections}, by rate ${of.rate}`;

/**
 * Every setting: one row each. Help, completion, the reading of flags, their names in messages, the inputs of the Action,
 * `docs/config.md` and `config.schema.json` are made of these rows. What a value has to be is in `sweep-input.ts`.
 */
// oxfmt-ignore
export const SETTINGS: readonly Setting[] = [
  { path: "$schema",
    about: "address of the JSON schema, for editors", example: "./node_modules/lbbench/config.schema.json" },
  { path: "name", flags: "--name <name>", commands: [...RUNS, "import"],
    about: "name of the run, and of its folder", default: D.name,
    in: { max: { default: D.search.name }, ramp: { default: D.ramp.name }, faults: { default: D.faults.name },
      import: { default: D.import.name } } },
  { path: "targets",
    about: "names of servers, URLs, or objects with a name, a server and its options", default: OWN_TARGETS.join(", "),
    page: "servers.md" },
  { flags: "-t, --target <name>", commands: RUNS, kind: "repeat", action: "targets",
    about: "repeatable; a built-in server, a name from the config file, or a URL", words: SERVER_NAMES,
    default: OWN_TARGETS.join(", "),
    in: { faults: { about: "repeatable; a built-in server, or a name from the config file", default: D.faults.targets.join(", ") },
      action: { about: "built-in servers, names from the config file, URLs, or plugins by path or package" } } },
  { flags: "-t, --target <A=B>", commands: ["compare"], kind: "repeat",
    about: "repeatable; compare a target of A with one of B, or one that both have", default: "those of the same name" },
  { flags: "-t, --target <name>", commands: ["import"],
    about: "name of the target, where all runs are of one", default: "host, port and path, or the file" },
  { path: "targets[].name", about: "name in the report", default: "needed" },
  { path: "targets[].server", about: "name of a server, or of a plugin", default: "needed", page: "plugins.md" },
  { path: "targets[].options", about: "options of that server", default: "its own", page: "servers.md" },
  { path: "targets[].grid",
    about: "values of options to combine, each combination a target", example: '{"queue": [10, 20]}',
    page: "servers.md#grids" },
  { path: "targets[].engine",
    about: "engine that loads this target: a name, or an object with the two below", default: "that of the run" },
  { path: "targets[].engine.name", about: "name of the engine", default: "needed" },
  { path: "targets[].engine.options", about: "options of the engine, for this target", default: "those in `engines`" },
  { path: "targets[].reference",
    about: "name of the target that this one is compared with, or a list of names", default: "that of the run" },
  { path: "reference", flags: "--reference <name>", commands: ["sweep", "faults", "ramp"],
    about: "name of the target that the others are compared with", default: "the first", action: "reference" },
  { path: "connections", flags: "-c, --connections <list>", commands: ["sweep", "init"],
    about: "levels of a closed loop: connections kept busy", default: D.connections.join(","), action: "connections",
    example: "10:100:10" },
  { flags: "-c, --connections <n>", commands: ["import"], kind: "some",
    about: "connections of runs that do not tell them (hey)" },
  { path: "rate", flags: "-r, --rate <list>", commands: ["sweep", "faults"],
    about: "levels of an open loop, in place of connections: requests per second, sent on schedule", action: "rate",
    default: `${D.faults.rate} with faults, unless there are connections`, example: "500:2000:500",
    in: { faults: { about: "levels: requests per second, sent on schedule", default: `${D.faults.rate}` } } },
  { path: "arrival", about: "with `rate`: how requests arrive" },
  { path: "arrival.spacing", flags: "--poisson", commands: ["sweep", "faults", "max"], value: "poisson",
    about: "with a rate: `uniform`, or `poisson`, at random with an exponential distribution of the gaps",
    flagAbout: "with a rate: requests leave at random, with an exponential distribution of the gaps",
    default: D.arrival.spacing },
  { path: "arrival.maxInFlight", flags: "--max-in-flight <count>", commands: ["sweep", "faults", "max"], kind: "number",
    about: "with a rate: requests open at a time", default: `${D.arrival.maxInFlight}` },
  { path: "requests", flags: "-n, --requests <list>", commands: ["sweep"],
    about: "requests per step; several values make a matrix with the levels", action: "requests", example: "1000,10000" },
  { path: "duration", flags: "-d, --duration <time>", commands: ["sweep", "faults", "max", "init"],
    about: "time per step, in place of requests",
    default: `${seconds(D.durationMs)}, of rates ${seconds(D.rateDurationMs)}, with faults ${seconds(D.faults.afterMs)} after the last`, action: "duration",
    in: { max: timedStep(D.search.durationMs), init: timedStep(D.durationMs),
      faults: { about: "time per step",
        default: `${seconds(D.faults.usualDurationMs)}, with faults of your own ${seconds(D.faults.afterMs)} after the last` } } },
  { flags: "-d, --duration <time>", commands: ["import"],
    about: "time that runs were asked to last, where they do not tell it (ab -t)" },
  { path: "trials", flags: "--trials <count>", commands: RUNS, kind: "number",
    about: "starts of every target, each measured at every level; a claim takes several. `auto`: as many as decide every comparison",
    words: ["auto"], default: `${D.trials}, with a margin auto, with requests or faults ${D.trialsOfOthers}`,
    action: "trials", page: "methodology.md#why-trials",
    in: { max: { about: "most repetitions of every level", words: [], default: `${D.search.trials}` },
      ramp: { about: "starts of every target; a claim takes several", words: [], default: `${D.trialsOfOthers}` },
      faults: { about: "starts of every target; a claim takes several", words: [], default: `${D.trialsOfOthers}` } } },
  { path: "warmup", flags: "--warmup <time>", commands: RUNS,
    about: "load before the measurement that is not counted: `auto` until throughput is steady, a time, or 0 for none",
    words: ["auto", "0"], default: `${D.warmup}, with requests ${D.warmupOfRequestsMs}ms`, action: "warmup",
    page: "methodology.md#warm-up", in: { max: { default: D.warmup }, ramp: { default: D.warmup }, faults: { default: D.warmup } } },
  { path: "restart", flags: "--restart <when>", commands: STEADY_RUNS,
    about: "when targets are started again: for every `trial`, or for every `step`", words: ["trial", "step"],
    default: `${D.restart}, with faults step`, page: "methodology.md#how-long-a-target-lives",
    in: { max: { default: D.restart }, ramp: { default: D.restart } } },
  { path: "timeout", flags: "--timeout <time>", commands: RUNS,
    about: "longest wait for an answer", default: seconds(D.timeoutMs), action: "timeout",
    in: { max: { default: seconds(D.search.timeoutMs) } } },
  { path: "keepAlive", flags: "--no-keepalive", commands: RUNS, value: false,
    about: "`false`: a connection for each request", flagAbout: "open a connection for each request",
    default: `${D.keepAlive}`, action: "keep-alive",
    in: { action: { about: "`false` opens a connection for each request" } } },
  { path: "httpVersion", flags: "--http2", commands: RUNS, value: "2",
    about: "`1.1` or `2`: HTTP/2, without asking over http://, negotiated over https://",
    flagAbout: "speak HTTP/2, without asking over http://, negotiated over https://", default: D.httpVersion },
  { path: "insecure", flags: "--insecure", commands: RUNS, value: true,
    about: "`true`: accept any certificate", flagAbout: "accept any certificate, as curl -k does", default: `${D.insecure}` },
  { path: "engine", flags: "--engine <name>", commands: RUNS,
    about: "what generates the load", words: [D.engine, ...ENGINE_NAMES], default: D.engine, action: "engine",
    page: "engines.md", in: { action: { about: `what generates the load: ${ENGINE_NAMES.join(", ")}` } } },
  { path: "engines", about: "options of engines, by name", example: '{"wire": {"streams": 10}}' },
  { path: "engines.wire.streams", flags: "--streams <count>", commands: RUNS, kind: "number",
    about: "HTTP/2: users that share a connection", default: `${D.wire.streams}` },
  { path: "engines.grpc.proto", flags: "--proto <file>", commands: STEADY_RUNS, kind: "path",
    about: "gRPC: file that describes the service", default: "that of the sample service" },
  { path: "engines.grpc.call", flags: "--call <method>", commands: STEADY_RUNS,
    about: "gRPC: method to call, as package.Service/Method; the body is its message, as JSON" },
  { path: "engines.grpc.channels", flags: "--channels <count>", commands: STEADY_RUNS, kind: "number",
    about: "gRPC: connections that the calls share", default: `${D.grpc.channels}` },
  { path: "generators", flags: "--generators <count>", commands: RUNS, kind: "number",
    about: "processes that the load is split over, or `auto`: more than one where one is not enough",
    words: [D.generators], default: D.generators, page: "methodology.md#generators" },
  { path: "workers", flags: "--workers <where>", commands: STEADY_RUNS,
    about: "machines that generate the load: `ssh:gen1,gen2` starts a worker on each, `wait:3` waits a minute for 3 that you start, `wait:3:5m` five minutes",
    default: "this machine alone", page: "many-machines.md" },
  { path: "workersListen", flags: "--workers-listen <address>", commands: STEADY_RUNS,
    about: "with workers: address, or address:port, at which they find the master; its port is not encrypted",
    default: `${D.workers.host}:${D.workers.port}`, example: "10.0.0.1" },
  { path: "workersCommand", flags: "--workers-command <command>", commands: STEADY_RUNS,
    about: "with workers by ssh: what starts lbbench there, for the shell of that machine",
    default: "npx, which gets this version", example: "/opt/lbbench/bin/lbbench" },
  { path: "retryLost", flags: "--retry-lost", commands: STEADY_RUNS,
    about: "with workers: a step that lost one is measured once more when all are there again", default: "false" },
  { path: "request", about: "what is sent, and what is expected" },
  { path: "request.method", flags: "-m, --method <method>", commands: RUNS,
    about: "method of every request", words: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    default: D.request.method },
  { path: "request.path", about: "path and query, as they are sent; a URL brings its own", default: D.request.path },
  { path: "request.headers", flags: "-H, --header <line>", commands: RUNS, kind: "headers",
    about: "headers by name; a list of values for one that is repeated",
    flagAbout: 'repeatable; a header, "Name: value"' },
  { path: "request.body", flags: "-b, --body <text>", commands: RUNS, kind: "body", about: "body of every request" },
  { path: "request.bodyFile", flags: "--body-file <file>", commands: RUNS, kind: "bodyFile",
    about: "file that is the body, as it is", conflicts: ["body"] },
  { path: "request.bodyEncoding", about: "`utf8`, or `base64` for a `body` that is not text", default: "utf8" },
  { path: "request.expectStatus", flags: "--expect-status <list>", commands: RUNS,
    about: "status codes or classes of an ok response", default: D.request.expectStatus, example: "200,304" },
  { path: "request.expectBody", flags: "--expect-body <text>", commands: RUNS, about: "exact body of an ok response" },
  { path: "mix", flags: "--mix <file>", commands: RUNS, kind: "mixFile",
    about: "several requests in place of one, each as often as its weight says: a list",
    flagAbout: "file of JSON with a list of requests in place of one, each as often as its weight says",
    page: "loads.md#several-requests" },
  { path: "mix[].name", about: "name in the report", default: "method and path" },
  { path: "mix[].weight", about: "how often it is sent, beside the weights of the others", default: `${D.mixWeight}` },
  { path: "mix[].bodies", about: "bodies to send in turn" },
  { path: "mix[].bodiesFile", about: "file of such bodies, one in each line" },
  { path: "faults", flags: "--fault <text>", commands: ["sweep", "faults"], kind: "repeat",
    about: "what is done to every target while it is measured, and when: texts, or objects as below",
    flagAbout: "repeatable; what is done to a part of every target while it is measured, and when",
    default: "none", example: '"kill backend-2 at 3s"', page: "faults.md", action: "faults",
    in: { faults: { default: "the usual ones" }, action: { about: "what is done to every target while it is measured", example: "kill backend-2 at 3s" } } },
  { path: "faults[].at", about: "when it is done, from the start of the measurement", default: "needed" },
  { path: "faults[].kill", about: "part that is ended at once (SIGKILL)" },
  { path: "faults[].start", about: "part that is started again after `kill` or `stop`" },
  { path: "faults[].stop", about: "part that is asked to end, as by a deploy" },
  { path: "faults[].pause", about: "part that stands still (SIGSTOP), like a host that hangs" },
  { path: "faults[].resume", about: "part that goes on after `pause`" },
  { path: "faults[].slow", about: "backend whose answers are held back, `by` some time" },
  { path: "faults[].errors", about: "backend that answers a `share` of its requests with 503" },
  { path: "faults[].drain", about: "backend that gets no more requests from the balancer" },
  { path: "faults[].restore", about: "backend that gets requests again after `drain`" },
  { path: "faults[].roll", about: "`backends`: each is stopped and started, one after the other" },
  { path: "faults[].by", about: "of `slow`: how long answers are held back, or 0 to end it", example: "200ms" },
  { path: "faults[].share", about: "of `errors`: share of the requests, or 0 to end it", example: "50%" },
  { path: "thresholds", flags: "--threshold <expression>", commands: [...RUNS, "import", "init"], kind: "repeat",
    about: "conditions that every level has to meet: `errors<1%`, `throughput>1000`, with faults `lost<10` or `recovery<2s`, or on latency",
    flagAbout: "repeatable; condition that every level has to meet: errors<1%, throughput>1000, or on latency",
    action: "thresholds", example: "p99<50ms",
    in: { max: { default: D.search.threshold },
      faults: { about: "repeatable; condition that every fault or level has to meet: lost<10, recovery<2s, errors<1%, or on latency" },
      init: { default: D.init.thresholds.join(" ") } } },
  { path: "margin", flags: "--margin <share>", commands: ["sweep", "faults", "ramp", "compare"],
    about: "fail where another target is worse than the reference by more than this", action: "margin", example: "5%",
    in: { compare: { about: "by how much throughput and latency may be worse", default: percent(D.margin) },
      action: { about: "by how much throughput and latencies may be worse than those of the reference or of the baseline",
        default: `${percent(D.margin)} for the baseline` } } },
  { path: "errorMargin",
    about: "with `margin`: by how much the share of failed requests may be higher", default: percent(D.errorMargin) },
  { path: "stopOn", flags: "--stop-on <expression>", commands: ["sweep", "faults"], kind: "repeat",
    about: "conditions; where a step meets one, higher levels of its target are left out; or `thresholds`",
    flagAbout: "repeatable; when a step meets this condition, higher levels of its target are left out; thresholds: when it misses one",
    example: "errors>10%" },
  { path: "order", flags: "--order <order>", commands: ["sweep", "faults", "ramp"],
    about: "order of the steps: `interleaved` or `random`", words: ["interleaved", "random"], default: D.order },
  { path: "seed", flags: "--seed <number>", commands: RUNS, kind: "number",
    about: "of what is drawn at random: the order, the gaps of `poisson`, and the part `random` of faults", default: `${D.seed}`,
    in: { max: { about: "seed of the gaps of `poisson`, which are drawn at random" },
      ramp: { about: "seed of the order `random`" } } },
  { path: "search", about: "how `lbbench max` searches", page: "loads.md#the-largest-load-that-holds" },
  { path: "search.by", flags: "--by <what>", commands: ["max"],
    about: "`connections`, or `rate`: requests per second of an open loop", words: ["connections", "rate"],
    default: D.search.by },
  { path: "search.start", flags: "--start <value>", commands: ["max"], kind: "number",
    about: "the first value that is tried", default: either(D.search.start) },
  { path: "search.growth",
    about: "factor from a value that held to the next one", default: `${D.search.growth}` },
  { path: "search.most", flags: "--most <value>", commands: ["max"], kind: "number",
    about: "the largest value that is tried", default: either(D.search.most) },
  { path: "search.resolution", flags: "--resolution <share>", commands: ["max"], kind: "share",
    about: "the search ends when what held and what did not differ by this share, or by 1",
    default: `${D.search.resolution}` },
  { path: "search.needed", flags: "--needed <count>", commands: ["max"], kind: "number",
    about: "how many of the trials of a level have to hold", default: "more than half" },
  { path: "search.beyond", flags: "--beyond <factor>", commands: ["max"], kind: "share",
    about: "one more run, at this many times the limit", example: "1.25" },
  { path: "ramp", about: "how the users of `lbbench ramp` come", page: "loads.md#rising-users" },
  { path: "ramp.from", flags: "--from <users>", commands: ["ramp"], kind: "number",
    about: "users at the start", default: `${D.ramp.from}` },
  { path: "ramp.to", flags: "--to <users>", commands: ["ramp"], kind: "number",
    about: "users in the end", default: `${D.ramp.to}` },
  { path: "ramp.over", flags: "--over <time>", commands: ["ramp"],
    about: "time over which users are added", default: seconds(D.ramp.riseMs) },
  { path: "ramp.steps", flags: "--steps <count>", commands: ["ramp"], kind: "number",
    about: "equal steps in which users are added, each at its end, or `none`", default: "one user after the other" },
  { path: "ramp.hold", flags: "--hold <time>", commands: ["ramp"],
    about: "how long all users stay", default: `${seconds(D.ramp.holdMs)}, with steps as long as each of them` },
  { path: "out", flags: "-o, --out <dir>", commands: [...RUNS, "report", "import"],
    about: "folder of the report", default: `${D.outFolder}/NAME-TIMESTAMP`, action: "out",
    in: { report: { default: "that of the result" }, action: { about: "folder of the report, seen from the working directory" } } },
  { flags: "--force", commands: [...RUNS, "import"],
    about: "with -o: write over the report that is in the folder" },
  { path: "formats", flags: "-f, --format <list>", commands: [...RUNS, "report", "import"], kind: "list", resumes: true,
    about: `formats of the report, beside result.json: ${FORMAT_NAMES.join(", ")}`, words: FORMAT_NAMES,
    default: D.formats.join(","), action: "formats", page: "formats.md",
    in: { action: { about: `formats of the report: ${FORMAT_NAMES.filter((name) => name !== "png").join(", ")}`,
      default: "md,html" } } },
  { flags: "-f, --format <format>", commands: ["compare"], kind: "word",
    about: "md or text", words: ["md", "text"], default: "text on a terminal, else md" },
  { path: "charts", flags: "--charts <style>", commands: [...RUNS, "report", "import"], kind: "word", resumes: true,
    about: "charts in Markdown: `png`, `mermaid` or `none`", words: CHART_STYLES, default: D.charts },
  { flags: "--config <file>", commands: RUNS, resumes: true,
    about: "config file", default: "lbbench.config.{ts,js,mjs,json}, if there is one", action: "config",
    in: { action: { about: "config file, seen from the working directory" } } },
  { flags: "--resume <dir>", commands: RUNS,
    about: "go on with the interrupted run of this folder: measure what is missing, failed or was cut short" },
  { flags: "--live", commands: RUNS, resumes: true,
    about: "show the run on a page of this machine while it goes on; its address is printed on stderr" },
  { flags: "--live-port <port>", commands: RUNS, kind: "port", needs: "--live", resumes: true,
    about: "with --live: port of that page", default: "one that is free" },
  { flags: "--quiet", commands: [...RUNS, "report", "compare", "import"], resumes: true,
    about: "print nothing but errors" },
  { flags: "--verbose", commands: [...RUNS, "import"], conflicts: ["quiet"], resumes: true,
    about: "print all that was noticed in full" },
  { flags: "--json", commands: [...RUNS, "import", "compare"], resumes: true,
    about: "print the result as JSON on stdout, and nothing else there",
    in: { compare: { about: "print the comparison as JSON, and nothing else" } } },
  { flags: "--json-lines", commands: RUNS, conflicts: ["json"], resumes: true,
    about: "print each step as a line of JSON on stdout when it ends, and nothing else there" },
];

/** The rows of a command that have flags, as that command says them; what a switch sets is no default of it. */
export function settingsOf(command: SettingCommand): readonly Setting[] {
  return SETTINGS.filter(({ flags, commands = [] }) => flags !== undefined && commands.includes(command)).map(
    ({ default: otherwise, ...setting }) => ({
      ...setting,
      about: setting.flagAbout ?? setting.about,
      ...defined({ default: otherwise === undefined || flagOf(setting) === setting.flags ? undefined : otherwise }),
      ...setting.in?.[command],
    }),
  );
}

/** A flag without its value: `-m, --method`. */
export function flagOf({ flags = "" }: Setting): string {
  return flags.replace(/ [<[].*$/, "");
}

/** The flag that a setting was given with: `-m, --method` for `request.method`. */
export function nameFlag(path: readonly PropertyKey[]): string {
  return flagAt(path) ?? "command line";
}

/** ` (--channels)` for a setting that has a flag, to be put behind its place; else nothing. */
export function flagInBrackets(path: readonly PropertyKey[]): string {
  const flag = flagAt(path);
  return flag === undefined ? "" : ` (${flag})`;
}

function flagAt(path: readonly PropertyKey[]): string | undefined {
  const isAbove = ({ flags, path: own = "?" }: Setting): boolean =>
    flags !== undefined && own.split(".").every((key, index) => String(path[index]) === key);
  const found = SETTINGS.find(isAbove);
  return found && flagOf(found);
}
