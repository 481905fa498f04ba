import { dirname, relative, resolve } from "node:path";
import { listWords, refuse } from "../../config/config-error.js";
import { DEFAULTS } from "../../config/defaults.js";
import { flagOf, type RunCommand, type Setting } from "../../config/field.js";
import { POLICY_SCENARIO_NAMES, POLICY_SCENARIOS } from "../../config/policy-scenarios.js";
import { ENGINES, nameFlag, SERVER_NAMES, SERVERS_WITH_OPTIONS, settingsOf } from "../../config/settings.js";
import type { ResumeOptions } from "../../index.js";
import { givenValue } from "../flags.js";
import type { Command, Invocation } from "../io.js";
import type { Shown } from "../run.js";
import { repeatCommand, toPrintable } from "../terminal.js";

/** What is measured where nothing is named. */
const OWN_TARGETS = `Without a URL or a target it measures its own: ${DEFAULTS.targets.map(({ name }) => name).join(", ")}.`;

const FAULTS = DEFAULTS.faults;

/** A command that runs what a config file and flags say. */
interface Run extends Pick<Command, "summary" | "about" | "examples" | "arguments"> {
  readonly name: RunCommand;
  /** The function of the library that does it. */
  readonly start: `${"sweep" | "injectFaults" | "comparePolicies" | "search" | "ramp" | "hold"}Parsed`;
  readonly url?: string;
}

const RUNS: readonly Run[] = [
  {
    name: "sweep",
    start: "sweepParsed",
    summary: "sweep levels of load over one or more targets",
    about: `Sweeps levels of load over one or more targets, judges what was measured and leaves a report.\n${OWN_TARGETS}`,
    examples: [
      "sweep http://127.0.0.1:8080/",
      "sweep -t single -t balanced -c 10:100:10 -d 5s --trials 6",
      "sweep http://127.0.0.1:8080/ -r 500,1000 --threshold 'p99<50ms'",
      "sweep -t balanced -t nginx --fault 'kill backend-2 at 3s' --fault 'start backend-2 at 8s'",
    ],
  },
  {
    name: "faults",
    start: "injectFaultsParsed",
    summary: "tell what is lost when a backend dies, hangs or is slow",
    about:
      `Sends ${FAULTS.rate} requests per second for ${FAULTS.usualDurationMs / 1000} s. Meanwhile faults are done to each target, one after the other:\n` +
      `${FAULTS.usual.map((text) => `  ${text}\n`).join("")}` +
      `A target without ${FAULTS.backend} is refused, unless all targets have another backend in common. ` +
      "Faults that --fault names are done in place of those above, to any part of a target.\n" +
      `Without a target it measures ${FAULTS.targets.join(", ")}.`,
    url: "refused: faults are done to servers that lbbench starts",
    examples: [
      "faults -t balanced -t nginx -t haproxy",
      "faults -t balanced --fault 'pause backend-1 at 3s' --fault 'resume backend-1 at 6s' -d 12s",
      "faults -t cluster --fault 'kill cluster worker-1 at 3s' --threshold 'lost<10'",
    ],
  },
  {
    name: "policies",
    start: "comparePoliciesParsed",
    summary: "tell what a balancer's policies are worth when backends differ",
    about:
      "Sends requests at a rate to each policy of a balancer, while its backends do what a scenario says:\n" +
      inColumns(POLICY_SCENARIO_NAMES.map((name) => [name, POLICY_SCENARIOS[name].about])) +
      "The report tells which policy to take, and what the default costs: the requests that were not answered within a deadline.",
    arguments: [
      {
        name: "[scenario]",
        about: `what the backends do (default: ${DEFAULTS.policies.scenario})`,
        words: POLICY_SCENARIO_NAMES,
      },
    ],
    examples: [
      "policies",
      "policies stalls --policy round-robin --policy least-connections",
      "policies -t nginx -t haproxy --slow 'backend-1 by 2s from 10s to 40s'",
    ],
  },
  {
    name: "max",
    start: "searchParsed",
    summary: "search the largest load that still holds",
    about:
      "Searches the largest number of connections, or the largest rate, at which no request fails and every threshold is met: " +
      "upwards by doubling until a level does not hold, then to the middle of what held and what did not.\n" +
      `${OWN_TARGETS}\n` +
      "Exit code 0: a limit was found; 1: not even the smallest load holds; 3: no limit can be told.",
    examples: [
      "max http://127.0.0.1:8080/ --threshold 'p99<50ms'",
      "max -t single -t balanced --by rate --most 20000",
      "max http://127.0.0.1:8080/ --trials 5 --beyond 1.25",
    ],
  },
  {
    name: "ramp",
    start: "rampParsed",
    summary: "raise users over time",
    about:
      "Raises the number of users over time, each of whom sends the next request when the last is answered, and tells second by " +
      `second how the target answers.\n${OWN_TARGETS}`,
    examples: [
      "ramp http://127.0.0.1:8080/ --to 200 --over 1m",
      "ramp -t single -t balanced --from 10 --to 100 --steps 9",
    ],
  },
  {
    name: "hold",
    start: "holdParsed",
    summary: "open thousands of connections and hold them",
    about:
      `Opens connections, sends a request on each every ${DEFAULTS.hold.everyMs / 1000} s and holds them. Tells how many live, how others were lost, the memory of a ` +
      "connection in each part of the target, and what faults and a burst beside them cost.\n" +
      "Where one local address has too few ports, it takes more of 127.0.0.0/8, and tells them.\n" +
      `${OWN_TARGETS}`,
    examples: [
      "hold http://127.0.0.1:8080/ -c 1000,10000,50000 --for 30s",
      "hold -t balanced -t nginx -c 2000 --burst 100",
      "hold -t balanced -c 2000 --fault 'drain backend-2 at 5s' --fault 'roll backends at 10s'",
    ],
  },
];

