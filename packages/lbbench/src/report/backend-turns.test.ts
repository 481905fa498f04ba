import { expect, test } from "vitest";
import type { BackendTurns, Measurement } from "../model/measurement.js";
import { aMeasurement, aResult, aScenario, aStep } from "../test-support/fixtures.js";
import { renderMarkdown } from "./markdown.js";

const TURNS: BackendTurns = {
  of: "connections",
  picked: 5,
  inTurn: 4,
  first: ["b-2", "b-10", "b-1", "b-2", "b-10"],
  byBackend: { "b-2": 2, "b-10": 2, "b-1": 1 },
};

/** The section about backends, of one step with each of these. */
function sectionOf(...measured: readonly Partial<Measurement>[]): string {
  const scenario = aScenario({ targets: [{ name: "relay", server: "balanced", options: {} }], reference: null });
  const steps = measured.map((own, at) =>
    aStep({ target: "relay", trial: at + 1, measurement: { ...aMeasurement(), ...own } }),
  );
  const text = renderMarkdown(aResult({ scenario, steps }), { charts: "none" });
  return (/## Share of requests[\s\S]*?(?=\n## )/.exec(text)?.[0] ?? "").replaceAll(/ +/g, " ");
}

test("the report says how many went to the next backend, and the first of them, over all steps", () => {
  const text = sectionOf(
    { turns: TURNS },
    { turns: { ...TURNS, picked: 1000, inTurn: 1000, byBackend: { "b-1": 1000 } } },
  );
  expect(text).toContain(
    "In turn: 1,004 of 1,005 connections (99.9 %) went to the backend that follows the one before in the list. The first 5: b-2, b-10, b-1, b-2, b-10.",
  );
});

test("where the backends do not count, the report has what the balancer relayed to each, in the order of their numbers", () => {
  const text = sectionOf({ turns: TURNS });
  expect(text.split("\n").filter((line) => line.startsWith("|"))).toEqual([
    "| Backend | Connections | Share (%) | Off an even share |",
    "| :------ | ----------: | --------: | ----------------: |",
    "| b-1 | 1 | 20.0 | -40.0 % |",
    "| b-2 | 2 | 40.0 | +20.0 % |",
    "| b-10 | 2 | 40.0 | +20.0 % |",
  ]);
});

test("requests that were counted come before what was picked", () => {
  const text = sectionOf({ turns: TURNS, backends: { a: { requests: 3 }, b: { requests: 7 } } });
  expect(text).toContain("| Backend | Requests | Share (%) | Off an even share | Errors |");
  expect(text).not.toContain("| Connections |");
  expect(text).toContain("In turn: 4 of 5 connections");
});

test("without a balancer that tells there is no such section", () => {
  expect(sectionOf({})).toBe("");
});
