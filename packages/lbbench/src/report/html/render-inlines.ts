import type { Inline, Inlines } from "../document/block.js";
import { markup } from "./markup.js";
import type { Content } from "./markup.js";

/** Schemes of addresses that a reader may follow; of any other only the text is shown. */
const FOLLOWED = /^(?:https?:\/\/|#)/i;

/** Renders what stands in a line. */
export function renderInlines(text: Inlines): Content {
  return typeof text === "string" ? text : text.map(renderInline);
}

function renderInline(run: Inline): Content {
  if (typeof run === "string") return run;
  switch (run.kind) {
    case "strong":
      return markup`<strong>${run.text}</strong>`;
    case "code":
      return markup`<code>${run.text}</code>`;
    case "link":
      return FOLLOWED.test(run.url) ? markup`<a href="${run.url}" rel="noreferrer">${run.text}</a>` : run.text;
  }
}
