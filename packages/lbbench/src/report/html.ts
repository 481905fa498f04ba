import type { Reporter } from "../plugin.js";

/** Writes `report.html`: one document with everything in it, that opens from disk and asks no network. */
export const htmlReporter: Reporter = {
  format: "html",
  render: async (result) => {
    // Page and script are a few hundred kilobytes of text, which no other format needs.
    const { renderHtml } = await import("./html/page.js");
    return [{ name: "report.html", content: renderHtml(result) }];
  },
};
