/** Lets the buttons in the heads of a table sort its rows: up, down, and back to the order they came in. */
export function makeSortable(table: HTMLTableElement): void {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  const bodies = [...table.tBodies].map((body) => ({ body, rows: [...body.rows] }));
  heads.forEach((head, column) => {
    const button = head.querySelector("button");
    if (button === null) return;
    // Assigned and not added, so that a table that is met twice is sorted once.
    button.onclick = () => {
      const order = nextOrder(head.getAttribute("aria-sort"));
      for (const one of heads) if (one.hasAttribute("aria-sort")) one.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", order);
      for (const { body, rows } of bodies) body.append(...orderOf(rows, column, order));
    };
  });
}

function orderOf(rows: readonly HTMLTableRowElement[], column: number, order: SortOrder): HTMLTableRowElement[] {
  return sortRows(
    rows.map((row) => cellOf(row, column)),
    order,
  ).flatMap((index) => rows[index] ?? []);
}

function cellOf(row: HTMLTableRowElement, column: number): SortCell {
  const cell = row.cells[column];
  const value = cell?.dataset["value"];
  return { text: cell?.textContent ?? "", ...(value === undefined ? {} : { value }) };
}

/** A cell that rows are sorted by: its text, and its value where its column has values; an empty one is missing. */
export interface SortCell {
  readonly text: string;
  readonly value?: string;
}

/** How the rows of a table are ordered by a column; `none` is the order they came in. */
export type SortOrder = "none" | "ascending" | "descending";

const NEXT: ReadonlyMap<SortOrder, SortOrder> = new Map([
  ["none", "ascending"],
  ["ascending", "descending"],
  ["descending", "none"],
]);

const COLLATOR = new Intl.Collator("en", { numeric: true });

/** Returns the order that comes after another when a head is pressed again. */
export function nextOrder(order: string | null): SortOrder {
  return NEXT.get(order as SortOrder) ?? "ascending";
}

/**
 * Returns the indices of rows in an order: numbers by size, words as people sort them (`node-2` before `node-10`), what is missing
 * last in either direction, equal ones as they came.
 */
export function sortRows(cells: readonly SortCell[], order: SortOrder): readonly number[] {
  const indices = cells.map((_, index) => index);
  if (order === "none") return indices;
  // Where some cells have a value, those without have none that is known.
  const hasValues = cells.some(({ value }) => value !== undefined);
  const keys = cells.map(({ text, value = "" }) => keyOf(hasValues ? value : text));
  const isNumeric = keys.every((key) => key === undefined || Number.isFinite(Number(key)));
  const sign = order === "ascending" ? 1 : -1;
  return indices.toSorted((a, b) => {
    const [left, right] = [keys[a], keys[b]];
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
    return sign * (isNumeric ? Number(left) - Number(right) : COLLATOR.compare(left, right));
  });
}

/** What stands where there is no figure. */
const MISSING: ReadonlySet<string> = new Set(["", "–", "-", "—"]);

function keyOf(words: string): string | undefined {
  const key = words.trim();
  return MISSING.has(key) ? undefined : key;
}
