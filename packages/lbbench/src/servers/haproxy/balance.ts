import { translatePolicy, type PolicyKey, type PolicyWords } from "../program-policy.js";

/** A policy in the words of HAProxy. */
export interface Balance {
  /** What follows `balance`: `hdr(x-user)`. */
  readonly algorithm: string;
  /** Whether most keys stay where they are when a backend comes or goes. */
  readonly consistent: boolean;
}

/** A policy as what follows `balance` in a configuration of HAProxy. */
export function haproxyBalance(policy: string): Balance {
  return translatePolicy(policy, "HAProxy", ALGORITHMS);
}

const just =
  (algorithm: string): PolicyWords<Balance> =>
  () => ({ algorithm, consistent: false });

const ALGORITHMS: ReadonlyMap<string, PolicyWords<Balance>> = new Map([
  ["round-robin", just("roundrobin")],
  ["weighted-round-robin", just("roundrobin")],
  ["least-connections", just("leastconn")],
  ["random", just("random(1)")],
  ["power-of-two-choices", just("random(2)")],
  ["ip-hash", just("source")],
  ["consistent-hash", (key: PolicyKey) => ({ algorithm: keyed(key), consistent: true })],
]);

/** Names of headers and cookies may have quotes and comment signs in them; those are refused. */
function keyed({ kind, name }: PolicyKey): string {
  if (kind === "path") return "uri";
  if (!/^[\w.-]+$/.test(name)) {
    throw new Error(`expected a ${kind} whose name is of letters, digits, ".", "_" and "-" for HAProxy`);
  }
  return kind === "header" ? `hdr(${name})` : `hash req.cook(${name})`;
}
