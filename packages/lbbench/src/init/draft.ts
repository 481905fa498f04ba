import { DEFAULTS } from "../config/defaults.js";
import { SETTINGS } from "../config/settings.js";
import { wrapWords } from "../report/wrap-words.js";
import type { Answers, ConfigFormat, Subject } from "./answers.js";

/** A value of a config that needs no remark inside. */
export type ConfigValue = string | number | boolean | readonly ConfigValue[] | { readonly [key: string]: ConfigValue };

/** A line of a config with what is said about it; an example is written as a comment, and says nothing to lbbench. */
export type ConfigEntry = {
  readonly key: string;
  readonly about?: string;
} & (
  | { readonly value: ConfigValue; readonly isExample?: boolean }
  | { readonly entries: readonly ConfigEntry[] }
  | { readonly list: readonly (readonly ConfigEntry[])[] }
);

/** A whole config: what it is for, and its entries. */
export interface ConfigDraft {
  readonly about: readonly string[];
  readonly entries: readonly ConfigEntry[];
}

/** What a draft says to lbbench, as data. */
export function toPlain(entries: readonly ConfigEntry[]): { readonly [key: string]: ConfigValue } {
  return Object.fromEntries(
    entries.flatMap((entry): (readonly [string, ConfigValue])[] => {
      if ("entries" in entry) return [[entry.key, toPlain(entry.entries)]];
      if ("list" in entry) return [[entry.key, entry.list.map(toPlain)]];
      return entry.isExample === true ? [] : [[entry.key, entry.value]];
    }),
  );
}

/** What the sample servers do for a request. */
const SAMPLE_HANDLER = "cpu:2ms";

/** The config of a project: what was answered, with a line about every option that matters, and examples of others. */
export function draftConfig(answers: Answers, name: string): ConfigDraft {
  const { subject, connections, duration, thresholds } = answers;
  return {
    about: ["What lbbench measures: npx lbbench sweep"],
    entries: [
      { key: "name", value: name, about: "Names the report, and its folder: reports/NAME-TIME." },
      {
        key: "targets",
        about:
          "What is measured. Several are measured in turn at every level, and compared with the first; all that lbbench starts it stops.",
        ...draftTargets(subject, name),
      },
      { key: "connections", value: connections, about: aboutOf("connections") },
      { key: "rate", value: "100,200,400", isExample: true, about: aboutOf("rate") },
      { key: "duration", value: duration, about: aboutOf("duration") },
      { key: "trials", value: DEFAULTS.init.pullRequest.trials, isExample: true, about: aboutOf("trials") },
      { key: "warmup", value: DEFAULTS.warmup, isExample: true, about: aboutOf("warmup") },
      {
        key: "request",
        value: { method: "POST", path: "/orders", headers: { "content-type": "application/json" }, body: "{}" },
        isExample: true,
        about: "What is sent. Without it: GET / with every status 2xx taken as a good answer.",
      },
      draftThresholds(thresholds),
      { key: "stopOn", value: ["errors>10%"], isExample: true, about: aboutOf("stopOn") },
      { key: "formats", value: [...DEFAULTS.formats, "csv"], isExample: true, about: aboutOf("formats") },
    ],
  };
}

/** What the table of settings says of one, in sentences. */
function aboutOf(path: string): string {
  const { about = "", example, default: otherwise } = SETTINGS.find((setting) => setting.path === path) ?? {};
  const such = example === undefined ? "" : `, such as ${example}`;
  const text = `${about.charAt(0).toUpperCase()}${about.slice(1)}${such}.`;
  return `${text}${otherwise === undefined ? "" : ` Default: ${otherwise}.`}`;
}

/** What every level has to keep; an example where nothing was asked for. */
function draftThresholds(thresholds: readonly string[]): ConfigEntry {
  return {
    key: "thresholds",
    value: thresholds.length === 0 ? ["p99<50ms", ...DEFAULTS.init.thresholds] : thresholds,
    isExample: thresholds.length === 0,
    about: 'What every level has to keep, or lbbench exits with code 1: "p99<50ms", "errors<1%", "throughput>1000".',
  };
}

