import { backendsOf } from "./plugins.js";
import type { Fault, FaultKind } from "../model/fault.js";
import { faultKind } from "../model/result-schema.js";
import type { Target } from "../model/scenario.js";
import type { Server } from "../plugin.js";
import { backendNames } from "../stats/backend-shares.js";
import { formatDuration } from "../stats/format-number.js";
import { formatFault, UNDOES } from "../stats/faults.js";
import { describeFailure, insist, listWords, refuse, suggest } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { parseDuration, parser, parseShare } from "./parsers.js";
import { defined } from "../stats/defined.js";

const KINDS = faultKind.options;

/** The part of a roll: all backends. */
const BACKENDS = "backends";

/** What has to be told of one kind beside the part, and of no other. */
const AMOUNTS = [
  { field: "byMs", kind: "slow", what: '"by" and a time', example: 200 },
  { field: "share", kind: "errors", what: "a share", example: 0.5 },
] as const;

/** How a fault of a kind is written, for messages. */
function exampleOf(kind: FaultKind): string {
  const amounts = AMOUNTS.flatMap((one) => (one.kind === kind ? [[one.field, one.example]] : []));
  const part = kind === "roll" ? BACKENDS : kind === "reload" ? "balancer" : DEFAULTS.faults.backend;
  return `"${formatFault({ kind, part, atMs: 3000, ...Object.fromEntries(amounts) })}"`;
}

/**
 * Reads `KIND PART [by TIME | SHARE%] at TIME`: `kill backend-2 at 3s`, `slow backend-2 by 200ms at 3s`, `errors backend-2 50% at 3s`. The part
 * of `roll` is `backends` where none is named.
 */
export const parseFault = parser<Fault>(`expected a fault such as ${exampleOf("kill")}`, (text) => {
  const written = text.trim();
  if (written === "") return undefined;
  const [, word = "", rest = ""] = /^(\S+)\s*(.*)$/s.exec(written) ?? [];
  const kind = KINDS.find((one) => one === word);
  if (kind === undefined) {
    throw new Error(`expected ${listWords(KINDS)} at the start of "${written}", got "${word}".${suggest(word, KINDS)}`);
  }
  const fail = (expected: string): never => {
    throw new Error(`expected ${expected}, as in ${exampleOf(kind)}, got "${written}"`);
  };
  const read = (parse: (of: string) => number, value: string): number => {
    try {
      return parse(value);
    } catch (cause) {
      throw new Error(`"${written}": ${describeFailure(cause)}`, { cause });
    }
  };
  const [, before = "", at] = /^(.*?)(?<!\S)at\s+(\S+)$/s.exec(rest) ?? [];
  if (at === undefined) return fail('"at" and a time at the end');
  const [, own = "", by, share] = /^(.*?)(?:(?<!\S)by\s+(\S+)|(?<!\S)(\S*%))?\s*$/s.exec(before) ?? [];
  const part = own.trim() || (kind === "roll" ? BACKENDS : "");
  if (part === "") return fail("the name of a part");
  return checkFault({
    atMs: read(parseDuration, at),
    kind,
    part,
    ...defined({
      byMs: by === undefined ? undefined : read(parseDuration, by),
      share: share === undefined ? undefined : read(parseShare, share),
    }),
  });
});

/** Throws an `Error` where something is missing that the kind needs, or is told that is for another kind. */
function checkFault(fault: Fault): Fault {
  const { kind, part } = fault;
  const check = (holds: boolean, expected: string): void => {
    if (!holds) throw new Error(`expected ${expected}, as in ${exampleOf(kind)}, got "${formatFault(fault)}"`);
  };
  for (const { field, kind: user, what } of AMOUNTS) {
    const isTold = fault[field] !== undefined;
    check(kind !== user || isTold, what);
    check(kind === user || !isTold, `${what} with ${user} alone`);
  }
  check(
    kind !== "roll" || part === BACKENDS,
    `${BACKENDS} behind roll, which is done to all of them one after the other`,
  );
  check(kind === "roll" || part !== BACKENDS, "the name of one part: only roll is done to all backends");
  return fault;
}

/** A fault as an object: `{ at: "3s", kill: "backend-2" }`, its times and shares read. */
type FaultObject = { readonly [Kind in FaultKind]?: string | undefined } & {
  readonly at: number;
  readonly by?: number | undefined;
  readonly share?: number | undefined;
};

