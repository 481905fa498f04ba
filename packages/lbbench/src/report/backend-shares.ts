/** What each backend of a balancer got of the requests. */
import type { BackendShare, BackendTurns } from "../model/measurement.js";
import type { Result } from "../model/result.js";
import type { Target } from "../model/scenario.js";
import { addShares, expectedShares, meanMsOf, requestsPerConnection } from "../stats/backend-shares.js";
import { sumOf } from "../stats/descriptive.js";
import { formatChange, formatCount, formatPercent, formatRate, formatTime } from "../stats/format-number.js";
import { groupBy } from "../stats/group-by.js";
import { type Cell, cellsByTarget, countFailed } from "./cells.js";
import { type Block, type Column, createTable, numberColumn, paragraph, wordColumn } from "./document/block.js";
import { joinWords } from "./plain-line.js";

/** What one backend got, over several measurements. */
interface SharedRequests extends BackendShare {
  readonly name: string;
}

/** Adds up what each backend got over all measurements of some cells, in order of first appearance; none without a balancer. */
export function sumShares(cells: readonly Cell[]): readonly SharedRequests[] {
  const measurements = cells.flatMap((cell) => cell.measurements);
  return addUp(measurements.flatMap(({ backends }) => Object.entries(backends ?? {})));
}

/** Adds up shares of the same name. */
function addUp(shares: readonly (readonly [name: string, share: BackendShare])[]): readonly SharedRequests[] {
  const byName = groupBy(shares, ([name]) => name);
  return [...byName].map(([name, those]) => ({ name, ...addShares(those.map(([, share]) => share)) }));
}

/** How the balancer of each target that has one spread the requests; nothing without a balancer. */
export function shareTables({ scenario }: Result, all: readonly Cell[]): readonly Block[] {
  return [...cellsByTarget(all)].flatMap(([name, cells]): readonly Block[] => {
    const requests = sumShares(cells);
    const turns = cells.flatMap(({ measurements }) => measurements.flatMap((one) => one.turns ?? []));
    const picks = turns.flatMap(({ byBackend }) => Object.entries(byBackend));
    // What was counted as requests says more than picks, of which there is one for each connection in mode tcp.
    const shares =
      requests.length > 0
        ? requests
        : addUp(picks.map(([backend, picked]) => [backend, { requests: picked }] as const)).toSorted((a, b) =>
            a.name.localeCompare(b.name, "en", { numeric: true }),
          );
    const what = requests.length > 0 || turns[0]?.of === "requests" ? "Requests" : "Connections";
    const target = scenario.targets.find((one) => one.name === name);
    const isFaultless = cells.every((cell) => countFailed(cell) === 0) && shares.every(({ errors }) => errors === 0);
    return [...tabulateShares(shares, { name, what, isFaultless }, target), ...tellTurns(turns)];
  });
}

const FIRST = 8;

/** `In turn: 6,000 of 6,000 connections (100.0 %) went to the next backend of the list. The first 3: a, b, a.` */
function tellTurns(turns: readonly BackendTurns[]): readonly Block[] {
  const [begin] = turns;
  if (begin === undefined) return [];
  const [picked, inTurn] = [sumOf(turns, (one) => one.picked), sumOf(turns, (one) => one.inTurn)];
  const share = picked === 0 ? "" : ` (${formatPercent(inTurn / picked)} %)`;
  const first = begin.first.slice(0, FIRST);
  const names = first.length === 0 ? "" : ` The first ${formatCount(first.length)}: ${first.join(", ")}.`;
  return [
    paragraph(
      `In turn: ${formatCount(inTurn)} of ${formatCount(picked)} ${begin.of}${share} went to the next backend of the list.${names}`,
    ),
  ];
}

const EVEN = 0.01;
/** Times by which mean times may differ for no table to be worth its place. */
const ALIKE = 2;

const BY_WEIGHT = "the share that its weight asks for";

/** Whose shares they are, what of, and whether it is known that no request failed. */
interface Shared {
  readonly name: string;
  readonly what: "Requests" | "Connections";
  readonly isFaultless: boolean;
}

/** A table, or a sentence where every backend got its share, took about as long as the others, and none is known to have failed any. */
function tabulateShares(
  shares: readonly SharedRequests[],
  { name, what, isFaultless }: Shared,
  target: Target | undefined,
): readonly Block[] {
  if (shares.length === 0) return [];
  const total = sumOf(shares, ({ requests }) => requests);
  const names = shares.map((share) => share.name);
  const expected = expectedShares(target, names);
  const isEven = new Set(expected.values()).size < 2;
  const offOf = (share: SharedRequests): number | null => {
    const due = total * (expected.get(share.name) ?? 0);
    return due === 0 ? null : share.requests / due - 1;
  };
  const most = Math.max(...shares.map((share) => Math.abs(offOf(share) ?? Infinity)));
  const counted = `${formatCount(total)} ${what.toLowerCase()}, over all levels and trials`;
  const times = shares.flatMap((share) => meanMsOf(share) ?? []);
  const isAlike = times.length === 0 || Math.max(...times) < ALIKE * Math.min(...times);
  if (most < EVEN && isAlike && shares.every(({ errors = 0 }) => errors === 0)) {
    const due = isEven ? `${formatPercent(1 / shares.length)} %` : BY_WEIGHT;
    const off = most === 0 ? "" : ` (at most ${formatPercent(most)} % off)`;
    const all = names.length === 1 ? names.join("") : `each of ${joinWords(names)}`;
    return [
      paragraph(`${name}: ${all} got ${due}${off} of ${counted}.${isFaultless ? " No request failed there." : ""}`),
    ];
  }
  const when = (isTold: boolean, ...told: readonly Column<SharedRequests>[]) => (isTold ? told : []);
  const columns: readonly Column<SharedRequests>[] = [
    wordColumn("Backend", ({ name: backend }) => backend),
    numberColumn(what, ({ requests }) => requests, formatCount),
    numberColumn("Share (%)", ({ requests }) => (total === 0 ? null : requests / total), formatPercent),
    isEven
      ? numberColumn("Off an even share", offOf, formatChange)
      : numberColumn("Off its share", offOf, formatChange, BY_WEIGHT),
    ...when(
      times.length > 0,
      numberColumn("Mean time (ms)", (share) => meanMsOf(share) ?? null, formatTime),
    ),
    ...when(
      shares.some(({ connections }) => connections !== undefined),
      numberColumn("Connections accepted", ({ connections }) => connections?.accepted ?? null, formatCount),
      numberColumn("Requests a connection in a trial", requestsPerConnection, formatRate),
    ),
    ...when(
      what === "Requests",
      numberColumn("Errors", ({ errors }) => errors ?? null, formatCount),
    ),
  ];
  return [createTable({ caption: `${what} by backend of ${name}`, lead: `${name}, ${counted}:` }, columns, shares)];
}
