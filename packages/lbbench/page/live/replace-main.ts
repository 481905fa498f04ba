import { drawReport } from "../draw-report.js";

/**
 * Puts another report in the place of the one that is shown, and leaves the reader where they are: what is in view, what has the focus,
 * what was opened and how tables are sorted stay as well as they can.
 *
 * @param html of our own server, which made text of every word from outside.
 */
export function replaceMain(main: HTMLElement, html: string): void {
  const inView = firstInView(main);
  const focused = main.contains(document.activeElement) ? document.activeElement : null;
  const focusedAt = focused === null ? undefined : placeOf(focused, main);
  const opened = [...main.querySelectorAll("details")].map((details) => ({
    at: placeOf(details, main),
    open: details.open,
  }));
  const sortAgain = keepSorting(main);
  const incoming = document.createElement("template");
  incoming.innerHTML = html;
  main.replaceChildren(incoming.content);
  drawReport(main);
  sortAgain();
  for (const { at, open } of opened) {
    const details = elementAt(at, main);
    if (details instanceof HTMLDetailsElement) details.open = open;
  }
  const toFocus = focusedAt === undefined ? null : elementAt(focusedAt, main);
  if (toFocus instanceof HTMLElement && toFocus.tagName === focused?.tagName) toFocus.focus({ preventScroll: true });
  if (inView === undefined) return;
  const now = main.querySelector(`#${CSS.escape(inView.id)}`)?.getBoundingClientRect().top;
  if (now !== undefined) scrollBy({ top: now - inView.top, behavior: "instant" });
}

/** Where an element stands: the nearest element with an id around it, or `main`, and the way from there by numbers of children. */
interface Place {
  readonly id: string | null;
  readonly way: readonly number[];
}

function placeOf(element: Element, main: HTMLElement): Place {
  const way: number[] = [];
  let at = element;
  while (at !== main && at.id === "") {
    const parent = at.parentElement ?? main;
    way.unshift([...parent.children].indexOf(at));
    at = parent;
  }
  return { id: at === main ? null : at.id, way };
}

function elementAt({ id, way }: Place, main: HTMLElement): Element | null {
  const start = id === null ? main : main.querySelector(`#${CSS.escape(id)}`);
  return way.reduce<Element | null>((at, index) => at?.children.item(index) ?? null, start);
}

/** The first element that has an id and is in view; nothing where the report begins below the top of the window. */
function firstInView(main: HTMLElement): { readonly id: string; readonly top: number } | undefined {
  if (main.getBoundingClientRect().top >= 0) return undefined;
  const candidates = [...main.querySelectorAll<HTMLElement>("[id]:not(script)")];
  const seen = candidates.find((one) => one.getBoundingClientRect().top >= 0) ?? candidates.at(-1);
  return seen && { id: seen.id, top: seen.getBoundingClientRect().top };
}

/** A head of a table that rows are sorted by. */
interface SortedBy {
  /** Of the table, and of the column in it. */
  readonly table: number;
  readonly column: number;
  readonly order: string;
}

/** Remembers how the tables in some content are sorted; returns what sorts them so again when others have taken their place. */
function keepSorting(root: ParentNode): () => void {
  const sorted = tablesIn(root).flatMap((table, at) =>
    headsOf(table).flatMap((head, column): SortedBy[] => {
      const order = head.getAttribute("aria-sort") ?? "none";
      return order === "none" ? [] : [{ table: at, column, order }];
    }),
  );
  return () => {
    const tables = tablesIn(root);
    for (const { table, column, order } of sorted) sortAs(tables[table], column, order);
  };
}

/** Orders there are: a button that is pressed so often has been through all of them. */
const ORDERS = 3;

function sortAs(table: HTMLTableElement | undefined, column: number, order: string): void {
  const head = table && headsOf(table)[column];
  const button = head?.querySelector("button");
  for (let presses = 0; presses < ORDERS && head?.getAttribute("aria-sort") !== order; presses += 1) button?.click();
}

function tablesIn(root: ParentNode): readonly HTMLTableElement[] {
  return [...root.querySelectorAll<HTMLTableElement>("table.sortable")];
}

function headsOf({ tHead }: HTMLTableElement): readonly HTMLTableCellElement[] {
  return [...(tHead?.rows[0]?.cells ?? [])];
}
