/** Where the noise of throughput comes from: within a start of a server, or between starts; and what helps against it. Pure. */
import { markdownTable } from "markdown-table";

/** Of windows for each target, how designs of equal total time split them: so many starts. */
const SPLITS = [1, 2, 4, 8];

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const variance = (values) => {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
};
const rootMeanSquare = (values) => Math.sqrt(mean(values.map((value) => value ** 2)));

/**
 * Takes windows of two equal targets apart, whose order alternated within each start: `{start, target: "a" | "b", window, throughput, ...cell}`, by
 * cell of `handler`, `connections` and `pinned`. All is of the logarithm of throughput, so that 0.01 is about 1 %:
 *
 * - `within`: standard deviation between windows of a start.
 * - `between`: standard deviation between starts, without what windows add to it.
 * - `ratio`: standard deviation within a start of a window of `a` over the one of `b` beside it. Independent windows would make it 1.41 times `within`.
 * - `ratioBetween`: standard deviation between starts of the ratio, without what windows add to it.
 * - `neighbours`, `halves`: how far the ratio from half of the windows is from that of the whole start, if those of `a` and `b` are beside each other,
 *   and if all of `a` come first. The same time each.
 * - `designs`: standard error of the mean ratio of so many `starts` of so many `windows` each, of equal total time, by the two parts of `ratio`.
 */
export function takeNoiseApart(windows) {
  const cellOf = ({ handler, connections, pinned }) => JSON.stringify([handler, connections, pinned]);
  return groupBy(windows, cellOf).map((own) => {
    const [{ handler, connections, pinned }] = own;
    const starts = groupBy(own, ({ start }) => start).map(readStart);
    const count = Math.min(...starts.map(({ ratios }) => ratios.length));
    const withinOf = (read) => mean(starts.map((start) => variance(read(start))));
    const betweenOf = (read, within) =>
      Math.sqrt(Math.max(0, variance(starts.map((start) => mean(read(start)))) - within / count));
    const within = { a: withinOf(({ a }) => a), b: withinOf(({ b }) => b), ratio: withinOf(({ ratios }) => ratios) };
    const betweens = [betweenOf(({ a }) => a, within.a), betweenOf(({ b }) => b, within.b)];
    const ratioBetween = betweenOf(({ ratios }) => ratios, within.ratio);
    return {
      handler,
      connections,
      pinned,
      starts: starts.length,
      windows: count,
      within: Math.sqrt((within.a + within.b) / 2),
      between: rootMeanSquare(betweens),
      ratio: Math.sqrt(within.ratio),
      ratioBetween,
      neighbours: rootMeanSquare(
        starts.map(({ a, b }) => halfApart(mean(first(a)) - mean(first(b)), mean(last(a)) - mean(last(b)))),
      ),
      halves: rootMeanSquare(
        starts.map(({ a, b }) => halfApart(mean(first(a)) - mean(last(b)), mean(last(a)) - mean(first(b)))),
      ),
      designs: SPLITS.filter((split) => count % split === 0).map((split) => ({
        starts: split,
        windows: count / split,
        error: Math.sqrt(ratioBetween ** 2 / split + within.ratio / count),
      })),
    };
  });
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(item);
  }
  return [...groups.values()];
}

/** The logarithms of a start's windows in the order of time, and of their ratios. */
function readStart(windows) {
  const of = (name) =>
    windows
      .filter(({ target }) => target === name)
      .toSorted((one, two) => one.window - two.window)
      .map(({ throughput }) => Math.log(throughput));
  const [a, b] = [of("a"), of("b")];
  return { a, b, ratios: a.slice(0, b.length).map((value, index) => value - b[index]) };
}

const first = (values) => values.slice(0, values.length >> 1);
const last = (values) => values.slice(values.length >> 1);
/** How far two figures are from what they are together. */
const halfApart = (one, two) => (one - two) / 2;

const percent = (value) => `${Number((value * 100).toPrecision(2))} %`;

const COLUMNS = [
  ["windows of a start", ({ within }) => within],
  ["starts", ({ between }) => between],
  ["ratio a/b, windows", ({ ratio }) => ratio],
  ["ratio a/b, starts", ({ ratioBetween }) => ratioBetween],
  ["half of a start: in turn", ({ neighbours }) => neighbours],
  ["half of a start: one after the other", ({ halves }) => halves],
];

/** The parts as a table of Markdown. */
export function renderNoise(cells) {
  const designs = cells[0]?.designs ?? [];
  const ofDesigns = designs.map(({ starts, windows }, index) => [
    `${starts} x ${windows}`,
    (cell) => cell.designs[index].error,
  ]);
  const columns = [...COLUMNS, ...ofDesigns];
  const head = ["handler", "connections", "pinned", ...columns.map(([title]) => title)];
  const rows = cells.map((cell) => {
    const figures = columns.map(([, read]) => percent(read(cell)));
    return [cell.handler, String(cell.connections), cell.pinned ? "yes" : "no", ...figures];
  });
  return markdownTable([head, ...rows], { align: head.map((_, index) => (index === 0 ? "l" : "r")) });
}