/** Reads a fault that is written as an object. Throws an `Error` that says what was expected, as {@link parseFault} does. */
export function faultOf({ at, by, share, ...parts }: FaultObject): Fault {
  const given = KINDS.filter((one) => parts[one] !== undefined);
  const [kind] = given;
  if (kind === undefined || given.length > 1) {
    throw new Error(`expected one of ${listWords(KINDS)}, got ${given.join(" and ") || "none of them"}`);
  }
  const amounts = defined({ byMs: by, share });
  return checkFault({ atMs: at, kind, part: parts[kind] ?? "", ...amounts });
}

/** What cannot be done to a part any more after a fault; after others everything can. */
const ENDED: readonly FaultKind[] = ["kill", "stop", "pause", "resume", "slow", "errors", "reload"];
const IMPOSSIBLE_AFTER: ReadonlyMap<FaultKind, readonly FaultKind[]> = new Map([
  ["kill", ENDED],
  ["stop", ENDED],
  ["pause", ["stop", "pause", "slow", "errors", "reload"]],
]);

/**
 * Puts faults in order of time. Throws a `ConfigError` for one that is not before the end of the step, for one that undoes what
 * was not done, and for one to a part that was ended or paused before.
 *
 * @param flag what says how long a step lasts.
 */
export function orderFaults(faults: readonly Fault[], durationMs: number, flag = "-d"): readonly Fault[] {
  const ordered = faults.toSorted((a, b) => a.atMs - b.atMs);
  const place = "faults (--fault): expected";
  for (const [index, fault] of ordered.entries()) {
    refuse(
      fault.atMs >= durationMs &&
        `${place} a time before the end of the step, which lasts ${formatDuration(durationMs)} (${flag}), got "${formatFault(fault)}". ` +
          "Do it earlier, or measure for longer.",
    );
    const undoes = UNDOES.get(fault.kind);
    const before = ordered
      .slice(0, index)
      .findLast(({ part, kind }) => part === fault.part && (undoes?.includes(kind) || kind === fault.kind));
    const again = before?.kind === fault.kind ? before : undefined;
    refuse(
      undoes &&
        (before === undefined || again !== undefined) &&
        `${place} ${listWords(undoes)} of "${fault.part}" before "${formatFault(fault)}", got none` +
          (again === undefined
            ? ". Each step begins with a whole target: there is nothing to undo. Add it, or mind the times."
            : ` after "${formatFault(again)}". Add it, or leave the second one out.`),
    );
    // A part that is started, resumed or rolled in between may be this one, or the server that has it.
    const last = ordered
      .slice(0, index)
      .findLast(({ kind, part: other }) =>
        IMPOSSIBLE_AFTER.has(kind) ? other === fault.part : kind === "start" || kind === "resume" || kind === "roll",
      );
    refuse(
      last &&
        IMPOSSIBLE_AFTER.get(last.kind)?.includes(fault.kind) &&
        `${place} ${last.kind === "pause" ? "resume" : "start"} of "${fault.part}" between "${formatFault(last)}" and ` +
          `"${formatFault(fault)}", got none. Add it, or leave the second one out.`,
    );
  }
  return ordered;
}

/**
 * The faults of `lbbench faults` where none are named. They are done to one backend, of a name that every target has: its second one, as
 * far as there are two. Throws a `ConfigError` where the targets have no such backend.
 */
export function usualFaults(targets: readonly Target[], servers: ReadonlyMap<string, Server>): readonly Fault[] {
  const own = "name faults yourself, by the parts that all targets have: --fault 'kill NAME at 3s'.";
  const named = targets.map(({ name, server, options }) => {
    const groups = backendsOf({ server, options }, servers);
    const all = backendNames(groups);
    // A balancer behind a balancer is no backend itself.
    const names = groups.flatMap((group, index) => (backendsOf(group, servers).length > 0 ? [] : (all[index] ?? [])));
    refuse(
      names.length === 0 &&
        `The usual faults are done to a backend behind a balancer that lbbench starts, and the target "${name}" has none. ` +
          `Leave it out, or ${own}`,
    );
    return { name, names };
  });
  const [first = { names: [] }, ...others] = named;
  const common = first.names.filter((name) => others.every(({ names }) => names.includes(name)));
  const backend = common[1] ?? common[0];
  const each = named.map(({ name, names }) => `"${name}" has ${names.join(", ")}`).join("; ");
  insist(
    backend !== undefined,
    `The usual faults are done to the same backend of every target, and no name of a backend is in all of them: ${each}. ` +
      `Call the backends alike, or ${own}`,
  );
  return DEFAULTS.faults.usual
    .map(parseFault)
    .map((fault) => (fault.part === DEFAULTS.faults.backend ? { ...fault, part: backend } : fault));
}
