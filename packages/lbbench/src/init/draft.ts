import { DEFAULTS } from "../config/defaults.js";
import { SETTINGS } from "../config/settings.js";
import { wrapWords } from "../report/wrap-words.js";
import type { Answers, Subject } from "./answers.js";
import type { ConfigFormat } from "./folder.js";

/** A value of a config that needs no remark inside. */
export type ConfigValue = string | number | boolean | readonly ConfigValue[] | { readonly [key: string]: ConfigValue };

/** A line of a config with what is said about it; an example is written as a comment, and says nothing to lbbench. */
export type ConfigEntry = { readonly key: string; readonly about?: string | undefined } & (
  | { readonly value: ConfigValue; readonly isExample?: boolean }
  | { readonly entries: readonly ConfigEntry[] }
  | { readonly list: readonly (readonly ConfigEntry[])[] }
);

/** A whole config: what it is for, and its entries. */
export interface ConfigDraft {
  readonly about: string;
  readonly entries: readonly ConfigEntry[];
}

const entry = (key: string, value: ConfigValue, about?: string): ConfigEntry => ({ key, value, about });
const example = (key: string, value: ConfigValue, about?: string): ConfigEntry => {
  return { key, value, about, isExample: true };
};
const object = (key: string, entries: readonly ConfigEntry[]): ConfigEntry => ({ key, entries });
const list = (key: string, items: readonly (readonly ConfigEntry[])[], about: string): ConfigEntry => {
  return { key, about, list: items };
};

/** What the sample servers do for a request. */
const SAMPLE_HANDLER = "cpu:2ms";
/** Folder of the base, seen from that of the head, where both are checked out side by side. */
const BASE_FOLDER = "../base";

/** The config of a project: what was answered, with a line about every option that matters, and examples of others. */
export function draftConfig({ subject, connections, duration, thresholds }: Answers, name: string): ConfigDraft {
  const order = { method: "POST", path: "/orders", headers: { "content-type": "application/json" }, body: "{}" };
  return {
    about: "What lbbench measures: npx lbbench sweep",
    entries: [
      entry("name", name, "Names the report, and its folder: reports/NAME-TIME."),
      list(
        "targets",
        draftTargets(subject, name),
        "What is measured. Several are measured in turn at every level, and compared with the first; all that lbbench starts it stops.",
      ),
      entry("connections", connections, aboutOf("connections")),
      example("rate", "100,200,400", aboutOf("rate")),
      entry("duration", duration, aboutOf("duration")),
      example("trials", DEFAULTS.init.pullRequest.trials, aboutOf("trials")),
      example("warmup", DEFAULTS.warmup, aboutOf("warmup")),
      example("request", order, "What is sent. Without it: GET / with every status 2xx taken as a good answer."),
      draftThresholds(thresholds),
      example("stopOn", ["errors>10%"], aboutOf("stopOn")),
      example("formats", [...DEFAULTS.formats, "csv"], aboutOf("formats")),
    ],
  };
}

/** The config that the workflow uses: base and head of a pull request as two targets, measured in turn in one job. */
export function draftPullRequest({ subject, thresholds }: Answers, name: string): ConfigDraft {
  const { connections, duration, trials, margin } = DEFAULTS.init.pullRequest;
  return {
    about:
      "What the workflow .github/workflows/lbbench.yml measures: base and head of a pull request, in turn and on one machine, so that whatever the machine does happens to both.",
    entries: [
      entry("name", `${name}, base and head`),
      list(
        "targets",
        [
          [entry("name", "base"), ...startProgram(subject, BASE_FOLDER)],
          [entry("name", "head"), ...startProgram(subject, ".")],
        ],
        "Paths begin at the folder of this file, which is the head; the workflow checks the base out beside it.",
      ),
      entry("reference", "base"),
      entry(
        "margin",
        margin,
        "By how much the head may be worse in throughput, p50 and p99. The smaller it is, the more trials it takes to tell.",
      ),
      entry("trials", trials, "With too few the verdict is inconclusive, and says how many it takes."),
      entry("connections", connections),
      entry("duration", duration),
      draftThresholds(thresholds),
    ],
  };
}

/** What the table of settings says of one, in sentences. */
function aboutOf(path: string): string {
  const { about = "", example: such, default: otherwise } = SETTINGS.find((setting) => setting.path === path) ?? {};
  const text = `${about.charAt(0).toUpperCase()}${about.slice(1)}${such === undefined ? "" : `, such as ${such}`}.`;
  return otherwise === undefined ? text : `${text} Default: ${otherwise}.`;
}

/** What every level has to keep; an example where nothing was asked for. */
function draftThresholds(thresholds: readonly string[]): ConfigEntry {
  const about =
    'What every level has to keep, or lbbench exits with code 1: "p99<50ms", "errors<1%", "throughput>1000".';
  if (thresholds.length > 0) return entry("thresholds", thresholds, about);
  return example("thresholds", ["p99<50ms", ...DEFAULTS.init.thresholds], about);
}

