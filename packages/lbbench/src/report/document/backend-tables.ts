import type { BackendTurns } from "../../model/measurement.js";
import type { Target } from "../../model/scenario.js";
import { expectedShares, type SharedRequests, sumShares } from "../backend-shares.js";
import { type Cell, cellsByTarget } from "../cells.js";
import { formatChange, formatCount, formatPercent } from "../format-number.js";
import type { Section } from "../report-model.js";
import {
  type Block,
  type Column,
  createTable,
  heading,
  NO_FIGURE,
  numberColumn,
  paragraph,
  type Table,
} from "./block.js";

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
  const targetNamed = (name: string): Target | undefined => result.scenario.targets.find((one) => one.name === name);
  const parts = [...cellsByTarget(all)].flatMap(([target, cells]) => {
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
