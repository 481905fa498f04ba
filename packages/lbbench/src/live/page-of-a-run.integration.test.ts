import { once } from "node:events";
import net from "node:net";
import { networkInterfaces } from "node:os";
import { expect, it, onTestFinished } from "vitest";
import { expectClosed } from "../../test/support/expect-closed.js";
import type { Result } from "../model/result.js";
import { describeHeadline } from "../report/headline.js";
import { createReportModel } from "../report/report-model.js";
import { createSampleResult } from "../testing/sample-result.js";
import { openLiveView, type LiveView } from "./live-view.js";
import { listen } from "./test-support/listen.js";
import { aProgress, aSecond, aStart, aStepBegun } from "./test-support/sweep-events.js";

const PATIENCE = { timeout: 60_000, interval: 5 };
const SAMPLE = createSampleResult();
/** A small one, whose report is drawn in a moment. */
const RESULT: Result = { ...SAMPLE, steps: SAMPLE.steps.slice(0, 4) };

/** The result as it was after so many steps. */
function after(steps: number): Result {
  return { ...RESULT, complete: false, finishedAt: null, steps: RESULT.steps.slice(0, steps) };
}

async function openView(): Promise<LiveView & { readonly port: number }> {
  const view = await openLiveView();
  onTestFinished(() => view.close());
  return { ...view, port: Number(new URL(view.url).port) };
}

/** Listens as a page does; `last` is the data of the last message of a name. */
async function listenTo({ port, url }: Awaited<ReturnType<typeof openView>>) {
  const reader = await listen(port, `${new URL(url).pathname}events`);
  const of = (name: string) => reader.events().flatMap(({ event, data }) => (event === name ? [data as Told] : []));
  return { ...reader, of, last: (name: string) => of(name).at(-1) };
}

type Told = Readonly<Record<string, unknown>>;

/** The result that a report has in it. */
function resultIn(html: unknown): Result {
  const [, json = ""] = /<script[^>]*\bid="?result"?[^>]*>([^]*?)<\/script>/.exec(String(html)) ?? [];
  return JSON.parse(json) as Result;
}

const page = async ({ url }: LiveView): Promise<string> => (await fetch(url)).text();

it("the page of a run has the result so far, is told what is new, and at the end is the report of the result", async () => {
  const view = await openView();
  view.onEvent(aStart(RESULT.steps.length));
  view.onEvent({ type: "partial", result: after(2) });
  const html = await page(view);
  expect(resultIn(html)).toEqual(after(2));
  expect(html).toContain(`Running, 2 of ${RESULT.steps.length}</h2>`);
  expect(html).not.toContain("Verdict so far");

  const reader = await listenTo(view);
  view.onEvent(aStepBegun(2));
  for (const second of [0, 1]) view.onEvent(aProgress({ failed: 1, latest: aSecond(second, { ok: 7 + second }) }));
  await expect
    .poll(() => reader.last("panel"), PATIENCE)
    .toMatchObject({
      step: "single, 50 connections",
      progress: expect.stringContaining(`2 of ${RESULT.steps.length} steps done`),
      figures: expect.arrayContaining([
        ["ok per second", "8.00"],
        ["failed", expect.stringMatching(/^1 /)],
      ]),
    });
  expect(reader.of("seconds").flatMap(({ seconds }) => seconds)).toEqual([
    aSecond(0, { ok: 7 }),
    aSecond(1, { ok: 8 }),
  ]);

  view.onEvent({ type: "done", result: RESULT });
  await reader.closed;
  const end = reader.last("done") ?? {};
  expect(resultIn(end["html"])).toEqual(RESULT);
  expect(end["html"]).toContain(`Verdict: ${RESULT.verdict.status}`);
  expect(end["html"]).toContain(describeHeadline(createReportModel(RESULT)).verdict.slice(0, 20));
  expect(resultIn(end["file"])).toEqual(RESULT);
  expect(resultIn(await page(view)), "to who comes late").toEqual(RESULT);
  await view.close();
  await expectClosed([view.port]);
});

it("a run that ends by an error is told to its pages, of which none is left open", async () => {
  const view = await openView();
  view.onEvent(aStart(2));
  const reader = await listenTo(view);
  await view.close();
  await reader.closed;
  expect(reader.events().at(-1)?.event).toBe("ended");
  await expectClosed([view.port]);
});

it("no address of the machine but the one of the page answers", async () => {
  const { port } = await openView();
  const others = Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses.map(({ address, scopeid }) => (scopeid ? "" : address)))
    .filter((address) => address !== "" && address !== "127.0.0.1");
  // All of 127.0.0.0/8 is this machine, on Linux.
  for (const host of [...others, ...(process.platform === "linux" ? ["127.0.0.2"] : [])]) {
    const socket = net.connect({ host, port });
    onTestFinished(() => void socket.destroy());
    const outcome = await once(socket, "connect").then(
      () => "connected",
      () => "refused",
    );
    expect(outcome, host).toBe("refused");
  }
});
