import type { PolicyKey, PolicyWords } from "../program-policy.js";
import { translatePolicy } from "../program-policy.js";

/** A policy as the directive that nginx has for it; empty for its own, which is round robin by weight. */
export function nginxMethod(policy: string): string {
  return translatePolicy(policy, "nginx", METHODS);
}

const METHODS: ReadonlyMap<string, PolicyWords<string>> = new Map([
  ["round-robin", () => ""],
  ["weighted-round-robin", () => ""],
  ["least-connections", () => "least_conn"],
  ["random", () => "random"],
  ["power-of-two-choices", () => "random two least_conn"],
  ["ip-hash", () => "ip_hash"],
  ["consistent-hash", (key: PolicyKey) => `hash ${variable(key)} consistent`],
]);

/** The variable that holds a key. Names that cannot be one are refused, and with them all that could end the word. */
function variable({ kind, name }: PolicyKey): string {
  if (kind === "path") return "$uri";
  if (kind === "cookie") {
    if (/^\w+$/.test(name)) return `$cookie_${name}`;
    throw new Error("expected a cookie whose name is of letters, digits and _, the only ones that nginx can look at");
  }
  // Headers with an underscore nginx throws away.
  if (/^[a-z\d-]+$/.test(name)) return `$http_${name.replaceAll("-", "_")}`;
  throw new Error("expected a header whose name is of letters, digits and -, the only ones that nginx can look at");
}
