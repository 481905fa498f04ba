/** From the lines of a file to the output of each run: what every line tells, and where one run ends and the next begins. */
import type { Doubt } from "../model/measurement.js";
import type { Line } from "./clean-text.js";
import { nameLines } from "./imported-run.js";
import { LAYOUTS, type Layout, type Row } from "./layouts.js";
import { isCommand } from "./read-command.js";

/** What one line tells under one key. */
interface Entry {
  readonly line: Line;
  /** As it matched, without the rest of the line. */
  readonly text: string;
  readonly captured: readonly (string | undefined)[];
}

/** The lines of one run, as they are found. */
export interface Block {
  layouts: readonly Layout[];
  readonly entries: Map<string, Entry[]>;
  readonly lines: Line[];
  /** Of these lines those that tell nothing, or the same again. */
  readonly ignored: Line[];
  /** Figures that stand twice in it, with different values. */
  readonly conflicts: (readonly [key: string, one: Entry, other: Entry])[];
  /** What stands between it and the block before: prompts, comments, commands. */
  readonly before: readonly Line[];
  /** Of the last figure. */
  lastKey: string;
}

interface Found extends Entry {
  readonly row: Row;
  readonly start: number;
}

/** What a line tells, by the layouts that explain most of it; `undefined` where none does. */
function readLine(line: Line): ReadonlyMap<Layout, readonly Found[]> | undefined {
  const all = LAYOUTS.filter(({ any }) => any.test(line.text)).map(({ layout, rows }) => {
    const found = findRows(line, rows);
    return { layout, found, covered: found.reduce((sum, { text }) => sum + text.length, 0) };
  });
  const most = Math.max(0, ...all.map(({ covered }) => covered));
  const best = all.filter(({ covered }) => covered === most);
  return most === 0 ? undefined : new Map(best.map(({ layout, found }) => [layout, found]));
}

/** Finds the rows in a line from left to right, which may be all of an output where its line breaks were lost. */
function findRows(line: Line, rows: readonly Row[]): readonly Found[] {
  const all = rows
    .flatMap((row) => {
      const matches: Found[] = [];
      row.pattern.lastIndex = 0;
      for (let match = row.pattern.exec(line.text); match !== null; match = row.pattern.exec(line.text)) {
        matches.push({ row, line, text: match[0], start: match.index, captured: match.slice(1) });
      }
      return matches;
    })
    .toSorted((a, b) => a.start - b.start || b.text.length - a.text.length);
  const found: Found[] = [];
  let end = 0;
  for (const one of all) {
    if (one.start < end || (one.row.isBare && line.text.slice(end, one.start).trim() !== "")) continue;
    found.push(one);
    end = one.start + one.text.length;
  }
  return found;
}

/** From this on a block is one in which a figure may stand twice; with fewer, its lines may be of one run each. */
const FEW_KEYS = 3;

/**
 * Splits lines into the outputs of runs. A command begins another one, and so does a figure that was there already, unless it is right
 * below: then the line stands twice, or is contradicted.
 */
export function splitBlocks(lines: readonly Line[]): readonly Block[] {
  const blocks: Block[] = [];
  let block: Block | undefined;
  let between: Line[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    if (line === undefined || line.text === "") continue;
    const command = isCommand(line.text);
    let told = command ? undefined : readLine(line);
    if (told === undefined && !command && block !== undefined) {
      // A line that was broken in two.
      const next = lines.slice(at + 1, at + 3).find(({ text }) => text !== "");
      if (next !== undefined && readLine(next) === undefined) {
        told = readLine({ ...line, text: `${line.text} ${next.text}` });
        if (told !== undefined) at = lines.indexOf(next, at);
      }
    }
    if (told === undefined) {
      if (command) block = undefined;
      between.push(line);
      continue;
    }
    const shared = [...told.keys()].filter((layout) => block?.layouts.includes(layout));
    if (block === undefined || shared.length === 0 || begins(block, told.get(shared[0] ?? "ab") ?? [])) {
      const layouts = [...told.keys()];
      block = { layouts, entries: new Map(), lines: [], ignored: [], conflicts: [], before: between, lastKey: "" };
      blocks.push(block);
    } else {
      block.layouts = shared;
      block.lines.push(...between);
      block.ignored.push(...between);
    }
    between = [];
    block.lines.push(line);
    for (const one of told.get(block.layouts[0] ?? "ab") ?? []) add(block, one);
  }
  return mergeParts(blocks);
}

function keyOf({ row: { key, comes }, captured: [name = ""] }: Found): string {
  return comes === "by name" ? `${key} ${name}` : (key ?? "");
}