function draftTargets(subject: Subject, name: string): Pick<Extract<ConfigEntry, { list: unknown }>, "list"> {
  const own = name;
  switch (subject.kind) {
    case "url":
      return {
        list: [
          [
            { key: "name", value: own },
            { key: "server", value: "url", about: "A server that is running already." },
            { key: "options", value: { url: subject.url } },
          ],
        ],
      };
    case "command":
      return { list: [[{ key: "name", value: own }, ...startByCommand(subject.command)]] };
    case "balanced":
      return {
        list: [
          [{ key: "name", value: "one" }, ...startByCommand(subject.command)],
          [{ key: "name", value: `${subject.backends} behind the balancer` }, ...startBehindBalancer(subject)],
        ],
      };
    case "samples":
      return {
        list: [
          [
            { key: "name", value: "one process" },
            {
              key: "server",
              value: "single",
              about: "A sample server that takes 2 ms of processor time for a request.",
            },
            { key: "options", value: { handler: SAMPLE_HANDLER } },
          ],
          [
            { key: "name", value: `${DEFAULTS.balancedBackends} behind the balancer` },
            { key: "server", value: "balanced", about: "Several of them, with a balancer in front." },
            {
              key: "options",
              value: { backends: DEFAULTS.balancedBackends, handler: SAMPLE_HANDLER, policy: DEFAULTS.policy },
            },
          ],
        ],
      };
  }
}

/** The server and the options of a program; its folder is left out where it is that of the config. */
function startByCommand(command: string, cwd?: string): readonly ConfigEntry[] {
  return [
    { key: "server", value: "command" },
    {
      key: "options",
      entries: [
        {
          key: "command",
          value: command,
          about:
            "Run without a shell. It has to listen on the port in the environment variable PORT; {port} in its arguments stands for it, too.",
        },
        ...(cwd === undefined ? [] : [{ key: "cwd", value: cwd }]),
        {
          key: "readyPath",
          value: "/health",
          isExample: true,
          about: `Asked until there is an answer of any status (${DEFAULTS.command.readyPath} without it).`,
        },
        { key: "env", value: { NODE_ENV: "production" }, isExample: true },
      ],
    },
  ];
}

/** The server and the options of several of a program behind the balancer. */
function startBehindBalancer(
  { command, backends }: Extract<Subject, { kind: "balanced" }>,
  cwd?: string,
): readonly ConfigEntry[] {
  return [
    { key: "server", value: "balanced" },
    {
      key: "options",
      entries: [
        {
          key: "policy",
          value: DEFAULTS.policy,
          about: "How a backend is picked: round-robin, least-connections, random and others.",
        },
        {
          key: "backends",
          about: "What stands behind it; each is started with a port of its own.",
          list: [
            [
              { key: "server", value: "command" },
              { key: "count", value: backends },
              { key: "options", value: { command, ...(cwd === undefined ? {} : { cwd }) } },
            ],
          ],
        },
      ],
    },
  ];
}

/** Folder of the base, seen from that of the head, where both are checked out side by side. */
const BASE_FOLDER = "../base";

/** The config that the workflow uses: base and head of a pull request as two targets, measured in turn in one job. */
export function draftPullRequest({ subject, thresholds }: Answers, name: string): ConfigDraft {
  const { connections, duration, trials, margin } = DEFAULTS.init.pullRequest;
  return {
    about: [
      "What the workflow .github/workflows/lbbench.yml measures: base and head of a pull request, in turn and on one machine, so that whatever the machine does happens to both.",
    ],
    entries: [
      { key: "name", value: `${name}, base and head` },
      {
        key: "targets",
        about: "Paths begin at the folder of this file, which is the head; the workflow checks the base out beside it.",
        list: [
          [{ key: "name", value: "base" }, ...startOne(subject, BASE_FOLDER)],
          [{ key: "name", value: "head" }, ...startOne(subject, ".")],
        ],
      },
      { key: "reference", value: "base" },
      {
        key: "margin",
        value: margin,
        about:
          "By how much the head may be worse in throughput, p50 and p99. The smaller it is, the more trials it takes to tell.",
      },
      { key: "trials", value: trials, about: "With too few the verdict is inconclusive, and says how many it takes." },
      { key: "connections", value: connections },
      { key: "duration", value: duration },
      draftThresholds(thresholds),
    ],
  };
}

function startOne(subject: Subject, cwd: string): readonly ConfigEntry[] {
  if (subject.kind === "command") return startByCommand(subject.command, cwd);
  if (subject.kind === "balanced") return startBehindBalancer(subject, cwd);
  throw new TypeError(`Nothing of a pull request is measured by "${subject.kind}"`);
}

const WIDTH = 100;

/**
 * The text of a config. Types are imported as types alone, so that it can be read where lbbench is not installed and is run
 * by `npx`. JSON has neither types nor comments.
 */
export function renderConfig({ about, entries }: ConfigDraft, format: ConfigFormat): string {
  if (format === "json") return `${JSON.stringify(toPlain(entries), null, 2)}\n`;
  const head = about.flatMap((paragraph) => comment(paragraph, ""));
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
