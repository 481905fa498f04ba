/** Balancers that are programs of others: what all of them have in common, over a row that says what differs. */
import { rename, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { once } from "node:events";
import { platform } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { BALANCER_DEFAULTS } from "@lbbench/proxy/defaults";
import { parsePolicy } from "@lbbench/proxy/parse-policy";
import * as z from "zod";
import { DEFAULTS } from "../config/defaults.js";
import type { BackendShare } from "../model/measurement.js";
import type { FaultyPart, RunningServer, Server, ServerContext } from "../plugin.js";
import { defined } from "../stats/defined.js";
import { addressOf, SCHEMES } from "../stats/url-address.js";
import { findFreePort } from "../system/listen.js";
import { readDescriptorLimit } from "../system/ports.js";
import {
  askProgram,
  explainMissing,
  FOLDER_PLACE,
  locateProgram,
  StartError,
  withServerFolders,
  type Installation,
} from "../system/program.js";
import { succeeds } from "../system/settle.js";
import type { ForegroundProgram } from "../system/supervise.js";
import {
  backendsOptions,
  checkBackends,
  parsedBy,
  portOption,
  processesOption,
  withGroups,
  wordOption,
} from "./options.js";
import { makeIdentity } from "./identity.js";
import { startProgramLives, type ProgramLife } from "./program-lives.js";
import { waitUntil, waitUntilAccepts } from "./ready.js";
import {
  addShares,
  nameWithin,
  protocolOfBackends,
  spokenBy,
  startInFront,
  type Shares,
  type StartedBackend,
} from "./start-in-front.js";
import { quoteLines, readTemplate, renderTemplate, type TemplateView } from "./templates.js";

/** A balancer program: how it is configured, started, reloaded, drained and asked. */
export interface BalancerProgram {
  /** Name of the server, and of its process: `nginx`. */
  readonly name: string;
  /** Name or path of the program where the user names no other; `name` without this. */
  readonly program?: string;
  readonly installation: Installation;
  /** What it can be asked its version by: `["-v"]`. */
  readonly versionArgs: readonly string[];
  /** Its files by name, as Mustache templates. The first is its configuration, in whose place the user may put another. */
  readonly templates: Readonly<Record<string, string>>;
  /** Its arguments, and what is added to its environment, as templates too; it runs in the folder of its files, in the foreground. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The name of the socket in the folder of its files by which it is asked, if there is one. */
  readonly socket?: string;
  /** Arguments by which it tells what is wrong with its configuration, where it does not when it runs. */
  readonly checkArgs?: readonly string[];
  /** Its policies, by lbbench's names. Names that end in `:header` and `:cookie` are followed by a name. */
  readonly policies: Readonly<Record<string, ProgramPolicy>>;
  /** What else it cannot do; that is refused before anything is started. */
  readonly lacks?: readonly Lack[];
  /** What its templates know beside {@link BalancerView} and the words of the policy; throws a {@link StartError} for what it cannot do. */
  readonly view?: (view: BalancerView) => TemplateView;
  /** Resolves when the program itself, and no other that took its port, is ready or nearly so; it rejects before. */
  readonly isUp: (at: ProgramPlace) => Promise<unknown>;
  /** What it tells of each backend, by the name in its configuration; rejects where it does not. */
  readonly look?: (at: ProgramPlace) => Promise<ReadonlyMap<string, SeenBackend>>;
  /** Has it go by its files, as the fault `reload` does; they were written anew where a backend is `down` or no longer, and it has no `drain`. */
  readonly reload?: (at: ProgramPlace, program: { readonly pid: number }) => Promise<unknown>;
  /** Drains a backend of that name, or restores it, without its files. Rejects where it cannot. */
  readonly drain?: (at: ProgramPlace, name: string, isDrained: boolean) => Promise<unknown>;
  /** What has to be done before `finishBy`, so that it finishes what is under way. */
  readonly finish?: (at: ProgramPlace) => Promise<unknown>;
  /** Ends it when what is under way is done, also if it comes twice. */
  readonly finishBy: "SIGTERM" | "SIGINT" | "SIGQUIT" | "SIGHUP" | "SIGUSR1" | "SIGUSR2";
}

/** A policy of a program. */
export interface ProgramPolicy {
  /** What its templates know then; a function of the name of a header or cookie where requests are told apart by that. */
  readonly words: TemplateView | ((name: string) => TemplateView);
  /** Which of these names it can look at, in words, where not all of letters, digits, ".", "_" and "-". */
  readonly names?: { readonly pattern: RegExp; readonly allowed: string };
  /** Whether all backends get the same, whatever their weight. */
  readonly isUnweighted?: boolean;
}

/** Where a program can be met. */
export interface ProgramPlace {
  /** Of its files. */
  readonly folder: string;
  /** The port that it may use to be asked at, as its templates know it. */
  readonly adminPort: number;
  /** As its templates know them. */
  readonly backends: BalancerView["backends"];
  /** Whether it runs by our configuration, not by one of the user's. */
  readonly isOurs: boolean;
}

/** What a program tells of a backend. */
export interface SeenBackend {
  /** Absent where it does not count. */
  readonly share?: BackendShare;
  readonly isDrained: boolean;
  /** Requests under way there. */
  readonly active: number;
}

type Asked = Readonly<{ workers: number; tls: boolean; maxConnections?: number | undefined; keepAlive: number }>;

/** What a program may lack: the option that is refused, what is expected of it, and when that is not so. */
const LACKS = {
  workers: ["workers", "1", ({ workers }: Asked) => workers > 1],
  tls: ["tls", "false", ({ tls }: Asked) => tls],
  maxConnections: ["maxConnections", "none", ({ maxConnections }: Asked) => maxConnections !== undefined],
  someKeepAlive: [
    "keepAlive",
    "0, or 1024 or more, which keeps all connections",
    ({ keepAlive }: Asked) => keepAlive > 0 && keepAlive < DEFAULTS.balancerProgram.keepAlive,
  ],
  noKeepAlive: ["keepAlive", "more than 0", ({ keepAlive }: Asked) => keepAlive === 0],
} as const;

/** With `http2` it takes HTTP/1.1 alone without TLS; with `grpc` it passes on requests of HTTP alone, and no WebSocket. */
type Lack = keyof typeof LACKS | "http2" | "grpc";

/** Descriptors that a program needs beside those of its connections. */
const OTHER_DESCRIPTORS = 100;

/** nginx and HAProxy take any up to this, and nginx makes 160 entries per unit for a consistent hash. */
const MOST_WEIGHT = 256;

/** Options of whatever a template of the user's may say them to: their limits are those of all programs. */
export const limitOptions = {
  /** Processes of nginx, threads of the others. */
  workers: processesOption.default(DEFAULTS.balancerProgram.workers),
  /** Idle connections kept to backends; 0 makes one for each request. */
  keepAlive: z.int().min(0).max(65_535).default(DEFAULTS.balancerProgram.keepAlive),
  /** Most connections to one backend; any number without it. */
  maxConnections: z.int().min(1).max(65_535).optional(),
  /** Connections of clients that there has to be room for. */
  clientConnections: z.int().min(1).max(1_000_000).default(defaultClientConnections),
};

/** As many as {@link DEFAULTS}, or as the limit of descriptors leaves room for, where each needs another one to a backend. */
function defaultClientConnections(): number {
  const limit = readDescriptorLimit("self")?.soft ?? Infinity;
  const room = Math.floor((limit - OTHER_DESCRIPTORS) / 2);
  return Math.max(1, Math.min(DEFAULTS.balancerProgram.clientConnections, room));
}

/** The options of a program that balances. */
export function balancerProgramOptions(row: BalancerProgram) {
  const { title } = row.installation;
  return z
    .strictObject({
      ...backendsOptions,
      policy: parsedBy((given) => findPolicy(given, row)).default(DEFAULTS.policy),
      ...limitOptions,
      /** Whether clients are spoken to over TLS, with a certificate that is made at the start. */
      tls: z.boolean().default(false),
      /** A file of the user's from which the configuration is rendered. */
      template: wordOption.optional(),
      program: wordOption.default(row.program ?? row.name),
      port: portOption,
    })
    .superRefine((chosen, context) => {
      checkBackends(chosen, context);
      for (const [lack, [option, expected, isAsked]] of Object.entries(LACKS)) {
        if (!row.lacks?.includes(lack as Lack) || !isAsked(chosen)) continue;
        const message = `expected ${expected}, because ${title} cannot do otherwise`;
        context.addIssue({ code: "custom", path: [option], message, input: chosen[option] });
      }
      const { backends } = chosen;
      if (typeof backends === "number") return;
      const isEven = new Set(backends.map(({ weight }) => weight)).size === 1;
      for (const [index, { weight }] of backends.entries()) {
        const path = ["backends", index, "weight"];
        const refuseWeight = (message: string) => context.addIssue({ code: "custom", path, message, input: weight });
        if (!Number.isInteger(weight) || weight > MOST_WEIGHT) {
          refuseWeight(`expected a whole number of 1 to ${MOST_WEIGHT}`);
        } else if (!isEven && findPolicy(chosen.policy, row).isUnweighted) {
          refuseWeight(`expected the same for all, because ${title} has no weights by ${chosen.policy}`);
          break;
        }
      }
    })
    .transform(withGroups);
}

/** The options of a program that balances, checked. */
export type BalancerProgramOptions = z.infer<ReturnType<typeof balancerProgramOptions>>;

/** What {@link commonView} makes. */
export type BalancerView = ReturnType<typeof commonView>;

/**
 * What templates of all programs know of backends and limits; times are in ms, those of lbbench's own balancer. Throws a
 * {@link StartError} for a backend that cannot be named in a configuration.
 */
export function commonView(
  options: Pick<BalancerProgramOptions, "workers" | "keepAlive" | "clientConnections" | "maxConnections" | "tls">,
  backends: readonly StartedBackend[],
  { httpVersion }: Pick<ServerContext, "httpVersion">,
  drained: ReadonlySet<string> = new Set(),
) {
  const { workers, keepAlive, clientConnections, tls, maxConnections = null } = options;
  const { backlog, retries, backendIdleMs, timeouts, passiveHealth } = BALANCER_DEFAULTS;
  const protocol = spokenBy(backends);
  const grpc = protocol === "grpc";
  return {
    host: DEFAULTS.host as string,
    backends: backends.map(({ name, url, weight }, index) => ({
      name: configName(index),
      ...plainAddressOf(url),
      weight,
      maxConnections,
      /** Whether it is drained and gets nothing. */
      down: drained.has(name),
    })),
    /** Whether the backends are gRPC services, which are spoken to over HTTP/2 without TLS. */
    grpc,
    /** Whether clients and backends speak WebSocket, which begins with a request of HTTP/1.1 to upgrade. */
    websocket: protocol === "websocket",
    /** Whether clients may come with HTTP/2, by prior knowledge or by ALPN. Those of gRPC do always. */
    http2: grpc || tls || httpVersion === "2",
    /** Whether clients come over TLS, and the file with the certificate and its key. */
    tls,
    identity: IDENTITY_FILE,
    workers,
    keepAlive,
    clientConnections,
    maxConnections,
    backlog,
    retries,
    /** How often a request is sent at all. */
    tries: retries + 1,
    /** After so many failures in a row a backend is left out, so long. */
    failures: passiveHealth.failures,
    ejectMs: passiveHealth.ejectMs,
    backendIdleMs,
    ...timeouts,
  };
}

/** What the templates of a program can say, beside its ports. Throws a {@link StartError} for a backend that cannot be named there. */
export function balancerView(
  row: BalancerProgram,
  options: BalancerProgramOptions,
  backends: readonly StartedBackend[],
  clients: Pick<ServerContext, "httpVersion">,
  drained?: ReadonlySet<string>,
) {
  const view = commonView(options, backends, clients, drained);
  return { ...view, ...findPolicy(options.policy, row).view, ...row.view?.(view) };
}

/** What a backend is called in a configuration, by its place: its own name may have characters in it that mean something there. */
const configName = (index: number): string => `backend-${index + 1}`;

function plainAddressOf(origin: string) {
  const { protocol, hostname } = new URL(origin);
  // The name of a host may have characters in it that end a word, or a line, of a configuration.
  if (!["http:", "grpc:", "ws:"].includes(protocol) || !/^([\w.-]+|\[[\da-f:.]+\])$/i.test(hostname)) {
    throw new StartError(
      `Expected backends like http://127.0.0.1:8080, grpc://127.0.0.1:50051 or ws://127.0.0.1:8080 behind a balancer program, which speaks to them ` +
        `without TLS here; got ${origin}. The server "balanced" speaks TLS to backends.`,
    );
  }
  const { host, port } = addressOf(origin);
  /** `127.0.0.1:8080`, and its parts: an address of IPv6 without brackets. */
  return { address: `${hostname}:${port}`, addressHost: host, addressPort: port };
}

const NAMES = { pattern: /^[\w.-]+$/, allowed: 'letters, digits, ".", "_" and "-"' };

/** Says what a program can do, and why something else is expected. */
function refusePolicy(expected: string, { policies, installation: { title } }: BalancerProgram): never {
  const names = Object.keys(policies).map((one) => (/:(header|cookie)$/.test(one) ? `${one}:NAME` : one));
  throw new Error(`expected ${expected}: ${title} can do ${names.join(", ")}`);
}

/**
 * The policy of a program by its name in lbbench, such as `consistent-hash:header:x-user`, with what the templates know then. Throws an Error
 * that says what was expected for one that there is not, or that the program cannot do.
 */
function findPolicy(given: string, row: BalancerProgram): Readonly<{ isUnweighted: boolean; view: TemplateView }> {
  const { title } = row.installation;
  if (/^[./@]/.test(given)) refusePolicy(`a policy that ${title} has itself, not a module`, row);
  parsePolicy(given);
  const [, policy = "", kind, name = ""] = /^([^:]+)(?::([^:]+))?(?::(.*))?$/.exec(given) ?? [];
  if (kind === "seed") refusePolicy(`no seed, because ${title} draws as it likes`, row);
  const isNamed = kind === "header" || kind === "cookie";
  const found = new Map(Object.entries(row.policies)).get(isNamed ? `${policy}:${kind}` : policy);
  if (found === undefined) refusePolicy(`a policy that ${title} has`, row);
  const key = kind === "header" ? name.toLowerCase() : name;
  const { pattern, allowed } = found.names ?? NAMES;
  if (isNamed && !pattern.test(key))
    throw new Error(`expected a ${kind} whose name is of ${allowed}, the only ones that lbbench can name to ${title}`);
  const { words, isUnweighted = false } = found;
  return { isUnweighted, view: typeof words === "function" ? words(key) : words };
}

/** A server that starts backends and such a program in front of them. */
export function balancerProgram(row: BalancerProgram): Server<BalancerProgramOptions> {
  const { name, lacks = [] } = row;
  return {
    name,
    options: balancerProgramOptions(row),
    balances: true,
    policies: Object.keys(row.policies).filter((policy) => !policy.includes(":")),
    ...defined({
      protocol: lacks.includes("grpc") ? undefined : protocolOfBackends,
      httpVersions: lacks.includes("http2")
        ? ({ tls }: BalancerProgramOptions) => (tls ? undefined : (["1.1"] as const))
        : undefined,
    }),
    start: (chosen, context) =>
      startInFront(chosen.backends, context, (backends) => startProgram(row, chosen, backends, context)),
  };
}

const IDENTITY_FILE = "identity.pem";
const LOOK_INTERVAL_MS = 5;

type Files = Readonly<Record<string, string>>;

async function startProgram(
  row: BalancerProgram,
  chosen: BalancerProgramOptions,
  backends: readonly StartedBackend[],
  context: ServerContext,
): Promise<RunningServer> {
  const { installation, templates, args, env = {}, look, drain, reload, finishBy } = row;
  const [configFile = ""] = Object.keys(templates);
  const renderOwn =
    chosen.template === undefined ? undefined : readTemplate(context.folder, chosen.template, "template");
  const adminPort = await findFreePort();
  const identity = chosen.tls ? await makeIdentity() : undefined;
  /** What its templates can say. The supervisor puts in the path of the folder. */
  const viewAt = (port: number, drained?: ReadonlySet<string>) => {
    return { ...balancerView(row, chosen, backends, context, drained), port, adminPort, folder: FOLDER_PLACE };
  };
  const filesAt = (port: number, drained?: ReadonlySet<string>): Files => {
    const view = viewAt(port, drained);
    const rendered = Object.entries(templates).map(([name, template]) => [
      name,
      name === configFile && renderOwn !== undefined ? renderOwn(view) : renderTemplate(template, view),
    ]);
    return Object.fromEntries(rendered) as Files;
  };
  const view = viewAt(chosen.port);
  const placeIn = ({ folder }: Pick<ProgramLife, "folder">): ProgramPlace => {
    return { folder: folder ?? "", adminPort, backends: view.backends, isOurs: renderOwn === undefined };
  };
  const title = nameWithin(context, row.name);
  const program = locateProgram(chosen.program, context.folder);
  const describe = (port: number): ForegroundProgram => {
    const url = new URL(`${SCHEMES[spokenBy(backends)]}${view.tls ? "s" : ""}://${DEFAULTS.host}:${port}`);
    const files = filesAt(port);
    const fill = (template: string): string => renderTemplate(template, { ...view, port });
    const added = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]));
    const allEnv = withServerFolders({ ...context.env, ...added });
    return {
      title,
      shortName: title,
      command: {
        argv: [program, ...args.map(fill)],
        env: allEnv,
        cwd: FOLDER_PLACE,
        files: { ...files, ...(identity && { [IDENTITY_FILE]: `${identity.certificate}\n${identity.key}` }) },
      },
      url,
      watched: { name: title, role: "balancer" },
      readyTimeoutMs: DEFAULTS.balancerProgram.readyTimeoutMs,
      waitUntilReady: async (signal, folder) => {
        refuseLongPath(row, folder);
        await waitUntil(() => row.isUp(placeIn({ folder })), signal);
        await waitUntilAccepts(url, signal);
      },
      slowAdvice: "A template has to let it listen at {{host}}:{{port}}.",
      explainRunError: (message) => explainMissing(chosen.program, installation, message),
      explainEnd: async (output, folder, signal) => {
        const asked = row.checkArgs !== undefined && folder !== null;
        const inFolder = { env: allEnv, cwd: folder ?? ".", signal };
        const { code = 0, output: said = "" } = asked ? await askProgram(program, row.checkArgs, inFolder) : {};
        // Of a good configuration it prints that.
        const told = code === 0 ? "" : said.trim();
        const lines = quoteLines(files[configFile] ?? "", configFile, [...output, ...told.split("\n")]);
        return [told, lines].filter((one) => one !== "").join("\n");
      },
    };
  };
  const part = {
    name: nameWithin(context, "balancer"),
    role: "balancer" as const,
    finishBy,
    mayBeToldAgain: true,
    beforeFinish: (life: ProgramLife) => row.finish?.(placeIn(life)) ?? Promise.resolve(),
  };
  const { server, lives, first } = await startProgramLives(part, chosen.port, describe, context);
  const { port } = addressOf(server.url);
  const at = placeIn(first);

  /** Names of backends that are drained; each life begins with none. */
  const drained = new WeakMap<ProgramLife, ReadonlySet<string>>();
  const calledOf = (name: string): string => configName(backends.findIndex((backend) => backend.name === name));
  const setDrained = async (life: ProgramLife, name: string, isDrained: boolean): Promise<void> => {
    const place = placeIn(life);
    const before = drained.get(life) ?? new Set();
    const now = isDrained ? new Set(before).add(name) : new Set([...before].filter((one) => one !== name));
    drained.set(life, now);
    if (drain === undefined) {
      await replaceFiles(place.folder, filesAt(port, before), filesAt(port, now));
      await reload?.(place, life);
    } else await drain(place, calledOf(name), isDrained);
    await waitUntilDrained(row, place, calledOf(name), isDrained);
  };
  /** Its files are written again, because some programs watch them and nothing else. */
  const readAgain = async (life: ProgramLife): Promise<void> => {
    const place = placeIn(life);
    await replaceFiles(place.folder, {}, filesAt(port, drained.get(life)));
    await reload?.(place, life);
    if (drain === undefined || look === undefined) return;
    // What it runs from now on knows nothing of what was drained by asking.
    for (const called of [...(drained.get(life) ?? [])].map(calledOf)) {
      const isNew = async (): Promise<void> => {
        if ((await look(place)).get(called)?.isDrained !== false) throw new Error(`${called} is drained`);
      };
      const limit = AbortSignal.timeout(DEFAULTS.faults.idleLimitMs);
      await waitUntil(isNew, limit).catch(() => {});
      await drain(place, called, true);
      await waitUntilDrained(row, place, called, true);
    }
  };
  let changing: Promise<unknown> = Promise.resolve();
  /** Changes of the configuration are done one after the other. */
  const change = (deed: (life: ProgramLife) => Promise<unknown>): Promise<void> =>
    lives.demand((life) => {
      const doing = changing.then(() => deed(life));
      changing = doing.catch(() => {});
      return doing;
    });
  // A template of the user's may not let it be told, or asked.
  const seen = await look?.(at).catch(() => new Map<string, SeenBackend>());
  const areSeen = seen !== undefined && backends.every((_, index) => seen.has(configName(index)));
  const isTold =
    drain === undefined
      ? reload !== undefined && (areSeen || look === undefined)
      : areSeen && (await succeeds(drain(at, configName(0), false)));
  const differs = ({ name }: StartedBackend): boolean =>
    JSON.stringify(filesAt(port, new Set([name]))) !== JSON.stringify(filesAt(port));
  const drainable = backends.filter((backend) => isTold && (drain !== undefined || differs(backend)));
  const parts = [
    ...lives.server.parts.map((one): FaultyPart => {
      if (reload === undefined || one.name !== part.name) return one;
      const apply: FaultyPart["apply"] = (deed) => (deed.kind === "reload" ? change(readAgain) : one.apply(deed));
      return { ...one, can: [...one.can, "reload"], apply };
    }),
    ...drainable.map(({ name }): FaultyPart => ({
      name: nameWithin(context, name),
      role: "backend",
      can: ["drain", "restore"],
      apply: ({ kind }) => change((life) => setDrained(life, name, kind === "drain")),
    })),
  ];
  const whole = { ...server, ...defined({ certificate: identity?.certificate }), parts };
  // It counts connections of WebSockets, and no messages.
  if (view.websocket || !areSeen || [...seen.values()].some(({ share }) => share === undefined)) return whole;
  const counts = new WeakMap<ProgramLife, () => Promise<Shares>>();
  const shares = (life: ProgramLife): Promise<Shares> => {
    const count = counts.get(life) ?? countOn(async () => sharesOf(backends, await look?.(placeIn(life))));
    counts.set(life, count);
    return count();
  };
  return { ...whole, backends: lives.tally(shares, {}, addShares) };
}

