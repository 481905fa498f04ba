import { DEFAULTS } from "../config/defaults.js";
import { sentenceOf } from "../config/field.js";
import { SETTINGS } from "../config/settings.js";
import { wrapWords } from "../report/text-layout.js";
import type { Answers, Program, Subject } from "./answers.js";
import type { ConfigFormat } from "./folder.js";
import { defined } from "../stats/defined.js";

/**
 * A line of a config: key, value, and what is said about it; behind `// ` it is an example, which says nothing to lbbench.
 */
type Line = readonly [key: string, value: unknown, about?: string];

const isExample = (key: string): boolean => key.startsWith("// ");

/** A config, or an object in it, with a remark about each field. */
class Draft {
  readonly lines: readonly Line[];
  constructor(...lines: readonly Line[]) {
    this.lines = lines;
  }

  /** What it says to lbbench. */
  toJSON(): object {
    return Object.fromEntries(this.lines.filter(([key]) => !isExample(key)));
  }
}

/** What the sample servers do for a request. */
const SAMPLE_HANDLER = "cpu:2ms";
/** Folder of the base, seen from that of the head, where both are checked out side by side. */
const BASE_FOLDER = "../base";

/** How a config is written: its language, and the address of its schema, for editors, where it is JSON. */
interface Style {
  readonly format: ConfigFormat;
  readonly schema: string | undefined;
}

/** The config of a project: what was answered, with a line about every option that matters, and examples of others. */
export function configText({ subject, ...answers }: Answers, name: string, style: Style): string {
  const order = { method: "POST", path: "/orders", headers: { "content-type": "application/json" }, body: "{}" };
  const config = new Draft(
    ["name", name, "Names the report, and its folder: reports/NAME-TIME."],
    [
      "targets",
      draftTargets(subject, name),
      "What is measured. Several are measured in turn at every level, and compared with the first; all that lbbench starts it stops.",
    ],
    setting("connections", answers.connections),
    setting("// rate", "100,200,400"),
    setting(answers.duration === undefined ? "// duration" : "duration", answers.duration ?? "3s"),
    setting("// trials", DEFAULTS.trials),
    setting("// warmup", DEFAULTS.warmup),
    ["// request", order, "What is sent. Without it: GET / with every status 2xx taken as a good answer."],
    draftThresholds(answers.thresholds),
    setting("// stopOn", ["errors>10%"]),
    setting("// formats", [...DEFAULTS.formats, "csv"]),
  );
  return render("What lbbench measures: npx lbbench sweep", config, style);
}

/** The config that the workflow uses: base and head of a pull request as two targets, measured in turn in one job. */
export function pullRequestText(subject: Program, { thresholds }: Answers, name: string, style: Style): string {
  const { connections, duration, trials, margin } = DEFAULTS.init.pullRequest;
  const config = new Draft(
    ["name", `${name}, base and head`],
    [
      "targets",
      [
        new Draft(["name", "base"], ...startProgram(subject, BASE_FOLDER)),
        new Draft(["name", "head"], ...startProgram(subject, ".")),
      ],
      "Paths begin at the folder of this file, which is the head; the workflow checks the base out beside it.",
    ],
    ["reference", "base"],
    [
      "margin",
      margin,
      "By how much the head may be worse in throughput or a latency. The smaller it is, the more trials it takes to tell.",
    ],
    ["trials", trials, "As many as it takes to tell, within five minutes."],
    ["connections", connections],
    ["duration", duration],
    draftThresholds(thresholds),
  );
  const about =
    "What the workflow .github/workflows/lbbench.yml measures: base and head of a pull request, in turn and on one machine, so that whatever the machine does happens to both.";
  return render(about, config, style);
}

/** A line with what the table of settings says of it, in sentences. */
function setting(key: string, value: unknown): Line {
  const row = SETTINGS.find(({ path }) => path === key.replace("// ", ""));
  const { about = "", example: such, default: otherwise } = row ?? {};
  const text = such === undefined ? about : `${about}, such as ${such}`;
  return [key, value, sentenceOf({ about: text, ...defined({ default: otherwise }) })];
}

