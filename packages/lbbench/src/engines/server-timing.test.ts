import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Draws } from "@lbbench/test-support/draws.js";
import { readServerTiming, ServerTimes, type ToldTimes } from "./server-timing.js";

describe("a Server-Timing", () => {
  it.each<[string, ToldTimes]>([
    // The examples of W3C.
    ["miss, db;dur=53, app;dur=47.2", { backend: 47.2 }],
    ["customView, dc;desc=atl", {}],
    ['cache;desc="Cache Read";dur=23.2', { backend: 23.2 }],
    ['total;dur=123.4, sql-1;desc="MySQL, lookup; of user";dur=100', { backend: 123.4 }],
    ["", {}],
    [",".repeat(4096), {}],
    ["\t".repeat(4096), {}],
    [" , ,a\t;\tdur\t=\t1 ,,", { backend: 1 }],
    ["app;dur=3, app;dur=9", { backend: 3 }],
    ["app;DUR=2;dur=5", { backend: 2 }],
    ['app;dur="4.5"', { backend: 4.5 }],
    [String.raw`a;desc="say \"1;dur=9\"";dur="\2"`, { backend: 2 }],
    ["a;dur=1e-2, b;dur=.5, c;dur=0.", { backend: 0.5 }],
    ["app;desc=x, other;dur=6", { backend: 6 }],
    ["App;dur=1, b;dur=2", { backend: 2 }],
    // Of balancers.
    ["app;dur=1, lb;dur=3", { backend: 1, balancer: { queue: 0, connect: 0, total: 3 } }],
    ["lb-queue;dur=2, lb;dur=5", { balancer: { queue: 2, connect: 0, total: 5 } }],
    [
      "app;dur=1, lb-queue;dur=2, lb-connect;dur=.25, lb;dur=4, lb-queue;dur=3, lb;dur=9",
      { backend: 1, balancer: { queue: 5, connect: 0.25, total: 9 } },
    ],
    ["lb-queue;dur=2", {}],
    [`a;dur=86400000;desc="${"x".repeat(4000)}"`, { backend: 86_400_000 }],
  ])("%j is read", (text, told) => {
    expect(readServerTiming(text)).toEqual(told);
  });

  it.each([
    "app dur=1",
    "a;a=".repeat(1024),
    '"\\'.repeat(2048),
    "a;b=\t".repeat(819),
    "app;dur",
    "app;dur=",
    "app;dur=1;",
    "app;;dur=1",
    ";dur=1",
    "=1",
    "app;dur=-1",
    "app;dur=abc",
    "app;dur=1ms",
    "app;dur=0x10",
    "app;dur=Infinity",
    "app;dur=NaN",
    "app;dur=1e999",
    "app;dur=86400001",
    'app;dur=""',
    'app;dur="1',
    'app;dur="1"2',
    'app;desc="\u0000"',
    "app;desc=ä",
    "ä;dur=1",
    "app/2;dur=1",
    "app;dur=1 other",
    "app;dur=abc, other;dur=1",
    `a;desc="${"x".repeat(4096)}"`,
  ])("%j is malformed", (text) => {
    expect(readServerTiming(text)).toBeUndefined();
  });

  it("that is written by the grammar is read as what was written, and never as more when anything of it is changed", () => {
    const token = fc.stringMatching(/^[-!#$%&'*+.^_`|~\dA-Za-z]{1,8}$/).filter((name) => !/^(app$|lb)/.test(name));
    const blank = fc.constantFrom("", " ", "\t ");
    const quoted = fc.stringMatching(/^[\t -!#-[\]-~\x80-\xff]{0,9}$/).map((inside) => `"${inside}"`);
    const other = fc.tuple(
      token.filter((name) => name.toLowerCase() !== "dur"),
      fc.oneof(token, quoted),
    );
    const entry = fc.record({
      name: token,
      ms: fc.option(fc.double({ min: 0, max: 86_400_000, noNaN: true }), { nil: undefined }),
      before: fc.array(other, { maxLength: 2 }),
      after: fc.array(other, { maxLength: 2 }),
      space: blank,
    });
    const list = fc.array(entry, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(list, fc.nat(), (entries, seed) => {
        const text = entries
          .map(({ name, ms, before, after, space }) => {
            const dur = ms === undefined ? [] : [["dur", String(ms)]];
            const parameters = [...before, ...dur, ...after].map((pair) => `;${space}${pair.join(`${space}=`)}`);
            return `${space}${name}${parameters.join(space)}`;
          })
          .join(",");
        const all = entries.flatMap(({ ms }) => ms ?? []);
        expect(readServerTiming(text)).toEqual(all.length === 0 ? {} : { backend: Math.max(...all) });
        const draws = new Draws(seed);
        const at = draws.below(text.length);
        const changed = text.slice(0, at) + String.fromCharCode(draws.below(256)) + text.slice(at + draws.below(3));
        const { backend = 0 } = readServerTiming(changed) ?? {};
        expect(backend >= 0 && backend <= 86_400_000).toBe(true);
      }),
    );
  });
});

it("splits what requests took, tells what answers did not say, and takes no lie for time", () => {
  const times = new ServerTimes();
  times.add("app;dur=1.5", 2000, 30);
  times.add("app;dur=3, lb-queue;dur=0.5, lb;dur=4", 5000, 0);
  times.add("app;dur=1000", 4000, 0);
  times.add("lb;dur=1", 2000, 0);
  times.add(undefined, 900, 0);
  times.add("hit", 900, 0);
  times.add("app;dur=x", 900, 0);
  const { counts, latencies } = times.finish();
  expect(counts).toEqual({ told: 3, untold: 3, malformed: 1, negative: 1 });
  const of = { count: 3, minUs: 0 };
  expect(latencies.added).toMatchObject({ ...of, sumUs: 500 + 2000, maxUs: 2000 });
  expect(latencies.backend).toMatchObject({ count: 3, minUs: 1500, maxUs: 1_000_000 });
  expect(latencies.generator).toMatchObject({ ...of, sumUs: 30 });
  expect(latencies.queue).toMatchObject({ count: 2, minUs: 0, maxUs: 500 });
  expect(latencies.connect).toMatchObject({ count: 2, minUs: 0, maxUs: 0 });
  expect(latencies.total).toMatchObject({ count: 2, minUs: 1000, maxUs: 4000 });
  expect(new ServerTimes().finish().latencies).toEqual({});
});
