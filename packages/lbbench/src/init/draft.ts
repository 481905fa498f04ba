import { DEFAULTS } from "../config/defaults.js";
import { SETTINGS } from "../config/settings.js";
import { wrapWords } from "../report/text-layout.js";
import type { Answers, Program, Subject } from "./answers.js";
import type { ConfigFormat } from "./folder.js";

/** A field of a config, and what is said about it; an example is written as a comment, and says nothing to lbbench. */
interface Field {
  readonly key: string;
  readonly value: unknown;
  readonly about?: string | undefined;
  readonly isExample?: boolean;
}

/** A config, or an object in it, with a remark about each field. */
class Draft {
  constructor(readonly fields: readonly Field[]) {}

  /** What it says to lbbench. */
  toJSON(): object {
    return Object.fromEntries(
      this.fields.flatMap(({ key, value, isExample }) => (isExample === true ? [] : [[key, value]])),
    );
  }
}

/** A whole config, and what it is for. */
export interface ConfigDraft {
  readonly about: string;
  readonly config: Draft;
}

const draft = (...fields: readonly Field[]): Draft => new Draft(fields);
const field = (key: string, value: unknown, about?: string): Field => ({ key, value, about });
const example = (key: string, value: unknown, about?: string): Field => ({ key, value, about, isExample: true });

/** What the sample servers do for a request. */
const SAMPLE_HANDLER = "cpu:2ms";
/** Folder of the base, seen from that of the head, where both are checked out side by side. */
const BASE_FOLDER = "../base";

/** The config of a project: what was answered, with a line about every option that matters, and examples of others. */
export function draftConfig({ subject, connections, duration, thresholds }: Answers, name: string): ConfigDraft {
  const order = { method: "POST", path: "/orders", headers: { "content-type": "application/json" }, body: "{}" };
  return {
    about: "What lbbench measures: npx lbbench sweep",
    config: draft(
      field("name", name, "Names the report, and its folder: reports/NAME-TIME."),
      field(
        "targets",
        draftTargets(subject, name),
        "What is measured. Several are measured in turn at every level, and compared with the first; all that lbbench starts it stops.",
      ),
      field("connections", connections, aboutOf("connections")),
      example("rate", "100,200,400", aboutOf("rate")),
      field("duration", duration, aboutOf("duration")),
      example("trials", DEFAULTS.init.pullRequest.trials, aboutOf("trials")),
      example("warmup", DEFAULTS.warmup, aboutOf("warmup")),
      example("request", order, "What is sent. Without it: GET / with every status 2xx taken as a good answer."),
      draftThresholds(thresholds),
      example("stopOn", ["errors>10%"], aboutOf("stopOn")),
      example("formats", [...DEFAULTS.formats, "csv"], aboutOf("formats")),
    ),
  };
}

/** The config that the workflow uses: base and head of a pull request as two targets, measured in turn in one job. */
export function draftPullRequest(subject: Program, thresholds: readonly string[], name: string): ConfigDraft {
  const { connections, duration, trials, margin } = DEFAULTS.init.pullRequest;
  return {
    about:
      "What the workflow .github/workflows/lbbench.yml measures: base and head of a pull request, in turn and on one machine, so that whatever the machine does happens to both.",
    config: draft(
      field("name", `${name}, base and head`),
      field(
        "targets",
        [
          draft(field("name", "base"), ...startProgram(subject, BASE_FOLDER)),
          draft(field("name", "head"), ...startProgram(subject, ".")),
        ],
        "Paths begin at the folder of this file, which is the head; the workflow checks the base out beside it.",
      ),
      field("reference", "base"),
      field(
        "margin",
        margin,
        "By how much the head may be worse in throughput, p50 and p99. The smaller it is, the more trials it takes to tell.",
      ),
      field("trials", trials, "With too few the verdict is inconclusive, and says how many it takes."),
      field("connections", connections),
      field("duration", duration),
      draftThresholds(thresholds),
    ),
  };
}

/** What the table of settings says of one, in sentences. */
function aboutOf(path: string): string {
  const { about = "", example: such, default: otherwise } = SETTINGS.find((setting) => setting.path === path) ?? {};
  const text = `${about.charAt(0).toUpperCase()}${about.slice(1)}${such === undefined ? "" : `, such as ${such}`}.`;
  return otherwise === undefined ? text : `${text} Default: ${otherwise}.`;
}

