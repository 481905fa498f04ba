import { DEFAULTS } from "../config/defaults.js";
import type { Answers, Subject } from "./answers.js";
import type { ConfigDraft, ConfigEntry } from "./config-entry.js";

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
      {
        key: "connections",
        value: connections,
        about:
          'Levels of load: connections kept busy, each sending its next request when the last is answered. "10:100:10" is a range.',
      },
      {
        key: "rate",
        value: "100,200,400",
        isExample: true,
        about: "In place of connections: requests per second, sent on schedule whether or not they are answered.",
      },
      {
        key: "duration",
        value: duration,
        about: "How long each level is measured; requests: 10000 in its place measures so many requests.",
      },
      {
        key: "trials",
        value: DEFAULTS.init.pullRequest.trials,
        isExample: true,
        about: `How often everything is repeated (${DEFAULTS.trials} without it). A difference between targets can be told from noise only with several.`,
      },
      {
        key: "warmup",
        value: DEFAULTS.warmup,
        isExample: true,
        about:
          'Load before each step that is not measured: "auto" until throughput is steady, a time, or "0" for none.',
      },
      {
        key: "request",
        value: { method: "POST", path: "/orders", headers: { "content-type": "application/json" }, body: "{}" },
        isExample: true,
        about: "What is sent. Without it: GET / with every status 2xx taken as a good answer.",
      },
      draftThresholds(thresholds),
      {
        key: "stopOn",
        value: ["errors>10%"],
        isExample: true,
        about: "Where a level has it, higher levels of its target are left out.",
      },
      {
        key: "formats",
        value: [...DEFAULTS.formats, "csv"],
        isExample: true,
        about: `Files of the report, beside result.json (${DEFAULTS.formats.join(", ")} without it).`,
      },
    ],
  };
}

/** What every level has to keep; an example where nothing was asked for. */
export function draftThresholds(thresholds: readonly string[]): ConfigEntry {
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
export function startByCommand(command: string, cwd?: string): readonly ConfigEntry[] {
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
export function startBehindBalancer(
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