/** Writes files of a program anew that are to be others; each is replaced whole, because the program may be watching it. */
async function replaceFiles(folder: string, before: Files, now: Files): Promise<void> {
  for (const [name, content] of Object.entries(now)) {
    if (before[name] === content) continue;
    const path = join(folder, name);
    await writeFile(`${path}.new`, content.replaceAll(FOLDER_PLACE, folder));
    await rename(`${path}.new`, path);
  }
}

/** Resolves when the program tells that a backend is drained, and has nothing under way or has taken too long; or restored. */
async function waitUntilDrained(
  { look, installation: { title } }: BalancerProgram,
  at: ProgramPlace,
  name: string,
  isDrained: boolean,
): Promise<void> {
  if (look === undefined) return;
  const endMs = performance.now() + DEFAULTS.faults.idleLimitMs;
  for (;;) {
    // What is drained may be left out.
    const seen = (await look(at)).get(name) ?? { isDrained: true, active: 0 };
    const isSo = seen.isDrained === isDrained;
    const isOver = performance.now() > endMs;
    if (isSo && (!isDrained || isOver || seen.active === 0)) return;
    if (isOver) throw new Error(`${title} does not tell that ${name} is ${isDrained ? "drained" : "used again"}`);
    await wait(LOOK_INTERVAL_MS);
  }
}