/** What every level has to keep; an example where nothing was asked for. */
function draftThresholds(thresholds: readonly string[]): Field {
  const about =
    'What every level has to keep, or lbbench exits with code 1: "p99<50ms", "errors<1%", "throughput>1000".';
  if (thresholds.length > 0) return field("thresholds", thresholds, about);
  return example("thresholds", ["p99<50ms", ...DEFAULTS.init.thresholds], about);
}

function draftTargets(subject: Subject, name: string): readonly Draft[] {
  if (subject.kind === "url") {
    const server = field("server", "url", "A server that is running already.");
    return [draft(field("name", name), server, field("options", { url: subject.url }))];
  }
  if (subject.kind === "samples") {
    const backends = DEFAULTS.balancedBackends;
    const about = "A sample server that takes 2 ms of processor time for a request.";
    return [
      draft(
        field("name", "one process"),
        field("server", "single", about),
        field("options", { handler: SAMPLE_HANDLER }),
      ),
      draft(
        field("name", `${backends} behind the balancer`),
        field("server", "balanced", "Several of them, with a balancer in front."),
        field("options", { backends, handler: SAMPLE_HANDLER, policy: DEFAULTS.policy }),
      ),
    ];
  }
  const { command } = subject;
  if (subject.kind === "command") return [draft(field("name", name), ...startProgram(subject))];
  return [
    draft(field("name", "one"), ...startProgram({ kind: "command", command })),
    draft(field("name", `${subject.backends} behind the balancer`), ...startProgram(subject)),
  ];
}

/** The server and the options of a program, or of several behind the balancer; its folder is left out where it is that of the config. */
function startProgram(subject: Program, cwd?: string): readonly Field[] {
  const { command } = subject;
  const folder = cwd === undefined ? {} : { cwd };
  if (subject.kind === "command") {
    const options = draft(
      field(
        "command",
        command,
        "Run without a shell. It has to listen on the port in the environment variable PORT; {port} in its arguments stands for it, too.",
      ),
      ...Object.entries(folder).map(([key, value]) => field(key, value)),
      example(
        "readyPath",
        "/health",
        `Asked until there is an answer of any status (${DEFAULTS.command.readyPath} without it).`,
      ),
      example("env", { NODE_ENV: "production" }),
    );
    return [field("server", "command"), field("options", options)];
  }
  const program = draft(
    field("server", "command"),
    field("count", subject.backends),
    field("options", { command, ...folder }),
  );
  const options = draft(
    field("policy", DEFAULTS.policy, "How a backend is picked: round-robin, least-connections, random and others."),
    field("backends", [program], "What stands behind it; each is started with a port of its own."),
  );
  return [field("server", "balanced"), field("options", options)];
}

const WIDTH = 100;

/**
 * The text of a config. Types are imported as types alone, so that it can be read where lbbench is not installed and is run
 * by `npx`. JSON has neither types nor comments, but the address of a schema for editors.
 */
export function renderConfig({ about, config }: ConfigDraft, format: ConfigFormat, schema?: string): string {
  if (format === "json") {
    return `${JSON.stringify({ ...(schema === undefined ? {} : { $schema: schema }), ...config.toJSON() }, null, 2)}\n`;
  }
  const isTypeScript = format === "ts";
  const lines = [
    ...comment(about, ""),
    ...(isTypeScript
      ? ['import type { SweepInput } from "lbbench";', ""]
      : ["", '/** @type {import("lbbench").SweepInput} */']),
    `export default ${renderValue(config, "")}${isTypeScript ? " satisfies SweepInput" : ""};`,
  ];
  return `${lines.join("\n")}\n`;
}

function comment(text: string, indent: string): readonly string[] {
  return wrapWords(text, WIDTH - indent.length - 3).map((line) => `${indent}// ${line.trim()}`);
}

function renderValue(value: unknown, indent: string): string {
  const inside = `${indent}  `;
  if (value instanceof Draft) {
    const lines = value.fields.flatMap(({ key, value: inner, about, isExample }, index) => [
      ...(index > 0 && about !== undefined ? [""] : []),
      ...(about === undefined ? [] : comment(about, inside)),
      `${inside}${isExample === true ? "// " : ""}${renderKey(key)}: ${renderValue(inner, inside)},`,
    ]);
    return ["{", ...lines, `${indent}}`].join("\n");
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => renderValue(item, inside));
    if (!(value[0] instanceof Draft)) return `[${items.join(", ")}]`;
    return ["[", ...items.map((item) => `${inside}${item},`), `${indent}]`].join("\n");
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, one]) => `${renderKey(key)}: ${renderValue(one, inside)}`);
  return `{ ${pairs.join(", ")} }`;
}

function renderKey(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key);
}
