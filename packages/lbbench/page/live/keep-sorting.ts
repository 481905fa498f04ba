/** A head of a table that rows are sorted by. */
interface SortedBy {
  /** Of the table, and of the column in it. */
  readonly table: number;
  readonly column: number;
  readonly order: string;
}

/** Remembers how the tables in some content are sorted; returns what sorts them so again when others have taken their place. */
export function keepSorting(root: ParentNode): () => void {
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