/** What the system takes for the path of a socket, in bytes, with the zero behind it. */
const SOCKET_PATH_BYTES = platform() === "linux" ? 108 : 104;

/** Throws a {@link StartError} where a program could not be asked at its socket. */
function refuseLongPath({ socket, installation: { title } }: BalancerProgram, folder: string | null): void {
  const path = socket === undefined || folder === null ? "" : join(folder, socket);
  if (Buffer.byteLength(path) < SOCKET_PATH_BYTES) return;
  throw new StartError(
    `Expected a folder for the files of ${title} whose sockets have paths of less than ${SOCKET_PATH_BYTES} bytes, got ${path}. Name a shorter one with the environment variable TMPDIR.`,
  );
}

/** What each backend got and has under way, by its own name. */
function sharesOf(backends: readonly StartedBackend[], seen: ReadonlyMap<string, SeenBackend> = new Map()): Shares {
  const shares = backends.map(({ name }, index) => {
    const { share = { requests: 0 }, active: inFlight = 0 } = seen.get(configName(index)) ?? {};
    return [name, { ...share, inFlight }] as const;
  });
  return Object.fromEntries(shares);
}

/**
 * Makes counts that go on where those of a program begin at 0 again, as those of HAProxy do after a reload. The program is asked one question
 * after the other: an answer that was overtaken would look like a new beginning.
 */