/** `lbbench sweep`, `lbbench faults`, `lbbench policies`, `lbbench max`, `lbbench ramp` and `lbbench hold`. */
export const runCommands: readonly Command[] = RUNS.map((run) => ({
  arguments: [{ name: "[url]", about: run.url ?? "a server that is running" }],
  ...run,
  settings: settingsOf(run.name),
  notes: [
    `Servers: ${SERVER_NAMES.join(", ")}; in a config file also ${SERVERS_WITH_OPTIONS.join(", ")}\n` +
      `\nEngines; auto, the default, takes the first that can do what is asked:\n${inColumns(ENGINES)}`,
  ],
  execute: (invocation) => execute(run, invocation),
}));

function inColumns(rows: readonly (readonly [name: string, about: string])[]): string {
  const widest = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, about]) => `  ${name.padEnd(widest)}  ${about}\n`).join("");
}

/** What such a command itself reads. */
interface OwnFlags extends Shown {
  readonly target?: readonly string[];
  readonly config?: string;
  readonly force?: boolean;
  readonly resume?: string;
}

async function execute({ name, start }: Run, io: Invocation): Promise<number> {
  const { cwd, argv, stderr, flags, read } = io;
  const api = await import("../../index.js");
  const { refuseReport, runAndReport } = await import("../run.js");
  const [word] = io.words;
  const scenario = name === "policies" ? word : undefined;
  const config = flags["config"] === undefined ? undefined : String(flags["config"]);
  // Of a run that is gone on with, only the place of the file that is named counts: relative paths of formats begin there.
  const isAnew = flags["resume"] === undefined;
  const file = isAnew || config !== undefined ? await api.loadConfigFile(cwd, config) : undefined;
  const folder = file === undefined ? cwd : dirname(file.path);
  const { input: ofFlags, own } = await read<OwnFlags>(folder);
  if (own.resume !== undefined) {
    refuseBesideResume(name, io);
    const earlier = resolve(cwd, own.resume);
    const place = file === undefined ? { formatsFolder: cwd } : { folder };
    const rendering = ofFlags as Pick<ResumeOptions, "formats" | "charts">;
    return runAndReport(own, io, (running) => api.resume(earlier, { ...running, ...rendering, ...place }));
  }
  const ofFile = file === undefined ? {} : api.parseSweepInput(file.content, file.path);
  const policies = { ...(ofFlags["policies"] as object | undefined), scenario };
  const said = scenario === undefined ? ofFlags : { ...ofFlags, policies };
  const flagInput = api.parseSweepInput(said, (path) =>
    path.join(".") === "policies.scenario" ? "scenario" : nameFlag(path),
  );
  const targets = [scenario === undefined ? (word ?? []) : [], own.target ?? []].flat();
  const input = await api.mergeInput({ file: ofFile, flags: flagInput, command: name, targets }, folder);
  refuseReport(flagInput.out, own.force, cwd);
  const out = resolve(cwd, input.out ?? api.defaultReportFolder(input.name ?? name));
  // A file that was found by itself is named: in another folder another one is found, or none.
  const found = file === undefined || config !== undefined ? undefined : relative(cwd, file.path);
  if (found !== undefined && own.quiet !== true) stderr.write(`Config: ${toPrintable(found)}\n`);
  const command = repeatCommand([...argv, ...(found === undefined ? [] : ["--config", found])]);
  const content = file?.content as { readonly connections?: unknown } | undefined;
  const given = ofFlags["connections"] ?? content?.connections;
  // Elsewhere requests are sent at a rate unless connections are given.
  const fitted = name === "sweep" ? api.fitLevels(input, given) : { input };
  if (fitted.note !== undefined && own.quiet !== true) stderr.write(`warning: ${fitted.note}\n`);
  return runAndReport(own, io, (running) => api[start]({ ...fitted.input, out }, { ...running, command, folder }));
}

function refuseBesideResume(name: RunCommand, { words: [url], flags }: Invocation): void {
  const settings = settingsOf(name);
  const long = (setting: Setting): string => flagOf(setting).replace(/^-\w, /, "");
  const given = settings.filter((setting) => givenValue(setting, flags) !== undefined && setting.resumes !== true);
  const first = [url ?? [], given.map(long)].flat(2).find((one) => one !== "--resume");
  const beside = listWords(settings.filter(({ resumes }) => resumes).map(long));
  refuse(
    first !== undefined &&
      `--resume: expected beside it only ${beside}, got ${first}. Everything else is as it was when the run began; leave it out, or start anew without --resume.`,
  );
}
