import type { BalancerRow, Balancers } from "../balancers.js";
import { capitalize, shortenName } from "../plain-line.js";
import { type Block, type Column, createTable, NO_FIGURE, wordColumn } from "./block.js";

/** Longer names would make the table wider than a page. */
const LONGEST_NAME = 40;

/** A row for each balancer, with what its columns mean; nothing where fewer than two are compared. */
export function balancerTable({ rows, figures }: Balancers): readonly Block[] {
  if (rows.length === 0) return [];
  const columns = figures.map(({ head, title, of }): Column<BalancerRow> => {
    const cell = (row: BalancerRow) => {
      const { text, spread = "", value } = of(row);
      return { text: text === "" ? NO_FIGURE : `${text} ${spread}`.trim(), value };
    };
    return { head, align: "right", cell, title };
  });
  const name = wordColumn<BalancerRow>("Balancer", ({ target }) => shortenName(target.name, LONGEST_NAME));
  const meanings = [...new Set(figures.map(({ title }) => `${capitalize(title)}.`))];
  const lead = ["Balancers side by side.", ...meanings].join(" ");
  return [createTable({ caption: "Balancers", lead }, [name, ...columns], rows)];
}
