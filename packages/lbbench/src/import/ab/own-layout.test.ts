import { describe, expect, it } from "vitest";
import { importOutput } from "../../api/import-output.js";
import { renderReport } from "../../api/render-report.js";
import type { Result, StepResult } from "../../model/result.js";
import { aSweep, failed } from "../../report/test-support/sample-results.js";
import { keptText } from "../test-support/kept-output.js";

/** What lbbench writes in the layout of ab, imported again. */
async function thereAndBack(result: Result): Promise<Result> {
  const { files } = await renderReport(result, ["ab"]);
  const [file] = files;
  return (await importOutput([{ name: "ab.txt", content: file?.content ?? "" }])).result;
}

/** The figures that the layout has, as exactly as it has them. */
function inLayout({ target, level, trial, measurement }: StepResult): object {
  const { requests, latency, bytes, elapsedMs = 0 } = measurement ?? {};
  const { sent, ok = 0, non2xx, mismatched = 0, connectErrors = 0, inFlight = 0 } = requests ?? {};
  const whole = (ms: number | undefined): number => Number((ms ?? 0).toFixed(0));
  return {
    place: [target, level, trial],
    requests: { sent: (sent ?? 0) - inFlight, ok, non2xx, mismatched, connectErrors },
    bytes: { received: bytes?.received, body: bytes?.body },
    seconds: Math.round(elapsedMs / 100),
    latency:
      latency === undefined || whole(latency.p50) === 0
        ? undefined
        : [
            latency.p50,
            latency.p66,
            latency.p75,
            latency.p80,
            latency.p90,
            latency.p95,
            latency.p98,
            latency.p99,
            latency.max,
          ].map(whole),
  };
}

/** A step whose ok answers, where there are any, took as long as its level has connections, and up to ten times as long. */
function withLatency(step: StepResult): StepResult {
  const { measurement, level } = step;
  if (measurement?.latency === undefined) return step;
  const unit = (level.connections ?? 0) + 0.4;
  const latency = { min: 0.2, p50: unit, p66: 2 * unit, p75: 3 * unit, p80: 4 * unit, p90: 5 * unit, p95: 6 * unit };
  const slowest = { p98: 7 * unit, p99: 8 * unit, max: 10 * unit };
  return { ...step, measurement: { ...measurement, latency: { ...latency, ...slowest } } };
}

/** A step whose answers all had the status 503. */
function allFailed(step: StepResult): StepResult {
  const { measurement } = step;
  if (measurement === undefined) return step;
  const { latency: _, phases: _also, ...rest } = measurement;
  const { sent } = measurement.requests;
  return { ...step, measurement: { ...rest, requests: { sent, ok: 0, non2xx: sent }, statusCodes: { 503: sent } } };
}

describe("what lbbench has written in the layout of ab", () => {
  it("gives the same figures when it is imported, as far as the layout has them", async () => {
    const result = aSweep({ change: withLatency });
    const again = await thereAndBack(result);
    expect(result.steps.length).toBeGreaterThan(3);
    expect(again.steps.map(inLayout)).toEqual(result.steps.map(inLayout));
    expect(again.scenario.targets.map(({ name }) => name)).toEqual(result.scenario.targets.map(({ name }) => name));
    expect(again.scenario.keepAlive).toBeNull();
    expect(again.imported?.files[0]?.programs).toEqual(["lbbench"]);
  });

  it("leaves out steps without a measurement, which have no block", async () => {
    const result = aSweep({
      change: (step) => (step.level.connections === 50 ? failed(step) : withLatency(step)),
    });
    const measured = result.steps.filter(({ measurement }) => measurement !== undefined);
    expect((await thereAndBack(result)).steps.map(inLayout)).toEqual(measured.map(inLayout));
  });

  it("keeps runs apart whose answers all failed, which have no percentiles", async () => {
    const result = aSweep({ change: allFailed });
    expect((await thereAndBack(result)).steps.map(inLayout)).toEqual(result.steps.map(inLayout));
  });

  it("takes target, level and trial of a run of ab itself from the line over it", async () => {
    const timed = keptText("ab/timed");
    const again = timed.replace(/ 98% +\d+/, " 98%     36");
    expect(again).not.toBe(timed);
    const { result } = await importOutput([{ name: "ab.txt", content: `${timed}\n${again}` }], {
      target: "shop",
      duration: "1s",
    });
    const { steps, verdict } = await thereAndBack(result);
    expect(steps.map(({ target, level, trial, engine }) => ({ target, level, trial, engine }))).toEqual(
      [1, 2].map((trial) => ({ target: "shop", level: { connections: 5, durationMs: 1000 }, trial, engine: "ab" })),
    );
    expect(verdict.findings.map(({ code }) => code)).not.toContain("SINGLE_TRIAL");
  });

  it("takes nothing from such a line for a run that has the banner of ab", async () => {
    const comment = '# lbbench: target "shop", 9 connections, 3 s, trial 1: connection refused';
    const { result } = await importOutput([{ name: "ab.txt", content: `${comment}\n\n${keptText("ab/slow")}` }]);
    expect(result.steps).toMatchObject([{ target: "127.0.0.1:18765/slow", level: { connections: 20, requests: 600 } }]);
  });

  it("gives the same figures of a run of ab itself, which it has printed", async () => {
    const { result } = await importOutput([
      { name: "ab.txt", content: `${keptText("ab/slow")}\n${keptText("ab/all-503")}` },
    ]);
    const again = await thereAndBack(result);
    const figures = ({ steps }: Result): readonly object[] =>
      steps.map(({ level, measurement: { requests, latency, elapsedMs, bytes } = {} }) => ({
        level,
        requests,
        latency,
        elapsedMs,
        bytes,
      }));
    expect(figures(again)).toEqual(figures(result));
  });
});