/** What every level has to keep; an example where nothing was asked for. */
function draftThresholds(thresholds: readonly string[]): Line {
  const about =
    'What every level has to keep, or lbbench exits with code 1: "p99<50ms", "errors<1%", "throughput>1000".';
  if (thresholds.length > 0) return ["thresholds", thresholds, about];
  return ["// thresholds", ["p99<50ms", ...DEFAULTS.init.thresholds], about];
}

function draftTargets(subject: Subject, name: string): readonly Draft[] {
  const own: Line = ["name", name];
  if (subject.kind === "command") return [new Draft(own, ...startProgram(subject))];
  if (subject.kind === "url") {
    const server: Line = ["server", "url", "A server that is running already."];
    return [new Draft(own, server, ["options", { url: subject.url }])];
  }
  if (subject.kind === "balanced") {
    const alone = { kind: "command", command: subject.command } as const;
    const behind: Line = ["name", `${subject.backends} behind the balancer`];
    return [new Draft(["name", "one"], ...startProgram(alone)), new Draft(behind, ...startProgram(subject))];
  }
  const backends = DEFAULTS.balancedBackends;
  return [
    new Draft(
      ["name", "one process"],
      ["server", "single", "A sample server that takes 2 ms of processor time for a request."],
      ["options", { handler: SAMPLE_HANDLER }],
    ),
    new Draft(
      ["name", `${backends} behind the balancer`],
      ["server", "balanced", "Several of them, with a balancer in front."],
      ["options", { backends, handler: SAMPLE_HANDLER, policy: DEFAULTS.policy }],
    ),
  ];
}

/** The server and the options of a program, or of several behind the balancer; its folder is left out where it is that of the config. */
function startProgram(subject: Program, cwd?: string): readonly Line[] {
  const { command } = subject;
  if (subject.kind === "command") {
    const options = new Draft(
      [
        "command",
        command,
        "Run without a shell. It has to listen on the port in the environment variable PORT; {port} in its arguments stands for it, too.",
      ],
      ...(cwd === undefined ? [] : [["cwd", cwd] as const]),
      [
        "// readyPath",
        "/health",
        `Asked until there is an answer of any status (${DEFAULTS.command.readyPath} without it).`,
      ],
      ["// env", { NODE_ENV: "production" }],
    );
    return [
      ["server", "command"],
      ["options", options],
    ];
  }
  const options = { command, ...defined({ cwd }) };
  const program = new Draft(["server", "command"], ["count", subject.backends], ["options", options]);
  return [
    ["server", "balanced"],
    [
      "options",
      new Draft(
        ["policy", DEFAULTS.policy, "How a backend is picked: round-robin, least-connections, random and others."],
        ["backends", [program], "What stands behind it; each is started with a port of its own."],
      ),
    ],
  ];
}

const WIDTH = 100;

/**
 * In TypeScript types are imported as types alone, so that a config can be read where lbbench is not installed and is run by `npx`. JSON
 * has neither types nor comments, but the address of a schema for editors.
 */
function render(about: string, config: Draft, { format, schema }: Style): string {
  if (format === "json") {
    return `${JSON.stringify({ ...defined({ $schema: schema }), ...config.toJSON() }, null, 2)}\n`;
  }
  const value = renderValue(config, "");
  const types = 'import type { SweepInput } from "lbbench";\n';
  return [...comment(about, ""), types, `export default ${value} satisfies SweepInput;\n`].join("\n");
}

function comment(text: string, indent: string): readonly string[] {
  return wrapWords(text, WIDTH - indent.length - 3).map((line) => `${indent}// ${line.trim()}`);
}

function renderValue(value: unknown, indent: string): string {
  const inside = `${indent}  `;
  if (value instanceof Draft) {
    const lines = value.lines.flatMap(([key, inner, about], index) => [
      ...(index > 0 && about !== undefined ? [""] : []),
      ...(about === undefined ? [] : comment(about, inside)),
      `${inside}${isExample(key) ? key : renderKey(key)}: ${renderValue(inner, inside)},`,
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
