import { describe, expect, it } from "vitest";
import { resolveBackends } from "../options/resolve-backend.js";
import { planReload } from "./plan-reload.js";

const present = [
  { name: "a", url: "http://127.0.0.1:1", weight: 1 },
  { name: "b", url: "http://127.0.0.1:2", weight: 1 },
];

describe("planReload", () => {
  it("does nothing when nothing has changed", () => {
    expect(planReload(present, resolveBackends(present, "http"))).toEqual({ remove: [], add: [], reweight: [] });
  });

  it("takes out what is no longer there, and adds what is new", () => {
    const wanted = resolveBackends(
      [
        { ...present[1], url: "http://127.0.0.1:2" },
        { name: "c", url: "http://c" },
      ],
      "http",
    );
    expect(planReload(present, wanted)).toMatchObject({ remove: ["a"], add: [{ name: "c" }], reweight: [] });
  });

  it("changes weights in place", () => {
    const wanted = resolveBackends(
      present.map((backend, index) => ({ ...backend, weight: index + 1 })),
      "http",
    );
    expect(planReload(present, wanted)).toEqual({ remove: [], add: [], reweight: [{ name: "b", weight: 2 }] });
  });

  it("takes a backend for another one when it is at another place", () => {
    const wanted = resolveBackends([{ name: "a", url: "http://127.0.0.1:3" }, ...present.slice(1)], "http");
    expect(planReload(present, wanted)).toMatchObject({
      remove: ["a"],
      add: [{ name: "a", url: "http://127.0.0.1:3" }],
    });
  });
});
