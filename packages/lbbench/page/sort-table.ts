/** How the rows of a table are ordered by a column; `none` is the order they came in. */
export type SortOrder = "none" | "ascending" | "descending";

/** How tables were sorted, by their names and the words of a head: one that takes the place of another is sorted alike. */
const sorted = new Map<string, { readonly head: string; readonly order: SortOrder }>();

/** Lets the buttons in the heads of a table sort its rows: up, down, and back to the order they came in. */
export function makeSortable(table: HTMLTableElement): void {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  const bodies = [...table.tBodies].map((body) => ({ body, rows: [...body.rows] }));
  // Captions alone may be those of other tables, too.
  const name = table.closest("[role=region]")?.getAttribute("aria-label") ?? table.caption?.textContent ?? "";
  const sort = (column: number, order: SortOrder): void => {
    sorted.set(name, { head: heads[column]?.textContent ?? "", order });
    heads.forEach((head, at) => head.setAttribute("aria-sort", at === column ? order : "none"));
    for (const { body, rows } of bodies) {
      const cells = rows.map(({ cells: { [column]: cell } }): SortCell => {
        return { text: cell?.textContent ?? "", value: cell?.dataset["value"] };
      });
      body.append(...sortRows(cells, order).flatMap((index) => rows[index] ?? []));
    }
  };
  heads.forEach((head, column) => {
    const button = head.querySelector("button");
    // Assigned and not added, so that a table that is met twice is sorted once.
    if (button !== null) button.onclick = () => sort(column, nextOrder(head.getAttribute("aria-sort")));
  });
  const before = sorted.get(name);
  const column = heads.findIndex(({ textContent }) => textContent === before?.head);
  if (before !== undefined && column >= 0) sort(column, before.order);
}

/** A cell that rows are sorted by: its text, and its value where its column has values; an empty one is missing. */
export interface SortCell {
  readonly text: string;
  readonly value?: string | undefined;
}

/** Returns the order that comes after another when a head is pressed again. */
export function nextOrder(order: string | null): SortOrder {
  if (order === "ascending") return "descending";
  return order === "descending" ? "none" : "ascending";
}

const COLLATOR = new Intl.Collator("en", { numeric: true });
/** What stands where there is no figure. */
const MISSING: ReadonlySet<string> = new Set(["", "–", "-", "—"]);

/**
 * Returns the indices of rows in an order: numbers by size, words as people sort them (`node-2` before `node-10`), what is missing
 * last in either direction, equal ones as they came.
 */
export function sortRows(cells: readonly SortCell[], order: SortOrder): readonly number[] {
  const indices = cells.map((_, index) => index);
  if (order === "none") return indices;
  // Where some cells have a value, those without have none that is known.
  const hasValues = cells.some(({ value }) => value !== undefined);
  const keys = cells.map(({ text, value = "" }) => (hasValues ? value : text).trim());
  const isMissing = (index: number): boolean => MISSING.has(keys[index] ?? "");
  const isNumeric = keys.every((key, index) => isMissing(index) || Number.isFinite(Number(key)));
  const sign = order === "ascending" ? 1 : -1;
  return indices.toSorted((a, b) => {
    const [left = "", right = ""] = [keys[a], keys[b]];
    if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
    return sign * (isNumeric ? Number(left) - Number(right) : COLLATOR.compare(left, right));
  });
}
