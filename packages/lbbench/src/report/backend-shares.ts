import type { BackendShare, BackendTurns } from "../model/measurement.js";
import type { BackendGroup, Target } from "../model/scenario.js";
import { backendNames } from "../stats/backend-names.js";
import { groupBy } from "../stats/group-by.js";
import { type Cell, cellsByTarget, collectCells } from "./cells.js";
import {
  type Block,
  type Column,
  createTable,
  heading,
  NO_FIGURE,
  numberColumn,
  paragraph,
  type Section,
  type Table,
} from "./document/block.js";
import { formatChange, formatCount, formatPercent } from "./format-number.js";

/** What one backend got of the requests, over several measurements. */
interface SharedRequests extends BackendShare {
  readonly name: string;
}

/** Adds up what each backend got over all measurements of some cells, in order of first appearance; none without a balancer. */
export function sumShares(cells: readonly Cell[]): readonly SharedRequests[] {
  const all = cells.flatMap(({ measurements }) =>
    measurements.flatMap(({ backends }) => Object.entries(backends ?? {}).map(([name, share]) => ({ name, ...share }))),
  );
  return [...groupBy(all, ({ name }) => name)].map(([name, those]) => ({
    name,
    requests: those.reduce((sum, { requests }) => sum + requests, 0),
    ...sumErrors(those),
  }));
}

/** Nothing where nobody tells. */
function sumErrors(shares: readonly BackendShare[]): Pick<BackendShare, "errors"> {
  const told = shares.flatMap(({ errors }) => errors ?? []);
  return told.length === 0 ? {} : { errors: told.reduce((sum, errors) => sum + errors, 0) };
}

/**
 * Returns the share (0 to 1) that each of some backends is to get by the weights in a target's options; even shares where
 * these do not tell of exactly those backends.
 */
export function expectedShares(target: Target | undefined, names: readonly string[]): ReadonlyMap<string, number> {
  const weights = weightsOf(target?.options["backends"]);
  const isTold = weights.size === names.length && names.every((name) => weights.has(name));
  const total = isTold ? [...weights.values()].reduce((sum, weight) => sum + weight, 0) : names.length;
  return new Map(names.map((name) => [name, (isTold ? (weights.get(name) ?? 0) : 1) / total]));
}

function weightsOf(groups: unknown): ReadonlyMap<string, number> {
  if (!Array.isArray(groups) || !groups.every(isGroup)) return new Map();
  const names = backendNames(groups);
  return new Map(groups.flatMap(({ weight }, group) => (names[group] ?? []).map((name) => [name, weight] as const)));
}

function isGroup(group: unknown): group is Pick<BackendGroup, "name" | "count" | "weight"> {
  if (typeof group !== "object" || group === null) return false;
  const { name, count, weight } = group as Readonly<Record<string, unknown>>;
  return (name === null || typeof name === "string") && Number.isSafeInteger(count) && typeof weight === "number";
}

/** Which backends a balancer picked one after another, over several measurements. */
interface SummedTurns extends Omit<BackendTurns, "byBackend"> {
  /** Of the picks. */
  readonly byBackend: readonly SharedRequests[];
}

/** Adds up what was picked over all measurements of some cells; the first names are those of the first of them. `undefined` where no balancer tells. */
function sumTurns(cells: readonly Cell[]): SummedTurns | undefined {
  const all = cells.flatMap(({ measurements }) => measurements.flatMap(({ turns }) => turns ?? []));
  const [begin] = all;
  if (begin === undefined) return undefined;
  const byBackend = new Map<string, number>();
  for (const turns of all) {
    for (const [name, picks] of Object.entries(turns.byBackend))
      byBackend.set(name, (byBackend.get(name) ?? 0) + picks);
  }
  return {
    of: begin.of,
    first: begin.first,
    picked: all.reduce((sum, { picked }) => sum + picked, 0),
    inTurn: all.reduce((sum, { inTurn }) => sum + inTurn, 0),
    byBackend: [...byBackend]
      .map(([name, requests]) => ({ name, requests }))
      .toSorted((a, b) => a.name.localeCompare(b.name, "en", { numeric: true })),
  };
}

/** How the balancer of each target that has one spread the requests; nothing without a balancer. */
export const backendShares: Section = (result) => {
  const targetNamed = (name: string): Target | undefined => result.scenario.targets.find((one) => one.name === name);
  const parts = [...cellsByTarget(collectCells(result))].flatMap(([target, cells]) => {
    const shares = sumShares(cells);
    const turns = sumTurns(cells);
    if (shares.length === 0 && turns === undefined) return [];
    return [
      heading(`Backends of ${target}`),
      ...(shares.length > 0 ? [tabulateShares(shares, "Requests", targetNamed(target))] : []),
      // What was counted as requests says more than picks, of which there is one for each connection in mode tcp.
      ...(shares.length === 0 && turns !== undefined
        ? [tabulateShares(turns.byBackend, turns.of === "requests" ? "Requests" : "Connections", targetNamed(target))]
        : []),
      ...(turns === undefined ? [] : [tellTurns(turns)]),
    ];
  });
  const about = paragraph("Over all levels and trials, as the balancer or the backends themselves counted.");
  return parts.length === 0
    ? null
    : { id: "backends", title: "Share of requests per backend", blocks: [about, ...parts] };
};

/** `In turn: 6,000 of 6,000 connections (100.0 %) went to the next backend of the list. The first 3: a, b, a.` */
function tellTurns({ of, picked, inTurn, first }: SummedTurns): Block {
  const share = picked === 0 ? "" : ` (${formatPercent(inTurn / picked)} %)`;
  const names = first.length === 0 ? "" : ` The first ${formatCount(first.length)}: ${first.join(", ")}.`;
  return paragraph(
    `In turn: ${formatCount(inTurn)} of ${formatCount(picked)} ${of}${share} went to the backend that follows the one before in the list.${names}`,
  );
}

function tabulateShares(
  shares: readonly SharedRequests[],
  what: "Requests" | "Connections",
  target: Target | undefined,
): Table {
  const total = shares.reduce((sum, { requests }) => sum + requests, 0);
  const expected = expectedShares(
    target,
    shares.map(({ name }) => name),
  );
  const isEven = new Set(expected.values()).size < 2;
  const columns: readonly Column<SharedRequests>[] = [
    { head: "Backend", align: "left", cell: ({ name }) => name },
    numberColumn(what, ({ requests }) => requests, formatCount),
    numberColumn("Share (%)", ({ requests }) => (total === 0 ? null : requests / total), formatPercent),
    {
      head: isEven ? "Off an even share" : "Off its share",
      align: "right",
      ...(isEven ? {} : { title: "the share that its weight asks for" }),
      cell: ({ name, requests }) => {
        const due = total * (expected.get(name) ?? 0);
        return due === 0 ? NO_FIGURE : { text: formatChange(requests / due - 1), value: requests / due - 1 };
      },
    },
    ...(what === "Requests"
      ? [numberColumn<SharedRequests>("Errors", ({ errors }) => errors ?? null, formatCount)]
      : []),
  ];
  return createTable({ caption: `${what} by backend` }, columns, shares);
}
