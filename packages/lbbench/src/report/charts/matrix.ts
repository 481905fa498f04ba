import type { Result } from "../../model/result.js";
import { loadValue } from "../../stats/load.js";
import { cellsByTarget, collectCells } from "../cells.js";
import type { Cell } from "../cells.js";
import { describeLoad } from "../describe-level.js";

/** One target of a matrix: numbers of requests by loads. */
export interface MatrixTarget {
  readonly name: string;
  /** By rising load. */
  readonly rows: readonly MatrixRow[];
}

/** The cells of one target with the same load, by rising number of requests. */
export interface MatrixRow {
  /** `50 connections`. */
  readonly load: string;
  /** Alike for the same load in all targets. */
  readonly colorIndex: number;
  readonly cells: readonly Cell[];
}

/** Returns the targets of a matrix in the order of the scenario; none where there are not several numbers of requests. */
export function collectMatrix(result: Result): readonly MatrixTarget[] {
  const cells = collectCells(result).filter(({ level }) => level.requests !== undefined);
  if (requestsOf(cells).length < 2) return [];
  const loads = [...new Set(cells.map(({ level }) => loadValue(level)))].toSorted((a, b) => a - b);
  return [...cellsByTarget(cells)].map(([name, ofTarget]) => ({
    name,
    rows: loads.flatMap((load, colorIndex) => {
      const row = ofTarget.filter(({ level }) => loadValue(level) === load);
      const [first] = row;
      return first === undefined ? [] : [{ load: describeLoad(first.level), colorIndex, cells: byRequests(row) }];
    }),
  }));
}

/** Returns the numbers of requests that occur in some cells, each once, rising. */
export function requestsOf(cells: readonly Cell[]): readonly number[] {
  return [...new Set(cells.flatMap(({ level }) => level.requests ?? []))].toSorted((a, b) => a - b);
}

function byRequests(cells: readonly Cell[]): readonly Cell[] {
  return cells.toSorted((a, b) => (a.level.requests ?? 0) - (b.level.requests ?? 0));
}
