import { nextOrder, sortRows } from "./sort-rows.js";
import type { SortCell, SortOrder } from "./sort-rows.js";

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
