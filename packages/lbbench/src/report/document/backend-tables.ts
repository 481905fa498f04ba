import type { BackendTurns } from "../../model/measurement.js";
import type { Target } from "../../model/scenario.js";
import { expectedShares, type SharedRequests, sumShares } from "../backend-shares.js";
import { type Cell, cellsByTarget } from "../cells.js";
import { formatChange, formatCount, formatPercent } from "../../stats/format-number.js";
import type { Section } from "../report-model.js";
import { type Block, type Column, createTable, numberColumn, paragraph } from "./block.js";

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
export const backendShares: Section = ({ result, cells: all }) => {
  const parts = [...cellsByTarget(all)].flatMap(([name, cells]) => {
    const requests = sumShares(cells);
    const turns = sumTurns(cells);
    // What was counted as requests says more than picks, of which there is one for each connection in mode tcp.
    const shares = requests.length > 0 ? requests : (turns?.byBackend ?? []);
    if (shares.length === 0 && turns === undefined) return [];
    const what = requests.length > 0 || turns?.of === "requests" ? "Requests" : "Connections";
    const target = result.scenario.targets.find((one) => one.name === name);
    return [
      ...(shares.length === 0 ? [] : tabulateShares(shares, what, name, target)),
      ...(turns === undefined ? [] : [tellTurns(turns)]),
    ];
  });
  return parts.length === 0 ? null : { id: "backends", title: "Share of requests per backend", blocks: parts };
};

/** `In turn: 6,000 of 6,000 connections (100.0 %) went to the next backend of the list. The first 3: a, b, a.` */
function tellTurns({ of, picked, inTurn, first }: SummedTurns): Block {
  const share = picked === 0 ? "" : ` (${formatPercent(inTurn / picked)} %)`;
  const names = first.length === 0 ? "" : ` The first ${formatCount(first.length)}: ${first.join(", ")}.`;
  return paragraph(
    `In turn: ${formatCount(inTurn)} of ${formatCount(picked)} ${of}${share} went to the backend that follows the one before in the list.${names}`,
  );
}

/** Shares that are off by less are said to be even. */
const EVEN = 0.01;

/** A table, or a sentence where every backend got its share and none failed. */
function tabulateShares(
  shares: readonly SharedRequests[],
  what: "Requests" | "Connections",
  name: string,
  target: Target | undefined,
): readonly Block[] {
  const total = shares.reduce((sum, { requests }) => sum + requests, 0);
  const names = shares.map((share) => share.name);
  const expected = expectedShares(target, names);
  const isEven = new Set(expected.values()).size < 2;
  const offOf = (share: SharedRequests): number | null => {
    const due = total * (expected.get(share.name) ?? 0);
    return due === 0 ? null : share.requests / due - 1;
  };
  const most = Math.max(...shares.map((share) => Math.abs(offOf(share) ?? Infinity)));
  const counted = `${formatCount(total)} ${what.toLowerCase()}, over all levels and trials`;
  if (most < EVEN && shares.every(({ errors = 0 }) => errors === 0)) {
    const each = isEven ? `${formatPercent(1 / shares.length)} % each` : "the share that its weight asks for";
    const off = most === 0 ? "" : `, at most ${formatPercent(most)} % off`;
    return [paragraph(`${name}: ${names.join(", ")} got ${each}${off}, of ${counted}. No request failed there.`)];
  }
  const columns: readonly Column<SharedRequests>[] = [
    { head: "Backend", align: "left", cell: (share) => share.name },
    numberColumn(what, ({ requests }) => requests, formatCount),
    numberColumn("Share (%)", ({ requests }) => (total === 0 ? null : requests / total), formatPercent),
    numberColumn(
      isEven ? "Off an even share" : "Off its share",
      offOf,
      formatChange,
      isEven ? undefined : "the share that its weight asks for",
    ),
    ...(what === "Requests"
      ? [numberColumn<SharedRequests>("Errors", ({ errors }) => errors ?? null, formatCount)]
      : []),
  ];
  return [createTable({ caption: `${what} by backend of ${name}`, lead: `${name}, ${counted}:` }, columns, shares)];
}
