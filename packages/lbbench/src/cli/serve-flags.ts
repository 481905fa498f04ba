import {
  BACKEND_DEFAULTS,
  OVERLOAD_POLICIES,
  type OverloadPolicy,
  type PoolOptions,
  type SampleChoice,
} from "@lbbench/backends";
import { listWords, suggest } from "../config/config-error.js";
import { ConfigError, DEFAULTS } from "../index.js";
import { defined } from "./defined.js";
import { parsePort } from "./parse-port.js";

/** The flags of `lbbench serve`, as they were typed. */
export interface ServeFlags {
  readonly port?: string;
  readonly host?: string;
  readonly handler?: string;
  readonly workers?: string;
  readonly pool?: string;
  readonly queue?: string;
  readonly policy?: string;
  readonly refuseByClosing?: boolean;
  readonly admin?: string;
  readonly maxCalls?: string;
  readonly upstream?: string;
  readonly channels?: string;
}

type OwnFlag = Exclude<keyof ServeFlags, "port" | "host">;

/** What each kind understands beside `--port` and `--host`. */
const OWN_FLAGS: ReadonlyMap<string, readonly OwnFlag[]> = new Map([
  ["single", ["handler"]],
  ["cluster", ["handler", "workers"]],
  ["pool", ["handler", "pool", "queue", "policy", "refuseByClosing", "admin"]],
  ["grpc", ["handler", "maxCalls"]],
  ["grpc-gateway", ["upstream", "channels"]],
]);

/** Kinds of sample servers. */
export const SERVE_KINDS: readonly string[] = [...OWN_FLAGS.keys()];

const FLAG_NAMES: Readonly<Record<OwnFlag, string>> = {
  handler: "--handler",
  workers: "--workers",
  pool: "--pool",
  queue: "--queue",
  policy: "--policy",
  refuseByClosing: "--refuse-by-closing",
  admin: "--admin",
  maxCalls: "--max-calls",
  upstream: "--upstream",
  channels: "--channels",
};

/** Reads what is to be served; throws a `ConfigError` that names the flag. Handlers are left for the server to check. */
export function readServeFlags(kind: string, flags: ServeFlags): SampleChoice {
  checkFlags(kind, flags);
  const address = { port: parsePort(flags.port, DEFAULTS.servePort), host: flags.host ?? BACKEND_DEFAULTS.host };
  const common = { ...address, handler: flags.handler ?? DEFAULTS.handler };
  switch (kind) {
    case "cluster":
      return { kind, options: { ...common, workers: count("workers", flags, 1) ?? DEFAULTS.clusterWorkers } };
    case "pool":
      return { kind, options: { ...common, ...poolOptions(flags) } };
    case "grpc":
      return { kind, options: { ...common, ...defined({ maxCalls: count("maxCalls", flags, 1) }) } };
    case "grpc-gateway":
      return {
        kind,
        options: { ...address, upstream: upstreamOf(flags), ...defined({ channels: count("channels", flags, 1) }) },
      };
    default:
      return { kind: "single", options: common };
  }
}

function checkFlags(kind: string, flags: ServeFlags): void {
  const own = OWN_FLAGS.get(kind);
  if (own === undefined) {
    throw new ConfigError(
      `Expected ${listWords(SERVE_KINDS)} to be served, got "${kind}".${suggest(kind, SERVE_KINDS)}`,
    );
  }
  for (const flag of Object.keys(FLAG_NAMES) as OwnFlag[]) {
    if (flags[flag] === undefined || own.includes(flag)) continue;
    const kinds = SERVE_KINDS.filter((one) => OWN_FLAGS.get(one)?.includes(flag) === true);
    const value = flags[flag];
    const words = `${FLAG_NAMES[flag]}${typeof value === "string" ? ` ${value}` : ""}`;
    throw new ConfigError(
      `${FLAG_NAMES[flag]} is for ${listWords(kinds)}, not for ${kind}: lbbench serve ${kinds[0]} ${words}`,
    );
  }
}

function poolOptions(flags: ServeFlags): Omit<PoolOptions, "handler"> {
  const { policy } = flags;
  if (policy !== undefined && !isOverloadPolicy(policy)) {
    throw new ConfigError(
      `--policy: expected ${listWords(OVERLOAD_POLICIES)}, got "${policy}".${suggest(policy, OVERLOAD_POLICIES)}`,
    );
  }
  if (policy === "simple") {
    for (const [flag, only] of [
      ["pool", "1"],
      ["queue", "0"],
    ] as const) {
      if (flags[flag] === undefined || flags[flag] === only) continue;
      throw new ConfigError(
        `${FLAG_NAMES[flag]}: expected ${only} with --policy simple, which serves one request at a time, got "${flags[flag]}"`,
      );
    }
  }
  return defined({
    pool: count("pool", flags, 1),
    queue: count("queue", flags, 0),
    policy,
    refusal: flags.refuseByClosing === true ? ("close" as const) : undefined,
    adminPort: flags.admin === undefined ? undefined : parsePort(flags.admin, 0, "--admin"),
  });
}

function isOverloadPolicy(word: string): word is OverloadPolicy {
  return OVERLOAD_POLICIES.some((policy) => policy === word);
}

function upstreamOf({ upstream }: ServeFlags): string {
  if (upstream !== undefined) return upstream;
  throw new ConfigError("--upstream: expected the gRPC service to call, such as grpc://127.0.0.1:50051, got nothing");
}

function count(flag: OwnFlag, flags: ServeFlags, least: number): number | undefined {
  const text = flags[flag];
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(String(text)) || Number(text) < least) {
    throw new ConfigError(`${FLAG_NAMES[flag]}: expected a whole number of at least ${least}, got "${text}"`);
  }
  return Number(text);
}
