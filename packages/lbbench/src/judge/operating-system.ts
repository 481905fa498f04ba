import type { Finding } from "../model/finding.js";
import type { Environment } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { UnjudgedStep } from "./step-rule.js";

/** Descriptors a Node process needs beside its connections: standard streams, event loop, modules, channels. */
const SPARE_DESCRIPTORS = 64;

const DESCRIPTOR_ERRORS = ["EMFILE", "ENFILE"];

/**
 * `FD_LIMIT`, an error {code, count} when the load generator ran out of file descriptors, a warning {connections,
 * needed, fdLimit} when a process that holds all connections of the level, as the target may, comes close to the limit.
 */
export function findDescriptorLimit(
  { level, measurement }: UnjudgedStep,
  _scenario: Scenario,
  { fdLimit }: Environment,
): readonly Finding[] {
  for (const code of DESCRIPTOR_ERRORS) {
    const count = measurement?.errorCodes[code] ?? 0;
    if (count > 0) {
      return [{ code: "FD_LIMIT", severity: "error", args: { code, count } }];
    }
  }
  const { connections } = level;
  const needed = connections + SPARE_DESCRIPTORS;
  return fdLimit !== null && needed > fdLimit
    ? [{ code: "FD_LIMIT", severity: "warning", args: { connections, needed, fdLimit } }]
    : [];
}

/**
 * `PORTS_EXHAUSTED` {count, first, last} when the load generator found no free local port; {count} without a known
 * range.
 */
export function findExhaustedPorts(
  { measurement }: UnjudgedStep,
  _scenario: Scenario,
  { portRange }: Environment,
): readonly Finding[] {
  const count = measurement?.errorCodes["EADDRNOTAVAIL"] ?? 0;
  const ports = portRange === null ? {} : { first: portRange[0], last: portRange[1] };
  return count > 0 ? [{ code: "PORTS_EXHAUSTED", severity: "error", args: { count, ...ports } }] : [];
}
