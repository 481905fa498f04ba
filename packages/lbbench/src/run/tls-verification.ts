import type { Finding } from "../model/finding.js";
import type { Engine } from "../plugin.js";

/** `TLS_NOT_VERIFIED` {engine} when an https target was loaded by an engine that does not check certificates. */
export function findUnverifiedTls(url: string, { name, supports }: Engine): readonly Finding[] {
  return new URL(url).protocol === "https:" && !supports.tlsVerification
    ? [{ code: "TLS_NOT_VERIFIED", severity: "info", args: { engine: name } }]
    : [];
}
