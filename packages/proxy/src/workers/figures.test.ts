import { expect, it } from "vitest";
import { exampleBackend, exampleSnapshot } from "../test-support/observe-example.js";
import { createFigures } from "./figures.js";

const counts = { requests: 0, errors: 0, aborted: 0, inFlight: 0, queued: 0, retries: 0 };
const latency = { boundsSeconds: [0.0005, 0.1, 1], counts: [0, 0, 0, 0], sumSeconds: 0 };
const none = { ...counts, answers: { "1xx": 0, "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 }, latency };
const base = exampleSnapshot({ backends: [exampleBackend({ ...none, weight: 9 })], connections: 0, refused: {} });
const [first, second] = [{ name: "first" }, { name: "second" }];

it("figures are those of the base, and what each worker told last, of the backends that the base has", () => {
  const figures = createFigures();
  expect(figures.addTo(base)).toEqual(base);
  figures.told(first, exampleSnapshot({ connections: 1 }));
  figures.told(first, exampleSnapshot({ connections: 2 }));
  figures.told(
    second,
    exampleSnapshot({ connections: 3, backends: [exampleBackend(), exampleBackend({ name: "b" })] }),
  );
  const sum = figures.addTo(base);
  expect(sum).toMatchObject({ connections: 5, refused: { "400": 2, "503": 12 } });
  expect(sum.backends).toMatchObject([{ name: "a", requests: 24, inFlight: 6, weight: 9 }]);
});

it("figures keep what a worker that ended told last, with what was in flight as errors, and nothing that comes late", () => {
  const figures = createFigures();
  const last = exampleBackend({ condition: "ejected", requests: 12, errors: 2, inFlight: 3 });
  figures.told(first, exampleSnapshot({ backends: [last] }));
  figures.ended(first);
  figures.told(first, exampleSnapshot());
  const sum = figures.addTo(base);
  expect(sum).toMatchObject({ connections: 0, refused: { "400": 1, "503": 6 } });
  const expected = { condition: "up", requests: 12, errors: 5, inFlight: 0, queued: 0, latency: last.latency };
  expect(sum.backends[0]).toMatchObject(expected);
});

it("figures begin anew for a backend that is forgotten", () => {
  const figures = createFigures();
  figures.told(first, exampleSnapshot());
  figures.ended(first);
  figures.told(second, exampleSnapshot());
  figures.forget("a");
  expect(figures.addTo(base).backends[0]?.requests).toBe(0);
});