function draftTargets(subject: Subject, name: string): readonly (readonly ConfigEntry[])[] {
  if (subject.kind === "url") {
    const server = entry("server", "url", "A server that is running already.");
    return [[entry("name", name), server, entry("options", { url: subject.url })]];
  }
  if (subject.kind === "samples") {
    const backends = DEFAULTS.balancedBackends;
    const about = "A sample server that takes 2 ms of processor time for a request.";
    return [
      [entry("name", "one process"), entry("server", "single", about), entry("options", { handler: SAMPLE_HANDLER })],
      [
        entry("name", `${backends} behind the balancer`),
        entry("server", "balanced", "Several of them, with a balancer in front."),
        entry("options", { backends, handler: SAMPLE_HANDLER, policy: DEFAULTS.policy }),
      ],
    ];
  }
  const { command } = subject;
  if (subject.kind === "command") return [[entry("name", name), ...startProgram(subject)]];
  return [
    [entry("name", "one"), ...startProgram({ kind: "command", command })],
    [entry("name", `${subject.backends} behind the balancer`), ...startProgram(subject)],
  ];
}

/** The server and the options of a program, or of several behind the balancer; its folder is left out where it is that of the config. */
function startProgram(subject: Subject, cwd?: string): readonly ConfigEntry[] {
  if (subject.kind === "url" || subject.kind === "samples") {
    throw new TypeError(`Nothing of a pull request is measured by "${subject.kind}"`);
  }
  const { command } = subject;
  if (subject.kind === "command") {
    return [
      entry("server", "command"),
      object("options", [
        entry(
          "command",
          command,
          "Run without a shell. It has to listen on the port in the environment variable PORT; {port} in its arguments stands for it, too.",
        ),
        ...(cwd === undefined ? [] : [entry("cwd", cwd)]),
        example(
          "readyPath",
          "/health",
          `Asked until there is an answer of any status (${DEFAULTS.command.readyPath} without it).`,
        ),
        example("env", { NODE_ENV: "production" }),
      ]),
    ];
  }
  const options = { command, ...(cwd === undefined ? {} : { cwd }) };
  const program = [entry("server", "command"), entry("count", subject.backends), entry("options", options)];
  return [
    entry("server", "balanced"),
    object("options", [
      entry("policy", DEFAULTS.policy, "How a backend is picked: round-robin, least-connections, random and others."),
      list("backends", [program], "What stands behind it; each is started with a port of its own."),
    ]),
  ];
}

/** What a draft says to lbbench, as data. */
export function toPlain(entries: readonly ConfigEntry[]): { readonly [key: string]: ConfigValue } {
  return Object.fromEntries(
    entries.flatMap((one): (readonly [string, ConfigValue])[] => {
      if ("entries" in one) return [[one.key, toPlain(one.entries)]];
      if ("list" in one) return [[one.key, one.list.map(toPlain)]];
      return one.isExample === true ? [] : [[one.key, one.value]];
    }),
  );
}

const WIDTH = 100;

/**
 * The text of a config. Types are imported as types alone, so that it can be read where lbbench is not installed and is run
 * by `npx`. JSON has neither types nor comments, but the address of a schema for editors.
 */
export function renderConfig({ about, entries }: ConfigDraft, format: ConfigFormat, schema?: string): string {
  if (format === "json") {
    return `${JSON.stringify({ ...(schema === undefined ? {} : { $schema: schema }), ...toPlain(entries) }, null, 2)}\n`;
  }
  const head = comment(about, "");
  const body = renderEntries(entries, "  ");
  const lines =
    format === "ts"
      ? [
          ...head,
          `import type { SweepInput } from "lbbench";`,
          "",
          "export default {",
          ...body,
          "} satisfies SweepInput;",
        ]
      : [...head, "", `/** @type {import("lbbench").SweepInput} */`, "export default {", ...body, "};"];
  return `${lines.join("\n")}\n`;
}

function comment(text: string, indent: string): readonly string[] {
  return wrapWords(text, WIDTH - indent.length - 3).map((line) => `${indent}// ${line.trim()}`);
}

function renderEntries(entries: readonly ConfigEntry[], indent: string): readonly string[] {
  return entries.flatMap((entry, index) => {
    const lines = [...(entry.about === undefined ? [] : comment(entry.about, indent)), ...renderEntry(entry, indent)];
    return index > 0 && entry.about !== undefined ? ["", ...lines] : lines;
  });
}

function renderEntry(entry: ConfigEntry, indent: string): readonly string[] {
  const key = renderKey(entry.key);
  if ("entries" in entry) return [`${indent}${key}: {`, ...renderEntries(entry.entries, `${indent}  `), `${indent}},`];
  if ("list" in entry) {
    const items = entry.list.flatMap((item) => [
      `${indent}  {`,
      ...renderEntries(item, `${indent}    `),
      `${indent}  },`,
    ]);
    return [`${indent}${key}: [`, ...items, `${indent}],`];
  }
  return [`${indent}${entry.isExample === true ? "// " : ""}${key}: ${renderValue(entry.value)},`];
}

function renderKey(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key);
}

function renderValue(value: ConfigValue): string {
  if (Array.isArray(value)) return `[${value.map(renderValue).join(", ")}]`;
  if (typeof value === "object") {
    const pairs = Object.entries(value).map(([key, one]) => `${renderKey(key)}: ${renderValue(one as ConfigValue)}`);
    return `{ ${pairs.join(", ")} }`;
  }
  return JSON.stringify(value);
}