export function countOn(ask: () => Promise<Shares>): () => Promise<Shares> {
  let [before, last]: [Shares, Shares] = [{}, {}];
  let asking: Promise<unknown> = Promise.resolve();
  const count = async (): Promise<Shares> => {
    const told = await ask();
    const ended = Object.entries(last).filter(([name, { requests }]) => (told[name]?.requests ?? 0) < requests);
    before = addShares(before, Object.fromEntries(ended));
    last = told;
    return addShares(before, told);
  };
  return () => {
    const counting = asking.then(count);
    asking = counting.catch(() => {});
    return counting;
  };
}

/** How long a program may take to answer a question. */
const ANSWER_LIMIT_MS = 5000;

/** Asks a program by HTTP/1.1, at a port of this machine or a socket; resolves with the body of an answer of 200. Rejects otherwise. */
export async function askProgramAt(
  where: { readonly port: number } | { readonly socketPath: string },
  path: string,
  {
    method = "GET",
    headers = {},
    body = "",
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<string> {
  const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
  const to = { ...where, host: DEFAULTS.host, path, method, headers, agent: false, signal };
  const [answer] = await once(request(to).end(body), "response");
  const told = await text(answer);
  if (answer.statusCode !== 200) throw new Error(`it answers ${answer.statusCode}: ${told.trim()}`);
  return told;
}
