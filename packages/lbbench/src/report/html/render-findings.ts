import type { FindingGroup, FindingKind } from "../document/block.js";
import { markup } from "./markup.js";
import type { Markup } from "./markup.js";
import { renderInlines } from "./render-inlines.js";

/** What stands before a group beside its words; no severity is told by its colour alone. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ["failure", "✕"],
  ["error", "✕"],
  ["warning", "!"],
  ["info", "i"],
]);

/** Renders findings as panels, one for each kind: what was seen, what is behind it and what to do. */
export function renderFindings(groups: readonly FindingGroup[]): Markup {
  return markup`${groups.map((group, at) => renderGroup(group, `findings-${at + 1}`))}`;
}

function renderGroup({ head, severity, isFailure, kinds }: FindingGroup, id: string): Markup {
  const look = isFailure ? "failure" : severity;
  return markup`<section class="findings" data-severity="${look}" aria-labelledby="${id}">
<h3 id="${id}"><span class="sign" aria-hidden="true">${SIGNS.get(look)}</span>${head}</h3>
${kinds.map(renderKind)}</section>
`;
}

function renderKind({ code, title, texts, cause, remedy }: FindingKind): Markup {
  const [only = "", ...others] = texts;
  const seen =
    others.length === 0
      ? markup`<p class="seen">${renderInlines(only)}</p>`
      : markup`<ul class="seen">${texts.map((text) => markup`<li>${renderInlines(text)}</li>`)}</ul>`;
  return markup`<article class="finding">
<h4>${title} <code>${code}</code></h4>
${seen}
<dl class="advice"><div><dt>Cause</dt><dd>${cause}</dd></div>${remedy === undefined ? null : markup`<div><dt>What to do</dt><dd>${remedy}</dd></div>`}</dl>
</article>
`;
}
