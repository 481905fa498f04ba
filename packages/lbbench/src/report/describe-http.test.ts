import { describe, expect, it } from "vitest";
import { aScenario } from "../test-support/fixtures.js";
import { describeHttp } from "./describe-http.js";

const engine = { name: "undici", generators: 1 };

describe("describeHttp", () => {
  it("says nothing of HTTP/1.1", () => {
    expect(describeHttp(aScenario({ httpVersion: "1.1" }))).toBeUndefined();
  });

  it("says how many share a connection by HTTP/2, where more than one may", () => {
    const scenario = aScenario({ httpVersion: "2" });
    expect(describeHttp({ ...scenario, engine: { ...engine, options: {} } })).toBe("HTTP/2");
    expect(describeHttp({ ...scenario, engine: { ...engine, options: { streams: 1 } } })).toBe("HTTP/2");
    expect(describeHttp({ ...scenario, engine: { ...engine, options: { streams: 1000 } } })).toBe(
      "HTTP/2, up to 1,000 users on a connection",
    );
  });

  it("heeds the engines of targets", () => {
    const own = { name: "undici", options: { streams: 7 } };
    const targets = [{ name: "shop", server: "url", options: {}, engine: own }];
    const scenario = aScenario({ httpVersion: "2", targets });
    expect(describeHttp({ ...scenario, engine: { ...engine, options: { streams: 1 } } })).toContain("up to 7 users");
  });
});
