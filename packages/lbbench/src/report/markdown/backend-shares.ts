import type { BackendShare } from "../../model/measurement.js";
import { cellsByTarget, collectCells } from "../cells.js";
import type { Cell } from "../cells.js";
import { groupBy } from "../../stats/group-by.js";
import { escapeMarkdown } from "../escape-markdown.js";
import { formatChange, formatCount, formatPercent } from "../format-number.js";
import type { Section } from "./section.js";
import { NO_FIGURE, numberColumn, renderTable } from "./table.js";
import type { Column } from "./table.js";

interface Share extends BackendShare {
  readonly name: string;
}

/** How the balancer of each target that has one spread the requests; nothing without a balancer. */
export const backendShares: Section = (result) => {
  const parts = [...cellsByTarget(collectCells(result))].flatMap(([target, cells]) => {
    const shares = sumShares(cells);
    return shares.length === 0 ? [] : [`### Backends of ${escapeMarkdown(target)}`, renderShares(shares)];
  });
  return parts.length === 0
    ? []
    : [
        "## Share of requests per backend",
        "Over all levels and trials, as the balancer or the backends themselves counted.",
        ...parts,
      ];
};

function sumShares(cells: readonly Cell[]): readonly Share[] {
  const all = cells.flatMap(({ measurements }) =>
    measurements.flatMap(({ backends }) => Object.entries(backends ?? {}).map(([name, share]) => ({ name, ...share }))),
  );
  return [...groupBy(all, ({ name }) => name)].map(([name, those]) => ({
    name,
    requests: those.reduce((sum, { requests }) => sum + requests, 0),
    ...sumErrors(those),
  }));
}

/** Nothing where nobody tells. */
function sumErrors(shares: readonly BackendShare[]): Pick<BackendShare, "errors"> {
  const told = shares.flatMap(({ errors }) => errors ?? []);
  return told.length === 0 ? {} : { errors: told.reduce((sum, errors) => sum + errors, 0) };
}

function renderShares(shares: readonly Share[]): string {
  const total = shares.reduce((sum, { requests }) => sum + requests, 0);
  const even = total / shares.length;
  const columns: readonly Column<Share>[] = [
    { head: "Backend", align: "left", cell: ({ name }) => escapeMarkdown(name) },
    numberColumn("Requests", ({ requests }) => requests, formatCount),
    numberColumn("Share (%)", ({ requests }) => (total === 0 ? null : requests / total), formatPercent),
    {
      head: "Off an even share",
      align: "right",
      cell: ({ requests }) => (even === 0 ? NO_FIGURE : formatChange(requests / even - 1)),
    },
    numberColumn("Errors", ({ errors }) => errors ?? null, formatCount),
  ];
  return renderTable(columns, shares);
}