/** Whether figures are those of another run than that of a block. */
function begins({ entries, lastKey }: Block, found: readonly Found[]): boolean {
  return found.some((one) => {
    const key = keyOf(one);
    const [known] = one.row.key === null || one.row.comes === "often" ? [] : (entries.get(key) ?? []);
    if (known === undefined) return false;
    return key !== lastKey || (known.text !== one.text && entries.size < FEW_KEYS);
  });
}

function add(block: Block, one: Found): void {
  if (one.row.key === null) return;
  const key = keyOf(one);
  const known = block.entries.get(key);
  const [first] = known ?? [];
  if (known === undefined || first === undefined) block.entries.set(key, [one]);
  else if (one.row.comes === "often") known.push(one);
  else if (known.some(({ text }) => text === one.text)) block.ignored.push(one.line);
  else block.conflicts.push([key, first, one]);
  block.lastKey = key;
}

/** Puts blocks together whose lines do not contradict each other: a line between them stood twice, or was of something else. */
function mergeParts(blocks: readonly Block[]): readonly Block[] {
  const merged: Block[] = [];
  for (const block of blocks) {
    const last = merged.at(-1);
    if (last === undefined || !isPartOf(last, block)) {
      merged.push(block);
      continue;
    }
    last.layouts = last.layouts.filter((layout) => block.layouts.includes(layout));
    const [first] = block.lines;
    last.lines.push(...block.before, ...block.lines);
    last.ignored.push(...block.ignored, ...block.before);
    for (const [key, entries] of block.entries) {
      const known = last.entries.get(key);
      if (known === undefined) last.entries.set(key, [...entries]);
      else if (first !== undefined) last.ignored.push(...entries.map(({ line }) => line));
    }
  }
  return merged;
}

function isPartOf(last: Block, block: Block): boolean {
  if (block.before.some(({ text }) => isCommand(text)) || !last.layouts.some((one) => block.layouts.includes(one))) {
    return false;
  }
  const shared = [...block.entries].filter(([key]) => last.entries.has(key));
  return (
    !last.entries.has("gave up") && shared.every(([key, [entry]]) => entry?.text === last.entries.get(key)?.[0]?.text)
  );
}

/** A text of a file as a message shows it. */
export function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

/** What lines make doubtful that stand twice with different figures, by their keys. */
const DOUBTED: readonly (readonly [figure: Doubt["figure"], keys: RegExp])[] = [
  ["throughput", /^(?:complete|time|rate|connections|summary|threads|samples)$/],
  ["errors", /^(?:failed|failures|non2xx|errors|statuses|status .*|metric http_req_failed)$/],
  ["latency", /^(?:total|latency|mean|fastest|slowest|percentile .*)$/],
];

/** Reads the figures of a block, and notes which of its lines contradict each other. */
export type BlockReader = ReturnType<typeof readerOf>;

/** @param file of the block, for messages. */
export function readerOf({ entries, conflicts, before, ignored }: Block, file: string) {
  const doubts: Doubt[] = [];
  const contradict = (figure: Doubt["figure"], ...those: readonly (Entry | undefined)[]): void => {
    const lines = those.flatMap((one) =>
      one === undefined ? [] : [`${nameLines(file, one.line.number, one.line.number)} ${quote(one.text)}`],
    );
    doubts.push({ figure, because: "contradiction", lines: [...new Set(lines)].join(" and ") });
  };
  for (const [key, one, other] of conflicts)
    contradict(DOUBTED.find(([, keys]) => keys.test(key))?.[0] ?? "other", one, other);
  const first = (key: string): Entry | undefined => entries.get(key)?.[0];
  /** What a line captures; `undefined` where there is no such line. */
  const texts = (key: string): readonly string[] | undefined => first(key)?.captured.map((text = "") => text);
  const numbers = (key: string): readonly number[] | undefined => texts(key)?.map(Number);
  return {
    before: before.map(({ text }) => text),
    ignored,
    doubts,
    texts,
    numbers,
    number: (key: string): number | undefined => numbers(key)?.[0],
    has: (key: string): boolean => entries.has(key),
    all: (key: string): readonly Entry[] => entries.get(key) ?? [],
    /** What lines capture that come by name, with that name: `[["50", "31"]]`. */
    named: (key: string): readonly (readonly string[])[] =>
      [...entries].flatMap(([name, [entry]]) =>
        name.startsWith(`${key} `) && entry !== undefined ? [entry.captured.map((text = "") => text)] : [],
      ),
    /** Says that the lines of these keys cannot all be true, unless they can. */
    check: (isSo: boolean, figure: Doubt["figure"], ...keys: readonly string[]): void => {
      if (!isSo) contradict(figure, ...keys.map(first));
    },
  };
}
