import { describe, expect, it } from "vitest";
import { exampleBackend, exampleSnapshot } from "../test-support/observe-example.js";
import { createFigures } from "./figures.js";

const nothing = {
  requests: 0,
  errors: 0,
  aborted: 0,
  inFlight: 0,
  queued: 0,
  retries: 0,
  answers: { "1xx": 0, "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 },
  latency: { boundsSeconds: [0.0005, 0.1, 1], counts: [0, 0, 0, 0], sumSeconds: 0 },
};
const base = exampleSnapshot({ backends: [exampleBackend({ ...nothing, weight: 9 })], connections: 0, refused: {} });
const [first, second] = [{ name: "first" }, { name: "second" }];

describe("figures", () => {
  it("are those of the base as long as nobody tells any", () => {
    expect(createFigures().addTo(base)).toEqual(base);
  });

  it("are what each worker told last", () => {
    const figures = createFigures();
    figures.told(first, exampleSnapshot({ connections: 1 }));
    figures.told(first, exampleSnapshot({ connections: 2 }));
    figures.told(second, exampleSnapshot({ connections: 3 }));
    expect(figures.addTo(base)).toMatchObject({ connections: 5, refused: { "400": 2, "503": 12 } });
    expect(figures.addTo(base).backends[0]).toMatchObject({ requests: 24, inFlight: 6, weight: 9 });
  });

  it("keep what a worker that ended told last, with what was in flight as errors", () => {
    const figures = createFigures();
    const last = exampleBackend({ condition: "ejected", requests: 12, errors: 2, inFlight: 3 });
    figures.told(first, exampleSnapshot({ backends: [last] }));
    figures.ended(first);
    const sum = figures.addTo(base);
    expect(sum).toMatchObject({ connections: 0, refused: { "400": 1, "503": 6 } });
    expect(sum.backends[0]).toMatchObject({ condition: "up", requests: 12, errors: 5, inFlight: 0, queued: 0 });
    expect(sum.backends[0]?.latency).toEqual(last.latency);
  });

  it("do not count what comes late from a worker that has ended", () => {
    const figures = createFigures();
    figures.told(first, exampleSnapshot());
    figures.ended(first);
    figures.told(first, exampleSnapshot());
    expect(figures.addTo(base).backends[0]?.requests).toBe(12);
  });

  it("leave out backends that the base does not have", () => {
    const figures = createFigures();
    figures.told(first, exampleSnapshot({ backends: [exampleBackend(), exampleBackend({ name: "b" })] }));
    expect(figures.addTo(base).backends.map(({ name }) => name)).toEqual(["a"]);
  });

  it("begin anew for a backend that is forgotten", () => {
    const figures = createFigures();
    figures.told(first, exampleSnapshot());
    figures.ended(first);
    figures.told(second, exampleSnapshot());
    figures.forget("a");
    expect(figures.addTo(base).backends[0]?.requests).toBe(0);
  });
});
